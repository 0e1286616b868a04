# Groups that are kept current: changes that fire no row trigger, dump and restore,
# subscribers, writers without rights, and a crash.

use strict;
use warnings;

use LshsimTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = start_node('tables', 'wal_level = logical', 'max_wal_senders = 4', 'max_replication_slots = 4', 'jit = off');

my $create = q{minhash_groups_create('docs', 'sig', 0.6, 0.99, groups => '%s', maintain => '%s')};

# Make a table of 60 rows in a chain that lacks every fourth, and its groups.
sub make_groups
{
	my ($database, $partitions) = @_;

	$node->safe_psql($database, 'CREATE TABLE docs (id bigint PRIMARY KEY, sig minhash)'
		  . ($partitions ? ' PARTITION BY RANGE (id);
			CREATE TABLE low PARTITION OF docs FOR VALUES FROM (0) TO (30);
			CREATE TABLE high PARTITION OF docs FOR VALUES FROM (30) TO (1000)' : '')
		  . '; INSERT INTO docs SELECT i, link(i) FROM generate_series(1, 80) i WHERE i % 4 > 0;
			CREATE INDEX ON docs USING lsh (sig);
			SELECT ' . sprintf($create, 'later', 'queue') . ', ' . sprintf($create, 'each', 'commit'));
	return;
}

# Refresh both kinds of groups, and compare them.
sub check_groups
{
	my ($database, $name) = @_;

	is($node->safe_psql($database, q{SELECT count(minhash_groups_refresh(g)) FROM unnest('{later,each}'::regclass[]) g;
		SELECT wrong_groups('docs', 'later'), wrong_groups('docs', 'each')}), "2\n0|0", $name);
	return;
}

# Return the number of changed rows of a refresh, and whether it has read the whole table.
sub refresh
{
	my ($database) = @_;
	return $node->safe_psql($database, q{
		SELECT changed_rows, rows = (SELECT count(*) FROM docs) FROM minhash_groups_refresh('later')});
}

foreach my $partitions (0, 1)
{
	my $database = $partitions ? 'parts' : 'plain';
	my $run = sub {
		my ($name, $sql, $only_later) = @_;
		$node->safe_psql($database, $sql);
		is($node->safe_psql($database, q{SELECT wrong_groups('docs', 'each')}), '0', "$database, $name: groups at commit")
		  unless $only_later;
		check_groups($database, "$database, $name");
	};

	add_database($node, $database, 'ENCODING UTF8');
	$node->safe_psql($database, group_functions());
	make_groups($database, $partitions);
	check_groups($database, "$database: new groups");
	$run->('rows', 'DELETE FROM docs WHERE id = 42; INSERT INTO docs VALUES (4, link(4)), (84, link(84)); UPDATE docs SET id = 900 WHERE id = 21');
	is(refresh($database), '0|f', "$database: nothing to do");
	$node->safe_psql($database, 'INSERT INTO docs VALUES (8, link(8))');
	is(refresh($database), '1|f', "$database: a refresh after an insert reads few rows");

	# TRUNCATE, also of a file that this transaction has made
	$run->('truncate', 'TRUNCATE docs');
	$run->('truncate and insert', 'INSERT INTO docs SELECT i, link(i) FROM generate_series(1, 90) i; TRUNCATE docs; INSERT INTO docs SELECT i, link(i) FROM generate_series(2, 90, 2) i');
	$run->('truncate twice', q{BEGIN; TRUNCATE docs; INSERT INTO docs SELECT i, link(i) FROM generate_series(1, 9) i;
		SELECT minhash_groups_refresh('later'); TRUNCATE docs; INSERT INTO docs SELECT i, link(i) FROM generate_series(5, 50) i; COMMIT});
	# rewritten, and with triggers disabled
	$run->('rewritten', 'ALTER TABLE docs ALTER sig TYPE minhash USING link(id + id % 9)', 'later');
	$run->('triggers disabled', q{BEGIN; ALTER TABLE docs DISABLE TRIGGER ALL; DELETE FROM docs WHERE id % 6 = 0;
		ALTER TABLE docs ENABLE TRIGGER ALL; COMMIT}, 'later');
	$node->safe_psql($database, 'INSERT INTO docs VALUES (400, link(400))');
	is(refresh($database), '1|t', "$database: with triggers that do not fire always, a refresh reads all rows");
	$run->('replica, without a trigger', 'SET session_replication_role = replica; DELETE FROM docs WHERE id = 19', 'later');
	$run->('replica', q{ALTER TABLE docs ENABLE ALWAYS TRIGGER each_queue, ENABLE ALWAYS TRIGGER later_queue, ENABLE ALWAYS TRIGGER minhash_groups_truncate; SET session_replication_role = replica; DELETE FROM docs WHERE id = 20});
	$node->safe_psql($database, 'INSERT INTO docs VALUES (401, link(401))');
	is(refresh($database), '1|f', "$database: triggers that were disabled work again");
	my $unseen = q{ALTER TABLE docs DISABLE TRIGGER later_queue, DISABLE TRIGGER each_queue; DELETE FROM docs WHERE id = %d;
		ALTER TABLE docs ENABLE ALWAYS TRIGGER later_queue, ENABLE ALWAYS TRIGGER each_queue;
		SELECT minhash_groups_refresh('later'), minhash_groups_refresh('each')};
	$run->('triggers disabled twice', 'BEGIN; ' . sprintf($unseen, 9) . '; ' . sprintf($unseen, 33) . '; COMMIT');
	# another column of the same name
	$run->('another column', 'ALTER TABLE docs RENAME sig TO old_sig; ALTER TABLE docs ADD sig minhash', 'later');
	$run->('the first column', 'ALTER TABLE docs DROP sig; ALTER TABLE docs RENAME old_sig TO sig', 'later');
	$run->('a locked queue', 'BEGIN; DELETE FROM docs WHERE id = 34; SELECT FROM each_queue FOR UPDATE; COMMIT');
	# another setting
	$node->safe_psql($database, q{UPDATE later_definition SET threshold = 0.99; SELECT minhash_groups_refresh('later')});
	is($node->safe_psql($database, 'SELECT count(*) = count(DISTINCT grp) FROM later'), 't', "$database: another threshold");
	$node->safe_psql($database, q{UPDATE later_definition SET threshold = 0.6});
	# a column that for a time has another name than in the queue
	$run->('renamed', q{ALTER TABLE each_queue DISABLE TRIGGER ALL; ALTER TABLE docs RENAME sig TO signature;
		DELETE FROM docs WHERE id = 12; INSERT INTO docs VALUES (500, link(500)); ALTER TABLE docs RENAME signature TO sig;
		ALTER TABLE each_queue ENABLE ALWAYS TRIGGER each_queue}, 'later');
}

add_database($node, 'others', 'ENCODING UTF8');
$node->safe_psql('others', group_functions());

# Keys that could not be told apart: NULL, and equal under a nondeterministic collation.
{
	my $stderr;

	$node->safe_psql('others', q{CREATE TABLE keys (a int NOT NULL, b int NOT NULL, sig minhash, UNIQUE (a, b));
		INSERT INTO keys SELECT 1, i, link(i) FROM generate_series(1, 9) i;
		SELECT minhash_groups_create('keys', 'sig', 0.6, key => '{a,b}', maintain => 'queue');
		SELECT minhash_groups_refresh('keys_groups');
		ALTER TABLE keys ALTER b DROP NOT NULL; INSERT INTO keys VALUES (1, NULL, link(4))});
	$node->psql('others', q{SELECT minhash_groups_refresh('keys_groups')}, stderr => \$stderr);
	like($stderr, qr/null value in column "b" of relation "keys_groups"/, 'a NULL in a key of two columns');
  SKIP:
	{
		$node->psql('others', q{CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)}) == 0
		  or skip 'no ICU', 2;
		$node->safe_psql('others', 'CREATE TABLE names (id text COLLATE no_case NOT NULL, sig minhash); CREATE UNIQUE INDEX ON names (id COLLATE "C")');
		$node->psql('others', q{SELECT minhash_groups_create('names', 'sig', 0.6, key => '{id}')}, stderr => \$stderr);
		like($stderr, qr/the key of table "names" is not known to be unique/, 'a key unique only under another collation');
		$node->safe_psql('others', q{CREATE UNIQUE INDEX ON names (id); INSERT INTO names VALUES ('a', link(1)), ('b', link(1));
			SELECT minhash_groups_create('names', 'sig', 0.6, 0.99, key => '{id}', maintain => 'commit')});
		$node->safe_psql('others', q{UPDATE names SET id = 'A' WHERE id = 'a'; DELETE FROM names WHERE id = 'B'});
		is($node->safe_psql('others', q{SELECT count(*) FROM names_groups WHERE id = 'A'; SELECT wrong_groups('names', 'names_groups')}),
			"1\n0", 'a key that is equal to the old one');
	}
}

# Signatures of another kind, which can be compared with no other: one for a while, and all for ever.
{
	$node->safe_psql('others', q{CREATE TABLE kinds (id int PRIMARY KEY, sig minhash);
		INSERT INTO kinds SELECT i, CASE WHEN i <= 60 THEN link(1) END FROM generate_series(1, 4000) i;
		SELECT minhash_groups_create('kinds', 'sig', 0.6, 0.99, groups => 'sorts', maintain => 'queue');
		SELECT minhash_groups_refresh('sorts');
		UPDATE kinds SET sig = array_to_minhash(ARRAY[1,2], 32) WHERE id = 7;
		UPDATE kinds SET sig = link(1) WHERE id = 7});
	my $check = q{SELECT changed_rows, rows = (SELECT count(*) FROM kinds) FROM minhash_groups_refresh('sorts'); SELECT wrong_groups('kinds', 'sorts')};
	is($node->safe_psql('others', $check), "0|f\n0", 'a signature of another kind between two refreshes');
	$node->safe_psql('others', q{UPDATE kinds SET sig = array_to_minhash(CASE WHEN id < 40 THEN ARRAY[1,2] ELSE ARRAY[3] END, 32) WHERE id <= 60});
	is($node->safe_psql('others', $check), "21|f\n0", 'all signatures of another kind');
}

# A refresh by a trigger that sees a row before it is queued, in queries without a portal.
{
	$node->safe_psql('others', q{CREATE TABLE early (id int PRIMARY KEY, sig minhash);
		INSERT INTO early SELECT i, CASE WHEN i <= 60 THEN link(1) WHEN i = 100 THEN link(300) END FROM generate_series(1, 4000) i;
		SELECT minhash_groups_create('early', 'sig', 0.6, 0.99, maintain => 'queue');
		SELECT minhash_groups_refresh('early_groups');
		CREATE FUNCTION refresh() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN PERFORM minhash_groups_refresh(''early_groups''); RETURN NULL; END';
		CREATE TRIGGER before_queue AFTER UPDATE ON early FOR EACH ROW EXECUTE FUNCTION refresh();
		CREATE TABLE statements (statement text);
		CREATE FUNCTION run() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN EXECUTE NEW.statement; RETURN NULL; END';
		CREATE CONSTRAINT TRIGGER run AFTER INSERT ON statements DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION run();
		INSERT INTO statements VALUES ('UPDATE early SET sig = link(500) WHERE id = 100'), ('UPDATE early SET sig = link(501) WHERE id = 7')});
	is($node->safe_psql('others', q{SELECT count(minhash_groups_refresh('early_groups')); SELECT wrong_groups('early', 'early_groups')}),
		"1\n0", 'a refresh by a trigger at commit, before the row is queued');
}

# Partitions that come and go.
{
	my $attached = sub { my ($name, $sql) = @_; $node->safe_psql('parts', $sql); check_groups('parts', $name) };

	$attached->('attached', 'CREATE TABLE more (LIKE docs); INSERT INTO more SELECT i, link(i - 990) FROM generate_series(1001, 1020) i;
		ALTER TABLE more ALTER id SET NOT NULL; ALTER TABLE docs ATTACH PARTITION more FOR VALUES FROM (1000) TO (2000)');
	$attached->('rows of it', 'UPDATE docs SET sig = link(id) WHERE id BETWEEN 1001 AND 1010; DELETE FROM more WHERE id = 1012; UPDATE docs SET id = 7 WHERE id = 1015 AND NOT EXISTS (SELECT FROM docs WHERE id = 7)');
	$attached->('one partition truncated', 'TRUNCATE more');
	$attached->('made, truncated twice', q{BEGIN; CREATE TABLE new PARTITION OF docs FOR VALUES FROM (3000) TO (4000);
		INSERT INTO docs SELECT i, link(i - 3000) FROM generate_series(3001, 3020) i; SELECT minhash_groups_refresh('later'); TRUNCATE new; COMMIT});
	$attached->('detached', 'ALTER TABLE docs DETACH PARTITION low');
	$attached->('dropped', 'DROP TABLE high');
	is($node->safe_psql('parts', q{SELECT count(*) FROM pg_trigger WHERE tgrelid = 'low'::regclass}), '0', 'a partition that was detached has no triggers');

	# in a snapshot older than the rows of a partition
	my $old = $node->background_psql('parts', on_error_die => 1);
	$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM docs');
	$node->safe_psql('parts', 'CREATE TABLE late (LIKE docs); INSERT INTO late SELECT i, link(i - 5000) FROM generate_series(5001, 5020) i;
		ALTER TABLE late ALTER id SET NOT NULL; ALTER TABLE docs ATTACH PARTITION late FOR VALUES FROM (5000) TO (6000)');
	$old->query_safe(q{SELECT minhash_groups_refresh('later'); COMMIT});
	$old->quit;
	check_groups('parts', 'attached after a snapshot');
}

# Dump and restore: the queue is as it was, and groups have the ids that they had.
{
	my $state = q{SELECT (SELECT string_agg(id || ':' || grp, ',' ORDER BY id) FROM later),
		(SELECT string_agg(id || ':' || grp, ',' ORDER BY id) FROM each), (SELECT count(*) FROM later_queue), (SELECT count(*) FROM each_queue)};
	my $dump = $node->basedir . '/dump.sql';

	foreach my $database ('plain', 'parts')
	{
		$node->safe_psql($database, 'DELETE FROM docs WHERE id % 5 = 0; INSERT INTO docs SELECT 5500 + i, link(i) FROM generate_series(31, 33) i');
		my $before = $node->safe_psql($database, $state);

		like($before, qr/\|[1-9]\d*\|0$/, "$database: the queue is not empty");
		$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr($database) ], "$database: dumped");
		$node->safe_psql('postgres', "CREATE DATABASE ${database}_again TEMPLATE template0");
		$node->command_ok([ 'psql', '-Xqv', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-f', $dump, '-d', $node->connstr("${database}_again") ], "$database: restored");
		is($node->safe_psql("${database}_again", $state), $before, "$database: groups and queue are restored");
		$node->safe_psql($database, q{SELECT minhash_groups_refresh('later')});
		$node->safe_psql("${database}_again", q{SELECT minhash_groups_refresh('later')});
		check_groups("${database}_again", "$database: restored groups");
		$node->safe_psql("${database}_again", 'DELETE FROM docs WHERE id % 7 = 0; INSERT INTO docs SELECT 5600 + i, link(i) FROM generate_series(44, 45) i');
		check_groups("${database}_again", "$database: restored groups stay current");
	}

	# data without the schema: rows are queued again, which does no harm
	$node->command_ok([ 'pg_dump', '--data-only', '-f', $dump, '-d', $node->connstr('plain') ], 'data dumped');
	add_database($node, 'data', 'ENCODING UTF8');
	$node->safe_psql('data', group_functions());
	$node->safe_psql('data', 'CREATE TABLE docs (id bigint PRIMARY KEY, sig minhash); SELECT '
		  . sprintf($create, 'later', 'queue') . ', ' . sprintf($create, 'each', 'commit')
		  . '; DELETE FROM later_definition; DELETE FROM each_definition');
	$node->command_ok([ 'psql', '-Xqv', 'ON_ERROR_STOP=1', '-1', '-o', '/dev/null', '-f', $dump, '-d', $node->connstr('data') ], 'data restored');
	check_groups('data', 'restored data');
	is($node->safe_psql('data', q{SELECT count(*) FROM docs JOIN each USING (id)}), $node->safe_psql('plain', 'SELECT count(*) FROM docs'),
		'all rows are restored');
}

# A subscriber, whose groups follow the changes that are applied.
{
	my $subscriber = start_node('subscriber', 'max_replication_slots = 4', 'jit = off');

	add_database($node, 'published', 'ENCODING UTF8');
	$node->safe_psql('published', group_functions() . ";
		CREATE TABLE docs (id bigint PRIMARY KEY, sig minhash);
		INSERT INTO docs SELECT i, link(i) FROM generate_series(1, 30) i;
		CREATE PUBLICATION pub FOR TABLE docs");
	$subscriber->safe_psql('postgres', group_functions() . ";
		CREATE TABLE docs (id bigint PRIMARY KEY, sig minhash);
		CREATE INDEX ON docs USING lsh (sig);
		SELECT " . sprintf($create, 'later', 'queue') . ', ' . sprintf($create, 'each', 'commit') . ";
		CREATE SUBSCRIPTION sub CONNECTION '@{[$node->connstr('published') =~ s/'/''/gr]}' PUBLICATION pub");
	$subscriber->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_subscription_rel WHERE srsubstate = 'r'}) or die 'no copy';
	is($subscriber->safe_psql('postgres', q{SELECT wrong_groups('docs', 'each')}), '0', 'subscriber: copied rows');
	foreach my $change ('DELETE FROM docs WHERE id % 4 = 0', 'INSERT INTO docs SELECT i, link(i) FROM generate_series(40, 44) i',
		'UPDATE docs SET sig = link(100) WHERE id % 9 = 0', 'TRUNCATE docs', 'INSERT INTO docs SELECT i, link(i) FROM generate_series(4, 12) i')
	{
		$node->safe_psql('published', $change);
		$node->wait_for_catchup('sub');
		is($subscriber->safe_psql('postgres', q{SELECT wrong_groups('docs', 'each')}), '0', "subscriber: $change");
		is($subscriber->safe_psql('postgres', q{SELECT count(minhash_groups_refresh('later')); SELECT wrong_groups('docs', 'later')}), "1\n0", 'refreshed');
	}
	is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM docs'), '9', 'subscriber: rows');
	$subscriber->stop;
}

# A writer who has no rights on the groups, and whose search_path is a trap.
{
	add_database($node, 'rights', 'ENCODING UTF8');
	$node->safe_psql('rights', group_functions() . ";
		CREATE ROLE owner_of_docs; CREATE ROLE writer;
		CREATE SCHEMA app AUTHORIZATION owner_of_docs;
		GRANT USAGE ON SCHEMA app TO writer;
		CREATE SCHEMA trap AUTHORIZATION writer;
		SET ROLE owner_of_docs;
		SET search_path = app, public;
		CREATE TABLE docs (id bigint PRIMARY KEY, sig minhash);
		GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON docs TO writer;
		SELECT " . sprintf($create, 'later', 'queue') . ', ' . sprintf($create, 'each', 'commit') . ';
		INSERT INTO docs SELECT i, link(i) FROM generate_series(1, 9) i');
	my $as_writer = sub {
		my ($sql) = @_;
		my $stderr;
		my $status = $node->psql('rights', "SET ROLE writer; $sql", stderr => \$stderr);
		return $status == 0 ? 'done' : $stderr;
	};

	is($as_writer->(q{SET search_path = trap, pg_catalog, public;
		CREATE FUNCTION trap.minhash_cluster(minhash, float8, float8) RETURNS bigint LANGUAGE sql AS 'SELECT 1/0';
		CREATE FUNCTION trap.count(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 1/0';
		CREATE FUNCTION trap.wrong(bigint, bigint) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''trap''; END';
		CREATE OPERATOR trap.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = trap.wrong);
		INSERT INTO app.docs VALUES (10, link(10)), (50, link(50));
		UPDATE app.docs SET sig = NULL WHERE id OPERATOR(pg_catalog.=) 3;
		DELETE FROM app.docs WHERE id OPERATOR(pg_catalog.=) 5}), 'done', 'a writer needs no rights on the groups');
	is($node->safe_psql('rights', q{SET search_path = app, public; SELECT wrong_groups('docs', 'each'), count(*) FROM later_queue}), '0|13',
		'which are right, and the changes queued');
	foreach my $statement ('SELECT * FROM app.later', 'SELECT * FROM app.later_queue', 'SELECT * FROM app.each_log', 'INSERT INTO app.later_queue VALUES (1)')
	{
		like($as_writer->($statement), qr/permission denied for table/, "$statement: no rights");
	}
	like($as_writer->(q{SELECT minhash_groups_refresh('app.later')}), qr/must be owner of table "later"/, 'a refresh by others');
	# triggers of others that refer to the tables of groups
	like($as_writer->(q{SET search_path = trap, public; CREATE TABLE docs (id bigint, sig minhash);
		CREATE TRIGGER t AFTER INSERT ON docs FOR EACH ROW WHEN ('app.later_queue'::regclass IS NOT NULL) EXECUTE FUNCTION minhash_groups_queue();
		INSERT INTO docs VALUES (1, NULL)}), qr/"later_queue" is not a queue of the owner of table "docs"/, 'a trigger that refers to the queue of others');
	like($as_writer->(q{SET search_path = trap, public;
		CREATE CONSTRAINT TRIGGER t AFTER INSERT ON docs FROM app.each FOR EACH ROW EXECUTE FUNCTION minhash_groups_commit()}),
		qr/permission denied for table each/, 'a trigger that refers to the groups of others');
	foreach my $function ('minhash_groups_queue', 'minhash_groups_commit')
	{
		like($as_writer->("SELECT $function()"), qr/$function must be called by an AFTER trigger/, "$function called");
		like($as_writer->("SET search_path = trap, public; CREATE TABLE IF NOT EXISTS own (id int);
			CREATE OR REPLACE TRIGGER t AFTER INSERT ON own FOR EACH ROW EXECUTE FUNCTION $function(); INSERT INTO own VALUES (1)"),
			qr/trigger "t" refers to no table/, "$function without a table");
		like($as_writer->("SET search_path = trap, public;
			CREATE OR REPLACE TRIGGER t BEFORE INSERT ON own FOR EACH ROW EXECUTE FUNCTION $function(); INSERT INTO own VALUES (1)"),
			qr/$function must be called by an AFTER trigger/, "$function before");
	}
	# row-level security that would hide rows from the owner
	$node->safe_psql('rights', 'ALTER TABLE app.docs ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON app.docs TO writer USING (id < 10)');
	is($as_writer->('DELETE FROM app.docs WHERE id IN (1, 10)'), 'done', 'row-level security for the writer');
	is($node->safe_psql('rights', q{SET search_path = app, public; SELECT wrong_groups('docs', 'each')}), '0', 'and groups of all rows');
	$node->safe_psql('rights', 'ALTER TABLE app.docs FORCE ROW LEVEL SECURITY');
	like($as_writer->('DELETE FROM app.docs WHERE id = 2'), qr/query would be affected by row-level security policy/, 'row-level security for the owner');
}

# A crash in the middle of a refresh leaves the groups and the queue as they were.
{
	my $digest = q{SELECT (SELECT md5(string_agg(l::text, ',' ORDER BY l::text)) FROM later l), (SELECT count(*) FROM later_log), count(*) FROM later_queue};

	$node->safe_psql('plain', q{
		CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NULL; END';
		DELETE FROM docs WHERE id % 11 = 0;
		INSERT INTO docs SELECT 700 + i, link(i) FROM generate_series(1, 5) i;
		CREATE TRIGGER wait AFTER INSERT ON later_log EXECUTE FUNCTION wait()});
	my $before = $node->safe_psql('plain', $digest);
	my $session = start_session($node, 'refresh', '-c', q{SELECT minhash_groups_refresh('later')}, '-d', $node->connstr('plain'));

	$node->poll_query_until('plain', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'}) or die 'no refresh';
	kill_server($node);
	$session->{run}->finish;
	$node->start;
	is($node->safe_psql('plain', $digest), $before, 'crash: groups, log and queue are as before');
	$node->safe_psql('plain', 'DROP TRIGGER wait ON later_log');
	check_groups('plain', 'after the crash');
}

# Dropping.
{
	my $triggers = q{SELECT string_agg(tgname, ' ' ORDER BY tgname) FROM pg_trigger WHERE tgrelid = 'docs'::regclass};

	is($node->safe_psql('plain', $triggers), 'each_queue later_queue minhash_groups_truncate', 'triggers of two groups');
	$node->safe_psql('plain', q{SELECT minhash_groups_drop('each')});
	is($node->safe_psql('plain', $triggers), 'later_queue minhash_groups_truncate', 'one dropped');
	# without a queue the whole table is read
	$node->safe_psql('plain', 'DROP TABLE later_queue CASCADE; DELETE FROM docs WHERE id % 13 = 0');
	is($node->safe_psql('plain', q{SELECT count(minhash_groups_refresh('later')); SELECT wrong_groups('docs', 'later')}), "1\n0", 'groups without their queue');
	$node->safe_psql('plain', q{SELECT minhash_groups_drop('later')});
	is($node->safe_psql('plain', $triggers), '', 'none left');
	$node->safe_psql('parts', q{DROP TABLE docs; SELECT minhash_groups_drop('each'), minhash_groups_drop('later')});
	is($node->safe_psql('parts', q{SELECT count(*) FROM pg_class WHERE relname ~ '^(each|later)'}), '0', 'groups of a table that is gone');
}

$node->stop;
done_testing();

# Tracked groups against full refreshes of other groups of the same table.
#
# Random histories of rows and judgments, with and without a scope, at agreement 0 and .5:
# after each refresh the two partitions are equal.  Then what happens between changes and a
# refresh: a crash, a prepared transaction, a dump, logical replication, and the promotion
# of a standby.  072_groups_concurrent and the isolation test groups_track have sessions
# that commit before, during and after a refresh.
#
# LSHSIM_HISTORIES=n runs n histories instead of 24, LSHSIM_SEED=n draws others.

use LshsimTest;
use PostgreSQL::Test::Utils;

my $histories = $ENV{LSHSIM_HISTORIES} // 24;
my $node = start_node('track', 'jit = off', 'wal_level = logical', 'max_prepared_transactions = 2', 'max_wal_senders = 8', 'max_replication_slots = 8');

seed(1);

# The comparison: the rows whose groups have other first keys, or that are in one table only.
$node->safe_psql('postgres', group_functions() . q{;
	CREATE FUNCTION differing(a regclass, b regclass) RETURNS bigint LANGUAGE plpgsql AS $$
	DECLARE n bigint;
	BEGIN
		EXECUTE format('SELECT count(*) FROM (SELECT id, min(id) OVER (PARTITION BY grp) AS first FROM %s) a
			FULL JOIN (SELECT id, min(id) OVER (PARTITION BY grp) AS first FROM %s) b USING (id, first)
			WHERE a.id IS NULL OR b.id IS NULL', a, b) INTO n;
		RETURN n;
	END $$;});

sub key { return 'key(' . (1 + int(rand(330))) . ')' }
sub tenant { return draw('NULL', 1, 2, 3) }

# Random statements.
my %statements = (
	insert => sub { "INSERT INTO docs SELECT key(i), @{[tenant()]}, any_sig(12) FROM generate_series(@{[1 + int(rand(330))]}, 330, @{[40 + int(rand(200))]}) i ON CONFLICT DO NOTHING" },
	upsert => sub { "INSERT INTO docs VALUES (@{[key()]}, @{[tenant()]}, any_sig(12)) ON CONFLICT (id) DO UPDATE SET sig = excluded.sig, tenant = excluded.tenant" },
	update => sub { "UPDATE docs SET sig = any_sig(12) WHERE id = @{[key()]}" },
	void => sub { "UPDATE docs SET sig = CASE WHEN random() < .5 THEN array_to_minhash('{}'::float8[], 64) END WHERE id = @{[key()]}" },
	copy => sub { "UPDATE docs SET sig = (SELECT sig FROM docs ORDER BY random() LIMIT 1) WHERE id IN (@{[key()]}, @{[key()]})" },
	same_sig => sub { "UPDATE docs SET sig = sig, tenant = tenant WHERE random() < .5" },
	delete => sub { "DELETE FROM docs WHERE id IN (@{[key()]}, @{[key()]}, @{[key()]})" },
	key => sub { my $k = key(); "UPDATE docs SET id = $k WHERE id = (SELECT id FROM docs d WHERE NOT EXISTS (SELECT FROM docs WHERE id = $k) ORDER BY random() LIMIT 1)" },
	swap => sub { my ($a, $b) = (key(), key()); "UPDATE docs d SET tenant = o.tenant, sig = o.sig FROM docs o WHERE (d.id, o.id) IN (($a, $b), ($b, $a))" },
	tenant => sub { "UPDATE docs SET tenant = @{[tenant()]} WHERE id IN (@{[key()]}, @{[key()]})" },
	again => sub { my $k = key(); "BEGIN; CREATE TEMP TABLE gone ON COMMIT DROP AS SELECT * FROM docs WHERE id = $k; DELETE FROM docs WHERE id = $k; INSERT INTO docs SELECT id, tenant, any_sig(12) FROM gone; COMMIT" },
	merge => sub { "MERGE INTO docs USING (SELECT key(i) AS k, any_sig(12) AS s, i FROM generate_series(1, 330, @{[60 + int(rand(60))]}) i) m ON m.k = docs.id
		WHEN MATCHED AND i % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET sig = s WHEN NOT MATCHED THEN INSERT VALUES (k, 2, s)" },
	rollback => sub { "BEGIN; DELETE FROM docs WHERE random() < .2; SELECT minhash_groups_refresh('tracked') \\g /dev/null\nROLLBACK" },
	savepoint => sub { "BEGIN; UPDATE docs SET sig = any_sig(12) WHERE id = @{[key()]}; SAVEPOINT s; DELETE FROM docs WHERE random() < .1; ROLLBACK TO s; COMMIT" },
	judge => sub { "INSERT INTO tracked_judged (id_a, id_b, same) VALUES (@{[key()]}, @{[key()]}, random() < .4), (@{[key()]}, @{[key()]}, random() < .4)" },
	judge_near => sub { "INSERT INTO tracked_judged (id_a, id_b, same) SELECT a.id, b.id, random() < .2 FROM docs a, docs b WHERE a.id < b.id AND jaccard(a.sig, b.sig) > .4 ORDER BY random() LIMIT 3" },
	judge_otherwise => sub { "UPDATE tracked_judged SET same = NOT same WHERE random() < .1" },
	judge_others => sub { "UPDATE tracked_judged SET id_a = @{[key()]} WHERE random() < .05" },
	unjudge => sub { "DELETE FROM tracked_judged WHERE random() < .1" },
	refresh => sub { "SELECT minhash_groups_refresh('tracked') \\g /dev/null\n" });
# These lead to a full refresh.
my %rare = (
	edit => sub { "UPDATE tracked SET grp = @{[1 + int(rand(20))]} WHERE random() < .1" },
	edit_key => sub { "UPDATE tracked SET id = key(1000) WHERE id = @{[key()]}" },
	remove => sub { "DELETE FROM tracked WHERE random() < .1" },
	truncate => sub { "TRUNCATE docs; INSERT INTO docs SELECT key(i), i % 3, any_sig(12) FROM generate_series(1, 200) i" },
	disabled => sub { "ALTER TABLE docs DISABLE TRIGGER ALL; DELETE FROM docs WHERE id = @{[key()]}; ALTER TABLE docs ENABLE TRIGGER ALL" },
	rewrite => sub { 'CLUSTER docs USING docs_pkey' },
	threshold => sub { "UPDATE tracked_definition SET threshold = .5; UPDATE plain_definition SET threshold = .5" });

my (%methods, %kinds);
my @wrong;
my @keys = ([ 'int', '$1' ], [ 'text', q{'row ' || $1} ], [ 'numeric(9,1)', '$1 / 10.0' ]);
foreach my $history (1 .. $histories)
{
	my ($type, $key) = @{ $keys[ $history % @keys ] };
	my $scope = $history % 2 ? '{}' : '{tenant}';
	my $agreement = int($history / 2) % 2 ? 0 : .5;
	my $script = "SET client_min_messages = error; SELECT setseed(@{[rand()]}) \\g /dev/null\n" . qq{
		CREATE FUNCTION key(i int) RETURNS $type LANGUAGE sql IMMUTABLE AS \$\$ SELECT $key \$\$;
		CREATE TABLE docs (id $type PRIMARY KEY, tenant int, sig minhash);
		INSERT INTO docs SELECT key(i), i % 4, any_sig(12) FROM generate_series(1, 250) i;
		CREATE INDEX ON docs USING lsh (sig);
		SELECT minhash_groups_create('docs', 'sig', .4, groups => 'tracked', scope => '$scope', agreement => $agreement, track => true),
			minhash_groups_create('docs', 'sig', .4, groups => 'plain', scope => '$scope', agreement => $agreement) \\g /dev/null
		};
	foreach my $step (1 .. 8)
	{
		foreach (1 .. int(rand(8)))
		{
			my $set = rand() < .02 ? \%rare : \%statements;
			my $kind = draw(sort keys %$set);
			$kinds{$kind}++;
			$script .= $set->{$kind}->() . ";\n";
		}
		$script .= qq{
			BEGIN ISOLATION LEVEL REPEATABLE READ;
			DELETE FROM plain_judged; INSERT INTO plain_judged OVERRIDING SYSTEM VALUE TABLE tracked_judged;
			SELECT 'step $step', t.method, differing('tracked', 'plain'), t.rows - p.rows, t.groups_found - p.groups_found
			FROM minhash_groups_refresh('tracked') t, minhash_groups_refresh('plain') p;
			SELECT 'left', (SELECT count(*) FROM tracked_changes), count(*) FROM tracked_components e WHERE NOT EXISTS (SELECT FROM tracked t WHERE t.grp = e.grp)
				OR NOT EXISTS (SELECT FROM tracked t WHERE t.grp = e.component);
			COMMIT;};
	}
	my $output = $node->safe_psql('postgres', $script . q{
		SELECT minhash_groups_drop('tracked'), minhash_groups_drop('plain') \g /dev/null
		DROP TABLE docs CASCADE; DROP FUNCTION key});
	$methods{$_}++ foreach $output =~ /^step \d+\|([^|]+)/mg;
	my @steps = split /\n/, $output;
	my @failed = grep { !/^step \d+\|[^|]+\|0\|0\|0$/ && $_ ne 'left|0|0' } @steps;
	push @wrong, map { "history $history: $_" } @failed, @steps == 16 ? () : 'steps are missing';
	diag($script) if @failed && !$methods{shown}++;
}
is(join("\n", @wrong), '', "$histories histories: the groups are those of full refreshes");
cmp_ok($methods{changes} // 0, '>', 6 * $histories, 'most refreshes clustered changes only');
note(join ', ', map { "$_ $methods{$_}" } sort keys %methods);
note(join ', ', map { "$_ $kinds{$_}" } sort keys %kinds);

# Refresh groups in a database, and compare them with those of all rows.
sub check_refresh
{
	my ($where, $database, $method, $name) = @_;
	is($where->safe_psql($database, q{SELECT method FROM minhash_groups_refresh('docs_groups'); SELECT wrong_groups('docs', 'docs_groups')}),
		"$method\n0", $name);
	return;
}

# Between changes and a refresh.
$node->safe_psql('postgres', q{
	CREATE TABLE docs (id bigint PRIMARY KEY, sig minhash);
	INSERT INTO docs SELECT i, link(i) FROM generate_series(1, 80) i WHERE i % 4 > 0;
	CREATE INDEX ON docs USING lsh (sig);
	SELECT minhash_groups_create('docs', 'sig', 0.6, track => true, agreement => 0);
	INSERT INTO docs SELECT i, link(i) FROM generate_series(4, 40, 4) i});
kill_server($node);
$node->start;
check_refresh($node, 'postgres', 'changes', 'after a crash');
$node->safe_psql('postgres', q{BEGIN; DELETE FROM docs WHERE id BETWEEN 20 AND 30; PREPARE TRANSACTION 'late'});
check_refresh($node, 'postgres', 'changes', 'before a prepared transaction is committed');
$node->restart;
$node->safe_psql('postgres', q{COMMIT PREPARED 'late'});
check_refresh($node, 'postgres', 'changes', 'after it is committed');
my $killed = start_session($node, 'killed', '-c', q{DELETE FROM docs WHERE id = 33}, '-c', q{BEGIN; SELECT minhash_groups_refresh('docs_groups');
	INSERT INTO docs VALUES (200, link(200)); SELECT pg_sleep(600)});
$node->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')}) or die 'no sleep';
kill_server($node);
ok(lost_server($killed), 'killed after a refresh that has not been committed');
$node->start;
is($node->safe_psql('postgres', 'SELECT id FROM docs_groups_changes'), 33, 'what it took is there again');
check_refresh($node, 'postgres', 'changes', 'after that');

# A dump has the triggers and the notes.
{
	my $dump = $node->basedir . '/part.sql';

	$node->safe_psql('postgres', 'DELETE FROM docs WHERE id = 50');
	$node->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE template0');
	restore_dump($node, 'postgres', 'restored');
	is($node->safe_psql('restored', 'SELECT id FROM docs_groups_changes'), 50, 'a change that was noted before a dump');
	is($node->safe_psql('restored', q{SELECT string_agg(concat_ws(' ', tgrelid::regclass, tgname, tgenabled), ', ' ORDER BY tgrelid::regclass::text, tgname)
		FROM pg_trigger WHERE tgname LIKE 'docs_groups_note%'}), 'docs docs_groups_note A, docs docs_groups_note_update A, docs_groups docs_groups_note A, docs_groups docs_groups_note_truncate A, docs_groups_judged docs_groups_note_a A, docs_groups_judged docs_groups_note_b A, docs_groups_judged docs_groups_note_truncate A', 'the triggers');
	check_refresh($node, 'restored', 'full: definition or tables', 'the first refresh after a restore');
	$node->safe_psql('restored', 'DELETE FROM docs WHERE id = 51; UPDATE docs SET sig = link(300) WHERE id = 61');
	check_refresh($node, 'restored', 'changes', 'the second');

	# A dump of the table alone has triggers that name the table of changes.
	add_database($node, 'part', '') or die;
	foreach my $tables ('docs', 'docs*')
	{
		$node->command_ok([ 'pg_dump', '-t', $tables, '-f', $dump, '-d', $node->connstr('postgres') ], "dump of $tables");
		my (undef, $error) = run_command([ 'psql', '-Xq', '-f', $dump, '-d', $node->connstr('part') ]);
		like($error, $tables eq 'docs' ? qr/ERROR:  relation "public.docs_groups_changes" does not exist/ : qr/^$/, "restore of $tables");
		$node->safe_psql('part', 'DROP TABLE docs') if $tables eq 'docs';
	}
	$node->safe_psql('part', group_functions());
	check_refresh($node, 'part', 'full: definition or tables', 'the first refresh after it');
}

# Rows that logical replication copies and applies.
{
	add_database($node, 'subscriber', '') or die;
	$node->safe_psql('subscriber', group_functions() . q{; CREATE TABLE docs (id bigint PRIMARY KEY, sig minhash);
		CREATE INDEX ON docs USING lsh (sig); SELECT minhash_groups_create('docs', 'sig', 0.6, track => true, agreement => 0)});
	$node->safe_psql('postgres', q{CREATE PUBLICATION docs FOR TABLE docs; SELECT pg_create_logical_replication_slot('docs', 'pgoutput')});
	$node->safe_psql('subscriber', q{CREATE SUBSCRIPTION docs CONNECTION '} . $node->connstr . q{ dbname=postgres' PUBLICATION docs WITH (create_slot = false)});
	$node->wait_for_subscription_sync($node, 'docs', 'subscriber');
	check_refresh($node, 'subscriber', 'changes', 'rows that replication has copied');
	$node->safe_psql('postgres', q{DELETE FROM docs WHERE id = 70; INSERT INTO docs VALUES (90, link(74)); UPDATE docs SET sig = link(400) WHERE id = 63});
	$node->wait_for_catchup('docs');
	is($node->safe_psql('subscriber', q{SELECT string_agg(id::text, ' ' ORDER BY id) FROM docs_groups_changes}), '63 70 90', 'changes that replication has applied');
	check_refresh($node, 'subscriber', 'changes', 'and they are found');
	$node->safe_psql('subscriber', 'DROP SUBSCRIPTION docs');
}

# A standby that is promoted.
{
	my $standby = start_standby($node, 'standby');

	check_refresh($node, 'postgres', 'changes', 'before the promotion');
	$node->safe_psql('postgres', q{DELETE FROM docs WHERE id IN (41, 42); UPDATE docs SET sig = link(100) WHERE id = 71});
	$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
	$standby->promote;
	check_refresh($standby, 'postgres', 'changes', 'after the promotion');
	$standby->stop;
}

$node->stop;
done_testing();

# Operators, functions and casts that another role plants must not run when functions of the
# extension execute SQL as the owner of a table, or for the role that calls them.
#
# The schema of the extension is writable for all, as public was before PostgreSQL 15.  The
# table has a key of a domain over a type whose operators are in that schema, and of an enum
# of the attacker's, and signatures of a domain.

use LshsimTest;

my $node = start_node('planted', 'jit = off');

$node->psql('postgres', 'CREATE EXTENSION citext') == 0 or plan skip_all => 'no citext';
$node->safe_psql('postgres', q{
	GRANT ALL ON SCHEMA public TO PUBLIC;
	CREATE ROLE alice; CREATE ROLE mallory;
	CREATE TABLE loot (who text, what text); GRANT INSERT ON loot TO PUBLIC;
	SET ROLE mallory;
	CREATE TYPE mood AS ENUM ('good', 'bad');
	SET ROLE alice;
	RESET ROLE;
	CREATE FUNCTION in_range(citext, citext, interval, bool, bool) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
	ALTER OPERATOR FAMILY citext_ops USING btree ADD FUNCTION 3 (citext, interval) in_range(citext, citext, interval, bool, bool);
	SET ROLE alice;
	CREATE DOMAIN nick AS citext; CREATE DOMAIN signature AS minhash;
	CREATE TABLE docs (id nick, mood mood, body text, sig signature, copy_of text, PRIMARY KEY (id, mood));
	CREATE INDEX docs_sig ON docs USING lsh ((sig::minhash));
	INSERT INTO docs SELECT 'Row ' || i, 'good', 'a text of some length, number ' || i / 2, to_minhash('a text of some length, number ' || i / 2)
	FROM generate_series(1, 20) i;
	CREATE TABLE moods (mood mood PRIMARY KEY, body text);
	INSERT INTO moods VALUES ('good', 'a text of some length'), ('bad', 'a text of some length');
	GRANT SELECT, INSERT ON docs TO mallory});

# Each planted object records the role that runs it, unless that is the attacker's.
my @planted = (
	q{CREATE FUNCTION loot(what text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
		IF current_user <> 'mallory' THEN INSERT INTO public.loot VALUES (current_user, what); END IF; END $$},
	(map { my ($type, $name) = @$_; my $function = "planted_${type}_" . unpack('H*', $name);
		qq{CREATE FUNCTION $function($type, $type) RETURNS bool LANGUAGE plpgsql AS \$\$ BEGIN
			PERFORM public.loot('operator $name of $type'); RETURN true; END \$\$},
		qq{CREATE OPERATOR $name (LEFTARG = $type, RIGHTARG = $type, FUNCTION = $function)} }
	  map { my $type = $_; map { [ $type, $_ ] } '=', '<>', '<', '%' } qw(nick mood signature)),
	(map { my ($name, $arguments, $result, $value) = @$_;
		qq{CREATE FUNCTION $name($arguments) RETURNS $result LANGUAGE plpgsql AS \$\$ BEGIN
			PERFORM public.loot('function $name'); RETURN $value; END \$\$} }
	  [ 'minhash_cluster', 'signature, float8, float8', 'bigint', 1 ],
	  [ 'minhash_similar', 'signature, signature, float8, float8', 'bool', 'true' ],
	  [ 'minhash_similar', 'signature, minhash, float8, float8', 'bool', 'true' ],
	  [ 'minhash_similar', 'minhash, signature, float8, float8', 'bool', 'true' ],
	  [ 'minhash_similar', 'signature, minhash, float8', 'bool', 'true' ],
	  [ 'jaccard', 'signature, signature', 'float8', 1 ], [ 'jaccard', 'signature, minhash', 'float8', 1 ],
	  [ 'minhash_kind', 'signature', 'text', "''" ], [ 'max', 'nick', 'nick', 'NULL' ], [ 'quote_ident', 'nick', 'text', "''" ],
	  [ 'in_range', 'nick, citext, interval, bool, bool', 'bool', 'true' ],
	  [ 'mood_text', 'mood', 'text', "'good'" ], [ 'mood_int', 'mood', 'int', 1 ]),
	'CREATE CAST (mood AS text) WITH FUNCTION mood_text(mood) AS IMPLICIT',
	'CREATE CAST (mood AS int) WITH FUNCTION mood_int(mood) AS IMPLICIT',
	'CREATE CAST (mood AS varchar) WITH INOUT AS IMPLICIT');

foreach my $statement (@planted)
{
	my $stderr = '';

	$node->psql('postgres', "SET ROLE mallory; $statement", stderr => \$stderr) == 0 or diag("$statement: $stderr");
}
# A control: what is planted works where SQL looks operators up by name.
$node->safe_psql('postgres', q{SET ROLE alice; SELECT count(*) FROM docs a JOIN docs b ON a.id = b.id AND a.mood = b.mood});
isnt($node->safe_psql('postgres', 'SELECT count(*) FROM loot'), '0', 'planted operators run in a query of the user');
$node->safe_psql('postgres', 'TRUNCATE loot');

# Run statements as the superuser and as the owner; nothing planted may run.
sub check
{
	my ($name, $sql) = @_;

	foreach my $role ('alice', 'postgres')
	{
		my $stderr = '';

		$node->psql('postgres', "SET client_min_messages = warning; SET ROLE $role; $sql", stderr => \$stderr) == 0
		  or diag("$name: $stderr");
		is($stderr, '', "$name as $role: no error");
		is($node->safe_psql('postgres', 'SELECT DISTINCT who, what FROM loot ORDER BY 1, 2; TRUNCATE loot'), '', "$name as $role: nothing planted has run");
	}
	return;
}

check('groups', q{SELECT minhash_groups_create('docs', 'sig', 0.5, scope => '{mood}');
	DELETE FROM docs WHERE body LIKE '%7'; SELECT minhash_groups_refresh('docs_groups'); SELECT minhash_groups_drop('docs_groups')});
check('judgments', q{SELECT minhash_groups_create('docs', 'sig', 0.5, scope => '{mood}'); INSERT INTO docs_groups_judged
	SELECT a.*, b.*, false FROM (SELECT id, mood FROM docs LIMIT 20) a, (SELECT id, mood FROM docs LIMIT 20) b;
	SELECT minhash_groups_refresh('docs_groups'); SELECT minhash_groups_drop('docs_groups')});
check('index', q{SELECT count(*) FROM lsh_index_pairs('docs_sig', 0.5); RESET ROLE; SELECT lsh_index_check('docs_sig', true)});
check("advice on $_", qq{SELECT count(*) FROM minhash_advise('$_', 'body'); SELECT count(*) FROM minhash_advise_pairs('$_', 'body', 0.5);
	SELECT count(*) FROM minhash_advise_shingling('$_', 'body')}) foreach 'docs', 'moods';

# Tracked groups: the trigger, and a refresh that looks keys, signatures and judgments up.  The
# casts of the enum would come before its own equality, so it cannot be part of a key.
$node->safe_psql('postgres', 'SET ROLE alice; CREATE INDEX ON docs USING lsh (sig); CREATE UNIQUE INDEX ON docs (id)');
like(error_of($node, 'postgres', q{SET ROLE alice; SELECT minhash_groups_create('docs', 'sig', 0.5, track => true)}),
	qr/type whose equality cannot be named safely/, 'a key that others have given casts cannot be tracked');
check('tracked groups', q{SELECT minhash_groups_create('docs', 'sig', 0.5, key => '{id}', track => true);
	INSERT INTO docs SELECT 'Tracked ' || i, 'good', NULL, to_minhash('a text of some length, number ' || i) FROM generate_series(1, 4) i;
	UPDATE docs SET sig = to_minhash('another text') WHERE id::text = 'Tracked 3';
	INSERT INTO docs_groups_judged (id_a, id_b, same) VALUES ('tracked 1', 'TRACKED 3', true);
	SELECT 1 / (method = 'changes')::int FROM minhash_groups_refresh('docs_groups');
	DELETE FROM docs WHERE id::text = 'Tracked 1'; SELECT 1 / (method = 'changes')::int FROM minhash_groups_refresh('docs_groups');
	DELETE FROM docs WHERE id::text LIKE 'Tracked%'; SELECT minhash_groups_drop('docs_groups')});
$node->safe_psql('postgres', q{SET ROLE alice; SELECT minhash_groups_create('docs', 'sig', 0.5, key => '{id}', track => true);
	SET ROLE mallory; INSERT INTO docs VALUES ('By Mallory', 'good', NULL, to_minhash('a text'))});
is($node->safe_psql('postgres', 'SELECT id FROM docs_groups_changes'), 'By Mallory', 'a row of another role is noted');
is($node->safe_psql('postgres', q{SET ROLE alice; DELETE FROM docs WHERE id::text = 'By Mallory'; SELECT method FROM minhash_groups_refresh('docs_groups');
	SELECT minhash_groups_drop('docs_groups')}), "changes\n", 'and found');
is($node->safe_psql('postgres', 'SELECT DISTINCT who, what FROM loot ORDER BY 1, 2; TRUNCATE loot'), '', 'nothing planted has run');

# The owner of a schema can drop the tables of groups in it, and put others in their place
# while a refresh waits for their locks.
$node->safe_psql('postgres', q{
	CREATE SCHEMA shared AUTHORIZATION mallory; GRANT USAGE, CREATE ON SCHEMA shared TO alice;
	CREATE FUNCTION planted_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO public.loot VALUES (current_user, tg_table_name); RETURN new; END $$});
foreach my $table ('definition', 'log')
{
	$node->safe_psql('postgres', qq{SET ROLE alice;
		SELECT minhash_groups_create('docs', 'sig', 0.5, groups => '$table', schema => 'shared');
		GRANT SELECT ON shared.${table}_$table TO mallory;
		INSERT INTO docs VALUES ('Late $table', 'good', NULL, to_minhash('$table'))});
	my $swap = start_session($node, "swap_$table", '-c', qq{SET ROLE mallory; BEGIN;
		CREATE TABLE shared.mine AS SELECT * FROM shared.${table}_$table;
		DROP TABLE shared.${table}_$table; ALTER TABLE shared.mine RENAME TO ${table}_$table;
		GRANT ALL ON shared.${table}_$table TO alice;
		CREATE TRIGGER planted BEFORE INSERT OR UPDATE ON shared.${table}_$table FOR EACH ROW EXECUTE FUNCTION public.planted_trigger();
		DO \$\$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP
			PERFORM pg_sleep(0.01); END LOOP; END \$\$;
		COMMIT});

	$node->poll_query_until('postgres', qq{SELECT EXISTS (SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock'
		AND relation = 'shared.${table}_$table'::regclass)}) or die 'no swap';
	like(error_of($node, 'postgres', "SET ROLE alice; SELECT minhash_groups_refresh('shared.$table')"),
		qr/"$table" is not a table of groups/, "the ${table} of another role is refused");
	end_sessions("the swap of the $table", $swap);
	is($node->safe_psql('postgres', 'SELECT DISTINCT who, what FROM loot ORDER BY 1, 2; TRUNCATE loot'), '', "refresh with the $table of another role: nothing planted has run");
}

# The check trigger, for a writer and for the owner.
$node->safe_psql('postgres', q{SET ROLE alice;
	CREATE TABLE checked (id nick, mood mood, body text, copy_of text, PRIMARY KEY (id, mood),
		sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
	INSERT INTO checked SELECT id, mood, body FROM docs WHERE body LIKE '%3';
	GRANT SELECT, INSERT ON checked TO mallory;
	CREATE TRIGGER check_docs BEFORE INSERT OR UPDATE ON checked FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.5, 'flag', 'copy_of', 'within', 'id', '1 day')});
foreach my $role ('mallory', 'alice', 'postgres')
{
	my $stderr = '';

	$node->psql('postgres', qq{SET ROLE $role; INSERT INTO checked (id, mood, body)
		VALUES ('New of $role', 'bad', 'a text of some length, number 3')}, stderr => \$stderr);
	is($stderr, '', "check trigger as $role: no error");
	is($node->safe_psql('postgres', 'SELECT DISTINCT who, what FROM loot ORDER BY 1, 2; TRUNCATE loot'), '', "check trigger as $role: nothing planted has run");
}

$node->stop;
done_testing();

# Privileges: installation by an ordinary user in the presence of hostile objects;
# no code runs with privileges other than the caller's; the contents of indexes, which
# only readers of the whole table see; and who may store settings.

use LshsimTest;

my $node = start_node('privileges', 'jit = off');
my $owner = $node->safe_psql('postgres', 'SELECT current_user');

$node->safe_psql('postgres',
	join ';', map { "CREATE ROLE $_ LOGIN" } qw(installer mallory alice bob carol));

# Run statements as a user; return both outputs of psql.
sub run_as
{
	my ($user, $database, $sql) = @_;
	my ($status, $stdout, $stderr) =
	  $node->psql($database, $sql, extra_params => [ '-U', $user ]);
	return ($stdout, $stderr);
}

# Run statements that should succeed as a user; return their results.
sub result_as
{
	my ($user, $database, $sql) = @_;
	my ($stdout, $stderr) = run_as($user, $database, $sql);

	die "$user: $sql: $stderr" if $stderr =~ /ERROR|FATAL/;
	return $stdout;
}

# Run statements that should fail as a user with an error that matches.
sub refused
{
	my ($user, $database, $sql, $message, $name) = @_;
	my ($stdout, $stderr) = run_as($user, $database, $sql);

	like($stderr, $message, "$user: $name");
	return;
}

# Create a database in which the installer may install, and in which mallory may
# create objects in the schema public and in a schema of her own.
sub plant
{
	my ($database, $sql) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
	$node->safe_psql($database, qq{
		GRANT CREATE ON DATABASE $database TO installer;
		GRANT ALL ON SCHEMA public TO PUBLIC;
		CREATE SCHEMA mallory AUTHORIZATION mallory;
		GRANT ALL ON SCHEMA mallory TO PUBLIC});
	result_as('mallory', $database, $sql);
	return;
}

### Installation

# Functions with names that the extension uses and other arguments, and operators
# with arguments of any type.  A call of any of them fails.
my $trap = q{LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'captured as %', current_user; END $$};
my @functions = (
	map({ "$_(text) RETURNS text" } qw(shingling_in shingling_out minhash_in minhash_out
		minhash_typmod_in minhash_query_in minhash_similar_support lsh_probability)),
	'shingling_eq(anyelement, anyelement) RETURNS boolean',
	'minhash_similar_op(anyelement, anyelement) RETURNS boolean',
	'minhash_sel(anyelement, oid, anyelement, integer) RETURNS float8',
	'minhash_union(anyelement, anyelement) RETURNS anyelement',
	'minhash_agg_transition(anyelement, anyelement) RETURNS anyelement',
	'minhash_agg_final(anyelement) RETURNS anyelement',
	'minhash_cmp(anyelement, anyelement) RETURNS integer',
	'minhash_query(anyelement, float8) RETURNS anyelement',
	'to_minhash(text, text) RETURNS text', 'jaccard(text, text) RETURNS float8',
	'btint8cmp(bigint, bigint) RETURNS integer', 'btint8cmp(integer, bigint) RETURNS integer',
	'eqsel(anyelement, oid, anyelement, integer) RETURNS float8',
	'random() RETURNS float8', 'float8(text) RETURNS float8');
my $hostile = join '', map {
	my $schema = $_;
	map({ "CREATE FUNCTION $schema.$_ $trap;" } @functions),
	"CREATE FUNCTION $schema.trap(anyelement, anyelement) RETURNS boolean $trap;",
	"CREATE FUNCTION $schema.trap(float8, float8) RETURNS boolean $trap;",
	map({ "CREATE OPERATOR $schema.$_ (LEFTARG = anyelement, RIGHTARG = anyelement, FUNCTION = $schema.trap);
		CREATE OPERATOR $schema.$_ (LEFTARG = float8, RIGHTARG = float8, FUNCTION = $schema.trap);" }
	  qw(= <> < <= >= > % @@ <-> |)),
	map({ "CREATE DOMAIN $schema.\"$_\" AS pg_catalog.text;" }
	  qw(text integer int4 int8 float8 bool bytea oid regclass tid tsvector record
		_minhash _shingling _minhash_query))
  } qw(public mallory);

# Return the objects of the extension that mallory owns or whose dependencies she
# owns.
sub captured
{
	my ($database) = @_;
	return $node->safe_psql($database, q{
		WITH hers AS (SELECT classid, objid FROM pg_shdepend
			WHERE refobjid = 'mallory'::regrole AND deptype = 'o'
				AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database()))
		SELECT pg_describe_object(d.classid, d.objid, d.objsubid), pg_describe_object(d.refclassid, d.refobjid, 0)
		FROM pg_depend d
		WHERE (EXISTS (SELECT FROM hers h WHERE (h.classid, h.objid) = (d.refclassid, d.refobjid))
				AND d.deptype IN ('n', 'a')
				AND NOT EXISTS (SELECT FROM hers h WHERE (h.classid, h.objid) = (d.classid, d.objid)))
			OR (EXISTS (SELECT FROM hers h WHERE (h.classid, h.objid) = (d.classid, d.objid)) AND d.deptype = 'e')});
}

plant('hostile', $hostile);
my ($stdout, $stderr) = run_as('installer', 'hostile',
	'SET search_path = mallory, public; CREATE EXTENSION lshsim SCHEMA public');
is($stderr, '', 'a user installs among hostile objects');
is(captured('hostile'), '', 'and none is captured');

# Everything in the extension that needs no table, by qualified names.
my $use = q{
	SET search_path = pg_catalog;
	SELECT a OPERATOR(public.%) b, a OPERATOR(public.<->) b, a OPERATOR(public.|) b OPERATOR(public.=) a,
		a OPERATOR(public.@@) public.minhash_query(b, 0.5), public.minhash_similar(a, b, 0.5),
		public.jaccard(a, b), public.cardinality(a), public.minhash_info(a), a::bytea = public.minhash_send(a),
		public.lsh_band_keys(a, 4, 6), public.lsh_plan(0.8), public.lsh_plan_keys(a, 0.8)
	FROM (VALUES (public.to_minhash('a document of words', 'word:1'::public.shingling),
		public.to_minhash('a document of a word', 'word:1'::public.shingling))) v (a, b);
	SELECT public.minhash_agg(i), public.minhash_union_agg(public.array_to_minhash(ARRAY[i])) FROM generate_series(1, 9) i;
	SELECT public.minhash_cluster(public.array_to_minhash(ARRAY[i % 3]), 0.5) OVER (ORDER BY i) FROM generate_series(1, 9) i;
	CREATE TEMP TABLE sigs AS SELECT i, public.array_to_minhash(ARRAY[i % 3]) AS sig FROM generate_series(1, 9) i;
	CREATE INDEX ON sigs USING gin (sig public.minhash_ops);
	SET enable_seqscan = off;
	SELECT i FROM sigs WHERE sig OPERATOR(public.%) public.array_to_minhash(ARRAY[2]) ORDER BY i;
	SELECT count(DISTINCT sig), count(*) FROM sigs;
	DROP INDEX sigs_sig_idx;
	CREATE INDEX sigs_lsh ON sigs USING lsh (sig public.minhash_ops);
	SELECT i FROM sigs WHERE sig OPERATOR(public.%) public.array_to_minhash(ARRAY[2]) ORDER BY i;
	SELECT sig OPERATOR(public.<->) public.array_to_minhash(ARRAY[2]) FROM sigs ORDER BY 1 LIMIT 4;
	SELECT public.lsh_index_stats('sigs_lsh'), public.lsh_index_check('sigs_lsh', true);
	CREATE TEMP TABLE texts AS SELECT i, 'a document of words, number ' || i AS body FROM generate_series(1, 9) i;
	CREATE INDEX texts_lsh ON texts USING lsh (body public.passage_ops (run = 'word:4'));
	SELECT i FROM texts WHERE public.shares_passage(body, 'of WORDS, number 2', 'word:4'::public.shingling);
	SELECT i FROM texts WHERE body OPERATOR(public.&&~) public.passage_query('of WORDS, number 2', 'word:4'::public.shingling);
	SELECT public.lsh_index_stats('texts_lsh'), public.lsh_index_check('texts_lsh', true)};
is($node->safe_psql('hostile', $use), $node->safe_psql('postgres', $use), 'and all of it works');

# An existing object of the same name leads to a clean error.
my %obstacles = (
	a_domain => 'CREATE DOMAIN public.minhash AS text',
	an_enum => q{CREATE TYPE public.shingling AS ENUM ('char:5')},
	a_table => 'CREATE TABLE public.minhash_query (sig text)',
	a_function => "CREATE FUNCTION public.lsh_probability(float8, integer, integer, integer) RETURNS float8 $trap",
	a_constructor => "CREATE FUNCTION public.tsvector_to_minhash(tsvector, integer, integer, text) RETURNS text $trap",
	an_operand => "CREATE FUNCTION public.jaccard(anycompatiblearray, anycompatiblearray) RETURNS float8 $trap");
foreach my $database (sort keys %obstacles)
{
	plant($database, $obstacles{$database});
	refused('installer', $database, 'CREATE EXTENSION lshsim SCHEMA public',
		qr/^(?!.*captured).*ERROR:  \w+ "\w+" already exists/, "installs over $database");
	is($node->safe_psql($database, q{SELECT count(*) FROM pg_proc WHERE probin LIKE '%lshsim%'}),
		0, 'and nothing is left');
}

# Actions that only the owner of the extension may take.
refused('mallory', 'a_domain', 'CREATE EXTENSION lshsim SCHEMA mallory',
	qr/permission denied to create extension "lshsim"/, 'installs');
refused('mallory', 'hostile', 'DROP EXTENSION lshsim', qr/must be owner of extension/, 'drops');
refused('mallory', 'hostile', 'ALTER EXTENSION lshsim SET SCHEMA mallory',
	qr/must be owner of extension/, 'moves');
result_as('installer', 'hostile', q{ALTER EXTENSION lshsim UPDATE TO '1.0'});
# PostgreSQL does so for all trusted extensions.
refused('installer', 'hostile', 'ALTER EXTENSION lshsim SET SCHEMA mallory',
	qr/must be owner of (?!extension)/, 'moves, without being superuser');

# The owner of all objects dumps and restores them without being a superuser.
$node->safe_psql('postgres', "CREATE DATABASE $_ OWNER installer") foreach qw(dumped restored);
result_as('installer', 'dumped', q{
	CREATE EXTENSION lshsim;
	CREATE TABLE docs (id int, body text, sig minhash, made minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
	CREATE TRIGGER docs_sig BEFORE INSERT OR UPDATE ON docs FOR EACH ROW
		EXECUTE FUNCTION minhash_trigger('sig', 'word:2', 64, 'body');
	CREATE INDEX ON docs USING gin (sig);
	CREATE INDEX ON docs USING gin (to_minhash(body)) WHERE id > 10;
	CREATE INDEX ON docs USING lsh (to_minhash(body)) WHERE id < 90;
	INSERT INTO docs SELECT i, 'document number ' || i FROM generate_series(1, 100) i;
	CREATE VIEW pairs AS SELECT a.id AS a, b.id AS b FROM docs a JOIN docs b ON a.made % b.made});
{
	local $ENV{PGUSER} = 'installer';
	restore_dump($node, 'dumped', 'restored');
}
my $digest = 'SELECT md5(string_agg(docs::text, id::text)), (SELECT count(*) FROM pairs) FROM docs';
is(result_as('installer', 'restored', $digest), result_as('installer', 'dumped', $digest),
	'and has the same');
result_as('installer', 'restored', 'DROP EXTENSION lshsim CASCADE');
is(result_as('installer', 'restored', 'SELECT extname FROM pg_extension'), 'plpgsql',
	'the owner drops the extension');

### Execution

# PUBLIC may execute every function, with the caller's privileges; none is
# leakproof, and only functions that run SQL statements have settings, those of their
# plans.  The exception is lsh_index_check(), which reads the whole table and
# needs a grant, like the functions of amcheck.
is($node->safe_psql('postgres', q{
	SELECT count(*) > 50, count(*) FILTER (WHERE prosecdef OR proleakproof
		OR (proconfig IS NOT NULL) <> (proname IN ('minhash_check_trigger', 'minhash_groups_create', 'minhash_groups_refresh'))
		OR has_function_privilege('alice', p.oid, 'EXECUTE') = (proname = 'lsh_index_check'))
	FROM pg_proc p JOIN pg_depend ON objid = p.oid AND classid = 'pg_proc'::regclass AND deptype = 'e'
		JOIN pg_extension e ON e.oid = refobjid WHERE extname = 'lshsim'}),
	't|0', 'no function is security definer, leakproof or forbidden');

# Names at run time: objects in the caller's schemas and pg_temp are ignored.
my $shadows = qq{
	SET search_path = mallory, pg_catalog, public;
	CREATE OR REPLACE FUNCTION mallory.minhash_query(public.minhash, pg_catalog.float8)
		RETURNS public.minhash_query IMMUTABLE $trap;
	CREATE DOMAIN pg_temp.minhash AS public.minhash CHECK (mallory.trap(1, 1));
	CREATE DOMAIN pg_temp.float8 AS pg_catalog.float8 CHECK (mallory.trap(1, 1));
	CREATE TEMP TABLE docs (id int, body text, sig public.minhash);
	CREATE INDEX docs_sig ON docs USING gin (sig public.minhash_ops);
	CREATE TRIGGER docs BEFORE INSERT ON docs FOR EACH ROW
		EXECUTE FUNCTION public.minhash_trigger('sig', 'word:1', 128, 'body');
	INSERT INTO docs VALUES (1, 'a document of words');
	CREATE INDEX docs_body ON docs USING gin (public.to_minhash(body, 'word:1'::public.shingling)) WHERE id OPERATOR(pg_catalog.>) 0;
	CREATE INDEX docs_lsh ON docs USING lsh (public.to_minhash(body, 'word:1'::public.shingling)) WHERE id OPERATOR(pg_catalog.>) 0;
	SET enable_seqscan = off;};
is(result_as('mallory', 'hostile', $shadows . q{
	SELECT id FROM docs WHERE public.minhash_similar(sig, public.to_minhash('a document of words', 'word:1'::public.shingling), 0.5);
	SELECT entries > 0 FROM public.lsh_index_stats('docs_lsh');
	SELECT count(*) FROM public.lsh_index_pairs('docs_lsh', 0.8, 0.9)}),
	"1\nt\n0", 'mallory: hostile names in the search path and in pg_temp are not used');
like(result_as('mallory', 'hostile', $shadows . q{
	EXPLAIN SELECT id FROM docs WHERE public.minhash_similar(sig, public.to_minhash('x', 'word:1'::public.shingling), 0.5)}),
	qr/Index Scan on docs_sig/, 'mallory: the planner finds the objects of the extension');

# Keys of mallory's type, with a cast to text (074_planted has the functions that convert keys).
result_as('mallory', 'hostile', qq{
	SET search_path = mallory, public;
	CREATE TYPE kind AS ENUM ('a', 'b', 'c');
	CREATE FUNCTION as_text(kind) RETURNS text $trap;
	CREATE CAST (kind AS text) WITH FUNCTION as_text(kind)});

# minhash_check_trigger runs with the rights of the user who writes a row.  It compares
# scopes of mallory's type, and of a domain for which she has planted an operator next to
# that of its base type, without her operators, functions and casts.
$node->safe_psql('hostile', q{
	CREATE SCHEMA types;
	GRANT ALL ON SCHEMA types TO PUBLIC;
	CREATE EXTENSION citext SCHEMA types;
	CREATE DOMAIN types.nick AS types.citext;
	CREATE TABLE types.posts (id mallory.kind PRIMARY KEY, nick types.nick, kind mallory.kind, slug types.nick UNIQUE, body text, copy_of text,
		sig public.minhash GENERATED ALWAYS AS (public.to_minhash(body, 'word:1'::public.shingling)) STORED);
	CREATE INDEX ON types.posts USING lsh (sig public.minhash_ops);
	CREATE TRIGGER check_posts BEFORE INSERT OR UPDATE ON types.posts FOR EACH ROW
		EXECUTE FUNCTION public.minhash_check_trigger('sig', 0.8, 'flag', 'copy_of', 'scope', 'nick', 'kind')});
result_as('mallory', 'hostile', join '', map {
	my $type = $_;
	"CREATE FUNCTION types.trap($type, $type) RETURNS boolean $trap;",
	"CREATE FUNCTION types.nick($type) RETURNS $type $trap;",
	map({ "CREATE OPERATOR types.$_ (LEFTARG = $type, RIGHTARG = $type, FUNCTION = types.trap);" } qw(= <> <->))
  } qw(types.nick mallory.kind types.posts tid));
refused('mallory', 'hostile', q{SET search_path = types; SELECT 'x'::nick IS NOT DISTINCT FROM 'x'::nick}, qr/captured as mallory/,
	'IS NOT DISTINCT FROM uses an operator in the search path');
is($node->safe_psql('hostile', q{
	SET search_path = types, mallory, pg_catalog;
	INSERT INTO posts VALUES ('a', 'Ann', 'a', 'one', 'a text of some words'), ('b', 'ann', 'a', 'two', 'some words of a text'), ('c', 'bob', 'a', 'three', 'a text of some words');
	INSERT INTO posts VALUES ('a', 'ann', 'a', 'ONE', 'a text of words') ON CONFLICT (slug) DO UPDATE SET body = EXCLUDED.body;
	UPDATE posts SET nick = 'ANN' WHERE id OPERATOR(pg_catalog.=) 'c';
	SELECT id, copy_of FROM posts ORDER BY id}),
	"a|\nb|a\nc|a", 'minhash_check_trigger uses none of them');

# A user of a view needs no privilege on the schema of the extension, with any plan.
$node->safe_psql('postgres', 'CREATE DATABASE apart TEMPLATE template0');
$node->safe_psql('apart', q{
	CREATE SCHEMA lsh;
	CREATE EXTENSION lshsim SCHEMA lsh;
	CREATE TABLE d AS SELECT i AS id, lsh.array_to_minhash(ARRAY[i / 2, i / 3, i / 4]) AS sig FROM generate_series(1, 300) i;
	CREATE VIEW pairs AS SELECT a.id FROM d a JOIN d b ON lsh.minhash_similar(a.sig, b.sig, 0.7);
	CREATE VIEW likely AS SELECT a.id FROM d a JOIN d b ON lsh.minhash_similar(a.sig, b.sig, 0.7, 0.99);
	CREATE VIEW copies AS SELECT id FROM d WHERE lsh.minhash_similar(sig, lsh.array_to_minhash(ARRAY[4, 3, 2]), 0.7);
	GRANT SELECT ON pairs, likely, copies TO carol});
refused('carol', 'apart', 'SELECT lsh.array_to_minhash(ARRAY[1])',
	qr/permission denied for schema lsh/, 'calls a function without USAGE on its schema');
foreach my $index ('without an index', 'with an lsh index', 'with a gin index')
{
	$node->safe_psql('apart', "DROP INDEX IF EXISTS d_sig; CREATE INDEX d_sig ON d USING $1 (sig); ANALYZE d")
	  if $index =~ /with an? (\w+)/;
	foreach my $view (qw(pairs likely copies))
	{
		my $rows = "SET enable_seqscan = off; SELECT count(*), sum(id) FROM $view";
		my $expected = $node->safe_psql('apart', $rows);

		like($expected, qr{^[1-9]}, "there are rows of $view, $index");
		is_deeply([ run_as('carol', 'apart', $rows) ], [ $expected, '' ],
			"carol: $view, without USAGE on the schema of the extension, $index");
	}
}
like($node->safe_psql('apart', "SET enable_seqscan = off; EXPLAIN SELECT * FROM $_"),
	qr/Index Scan on d_sig/, "$_ is read by the index")
  foreach qw(pairs likely copies);

# Arguments of the trigger are names with any content.
foreach my $name (q{%s%n}, q{sig"; DROP TABLE sigs; --}, '........pg.dropped.2........', 'tableoid', 'x' x 100, '')
{
	my $trigger = sub {
		return 'CREATE TEMP TABLE t (body text, gone text, sig minhash); ALTER TABLE t DROP gone;'
		  . 'CREATE TRIGGER t BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION minhash_trigger('
		  . join(', ', @_) . "); INSERT INTO t VALUES ('text')";
	};
	my $missing = qr/trigger "t" of table "t" names a column "\Q$name\E", which does not exist/;
	refused('alice', 'postgres', $trigger->("'$name'", q{'word:1', 128, 'body'}),
		$missing, "a trigger on the column '$name'");
	refused('alice', 'postgres', $trigger->(q{'sig', 'word:1', 128}, "'$name'"),
		$missing, "a trigger from the column '$name'");
}

# Any user can change the settings; no user can define new ones.
is(result_as('alice', 'postgres', q{
	SELECT to_minhash('') IS NULL;	-- so PostgreSQL knows the settings
	ALTER ROLE alice SET lshsim.progress = on;
	SET lshsim.similarity_threshold = 0.3;
	SELECT to_minhash('x') % to_minhash('x');
	SHOW lshsim.similarity_threshold}), "f\nt\n0.3", 'alice: settings');
is(result_as('alice', 'postgres', q{SELECT to_minhash('') IS NULL; SHOW lshsim.progress}), "f\non",
	'alice: the setting of a role');
refused('alice', 'postgres', q{SELECT to_minhash(''); SET lshsim.similarity_threshold = 2},
	qr/2 is outside the valid range/, 'sets what is not valid');
refused('alice', 'postgres', q{SELECT to_minhash(''); SET lshsim.other = 2},
	qr/invalid configuration parameter name "lshsim.other"/, 'makes a setting');
$node->safe_psql('postgres', 'ALTER ROLE alice RESET lshsim.progress');

### Contents of indexes, and statistics

# Only users who may read the whole table may read the contents of an index.  Half of the
# rows are copies of one.  024_hidden_rows has the rows that a policy or a view hides.
$node->safe_psql('postgres', q{
	CREATE TABLE docs (id int, body text, sig minhash);
	INSERT INTO docs SELECT i, CASE WHEN i % 2 = 1 THEN 'a b c d e f g h i j k l' ELSE md5(i::text) END,
		array_to_minhash(ARRAY(SELECT CASE WHEN i % 2 = 1 THEN j ELSE 1000 * i + j END FROM generate_series(1, 60) j))
	FROM generate_series(1, 2000) i;
	CREATE INDEX docs_lsh ON docs USING lsh (sig);
	CREATE INDEX docs_passages ON docs USING lsh (body passage_ops);
	ANALYZE docs;
	GRANT SELECT ON docs TO alice;
	GRANT SELECT (id) ON docs TO mallory});
foreach my $call (map { ("lsh_index_stats('$_')", "lsh_index_pairs('$_', 0.8)") } 'docs_lsh', 'docs_passages')
{
	refused($_, 'postgres', "SELECT * FROM $call", qr/ERROR:  permission denied for table docs$/, "$call without SELECT of all columns")
	  foreach qw(carol mallory);
}
is(result_as('alice', 'postgres', q{
	SELECT entries > 0, largest_bucket >= 1000 FROM lsh_index_stats('docs_lsh')}),
	't|t', 'alice: what an index holds, with SELECT');

# Who may read a column has its statistics: without them, a search is expected to find a few rows.
my $copied = $node->safe_psql('postgres', q{SELECT format('%L::minhash', sig) FROM docs WHERE id = 1});
my $quote = q{'a b c d e f g h i j k l'};
foreach my $search ('sig % PROBE', 'minhash_similar(PROBE, sig, 0.5)', 'sig @@ minhash_query(PROBE, 0.7)',
	'shares_passage(body, QUOTE)', 'shares_passage(QUOTE, body)', 'body &&~ passage_query(QUOTE)')
{
	my $explain = "EXPLAIN SELECT FROM docs WHERE $search" =~ s/PROBE/$copied/r =~ s/QUOTE/$quote/r;

	like(result_as($_, 'postgres', $explain), qr/\A.*rows=(?:9\d\d|1\d\d\d|2000) /, "$_: $search is known to find many rows")
	  foreach 'alice', $owner;
}

### Settings

# Before the library is loaded, only a superuser may store its settings; a call loads it.
my $loaded = q{SELECT to_minhash('x') IS NOT NULL};
my %stored = (
	'ALTER DATABASE' => 'ALTER DATABASE hers SET lshsim.similarity_threshold = 0.6',
	'ALTER ROLE' => 'ALTER ROLE carol IN DATABASE hers SET lshsim.similarity_threshold = 0.7',
	'a SET clause' => q{CREATE FUNCTION similar_to(a minhash, b minhash) RETURNS boolean LANGUAGE sql
		SET lshsim.similarity_threshold = 0.1 AS 'SELECT a % b'});

$node->safe_psql('postgres', 'CREATE DATABASE hers OWNER carol');
$node->safe_psql('hers', 'CREATE EXTENSION lshsim; ALTER SCHEMA public OWNER TO carol');
refused('carol', 'hers', q{LOAD 'lshsim'}, qr/access to library "lshsim" is not allowed/, 'may not LOAD the library');
foreach my $kind (sort keys %stored)
{
	refused('carol', 'hers', $stored{$kind}, qr/permission denied to set parameter "lshsim.similarity_threshold"/,
		"may not store the threshold by $kind yet");
	is((run_as('carol', 'hers', "$loaded; $stored{$kind}"))[1], '', "carol: $kind after a call");
	is(result_as('carol', 'hers', "$loaded; SHOW lshsim.similarity_threshold"), { 'a SET clause' => "t\n0.8",
		'ALTER DATABASE' => "t\n0.6", 'ALTER ROLE' => "t\n0.7" }->{$kind}, "carol: and its effect in a new session");
	run_as('carol', 'hers', "$loaded; ALTER DATABASE hers RESET ALL; ALTER ROLE carol IN DATABASE hers RESET ALL");
}
is(result_as('carol', 'hers', q{SELECT similar_to(to_minhash('abcdefgh'), to_minhash('abcdefgx')), to_minhash('abcdefgh') % to_minhash('abcdefgx')}),
	't|f', 'carol: the threshold of a function');

# A value that was invalid when the library was loaded is replaced by the default.
$node->safe_psql('hers', 'ALTER DATABASE hers SET lshsim.similarity_threshold = 80; ALTER DATABASE hers SET lshsim.threshold = 1');
my ($setting, $warnings) = run_as('carol', 'hers', "$loaded; SHOW lshsim.similarity_threshold; SHOW lshsim.threshold");
is($setting, "t\n0.8", 'an invalid value gives way to the default');
like($warnings, qr/WARNING:  80 is outside the valid range for parameter "lshsim.similarity_threshold"/, 'with a warning');
like($warnings, qr/WARNING:  invalid configuration parameter name "lshsim.threshold", removing it/, 'and an unknown name is removed');

$node->stop;
done_testing();

# Other extensions: the regression tests pass with them in the same schema; queries
# have the same results with and without lshsim, and with and without the others,
# in any order of installation; and the extension works in any schema, and after
# it has been moved to another.

use LshsimTest;

my $node = start_node('neighbours', 'jit = off', 'fsync = off');
my @neighbours;

foreach my $name (qw(pg_trgm intarray btree_gin hstore vector))
{
  SKIP:
	{
		skip "extension $name is not installed here", 1
		  if !$node->safe_psql('postgres', "SELECT 1 FROM pg_available_extensions WHERE name = '$name'");
		push @neighbours, $name;
		pass("$name is here");
	}
}

# Make a database with extensions, in this order, in the schema public.
sub database_with
{
	my ($database, @extensions) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
	$node->safe_psql($database, join ';', map { "CREATE EXTENSION $_ SCHEMA public" } @extensions);
	return;
}

### The regression tests next to other extensions

# The tests of this version, except the slowest, which use the same operators and
# functions as the others.
sub regression_tests
{
	my $left_out = 'planner|cluster|search|passage_ops|edited_passages|lsh_am|recipes_fields';

	$left_out .= '|softerr'
	  if $node->safe_psql('postgres', 'SHOW server_version_num') < 160000;
	return 'init', grep { !/^(init|$left_out)$/ } map { /(\w+)\.sql$/ } sort glob('sql/*.sql');
}

# Run them as make installcheck does, with the neighbours loaded first.
sub check_regression
{
	my @tests = regression_tests();
	my $log = '';

	IPC::Run::run(
		[ $ENV{PG_REGRESS}, '--bindir=', '--host=' . $node->host, '--port=' . $node->port,
			'--dbname=together', '--encoding=UTF8', '--no-locale',
			map({ "--load-extension=$_" } @neighbours), @tests ],
		'>', \$log, '2>&1');
	foreach my $test (@tests)
	{
		like($log, qr/^(test $test +\.\.\. ok|ok \d+ +- $test) +\d+ ms$/m,
			"regression test $test next to the neighbours");
	}
	diag(PostgreSQL::Test::Utils::slurp_file('regression.diffs')) if -s 'regression.diffs';
	return;
}

### Queries with and without the others

# Queries of lshsim with literals of unknown type.
my $ours = q{
	CREATE TABLE docs AS SELECT i AS id, i % 3 AS tenant,
		array_to_minhash(ARRAY(SELECT CASE WHEN j > i % 5 THEN j ELSE 1000 * i + j END FROM generate_series(1, 60) j), 64) AS sig
	FROM generate_series(1, 50) i;
	SELECT sig AS probe FROM docs WHERE id = 5 \gset
	CREATE INDEX docs_sig ON docs USING gin (sig);
	CREATE INDEX docs_keys ON docs USING gin (lsh_band_keys(sig, 8, 8));
	SELECT opcname FROM pg_index, pg_opclass o WHERE indexrelid IN ('docs_sig'::regclass, 'docs_keys'::regclass) AND o.oid = indclass[0];
	SET enable_seqscan = off;
	SELECT count(*) FROM docs WHERE sig % :'probe';
	SELECT count(*) FROM docs WHERE :'probe' % sig;
	SELECT count(*) FROM docs WHERE sig @@ minhash_query(:'probe', 0.9);
	SELECT count(*) FROM docs WHERE lsh_band_keys(sig, 8, 8) && lsh_band_keys(:'probe', 8, 8);
	SELECT sum(sig <-> :'probe'), sum(jaccard(sig, :'probe')), sum(cardinality(sig | :'probe')) FROM docs;
	SELECT count(*) FILTER (WHERE sig = :'probe'), count(*) FILTER (WHERE sig <> :'probe'),
		count(*) FILTER (WHERE sig < :'probe'), count(DISTINCT sig) FROM docs;
	SELECT '0.9/0.5/' || :'probe' AS query \gset
	SELECT count(*) FROM docs WHERE sig @@ :'query';
	SELECT array_to_minhash('{1,2}'::int[]) % '{1,2}';
	SELECT to_minhash('text'), to_minhash('text', 'word:1', 16), array_to_minhash(ARRAY[1, 2], 16), tsvector_to_minhash('a b'::tsvector, 16);
	SELECT jaccard(ARRAY[1, 2], '{2,3}'), jaccard('{1,2}'::int[], '{2,3}'::bigint[]), containment('{a}', ARRAY['a', 'b']);
	SELECT jaccard('some text', 'some other text', 'word:1'), shingles('text', 'char:2');
	SELECT minhash_agg(id), minhash_union_agg(sig) FROM docs;
	SELECT id, minhash_cluster(sig, 0.9) OVER (ORDER BY id) FROM docs;
	DROP TABLE docs;};

# Queries of the server without lshsim, by the same operators.
my $theirs = q{
	SELECT 7 % 3, '7' % 3, 7.5 % '2', 6 | 1, B'10' | B'01';
	SELECT '7' % '3';
	SELECT '1' | '2';
	SELECT '(0,0)'::point <-> '(3,4)', 'fat cat'::tsvector @@ 'cat', 'fat cat' @@ 'cat', '{"a": 1}'::jsonb @@ '$.a == 1';
	SELECT '(0,0)' <-> '(3,4)';
	SELECT cardinality('{1,2}'::int[]), '{1,2}'::text[] && '{2}', '{1,2}' = '{2}', ARRAY[1, 2] = '{2}', 'a' < 'b';};

# Queries of each neighbor.
my %theirs = (
	pg_trgm => q{
		SELECT 'word' % 'words', 'word'::text % 'words', 'word' <-> 'words', 'word' <% 'two words', similarity('word', 'words');
		CREATE TABLE words AS SELECT 'word' || i AS w FROM generate_series(1, 200) i;
		CREATE INDEX ON words USING gin (w gin_trgm_ops);
		SET enable_seqscan = off;
		SELECT count(*) FROM words WHERE w % 'word11';
		SELECT count(*) FROM words WHERE w LIKE '%d11%';
		DROP TABLE words;},
	intarray => q{
		SELECT '{1,2,3}'::int[] && '{3}', '{1,2}'::int[] | '{3}', '{1,2}'::int[] | 3, '{1,2}'::int[] & '{2}', '{1,2}'::int[] @@ '1&2';
		SELECT '{1,2}'::int[] @@ '1&2'::query_int, '1&2'::query_int ~~ '{1,2}'::int[], sort('{2,1}'), '{1,2}' | '{3}'::int[];
		CREATE TABLE lists AS SELECT ARRAY[i, i % 7] AS l FROM generate_series(1, 200) i;
		CREATE INDEX ON lists USING gin (l gin__int_ops);
		SET enable_seqscan = off;
		SELECT count(*) FROM lists WHERE l && '{3,4}';
		SELECT count(*) FROM lists WHERE l @@ '3&10';
		DROP TABLE lists;},
	btree_gin => q{
		CREATE TABLE rows AS SELECT i, i::text AS t FROM generate_series(1, 200) i;
		CREATE INDEX ON rows USING gin (i, t);
		SET enable_seqscan = off;
		SELECT count(*) FROM rows WHERE i = 7 AND t = '7';
		DROP TABLE rows;},
	hstore => q{
		SELECT 'a=>1,b=>2'::hstore -> 'a', 'a=>1'::hstore || 'b=>2', 'a=>1'::hstore ? 'a', 'a=>1'::hstore @> 'a=>1',
			%% 'a=>1'::hstore, %# 'a=>1'::hstore, hstore('a', 'b'), 'a=>1'::hstore = 'a=>1';},
	vector => q{
		SELECT '[1,2]'::vector <-> '[4,6]', '[1,2]'::vector <=> '[2,1]', '[1,2]'::vector + '[1,1]', ARRAY[1, 2]::vector;
		SELECT B'101' <%> B'110', jaccard_distance(B'101', B'110');
		SELECT v FROM (VALUES ('[1,1]'::vector), ('[5,5]')) t (v) ORDER BY v <-> '[4,4]';});

# Return both outputs of psql for a list of queries.
sub answers
{
	my ($database, $queries) = @_;
	my ($status, $stdout, $stderr) =
	  $node->psql($database, $queries, on_error_stop => 0);

	return "$stdout\n$stderr";
}

# Compare the outputs of databases.
sub check_answers
{
	my ($name, $queries, $expected, @others) = @_;
	my $answer = answers($expected, $queries);

	unlike($answer, qr/is not unique|does not exist/, "$name: understood in the database $expected");
	is(answers($_, $queries), $answer, "$name: the same in the database $_") foreach @others;
	return;
}

database_with('ours', 'lshsim');
database_with('nobody');
database_with('theirs', @neighbours);
database_with('ours_first', 'lshsim', @neighbours);
database_with('ours_last', @neighbours, 'lshsim');

check_answers('lshsim', $ours, 'ours', 'ours_first', 'ours_last');
is(answers($_, $theirs), answers('nobody', $theirs), "the server's own: the same in the database $_")
  foreach 'ours';
is(answers($_, $theirs), answers('theirs', $theirs), "the server's own: the same in the database $_")
  foreach 'ours_first', 'ours_last';
check_answers($_, $theirs{$_}, 'theirs', 'ours_first', 'ours_last') foreach @neighbours;

SKIP:
{
	skip 'extension btree_gin is not installed here', 2 if !grep { $_ eq 'btree_gin' } @neighbours;

	my $index = q{
		CREATE TABLE docs AS SELECT i AS id, i % 3 AS tenant, array_to_minhash(ARRAY[i % 10]) AS sig FROM generate_series(1, 300) i;
		CREATE INDEX docs_both ON docs USING gin (tenant, sig);
		SET enable_seqscan = off;};
	my $query = 'SELECT count(*) FROM docs WHERE tenant = 1 AND sig % array_to_minhash(ARRAY[7])';

	like($node->safe_psql('ours_last', "BEGIN; $index EXPLAIN $query"),
		qr/Index Cond: \(\(tenant = 1\) AND \(sig % /, 'an index with btree_gin, of a tenant and a signature');
	is($node->safe_psql('ours_last', "BEGIN; $index $query"), 10, 'and its answer');
}

### Any schema

# Objects that are created with qualified names and keep working after the
# extension has moved: generated column, domain, indexes, trigger, view, function.
my $made = q{
	CREATE DOMAIN short AS S.minhash(64);
	CREATE TABLE docs (id int, body text,
		sig S.minhash GENERATED ALWAYS AS (S.to_minhash(body, 'word:1')) STORED,
		kept S.minhash(64),
		shorter short DEFAULT S.to_minhash('nothing', 'word:1', 64));
	CREATE TRIGGER docs BEFORE INSERT OR UPDATE ON docs FOR EACH ROW
		EXECUTE FUNCTION S.minhash_trigger('kept', 'word:1', 64, 'body');
	CREATE INDEX docs_sig ON docs USING gin (sig);
	CREATE INDEX docs_kept ON docs USING lsh (kept);
	CREATE INDEX docs_body ON docs USING gin (S.to_minhash(body, 'word:2')) WHERE S.cardinality(sig) > 1;
	CREATE VIEW pairs AS SELECT a.id AS a, b.id AS b FROM docs a JOIN docs b ON a.sig OPERATOR(S.%) b.sig WHERE a.id < b.id;
	CREATE FUNCTION near(S.minhash) RETURNS SETOF int STABLE
		BEGIN ATOMIC SELECT id FROM docs WHERE S.minhash_similar(sig, $1, 0.7); END;
	PREPARE search AS SELECT count(*) FROM pairs;};

# Queries of these objects; the inserted row is the last.
my $asked = q{
	SET enable_seqscan = off;
	INSERT INTO docs (id, body) SELECT i, 'a b c d e f g h i j k l m n o p q r s t ' || i % 40
	FROM generate_series((SELECT coalesce(max(id), 0) + 1 FROM docs), 80) i;
	SELECT count(*), count(kept), bool_and(sig OPERATOR(S.=) S.to_minhash(body, 'word:1')),
		bool_and(kept OPERATOR(S.=) S.to_minhash(body, 'word:1', 64)) FROM docs;
	SELECT count(*) FROM pairs;
	SELECT count(*) FROM near(S.to_minhash('a b c d e f g h i j k l m n o p q r s t', 'word:1'));
	SELECT count(*) FROM docs WHERE sig OPERATOR(S.@@) S.minhash_query(S.to_minhash('a b c d', 'word:1'), 0.2);
	SELECT entries > 0 FROM S.lsh_index_stats('docs_kept');
	SELECT count(*), min(c), max(c) FROM (SELECT S.minhash_cluster(sig, 0.9) OVER (ORDER BY id) AS c FROM docs) d;
	SELECT S.minhash_info(S.minhash_union_agg(shorter)), S.minhash_agg(id) FROM docs;
	EXECUTE search;};
my $planned = q{
	SET enable_seqscan = off;
	EXPLAIN (COSTS OFF) SELECT id FROM docs WHERE S.minhash_similar(sig, S.to_minhash('a'), 0.7);
	EXPLAIN (COSTS OFF) SELECT id FROM docs WHERE sig OPERATOR(S.%) S.to_minhash('a');
	EXPLAIN (COSTS OFF) SELECT id FROM docs WHERE S.to_minhash(body, 'word:2') OPERATOR(S.%) S.to_minhash('a') AND S.cardinality(sig) > 1;};

# Put a schema into queries.
sub in_schema
{
	my ($schema, $queries) = @_;
	return $queries =~ s/\bS\./$schema./gr;
}

my @schemas = ('public', 'elsewhere', '"Odd ""Schema"".s"', 'public');
my $reference;

$node->safe_psql('nobody', join ';', map { "CREATE SCHEMA $_" } @schemas[ 1, 2 ]);
foreach my $i (0 .. 2)
{
	my ($from, $to) = @schemas[ $i, $i + 1 ];
	my $path = 'SET search_path = mine, pg_catalog;';
	my $session = "CREATE EXTENSION lshsim SCHEMA $from; CREATE SCHEMA mine; $path"
	  . in_schema($from, $made . $asked) . '\\echo moved' . "\n"
	  . "ALTER EXTENSION lshsim SET SCHEMA $to;" . in_schema($to, $asked);
	my ($before, $after) = split /\nmoved\n/, $node->safe_psql('nobody', $session);

	$reference //= $before;
	is($before, $reference, "the extension in $from");
	is($after, $reference, "moved to $to in the same session");
	is(scalar(() = $node->safe_psql('nobody', $path . in_schema($to, $planned)) =~ /Index Scan on docs_(sig|body)/g),
		3, "from $to, plans use the indexes");
	$node->safe_psql('nobody', 'DROP EXTENSION lshsim CASCADE; DROP SCHEMA mine CASCADE');
}

check_regression();

$node->stop;
done_testing();

# Groups under random changes of their table.
#
# Each table has two kinds of groups: of all rows, and within a scope.  After each batch of
# statements both are refreshed and compared with components that a recursive query finds,
# their ids with the rule that the largest overlap keeps an id, and the log with the groups.
#
# LSHSIM_BATCHES=n runs n batches for each corpus instead of 20, LSHSIM_SEED=n draws others.

use Cwd;
use LshsimTest;

my $batches = $ENV{LSHSIM_BATCHES} // 20;
my $node = start_node('random', 'jit = off');
my $demo = getcwd() . '/test/demo/sample.tsv';
my %kinds;

seed(1);

# With a recall of 1 the rows that are similar are those with an estimate of at least the
# threshold.
$node->safe_psql('postgres', q{
	CREATE TABLE docs (id text COLLATE "C" PRIMARY KEY, n bigint, tenant int, sig minhash);
	CREATE FUNCTION components(threshold float8, scoped bool) RETURNS TABLE (id text, first text) LANGUAGE sql AS $$
		WITH RECURSIVE pairs AS MATERIALIZED (
			SELECT a.id AS a, b.id AS b FROM docs a JOIN docs b ON jaccard(a.sig, b.sig) >= threshold
				AND (NOT scoped OR a.tenant IS NOT DISTINCT FROM b.tenant)),
		reached(a, b) AS (
			SELECT id, id FROM docs UNION SELECT r.a, p.b FROM reached r JOIN pairs p ON p.a = r.b)
		SELECT a, min(b) FROM reached GROUP BY a $$;
	CREATE FUNCTION any_sig() RETURNS minhash LANGUAGE plpgsql VOLATILE AS
		'BEGIN RETURN (SELECT sig FROM pool ORDER BY random() LIMIT 1); END';
	-- Return what is wrong with groups, whose former state is in before.
	CREATE FUNCTION check_groups(groups text, threshold float8) RETURNS TABLE (what text, rows bigint) LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE format('CREATE TEMP TABLE now ON COMMIT DROP AS TABLE %I;
			CREATE TEMP TABLE log ON COMMIT DROP AS
			SELECT l.*, refresh = refreshes AS is_last FROM %I l, %I', groups, groups || '_log', groups || '_definition');
		CREATE TEMP TABLE common ON COMMIT DROP AS
			SELECT b.grp AS old, n.grp AS new, count(*) AS size FROM before b JOIN now n USING (id) GROUP BY 1, 2;
		RETURN QUERY SELECT 'rows in wrong groups', count(*) FROM components(threshold, groups = 'scoped') c
			FULL JOIN (SELECT id, min(id) OVER (PARTITION BY grp) AS first FROM now) n USING (id, first)
			WHERE c.id IS NULL OR n.id IS NULL;
		-- An overlap that keeps no id must be smaller than one that does, of the same group
		-- or the same component; a tie between groups goes to the smaller id.
		RETURN QUERY SELECT 'overlaps without the id', count(*) FROM common o
			LEFT JOIN common g ON g.old = o.old AND g.new = o.old
			LEFT JOIN common c ON c.new = o.new AND c.old = o.new
			WHERE o.old <> o.new AND (g.size >= o.size) IS NOT TRUE
				AND ((c.size, -c.old) > (o.size, -o.old)) IS NOT TRUE;
		RETURN QUERY SELECT 'ids used twice', count(*) FROM now
			WHERE NOT EXISTS (SELECT FROM before b WHERE b.grp = now.grp)
				AND now.grp <= (SELECT max(grp) FROM (SELECT old_grp AS grp FROM log UNION ALL SELECT b.grp FROM before b) g);
		RETURN QUERY SELECT 'rows to which the log does not lead', count(*) FROM (
			SELECT DISTINCT ON (id) id, new_grp FROM log ORDER BY id, refresh DESC) l
			FULL JOIN now n USING (id) WHERE l.new_grp IS DISTINCT FROM n.grp;
		RETURN QUERY SELECT 'wrong events', count(*) FROM log l
			LEFT JOIN before b ON b.id = l.id LEFT JOIN now n ON n.id = l.id
			WHERE is_last AND (l.old_grp, l.new_grp, l.event) IS DISTINCT FROM (b.grp, n.grp, CASE
				WHEN n.grp IS NULL THEN 'leave'
				WHEN b.grp IS NULL THEN CASE WHEN EXISTS (SELECT FROM before x WHERE x.grp = n.grp) THEN 'join' ELSE 'new' END
				WHEN EXISTS (SELECT FROM now x WHERE x.grp = b.grp) THEN 'split' ELSE 'merge' END);
	END $$});

# Return conditions and values of random statements.
sub some { return 'id IN (SELECT id FROM docs ORDER BY random() LIMIT ' . (1 + int(rand($_[0]))) . ')' }
sub tenant { return draw('NULL', 1, 2, 3) }
sub any_sig { return draw(('any_sig()') x 6, 'NULL', '(SELECT sig FROM pool WHERE n = 0)') }
sub new_rows { return "SELECT nextval('ids')::text, n, @{[tenant()]}, sig FROM pool ORDER BY random() LIMIT " . (1 + int(rand(25))) }

my %statements = (
	insert => sub { 'INSERT INTO docs ' . new_rows() },
	more => sub { 'INSERT INTO docs ' . new_rows() },
	update => sub { "UPDATE docs SET sig = @{[any_sig()]} WHERE " . some(10) },
	delete => sub { 'DELETE FROM docs WHERE ' . some(8) },
	delete_near => sub { 'DELETE FROM docs WHERE n BETWEEN (SELECT n FROM docs ORDER BY random() LIMIT 1) AND (SELECT n + 5 FROM docs ORDER BY random() LIMIT 1) AND random() < 0.4' },
	key => sub { "UPDATE docs SET id = nextval('ids')::text WHERE " . some(6) },
	key_again => sub { 'BEGIN; CREATE TEMP TABLE gone ON COMMIT DROP AS SELECT * FROM docs WHERE ' . some(6)
		  . '; DELETE FROM docs WHERE id IN (SELECT id FROM gone); INSERT INTO docs SELECT id, n, tenant, any_sig() FROM gone; COMMIT' },
	tenant => sub { "UPDATE docs SET tenant = @{[tenant()]} WHERE " . some(9) },
	conflict => sub { 'INSERT INTO docs SELECT id, n, tenant, any_sig() FROM docs WHERE ' . some(8) . ' ON CONFLICT (id) DO UPDATE SET sig = excluded.sig' },
	rollback => sub { 'BEGIN; DELETE FROM docs WHERE ' . some(9) . q{; SELECT minhash_groups_refresh('scoped'), minhash_groups_refresh('plain'); ROLLBACK} },
	truncate => sub { rand() < 0.1 ? 'TRUNCATE docs; INSERT INTO docs ' . new_rows() : 'SELECT 1' });

# The ways to make signatures, with a threshold.
my %corpora = (
	# windows over a line: long chains that split and merge
	chain => [ 0.35, 'SELECT i AS n, array_to_minhash(ARRAY(SELECT generate_series(i, i + 11)), 64) AS sig FROM generate_series(1, 150) i' ],
	# rows around few centers, with copies
	dense => [ 0.5, 'SELECT i AS n, array_to_minhash(ARRAY(SELECT (i % 4) * 1000 + j FROM generate_series(1, 20) j
		WHERE (j + i / 4) % 7 > 0 OR j > 16), 64) AS sig FROM generate_series(1, 150) i' ],
	# descriptions, and three changed versions of each
	descriptions => [ 0.4, q{SELECT row_number() OVER () AS n, to_minhash(v) AS sig FROM texts, LATERAL (VALUES (body),
		(body || ' and more'), (left(body, length(body) * 2 / 3)), (regexp_replace(body, '[aeiou]', 'x'))) AS versions(v)} ]);

$node->safe_psql('postgres', "CREATE TABLE texts (id text, body text); COPY texts FROM '$demo'");
foreach my $corpus (sort keys %corpora)
{
	my ($threshold, $pool) = @{ $corpora{$corpus} };
	my $wrong = 0;

	$node->safe_psql('postgres', qq{
		TRUNCATE docs; DROP SEQUENCE IF EXISTS ids; CREATE SEQUENCE ids; DROP TABLE IF EXISTS pool; CREATE TABLE pool AS $pool;
		INSERT INTO pool SELECT 0, CASE WHEN minhash_kind(sig) LIKE 'integer%' THEN array_to_minhash('{}'::int[], 64)
			ELSE to_minhash('') END FROM pool LIMIT 1;
		INSERT INTO docs SELECT nextval('ids'), n, n % 3, sig FROM pool WHERE n <= 60;
		SELECT minhash_groups_create('docs', 'sig', $threshold, 1, groups => 'plain', agreement => 0),
			minhash_groups_create('docs', 'sig', $threshold, 1, groups => 'scoped', scope => '{tenant}', agreement => 0)});
	for my $batch (1 .. $batches)
	{
		my @names = map { draw(sort keys %statements) } 1 .. 5;
		my $script = "SELECT setseed(@{[rand()]});\n" . join '', map { $kinds{$_}++; $statements{$_}->() . ";\n" } @names;
		my $answer = '';

		$node->safe_psql('postgres', "SET client_min_messages = warning; $script");
		$answer .= $node->safe_psql('postgres', qq{BEGIN; CREATE TEMP TABLE before ON COMMIT DROP AS TABLE $_;
			SELECT w.what, w.rows FROM minhash_groups_refresh('$_'), LATERAL check_groups('$_', $threshold) w WHERE w.rows > 0; COMMIT})
		  foreach qw(plain scoped);
		diag("$corpus, batch $batch: $answer\n$script") if $answer;
		$wrong++ if $answer;
	}
	is($wrong, 0, "$corpus: members, ids, log and events are right after every batch");
	note("$corpus: " . $node->safe_psql('postgres', q{SELECT count(*) || ' rows, ' || count(DISTINCT grp) || ' groups, '
		|| (SELECT max(n) FROM (SELECT count(*) AS n FROM plain GROUP BY grp) g) || ' rows in the largest; events: '
		|| (SELECT string_agg(event || ' ' || n, ', ' ORDER BY event) FROM (SELECT event, count(*) AS n FROM plain_log GROUP BY event) e) FROM plain}));
	$node->safe_psql('postgres', q{SELECT minhash_groups_drop('plain'), minhash_groups_drop('scoped')});
}
note(join ', ', map { "$_ $kinds{$_}" } sort keys %kinds);

$node->stop;
done_testing();

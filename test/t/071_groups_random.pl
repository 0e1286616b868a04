# Groups that are kept current, under random statements.
#
# Each table has two kinds of groups: one is brought up to date by each transaction, the
# other by a refresh now and then.  After every 100 statements both are compared with the
# components that minhash_cluster finds, and the log with the groups.
#
# LSHSIM_STATEMENTS=n runs n statements for each corpus instead of 500, LSHSIM_SEED=n
# draws others, and LSHSIM_CORPORA=DIR reads DIR/NAME/docs.tsv.gz of the corpora cora,
# clough and psdocs instead of the descriptions of the demo.

use strict;
use warnings;

use Cwd;
use LshsimTest;
use Test::More;

my $statements = $ENV{LSHSIM_STATEMENTS} // 500;
my $seed = $ENV{LSHSIM_SEED} // 1;
my $node = start_node('random', 'jit = off');
my $has_merge = $node->safe_psql('postgres', 'SHOW server_version_num') >= 150000;
my (%multiple, %kinds);

srand($seed);
note("LSHSIM_SEED=$seed, $statements statements for each corpus");

# Return one of a list.
sub draw
{
	return $_[ int(rand(@_)) ];
}

# Functions for the comparisons.
$node->safe_psql('postgres', group_functions() . q{;
	CREATE FUNCTION wrong_log(groups text) RETURNS bigint LANGUAGE plpgsql AS $$
	DECLARE
		wrong bigint;
	BEGIN
		EXECUTE format('SELECT count(*) FROM (
				SELECT DISTINCT ON (id) id, new_grp FROM %I ORDER BY id, refresh DESC) AS l
			FULL JOIN %I AS g ON g.id = l.id WHERE l.new_grp IS DISTINCT FROM g.grp',
			groups || '_log', groups) INTO wrong;
		RETURN wrong;
	END $$;
	CREATE FUNCTION any_sig() RETURNS minhash LANGUAGE plpgsql VOLATILE AS $$
	DECLARE
		wanted bigint := 1 + floor(random() * (SELECT max(n) FROM pool));
	BEGIN
		RETURN (SELECT sig FROM pool WHERE n = wanted);
	END $$});

# Make the signatures that rows can have: those of the texts, and of three changed
# versions of each.
sub make_texts
{
	my ($texts) = @_;

	return "DROP TABLE IF EXISTS texts, pool;
		CREATE TABLE texts (id text, body text);
		$texts;
		CREATE TABLE pool AS SELECT row_number() OVER () AS n, to_minhash(v) AS sig
		FROM texts, LATERAL (VALUES (body), (body || ' and more'), (left(body, length(body) * 2 / 3)),
			(regexp_replace(body, '[aeiou]', 'x'))) AS versions(v)";
}

# The ways to make signatures, with a threshold.
my $demo = getcwd() . '/test/demo/sample.tsv';
my %corpora = (
	# windows over a line: long chains that split and merge
	chain => [ 0.35, 'DROP TABLE IF EXISTS pool;
		CREATE TABLE pool AS SELECT i AS n, array_to_minhash(ARRAY(SELECT generate_series(i, i + 11)), 64) AS sig
		FROM generate_series(1, 400) i' ],
	# rows around few centers, with copies: dense groups of more than 50 rows
	dense => [ 0.5, 'DROP TABLE IF EXISTS pool;
		CREATE TABLE pool AS SELECT i AS n, array_to_minhash(ARRAY(SELECT (i % 4) * 1000 + j FROM generate_series(1, 20) j
			WHERE (j + i / 4) % 7 > 0 OR j > 16), 64) AS sig
		FROM generate_series(1, 400) i' ]);
if (my $dir = $ENV{LSHSIM_CORPORA})
{
	foreach my $name (qw(cora clough psdocs))
	{
		$corpora{$name} = [ 0.5, make_texts("COPY texts FROM PROGRAM 'gzip -dc $dir/$name/docs.tsv.gz'") ];
	}
}
else
{
	$corpora{descriptions} = [ 0.4, make_texts("COPY texts FROM '$demo'") ];
}

# Conditions and values of random statements.
sub some_rows
{
	my ($most) = @_;
	return 'id IN (SELECT id FROM docs ORDER BY random() LIMIT ' . (1 + int(rand($most))) . ')';
}

sub near_rows
{
	my $width = 1 + int(rand(8));
	return "n BETWEEN (SELECT n FROM docs ORDER BY random() LIMIT 1) AND (SELECT n FROM docs ORDER BY random() LIMIT 1) + $width AND random() < 0.3";
}

sub any_sig
{
	return draw(('any_sig()') x 6, '(SELECT sig FROM pool WHERE pool.n = docs.n)', 'NULL', '(SELECT sig FROM pool WHERE pool.n = 0)');
}

sub new_rows
{
	my $rows = 1 + int(rand(25));
	return "SELECT nextval('ids'), n, sig FROM pool ORDER BY random() LIMIT $rows";
}

# The kinds of statements.
my @kinds = (
	insert => sub { 'INSERT INTO docs (id, n, sig) ' . new_rows() },
	insert => sub { 'INSERT INTO docs (id, n, sig) ' . new_rows() },
	update => sub { "UPDATE docs SET sig = @{[any_sig()]} WHERE " . some_rows(10) },
	delete => sub { 'DELETE FROM docs WHERE ' . some_rows(6) },
	delete_near => sub { 'DELETE FROM docs WHERE ' . near_rows() },
	key => sub { "UPDATE docs SET id = nextval('ids') WHERE " . some_rows(6) },
	key_and_sig => sub { "UPDATE docs SET id = nextval('ids'), sig = @{[any_sig()]} WHERE " . some_rows(6) },
	other_column => sub { 'UPDATE docs SET n = n WHERE ' . some_rows(6) },
	conflict => sub { 'INSERT INTO docs (id, n, sig) SELECT id, n, (SELECT sig FROM pool WHERE pool.n = docs.n) FROM docs WHERE '
		  . some_rows(8) . ' ON CONFLICT (id) DO ' . draw('NOTHING', 'UPDATE SET sig = excluded.sig', 'UPDATE SET sig = NULL') },
	writable => sub { 'WITH d AS (DELETE FROM docs WHERE ' . some_rows(6) . ' RETURNING id, n, sig),
			u AS (UPDATE docs SET sig = ' . any_sig() . ' WHERE ' . some_rows(6) . ' RETURNING id)
		INSERT INTO docs (id, n, sig) SELECT nextval(\'ids\'), n, sig FROM d WHERE random() < 0.7' },
	writable_near => sub { 'WITH d AS (DELETE FROM docs WHERE ' . near_rows() . ' RETURNING id)
		UPDATE docs SET sig = ' . any_sig() . ' WHERE ' . near_rows() . ' AND id NOT IN (SELECT id FROM d)' },
	again => sub { 'BEGIN; CREATE TEMP TABLE gone ON COMMIT DROP AS SELECT id, n, sig FROM docs WHERE ' . some_rows(6) . ';
		DELETE FROM docs WHERE id IN (SELECT id FROM gone); INSERT INTO docs (id, n, sig) SELECT * FROM gone; COMMIT' },
	savepoint => sub { 'BEGIN; UPDATE docs SET sig = ' . any_sig() . ' WHERE ' . some_rows(4) . '; SAVEPOINT s;
		DELETE FROM docs WHERE ' . some_rows(9) . '; ' . draw('', 'SET CONSTRAINTS ALL IMMEDIATE; ', q{SELECT minhash_groups_refresh('later'); })
		. 'ROLLBACK TO s; UPDATE docs SET sig = ' . any_sig() . ' WHERE ' . some_rows(3) . '; COMMIT' },
	rollback => sub { 'BEGIN; DELETE FROM docs WHERE ' . some_rows(9) . '; SET CONSTRAINTS ALL IMMEDIATE; ROLLBACK' },
	immediate => sub { 'BEGIN; SET CONSTRAINTS ALL IMMEDIATE; DELETE FROM docs WHERE ' . some_rows(9) .
		'; INSERT INTO docs (id, n, sig) ' . new_rows() . '; COMMIT' },
	repeatable => sub { 'BEGIN ISOLATION LEVEL ' . draw('REPEATABLE READ', 'SERIALIZABLE') . '; DELETE FROM docs WHERE ' . some_rows(9)
		  . '; INSERT INTO docs (id, n, sig) ' . new_rows() . '; COMMIT' },
	# a refresh in the middle of a statement, whose rows are not all queued yet
	within => sub { 'WITH d AS (DELETE FROM docs WHERE ' . some_rows(9) . ' RETURNING id), e AS MATERIALIZED (SELECT count(*) AS c FROM d)
		SELECT minhash_groups_refresh(CASE WHEN c >= 0 THEN \'later\'::regclass END) FROM e' },
	within_trigger => sub { 'UPDATE docs SET sig = ' . any_sig() . ', refresh_now = true WHERE ' . some_rows(5) },
	truncate => sub { rand() < 0.1 ? 'TRUNCATE docs; INSERT INTO docs (id, n, sig) SELECT nextval(\'ids\'), n, sig FROM pool WHERE n % 2 = 0' : 'SELECT 1' });
push @kinds, merge => sub { 'MERGE INTO docs USING (SELECT id, n FROM docs WHERE ' . some_rows(8) . '
			UNION ALL SELECT nextval(\'ids\'), n FROM pool WHERE n < 4) AS s ON docs.id = s.id
		WHEN MATCHED AND s.n % 3 = 0 THEN DELETE
		WHEN MATCHED THEN UPDATE SET sig = ' . any_sig() . '
		WHEN NOT MATCHED THEN INSERT (id, n, sig) VALUES (s.id, s.n, (SELECT sig FROM pool WHERE pool.n = s.n))' }
  if $has_merge;

# Return a random statement; count its kind, and whether it changes several rows.
sub statement
{
	my $kind = 2 * int(rand(@kinds / 2));

	$kinds{ $kinds[$kind] }++;
	return $kinds[ $kind + 1 ]->();
}

# Make the table and its groups.
sub make_table
{
	my ($threshold, $pool, $index) = @_;

	$node->safe_psql('postgres', qq{SET client_min_messages = warning;
		$pool;
		-- an empty signature of the same kind
		INSERT INTO pool SELECT 0, CASE WHEN minhash_kind(sig) LIKE 'integer%' THEN array_to_minhash('{}'::int[], 64)
			ELSE to_minhash('') END FROM pool WHERE n = 1;
		CREATE INDEX ON pool (n);
		DROP TABLE IF EXISTS docs;
		DROP SEQUENCE IF EXISTS ids;
		CREATE SEQUENCE ids;
		CREATE TABLE docs (id bigint PRIMARY KEY, n bigint, sig minhash, refresh_now bool);
		INSERT INTO docs SELECT nextval('ids'), n, sig FROM pool WHERE n % 2 = 0;
		$index;
		SELECT minhash_groups_create('docs', 'sig', $threshold, 0.99, groups => 'each', maintain => 'commit');
		SELECT minhash_groups_create('docs', 'sig', $threshold, 0.99, groups => 'later', maintain => 'queue');
		CREATE OR REPLACE FUNCTION refresh_now() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN PERFORM minhash_groups_refresh(''later''); RETURN NULL; END';
		-- its name is before and after those of the triggers for the groups
		CREATE TRIGGER fires_now AFTER UPDATE ON docs FOR EACH ROW WHEN (NEW.refresh_now AND NEW.id % 3 = 0)
			EXECUTE FUNCTION refresh_now()});
	return;
}

# Run statements, and compare the groups now and then.
sub run_statements
{
	my ($corpus, $threshold) = @_;
	my ($wrong, $errors, $full) = (0, 0, 0);

	for (my $done = 0; $done < $statements; $done += 100)
	{
		my $script = "SELECT setseed(@{[rand()]});\n" . join '',
		  map { statement() . ";\n" . (rand() < 0.2 ? "SELECT minhash_groups_refresh('later');\n" : '') } 1 .. 100;
		my $stderr;
		my $answer;

		$node->psql('postgres', $script, on_error_stop => 0, stderr => \$stderr);
		$errors += () = $stderr =~ /ERROR/g;
		diag("$corpus: $stderr") if $stderr =~ /ERROR/;
		$answer = $node->safe_psql('postgres', qq{
			SELECT wrong_groups('docs', 'each', $threshold), wrong_log('each');
			SELECT count(minhash_groups_refresh('later'));
			SELECT wrong_groups('docs', 'later', $threshold), wrong_log('later')});
		next if $answer eq "0|0\n1\n0|0";
		$wrong++;
		diag("$corpus, after @{[$done + 100]} statements: $answer");
		diag($script) if $wrong == 1;
	}
	is($wrong, 0, "$corpus: groups and logs are right after every 100 statements");
	is($errors, 0, "$corpus: no errors");
	return;
}

foreach my $corpus (sort keys %corpora)
{
	my ($threshold, $pool) = @{ $corpora{$corpus} };

	make_table($threshold, $pool, $corpus eq 'chain' ? '' : 'CREATE INDEX ON docs USING lsh (sig)');
	run_statements($corpus, $threshold);
	note("$corpus: " . $node->safe_psql('postgres', q{SELECT count(*) || ' rows, ' || count(DISTINCT grp) || ' groups, '
		|| (SELECT max(n) FROM (SELECT count(*) AS n FROM later GROUP BY grp) g) || ' rows in the largest; refreshes: '
		|| (SELECT refreshes FROM each_definition) || ', ' || (SELECT refreshes FROM later_definition) || '; events: '
		|| (SELECT string_agg(event || ' ' || n, ', ' ORDER BY event) FROM (SELECT event, count(*) AS n FROM each_log GROUP BY event) e)
		FROM later}));
	$node->safe_psql('postgres', q{DROP TABLE docs; SELECT minhash_groups_drop('each'), minhash_groups_drop('later')});
}
note(join ', ', map { "$_ $kinds{$_}" } sort keys %kinds);

$node->stop;
done_testing();

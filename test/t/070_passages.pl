# Searches for shared passages: the same rows by every plan, GIN and lsh,
# parallel or not, before and after a crash, on a standby and after its
# promotion, and from a dump; with other columns by btree_gin; for users without
# rights to the extension's schema or with objects of the same names in the way;
# for long texts; and edited passages as an independent program finds and lists
# them, and texts without these passages.
# LSHSIM_PAIRS=n tries n pairs instead of 2,000.
#
# The truth comes from jaccard(), which reads whole texts and no index.

use FindBin;
use LshsimTest;

my $node = start_node('primary', 'wal_level = replica', 'max_wal_senders = 4', 'hot_standby = on',
	'jit = off', 'max_parallel_workers = 4');
my $standby = start_standby($node, 'standby');

# Each text quotes a neighbour; every tenth is NULL, empty, short or periodic.
$node->safe_psql('postgres', q{
	CREATE FUNCTION essay(i int, words int) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
		SELECT string_agg('w' || get_byte(decode(md5(i || '.' || j), 'hex'), 0), CASE WHEN j % 9 = 0 THEN E',\n' ELSE ' ' END ORDER BY j)
		FROM generate_series(1, words) j
	$$;
	CREATE FUNCTION body_of(i int) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
		SELECT CASE i % 50 WHEN 10 THEN NULL WHEN 20 THEN '' WHEN 30 THEN 'Two words' WHEN 40 THEN repeat('no! ', i)
			ELSE essay(i, 20 + i % 60) || ' ' || essay(i / 5, 10 + i % 8) END
	$$;
	CREATE TABLE docs (id int PRIMARY KEY, kind int, body text);
	INSERT INTO docs SELECT i, i % 3, body_of(i) FROM generate_series(1, 300) i;
	CREATE INDEX docs_words ON docs USING gin (body passage_ops);
	CREATE INDEX docs_chars ON docs USING gin (body passage_ops (run = 'char:60')) WITH (fastupdate = off);
	CREATE TABLE lsh_docs AS TABLE docs;
	CREATE INDEX lsh_words ON lsh_docs USING lsh (body passage_ops);
	CREATE INDEX lsh_chars ON lsh_docs USING lsh (body passage_ops (run = 'char:60')) WITH (fillfactor = 70)});

# Return the number and a digest of the pairs that a condition finds, of two fifths of
# the texts with all texts.
sub pairs_by
{
	my ($condition, $table) = @_;
	return qq{SELECT count(*), md5(string_agg(a.id || ' ' || b.id, ',' ORDER BY a.id, b.id))
		FROM $table a JOIN $table b ON $condition WHERE a.id % 5 IN (0, 3)};
}

# Change both tables.
sub change
{
	my ($server, $sql) = @_;
	$server->safe_psql('postgres', $sql =~ s/DOCS/$_/gr) foreach 'docs', 'lsh_docs';
	return;
}

# Check that all plans find what is true: sequential scans of one table on the first
# server, and indexes of both tables on all servers.
sub check_pairs
{
	my ($when, @nodes) = @_;

	foreach my $run ('word:12', 'word:14', 'char:60', 'char:80')
	{
		my @conditions = ("shares_passage(a.body, b.body, '$run')", "shares_passage(b.body, a.body, '$run')",
			"b.body &&~ passage_query(a.body, '$run')");
		my @indexed = map { my $table = $_; map { pairs_by($_, $table) } @conditions } 'docs', 'lsh_docs';
		my $truth = $nodes[0]->safe_psql('postgres', pairs_by("jaccard(a.body, b.body, '$run') > 0", 'docs'));
		my @answers = map { query_with($nodes[0], [ seq_scan() ], pairs_by($_, 'docs')) } @conditions;

		push @answers, map { my $server = $_; map { query_with($server, [ index_scan() ], $_) } @indexed } @nodes;
		ok($truth =~ /^\d{3}/ && !(grep { $_ ne $truth } @answers),
			"$when, $run: what is true, " . @answers . " times ($truth)") or diag(join "\n", @answers);
	}
	is($_->safe_psql('postgres', q{SELECT count(lsh_index_check(i, true)) FROM unnest('{lsh_words,lsh_chars}'::regclass[]) i}), 2,
		"$when: lsh_index_check") foreach @nodes;
	return;
}

check_pairs('after the build', $node);
change($node, q{
	DELETE FROM DOCS WHERE id % 7 = 0;
	INSERT INTO DOCS SELECT i, i % 3, body_of(i) FROM generate_series(301, 400) i;
	UPDATE DOCS SET body = body_of(id + 1) WHERE id % 11 = 0;
	BEGIN; INSERT INTO DOCS SELECT i, 0, body_of(i) FROM generate_series(1001, 1100) i; ROLLBACK});
$node->wait_for_catchup($standby);
check_pairs('after changes, here and on the standby', $node, $standby);
change($node, 'VACUUM DOCS');
$node->wait_for_catchup($standby);
check_pairs('after VACUUM, here and on the standby', $node, $standby);
change($node, 'INSERT INTO DOCS SELECT i, i % 3, body_of(i) FROM generate_series(401, 420) i');
$node->stop('immediate');
$node->start;
check_pairs('after a crash', $node);

$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->safe_psql('restored', 'CREATE EXTENSION lshsim');
restore_dump($node, 'postgres', 'restored', '-t', 'lsh_docs');
like($node->safe_psql('restored', q{SELECT pg_get_indexdef('lsh_chars'::regclass), lsh_index_check('lsh_chars', true)}),
	qr/passage_ops \(run='char:60'\)\) WITH \(fillfactor='70'\)/, 'options from a dump');

my $parallel = $node->safe_psql('postgres', q{
	SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SET max_parallel_workers_per_gather = 3; SET enable_bitmapscan = off;
	ALTER TABLE docs SET (parallel_workers = 3);
	EXPLAIN (COSTS OFF) SELECT count(*) FROM docs WHERE shares_passage(body, essay(20, 30));
	SELECT array_agg(id ORDER BY id) FROM docs WHERE shares_passage(body, essay(20, 30));});
my $serial = $node->safe_psql('postgres', q{SELECT array_agg(id ORDER BY id) FROM docs WHERE jaccard(body, essay(20, 30), 'word:12') > 0});
like($parallel, qr/Parallel Seq Scan.*\Q$serial\E$/s, "parallel workers find the same: $serial");

SKIP:
{
	skip 'btree_gin is not installed here', 2
	  if !$node->safe_psql('postgres', q{SELECT 1 FROM pg_available_extensions WHERE name = 'btree_gin'});
	$node->safe_psql('postgres', q{CREATE EXTENSION btree_gin; CREATE INDEX docs_both ON docs USING gin (kind, body passage_ops (run = 'word:9'))});
	my $both = q{SELECT array_agg(id ORDER BY id) FROM docs WHERE kind = 1 AND %s};
	my $search = sprintf $both, q{shares_passage(body, essay(20, 30), 'word:9')};
	like(query_with($node, [ index_scan() ], "EXPLAIN (COSTS OFF) $search"),
		qr/docs_both\n\s+Index Cond: \(\(kind = 1\) AND \(body &&~/, 'an index with another column serves both conditions');
	is(query_with($node, [ index_scan() ], $search), $node->safe_psql('postgres', sprintf $both, q{jaccard(body, essay(20, 30), 'word:9') > 0}),
		'and finds what is true');
}

# REINDEX in a session that has cached the list of common k-grams builds with the
# new list, which a new session reads.  Each search is for 12 words, half of them
# of the common footer.
my $find_footers = q{
	SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
	SELECT count(*) FROM footers a JOIN footers b ON a.id = b.id
		AND shares_passage(b.body, array_to_string((regexp_split_to_array(a.body, '\s+'))[5:16], ' '))};
is($node->safe_psql('postgres', qq{
	CREATE TABLE footers AS SELECT i AS id, essay(i, 10) || ' ' || essay(-1, 10) AS body FROM generate_series(1, 40) i;
	CREATE INDEX footers_body ON footers USING lsh (body passage_ops);
	$find_footers;
	UPDATE footers SET body = essay(id, 10) || ' ' || essay(-2, 10);
	REINDEX INDEX footers_body;
	$find_footers}), "40\n40", 'common k-grams after REINDEX in the same session');
is($node->safe_psql('postgres', $find_footers), 40, 'and in a new session');

### Edits

# Random pairs, and what the quadratic program in Python says of them.
my $oracle = "$FindBin::Bin/../edited_passages.py";
my $pairs = $ENV{LSHSIM_PAIRS} // 2000;
my $lines = qx(/usr/bin/python3 $oracle $pairs 1);
is($? + ($lines =~ tr/\n//), $pairs, "$pairs random pairs");
$node->psql('postgres', "CREATE TABLE pairs (a text, b text, run shingling, length int, edits int, shares boolean, passages text);
COPY pairs FROM STDIN;
$lines\\.
", on_error_die => 1);
is($node->safe_psql('postgres', q{SELECT count(*) FILTER (WHERE shares) > count(*) / 4, count(*) FILTER (WHERE NOT shares) > count(*) / 4,
	count(*) FILTER (WHERE shares_passage(a, b, run, length, edits) <> shares),
	count(*) FILTER (WHERE shares_passage(b, a, run, length, edits) <> shares),
	count(*) FILTER (WHERE passages <> coalesce((SELECT string_agg(concat_ws(',', start_a, length_a, start_b, length_b, c.edits, equal_units), ';' ORDER BY start_a)
		FROM common_passages(a, b, run, length, pairs.edits) AS c), '')) FROM pairs}),
	't|t|0|0|0', 'edited passages: no difference from the quadratic program, nor between its lists and those of common_passages');

### A text without its passages

$oracle = "$FindBin::Bin/../text_without.py";
$lines = qx(/usr/bin/python3 $oracle $pairs 1);
is($? + ($lines =~ tr/\n//), $pairs, "$pairs random texts");
$node->psql('postgres', "CREATE TABLE texts (body text, other text, run shingling, length int, edits int, result text);
COPY texts FROM STDIN;
$lines\\.
", on_error_die => 1);
is($node->safe_psql('postgres', q{SELECT count(*) FILTER (WHERE result <> body) > count(*) / 3,
	count(*) FILTER (WHERE text_without(body, other, run, length, edits) IS DISTINCT FROM result) FROM texts}),
	't|0', 'text_without: no difference from the program');

### Privileges and names

$node->safe_psql('postgres', q{
	CREATE DATABASE guarded});
$node->safe_psql('guarded', q{
	CREATE SCHEMA hidden;
	CREATE EXTENSION lshsim SCHEMA hidden;
	CREATE TABLE texts AS SELECT i AS id, 'text number ' || i || repeat(' and so on', i) AS body FROM generate_series(1, 20) i;
	CREATE INDEX texts_body ON texts USING lsh (body hidden.passage_ops (run = 'word:3'));
	CREATE VIEW found AS SELECT id FROM texts WHERE hidden.shares_passage(body, 'text NUMBER 7', 'word:3');
	CREATE ROLE reader;
	GRANT SELECT ON found TO reader;
	CREATE SCHEMA traps;
	GRANT USAGE ON SCHEMA traps TO reader;
	CREATE TYPE traps.passage_query AS (document text, run int);
	CREATE FUNCTION traps.passage_query(text, hidden.shingling, int, int) RETURNS traps.passage_query LANGUAGE plpgsql AS
		$$ BEGIN RAISE 'captured'; END $$;
	CREATE FUNCTION traps.passage_match(text, traps.passage_query) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'captured'; END $$;
	CREATE OPERATOR traps.&&~ (LEFTARG = text, RIGHTARG = traps.passage_query, FUNCTION = traps.passage_match)});
foreach my $scan ('enable_seqscan = off', 'enable_bitmapscan = off')
{
	is($node->safe_psql('guarded', "SET ROLE reader; SET search_path = traps, pg_catalog; SET $scan; SELECT id FROM public.found"),
		7, "a view in whose schema its reader has no rights, with traps in the search path; $scan");
}
like($node->safe_psql('guarded', 'SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT id FROM found'), qr/texts_body/, 'it uses the index');

### Long texts

$node->safe_psql('postgres', q{
	CREATE TABLE long (id int, body text);
	CREATE INDEX long_body ON long USING lsh (body passage_ops (run = 'char:100'));
	INSERT INTO long SELECT 1, string_agg(md5(i::text), ' ') FROM generate_series(1, 300000) i;
	INSERT INTO long VALUES (2, repeat('a', 10000000)), (3, repeat('ab ', 3000000))});
my $quote = q{(SELECT string_agg(md5(i::text), E'\n') FROM generate_series(299990, 299994) i)};
foreach my $scan ([ seq_scan() ], [ index_scan() ])
{
	is(query_with($node, $scan, "SELECT id FROM long WHERE shares_passage(body, $quote, 'char:100')"), 1, 'a passage near the end of 10 MB');
	is(query_with($node, $scan, "SELECT id FROM long WHERE shares_passage(body, repeat('b a', 40), 'char:100')"), 3, 'a periodic text of 9 MB');
}
is($node->safe_psql('postgres', q{SET enable_seqscan = off; SELECT a.id, b.id FROM long a JOIN long b ON shares_passage(a.body, b.body, 'char:100') ORDER BY 1, 2}),
	"1|1\n2|2\n3|3", 'long texts are searched for, too');

$node->wait_for_catchup($standby);
$standby->promote;
change($standby, 'INSERT INTO DOCS SELECT i, i % 3, body_of(i) FROM generate_series(421, 430) i');
check_pairs('after a promotion', $standby);
unlike(slurp($_->logfile), qr/terminated by signal|TRAP:|PANIC:/, 'no crash') foreach $node, $standby;
$_->stop foreach $standby, $node;
done_testing();

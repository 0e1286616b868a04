# Other engines: keys and signatures are exported as CSV, a program without lshsim
# finds and verifies pairs (test/outside.py, with test/golden.py as the reader of
# the formats), and the pairs, which are imported, are those of minhash_similar.
# Signatures come back unchanged.

use LshsimTest;

plan skip_all => 'needs the Python module xxhash'
  if system(q{/usr/bin/python3 -c 'import xxhash' 2>/dev/null}) != 0;

my $node = start_node('outside', q{log_statement = 'none'});
$node->safe_psql('postgres', q{
	CREATE TABLE raw (name text, body text);
	\copy raw FROM 'test/demo/sample.tsv'
	CREATE TABLE docs AS SELECT row_number() OVER (ORDER BY name) AS id, body FROM raw;
	INSERT INTO docs VALUES (1001, ''), (1002, ''), (1003, NULL);
	ALTER TABLE docs ADD words minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1', 100, 7)) STORED,
		ADD chars minhash GENERATED ALWAYS AS (to_minhash(body)) STORED,
		ADD classic minhash GENERATED ALWAYS AS (to_minhash(body, 'char:4', 64, 0, 'k-permutation')) STORED;
	CREATE TABLE pairs (a bigint, b bigint, similarity float8)});

my $file = $node->basedir . '/docs.csv';
my $pairs = $node->basedir . '/pairs.csv';
foreach my $sig (qw(chars words classic))
{
	foreach my $threshold (.9, .7, .5)
	{
		my $name = "$sig at $threshold";
		my ($rows, $matches) = split /\|/, $node->safe_psql('postgres',
			"SELECT p.band_rows, p.agreeing_bands FROM (SELECT (minhash_info($sig)).num_hashes FROM docs LIMIT 1) s, lsh_plan($threshold, 0.99, num_hashes) p");

		$node->safe_psql('postgres', "\\copy (SELECT id, lsh_plan_keys($sig, $threshold, 0.99), $sig\::bytea FROM docs WHERE $sig IS NOT NULL) TO '$file' CSV");
		is(system("/usr/bin/python3 test/outside.py $threshold $rows $matches $file >$pairs"), 0, "$name: pairs are found outside");
		$node->safe_psql('postgres', "TRUNCATE pairs;\n\\copy pairs FROM '$pairs' CSV");
		my $inside = "SELECT a.id AS a, b.id AS b, jaccard(a.$sig, b.$sig) AS similarity FROM docs a JOIN docs b ON minhash_similar(a.$sig, b.$sig, $threshold, 0.99) AND a.id < b.id";
		is($node->safe_psql('postgres', "SELECT count(*) FROM (($inside EXCEPT TABLE pairs) UNION ALL (TABLE pairs EXCEPT $inside)) d"), 0, "$name: the pairs of minhash_similar");
		cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM pairs'), '>', 20, "$name: there are some");
	}
}

# A key that is not that of its signature is detected, so that the check above can
# fail.
$node->safe_psql('postgres', "\\copy (SELECT a.id, lsh_plan_keys(b.chars, 0.9, 0.99), a.chars::bytea FROM docs a JOIN docs b ON a.id = b.id + 1 WHERE a.id < 10) TO '$file' CSV");
isnt(system("/usr/bin/python3 test/outside.py 0.9 6 1 $file >$pairs 2>/dev/null"), 0, 'keys of another signature are refused');

# Signatures come back, in hexadecimal.
is($node->safe_psql('postgres', qq{
	\\copy (SELECT id, chars::bytea, words::bytea, classic::bytea FROM docs) TO '$file' CSV
	CREATE TABLE back (id bigint, chars bytea, words bytea, classic bytea);
	\\copy back FROM '$file' CSV
	SELECT count(*) FROM docs JOIN back USING (id)
	WHERE (docs.chars, docs.words, docs.classic) IS DISTINCT FROM (back.chars::minhash, back.words::minhash, back.classic::minhash)}),
	0, 'signatures come back');

$node->stop;
done_testing();

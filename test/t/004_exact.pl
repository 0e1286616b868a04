# Exact similarities, and lists of shingles, are those of an independent program.
#
# LSHSIM_PAIRS: the number of pairs of texts (3000).

use FindBin;
use LshsimTest;

my $node = start_node('exact');
my $oracle = "$FindBin::Bin/../exact_similarity.py";
my $pairs = $ENV{LSHSIM_PAIRS} // 3000;

$ENV{PGCLIENTENCODING} = 'UTF8';
$node->safe_psql('postgres', q{CREATE DATABASE latin1 TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'});
$node->safe_psql('latin1', 'CREATE EXTENSION lshsim');

foreach my $case ([ 'postgres', 'utf-8' ], [ 'latin1', 'latin1' ])
{
	my ($database, $encoding) = @$case;
	my $lines = qx(/usr/bin/python3 $oracle $pairs 1 $encoding);

	is($? + ($lines =~ tr/\n//), $pairs, "$encoding: $pairs random pairs");
	$node->psql($database, "CREATE TABLE pairs (a text, b text, s shingling, similarity float8, contained float8, list text[]);
COPY pairs FROM STDIN;
$lines\\.
", on_error_die => 1);
	is($node->safe_psql($database, q{
		SELECT count(*) FILTER (WHERE 0 < similarity AND similarity < 1) > count(*) / 10,
			count(*) FILTER (WHERE jaccard(a, b, s) IS DISTINCT FROM similarity),
			count(*) FILTER (WHERE jaccard(b, a, s) IS DISTINCT FROM similarity),
			count(*) FILTER (WHERE containment(a, b, s) IS DISTINCT FROM contained),
			count(*) FILTER (WHERE shingles(a, s) <> list) FROM pairs}),
		't|0|0|0|0', "$encoding: no difference from the program");

	# Arrays are sets, so they have the similarity of texts without repetitions.
	is($node->safe_psql($database, q{
		SELECT count(*) > 0, count(*) FILTER (WHERE jaccard(shingles(a, s), shingles(b, s)) IS DISTINCT FROM similarity),
			count(*) FILTER (WHERE containment(shingles(a, s), shingles(b, s)) IS DISTINCT FROM contained)
		FROM pairs WHERE s::text !~ 'bag'}),
		't|0|0', "$encoding: arrays of shingles have the same similarity");
}

# Many different shingles, for which the table grows.
foreach my $strings (1000, 8000)
{
	my $n = 32 * $strings;

	is($node->safe_psql('postgres', qq{
		SELECT jaccard(a, a || b, 'char:32') = ($n - 31)::float8 / (2 * $n - 31), jaccard(a, b, 'char:32'), cardinality(shingles(a || b, 'char:32'))
		FROM (SELECT string_agg(md5(i::text), '') AS a, string_agg(md5('b' || i), '') AS b FROM generate_series(1, $strings) i) t}),
		't|0|' . (2 * $n - 31), 2 * $n . ' different shingles');
}

done_testing();

# An index that has no record numbers left takes the rows for which it has room, then
# raises an error, and does not grow.
#
# The file of the index gets its size without being written: it has a hole of 32 GB.

use LshsimTest;

my $node = start_node('full');
my $block = $node->safe_psql('postgres', 'SHOW block_size');
my $segment = $node->safe_psql('postgres', q{SELECT setting::bigint * current_setting('block_size')::int FROM pg_settings WHERE name = 'segment_size'});
my $places = 1024;				# on a page of passages
my $limit = 2**32 / $places * $block;

$node->safe_psql('postgres', q{
	CREATE TABLE docs (body text);
	CREATE INDEX docs_body ON docs USING lsh (body passage_ops (run = 'word:3'))});
my $file = $node->data_dir . '/' . $node->safe_psql('postgres', q{SELECT pg_relation_filepath('docs_body')});
$node->stop;

# The page that is added next is the last but one that its block could number.
for (my ($i, $left) = (0, $limit - 2 * $block); $left > 0; $i++, $left -= $segment)
{
	open my $out, '>>', $i == 0 ? $file : "$file.$i" or die;
	truncate $out, $left < $segment ? $left : $segment or die "$file: $!";
	close $out or die;
}
$node->start;

my $insert = "INSERT INTO docs SELECT 'one two three' FROM generate_series(1, %d)";
$node->safe_psql('postgres', sprintf $insert, $places);
my $size = $node->safe_psql('postgres', q{SELECT pg_relation_size('docs_body')});
cmp_ok($size, '>=', $limit - $block, 'the last page is added');
like(error_of($node, 'postgres', sprintf $insert, 1), qr/index "docs_body" is full/, 'then the index is full') for 1 .. 3;
is($node->safe_psql('postgres', q{SELECT pg_relation_size('docs_body')}), $size, 'and does not grow');
is($node->safe_psql('postgres', q{SELECT lsh_index_check('docs_body', true)}), '', 'it is intact');
is(query_with($node, [ index_scan() ], q{SELECT count(*) FROM docs WHERE shares_passage(body, 'one two three', 'word:3')}), $places, 'and finds the rows');
done_testing();

# A partial lsh index is not scanned without a condition on its column.

use LshsimTest;

my $node = start_node('plans');

$node->safe_psql('postgres', q{
	CREATE TABLE docs AS SELECT i AS id, array_to_minhash(ARRAY[i, i + 1, i + 2]) AS sig FROM generate_series(0, 19999) i;
	ANALYZE docs});

# Return the plan of a query.
sub plan_of
{
	my ($settings, $query) = @_;
	return query_with($node, $settings, "EXPLAIN (COSTS OFF) $query");
}

# A partial index allows a scan with neither condition nor order.  Its cost rules
# that out for an lsh index, or the scan is refused: from PostgreSQL 18 on,
# enable_* settings count for more than costs.
my @no_seq_scan = ('enable_seqscan = off', 'enable_bitmapscan = on');
my @no_bitmap = ('enable_seqscan = off', 'enable_bitmapscan = off');
my $some = 'SELECT count(*) FROM docs WHERE id BETWEEN 0 AND 999';
my $or = "SELECT id FROM docs WHERE id BETWEEN 0 AND 999 OR sig % (SELECT sig FROM docs LIMIT 1)";

$node->safe_psql('postgres', 'CREATE INDEX docs_part ON docs USING lsh (sig) WHERE id BETWEEN 0 AND 999');
unlike(plan_of($_, $some), qr/docs_part/, "no scan of a whole lsh index, @$_")
  foreach [], \@no_seq_scan, \@no_bitmap, [ @no_bitmap, 'enable_indexscan = off' ];
like(plan_of(\@no_seq_scan, "$some AND sig % (SELECT sig FROM docs LIMIT 1)"),
	qr/(on|using) docs_part/, 'but one with a condition');
if (plan_of(\@no_seq_scan, $or) =~ /on docs_part/)
{
	like(error_of($node, 'postgres', "SET enable_seqscan = off; $or"),
		qr/ERROR:  index "docs_part" cannot be scanned without .*HINT:  Set enable_seqscan to on/s,
		'a scan without a condition is refused');
}
unlike(plan_of([], $or), qr/on docs_part/, 'nothing of the kind by default');

$node->stop;
done_testing();

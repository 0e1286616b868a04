# Every plan returns the same rows: sequential scan, index scan and join in either
# direction, with and without a pending list, during concurrent writes, and after
# VACUUM.

use strict;
use warnings;

use LshsimTest;
use Test::More;

my $node = start_node('plans', 'shared_buffers = 64MB');

# Documents 10 g to 10 g + 9 are sets of 8 to 200 elements that have at least half
# of their elements in common.
$node->safe_psql('postgres', q{
	CREATE FUNCTION random_sig(id int) RETURNS minhash LANGUAGE sql AS $$
		SELECT array_to_minhash(array_agg(CASE
				WHEN i <= size * (array[1, .99, .97, .94, .91, .87, .83, .75, .67, .5])[1 + id % 10]
				THEN id / 10 * 1000 + i ELSE -1000 * id - i END))
		FROM (VALUES ((array[8, 20, 60, 200])[1 + id / 10 % 4])) s (size),
			generate_series(1, size) i
	$$;
	CREATE TABLE docs (id int, sig minhash);
	INSERT INTO docs SELECT id, random_sig(id) FROM generate_series(0, 19999) id;
	INSERT INTO docs VALUES (-1, NULL), (-2, array_to_minhash('{}'::int[]));
	CREATE INDEX docs_sig ON docs USING gin (sig) WITH (gin_pending_list_limit = 64);
	CREATE TABLE probes AS SELECT id, sig FROM docs WHERE id % 301 = 0 OR id < 0;
	CREATE INDEX probes_sig ON probes USING gin (sig);
	ANALYZE});

# Each query returns the number of pairs and a digest of them.  OFFSET 0 fixes the
# side that is searched for each row of the other.
my %queries = map {
	my ($outer, $inner, $condition) = @{ $_->[1] };
	$_->[0] => qq{
		SELECT count(*), md5(string_agg(probe || ' ' || doc, ',' ORDER BY probe, doc))
		FROM (SELECT p.id, d.id FROM $outer, LATERAL
			(SELECT id FROM $inner WHERE $condition OFFSET 0) AS } .
	  substr($inner, -1) . ') pairs (probe, doc)'
  } ([ 'probe % doc' => [ 'probes p', 'docs d', 'p.sig % d.sig' ] ],
	[ 'doc % probe' => [ 'probes p', 'docs d', 'd.sig % p.sig' ] ],
	[ 'the other way round' => [ 'docs d', 'probes p', 'd.sig % p.sig' ] ]);

# Return the plan of a query.
sub plan_of
{
	my ($settings, $query) = @_;
	return query_with($node, $settings, "EXPLAIN (COSTS OFF) $query");
}

# The plans are the intended ones.
unlike(plan_of([seq_scan()], $_), qr/Index Scan/, 'sequential scan without an index')
  foreach values %queries;
like(plan_of([index_scan()], $queries{'probe % doc'}),
	qr/Bitmap Index Scan on docs_sig/, 'index scan, operator one way');
like(plan_of([index_scan()], $queries{'doc % probe'}),
	qr/Bitmap Index Scan on docs_sig/, 'index scan, operator the other way');
like(plan_of([index_scan()], $queries{'the other way round'}),
	qr/Bitmap Index Scan on probes_sig/, 'index scan, join the other way');

# Compare all plans under one threshold.
sub check_plans
{
	my ($when, @search) = @_;
	my $expected = query_with($node, [ seq_scan(), @search ], $queries{'probe % doc'});
	my ($count) = $expected =~ /^(\d+)/;
	my @different = grep {
		query_with($node, [ index_scan(), @search ], $queries{$_}) ne $expected
	} sort keys %queries;

	ok($count > 50 && !@different, "$when, @search: $count pairs by every plan")
	  or diag("different: @different");
	return;
}

# Compare all plans at all thresholds.
sub check_thresholds
{
	my ($when) = @_;
	check_plans($when, search($_)) foreach .5, .6, .7, .8, .9, .95, 1;
	return;
}

# Start a session that inserts, updates and deletes until it is told to stop.
sub start_writer
{
	my ($from) = @_;
	return start_session($node, "writer$from", '-c', qq{
		DO \$\$
		BEGIN
			FOR i IN $from .. $from + 20000 LOOP
				EXIT WHEN EXISTS (SELECT FROM stop);
				INSERT INTO docs VALUES (i, random_sig(i % 20000));
				UPDATE docs SET sig = random_sig(i % 19990) WHERE id = i - 10;
				DELETE FROM docs WHERE id = i - 20 AND i % 2 = 0;
				COMMIT;
			END LOOP;
		END \$\$});
}

# In one snapshot, compare sequential and index scan.
sub check_snapshot
{
	my (@search) = @_;
	my ($expected, $found) = by_both_plans($node, \@search, $queries{'doc % probe'});

	is($found, $expected, "while others write, @search: the same ($expected)");
	return;
}

check_thresholds('after the build');

$node->safe_psql('postgres', 'CREATE TABLE stop ()');
my @writers = map { start_writer(100000 * $_) } 1 .. 3;
foreach my $threshold (.5, .8, .9)
{
	check_snapshot(search($threshold));
	$node->safe_psql('postgres', 'VACUUM docs');
	check_snapshot(search($threshold));
}
ok($node->poll_query_until('postgres', 'SELECT count(*) > 100 FROM docs WHERE id >= 100000'),
	'the writers did write');
$node->safe_psql('postgres', 'INSERT INTO stop DEFAULT VALUES');
end_sessions('a writer', @writers);

$node->safe_psql('postgres', q{
	ALTER INDEX docs_sig SET (gin_pending_list_limit = 65536);
	INSERT INTO docs SELECT 20000 + id, random_sig(id) FROM generate_series(0, 1999) id});
check_thresholds('with a pending list');
cmp_ok($node->safe_psql('postgres', q{SELECT gin_clean_pending_list('docs_sig')}),
	'>', 0, 'there was a pending list');

$node->safe_psql('postgres', 'DELETE FROM docs WHERE id % 3 = 0; VACUUM docs');
check_thresholds('after VACUUM');

# A partial index allows a scan with neither condition nor order.  Its cost rules
# that out for an lsh index, or the scan is refused: from PostgreSQL 18 on,
# enable_* settings count for more than costs.
my @no_seq_scan = ('enable_seqscan = off', 'enable_bitmapscan = on');
my @no_bitmap = ('enable_seqscan = off', 'enable_bitmapscan = off');
my $some = 'SELECT count(*) FROM docs WHERE id BETWEEN 0 AND 999';
my $or = "SELECT id FROM docs WHERE id BETWEEN 0 AND 999 OR sig % (SELECT sig FROM probes LIMIT 1)";

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

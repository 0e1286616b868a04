# Recall is guaranteed: of the pairs whose estimate reaches a threshold, the index
# finds at least the requested share, among 100,000 signatures.

use strict;
use warnings;

use LshsimTest;
use Test::More;

my $node = start_node('recall', 'shared_buffers = 128MB',
	'maintenance_work_mem = 128MB', 'jit = off');

# 6,000 pairs of sets of 60 elements, of similarities from 0.35 to 1, and
# 88,000 sets that are similar to nothing.
$node->safe_psql('postgres', q{
	CREATE TABLE sigs (id int, sig minhash);
	INSERT INTO sigs SELECT id, array_to_minhash(ARRAY(SELECT id * 100 + i FROM generate_series(1, 60) i))
		FROM generate_series(1, 94000) id;
	-- a set that has 60 - d elements in common with set id, and d of its own
	INSERT INTO sigs SELECT -id, array_to_minhash(ARRAY(
			SELECT CASE WHEN i <= d THEN -1 ELSE 1 END * (id * 100 + i) FROM generate_series(1, 60) i))
		FROM generate_series(1, 6000) id, LATERAL (SELECT id % 30 AS d) AS distance;
	CREATE INDEX sigs_sig ON sigs USING gin (sig);
	CREATE TABLE planted AS SELECT a.id, a.sig, b.sig AS other, jaccard(a.sig, b.sig) AS estimate
		FROM sigs a JOIN sigs b ON b.id = -a.id;
	ANALYZE});

# There is no index on id, and only a nested loop over the index of signatures is
# enabled, so that each result comes from that index.
my @index_only = ('enable_seqscan = off', 'enable_hashjoin = off', 'enable_mergejoin = off',
	'enable_material = off', 'max_parallel_workers_per_gather = 0');

foreach my $recall (0.9, 0.99)
{
	foreach my $threshold (.5, .6, .7, .8, .9, .95)
	{
		my $query = qq{
			SELECT count(*) FROM planted p JOIN sigs s ON minhash_similar(s.sig, p.sig, $threshold, $recall)
			WHERE s.id = -p.id AND p.estimate >= $threshold};
		like(query_with($node, \@index_only, "EXPLAIN $query"), qr/Bitmap Index Scan on sigs_sig/,
			"threshold $threshold, recall $recall: through the index");
		my $found = query_with($node, \@index_only, $query);
		my $pairs = $node->safe_psql('postgres', "SELECT count(*) FROM planted WHERE estimate >= $threshold");
		cmp_ok($found, '>=', $recall * $pairs,
			sprintf 'threshold %s, recall %s: found %d of %d, %.4f', $threshold, $recall, $found,
			$pairs, $found / $pairs);
		$found = $node->safe_psql('postgres', qq{SELECT count(*) FROM planted
			WHERE minhash_similar(sig, other, $threshold, 1) AND estimate >= $threshold});
		is($found, $pairs, "threshold $threshold, recall 1: all");
	}
}

# By a scan with recall 1, a search finds its pair in the whole table.
my $missed = $node->safe_psql('postgres', q{
	SELECT count(*) FROM (SELECT * FROM planted WHERE estimate >= 0.5 ORDER BY id LIMIT 20) p
	WHERE NOT EXISTS (SELECT 1 FROM sigs s WHERE minhash_similar(s.sig, p.sig, 0.5, 1) AND s.id = -p.id)});
is($missed, 0, 'recall 1 by a scan: nothing is missed');

$node->stop;
done_testing();

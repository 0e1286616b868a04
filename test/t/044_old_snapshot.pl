# If rows may have been removed that an old snapshot still sees, a search with that
# snapshot is an error, instead of silently missing rows.
#
# By hand, because it takes four minutes: LSHSIM_OLD=1, PostgreSQL 15 and 16.

use LshsimTest;

plan skip_all => 'takes four minutes, LSHSIM_OLD=1 runs it' unless $ENV{LSHSIM_OLD};
plan skip_all => 'old_snapshot_threshold is gone from PostgreSQL 17 on'
  if `pg_config --version` =~ /(\d+)/ && $1 >= 17;

my $node = start_node('old', 'old_snapshot_threshold = 1min', q{log_statement = 'none'});
my $q = q{to_minhash('the quick brown fox jumps over the lazy dog')};
my %searches = (
	search => "SELECT count(*) FROM docs WHERE sig % $q",
	'all records' => "SELECT count(*) FROM docs WHERE minhash_similar(sig, $q, 0.5, 1)",
	order => "SELECT id FROM docs ORDER BY sig <-> $q LIMIT 1",
	pairs => q{SELECT count(*) FROM lsh_index_pairs('docs_sig', 0.9, 0.99)},
	'pairs of all' => q{SELECT count(*) FROM lsh_index_pairs('docs_sig', 0.9, 1)});

$node->safe_psql('postgres', q{
	CREATE TABLE docs (id int, sig minhash);
	INSERT INTO docs SELECT i, to_minhash('the quick brown fox jumps over the lazy dog' || repeat('!', i % 3)) FROM generate_series(1, 300) i;
	CREATE INDEX docs_sig ON docs USING lsh (sig);
	CREATE TABLE others AS SELECT 1 AS n});

# Each search has a session whose snapshot becomes old.
my $begun = time;
my %sessions = map {
	$_ => start_session($node, $_ =~ s/ /_/gr, '-At', '-c', 'SET enable_seqscan = off',
		'-c', 'BEGIN ISOLATION LEVEL REPEATABLE READ', '-c', $searches{$_}, '-c', 'SELECT pg_sleep(240)', '-c', $searches{$_})
} sort keys %searches;
$node->poll_query_until('postgres', q{SELECT count(*) = 5 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(240)'}) or die 'no sessions';
$node->safe_psql('postgres', 'DELETE FROM docs');
while (time < $begun + 200)
{
	$node->safe_psql('postgres', 'UPDATE others SET n = n + 1');
	sleep 5;
}
$node->safe_psql('postgres', 'VACUUM docs');
is($node->safe_psql('postgres', q{SELECT coalesce(sum(entries), 0) FROM lsh_index_stats('docs_sig')}), 0, 'VACUUM removes rows');
foreach my $name (sort keys %searches)
{
	$sessions{$name}->{run}->finish;
	like(slurp($sessions{$name}->{stdout}), qr/^[1-9]\d*\n\n?\z/, "$name: there was something");
	like(slurp($sessions{$name}->{stderr}), qr/snapshot too old/, "$name: then it is an error");
}

$node->stop;
done_testing();

# A crash while an index is built, of GIN or lsh, leaves the earlier state, and no
# other valid index.  040_lsh_crash has crashes at other times.
#
# LSHSIM_SEED chooses their moments.

use LshsimTest;
use Time::HiRes qw(sleep time);

seed();
my $node = start_node('crash', 'full_page_writes = on', 'shared_buffers = 16MB', 'maintenance_work_mem = 1MB');

my $similar = q{
	SELECT count(*), md5(string_agg(p.id || ' ' || d.id, ',' ORDER BY p.id, d.id))
	FROM (SELECT * FROM large WHERE id % 1000 = 0) p,
		LATERAL (SELECT id FROM large WHERE large.sig % p.sig OFFSET 0) d};
my $usable = q{
	SELECT count(*) FROM pg_index WHERE indrelid = 'large'::regclass AND indisvalid};
my ($rows, $expected) = (0, '');

# Add rows, so that a build leaves time for a crash; return its duration.
sub add_rows
{
	my ($build) = @_;
	my $seconds = 0;

	for (; $seconds < 0.7; $rows += 30000)
	{
		$node->safe_psql('postgres', sprintf q{
			DROP INDEX IF EXISTS large_sig;
			INSERT INTO large
				SELECT id, array_to_minhash(ARRAY(SELECT generate_series(id / 3, id / 3 + 30 + id %% 3)))
				FROM generate_series(%d, %d) id}, $rows + 1, $rows + 30000);
		my $begun = time;
		$node->safe_psql('postgres', $build);
		$seconds = time() - $begun;
	}
	$expected = query_with($node, [ seq_scan() ], $similar);
	return $seconds;
}

# Start a statement that builds, and kill the server some time after the build
# has begun.  Return true if the build had not ended.
sub crash_in_build
{
	my ($statement, $delay) = @_;
	my $builder = start_session($node, 'builder', '-c', $statement);

	sleep 0.01 until !$builder->{run}->pumpable || $node->safe_psql('postgres',
		'SELECT count(*) FROM pg_stat_progress_create_index');
	sleep $delay;
	kill_server($node);
	$node->start;
	return lost_server($builder);
}

# Crash in the first half of a statement that builds, and check.  The duration of a
# build varies: if it ended before the crash, try again and kill the server sooner.
sub check_build
{
	my ($build, $statement, $seconds) = @_;
	my ($name, $before, $crashed);
	my $delay = rand(0.5 * $seconds);

	for (my $try = 0; $try < 20 && !$crashed; $try++, $delay /= 2)
	{
		$name = sprintf '%s, crash after %.2f s', $statement, $delay;
		$before = $node->safe_psql('postgres',
			$statement =~ /^CREATE/ ? "DROP INDEX IF EXISTS large_sig; $usable" : $usable);
		$crashed = crash_in_build($statement, $delay);
	}
	ok($crashed, "$name: before the end");
	is($node->safe_psql('postgres', $usable), $before, "$name: $before usable index, as before");
	is(query_with($node, [ index_scan() ], $similar), $expected, "$name: nothing is lost");
	$node->safe_psql('postgres', "DROP INDEX IF EXISTS large_sig; $build");
	is(query_with($node, [ index_scan() ], $similar), $expected,
		"$name: nor once it is built again");
	return;
}

$node->safe_psql('postgres', 'CREATE TABLE large (id int, sig minhash)');
foreach my $method ('gin', 'lsh')
{
	my $build = "CREATE INDEX large_sig ON large USING $method (sig)";
	my $seconds = add_rows($build);

	check_build($build, $_, $seconds)
	  foreach ($build, $build =~ s/INDEX/INDEX CONCURRENTLY/r, 'REINDEX INDEX large_sig',
		'REINDEX INDEX CONCURRENTLY large_sig');
	next if $method ne 'lsh';
	is(error_of($node, 'postgres', q{SELECT lsh_index_check('large_sig', true)}), '',
		'no fault is found in the lsh index');
}

$node->stop;
done_testing();

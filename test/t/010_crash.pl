# Crashes lose nothing: clients insert, update, delete and vacuum rows with GIN
# indexes of signatures until all server processes or one of them are killed.
# After recovery the committed rows exist, and every plan finds them.  Crashes
# during index builds, of GIN and lsh, follow; 040_lsh_crash has the rest of lsh.
#
# LSHSIM_CRASHES is the number of crashes, LSHSIM_SEED chooses their moments.

use strict;
use warnings;

use LshsimTest;
use Test::More;
use Time::HiRes qw(sleep time);

my $CLIENTS = 3;
my $crashes = $ENV{LSHSIM_CRASHES} || 9;
my $seed = $ENV{LSHSIM_SEED} || int(time());

srand($seed);
note("LSHSIM_SEED=$seed");

my $node = start_node('crash', 'restart_after_crash = on',
	'full_page_writes = on', 'shared_buffers = 16MB', 'log_statement = none',
	'maintenance_work_mem = 1MB');

# Transaction t of a client inserts rows 0, 1 and 2 of its own, and changes rows of
# earlier transactions; "expected" returns the rows after it.  Rows of client 0 are
# never committed.  Rows of about the same age are similar.
$node->safe_psql('postgres', q{
	CREATE FUNCTION body_of(client int, t int, n int, version int) RETURNS text
	LANGUAGE sql IMMUTABLE AS $$
		SELECT string_agg(CASE WHEN (i * 7 + t) % 60 < 3 * version + n + client
			THEN format('%s-%s-%s', client, t, i) ELSE format('w%s-%s', t / 4, i) END, ' ')
		FROM generate_series(1, 40) i
	$$;
	CREATE TABLE docs (client int, t int, n int, version int DEFAULT 0, body text, seen int,
		sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED,
		words minhash, PRIMARY KEY (client, t, n));
	CREATE TRIGGER keep_words BEFORE INSERT OR UPDATE ON docs
		FOR EACH ROW EXECUTE FUNCTION minhash_trigger('words', 'word:2', 64, 'body');
	CREATE INDEX docs_sig ON docs USING gin (sig) WITH (gin_pending_list_limit = 64);
	CREATE INDEX docs_words ON docs USING gin (words) WITH (gin_pending_list_limit = 64);
	CREATE TABLE done (client int, t int);
	CREATE PROCEDURE work(c int, now int) LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO docs (client, t, n, body)
			SELECT c, now, n, body_of(c, now, n, 0) FROM generate_series(0, 2) n;
		UPDATE docs SET version = 1, body = body_of(c, t, n, 1)
			WHERE client = c AND t = now - 3 AND n = 0;
		UPDATE docs SET seen = now WHERE client = c AND t = now - 2;
		DELETE FROM docs WHERE client = c AND (t = now - 5 AND n = 1 OR t = now - 400);
		BEGIN
			INSERT INTO docs (client, t, n, body) VALUES (0, now, c, body_of(c, now, 0, 0));
			RAISE 'undo';
		EXCEPTION WHEN raise_exception THEN
		END;
		INSERT INTO done VALUES (c, now);
	END $$;
	CREATE VIEW expected AS
		SELECT client, t, n, CASE WHEN n = 0 AND t <= last - 3 THEN 1 ELSE 0 END AS version
		FROM (SELECT client, max(t) FROM done GROUP BY client) d (client, last),
			generate_series(greatest(last - 399, 1), last) t, generate_series(0, 2) n
		WHERE n <> 1 OR t > last - 5;
	CREATE VIEW wrong AS
		(SELECT 'not expected', client, t, n, version FROM docs
		EXCEPT ALL SELECT 'not expected', * FROM expected)
		UNION ALL
		(SELECT 'lost', * FROM expected
		EXCEPT ALL SELECT 'lost', client, t, n, version FROM docs)
		UNION ALL
		SELECT 'changed', client, t, n, version FROM docs
		WHERE body <> body_of(client, t, n, version) OR sig <> to_minhash(body)
			OR words <> to_minhash(body, 'word:2', 64)});

# Return a query for the pairs of some rows and all similar rows, by the column $1:
# their number, and a digest.
sub pairs_query
{
	my ($column) = @_;
	return qq{
		SELECT count(*), md5(string_agg(p.ctid || ' ' || d.ctid, ',' ORDER BY p.ctid, d.ctid))
		FROM (SELECT ctid, $column FROM docs WHERE t % 11 = 0 AND n = 0) p,
			LATERAL (SELECT ctid FROM docs WHERE docs.$column % p.$column OFFSET 0) d};
}

# Write a script for psql and start it: name, lines.
sub start_script
{
	my ($name, @lines) = @_;
	my $path = $node->basedir . "/$name.sql";

	open my $file, '>', $path or die "$path: $!";
	print $file map { "$_\n" } @lines;
	close $file or die "$path: $!";
	return start_session($node, $name, '-f', $path);
}

# Start a client that runs transactions and prints each one that is committed.
sub start_worker
{
	my ($client) = @_;
	my $from = 1 + $node->safe_psql('postgres',
		"SELECT coalesce(max(t), 0) FROM done WHERE client = $client");
	my $worker = start_script("worker$client",
		map { "CALL work($client, $_);\n\\echo $_" } $from .. $from + 20000);

	$worker->{client} = $client;
	$worker->{before} = $from - 1;
	return $worker;
}

# Start the sessions that run until the crash: workers, one that vacuums, and one
# whose transactions are never committed.
sub start_load
{
	my @load = map { start_worker($_) } 1 .. $CLIENTS;

	push @load, start_script('vacuum', (q{
		VACUUM docs;
		CHECKPOINT;
		SELECT gin_clean_pending_list('docs_words');
		SELECT pg_sleep(0.05);}) x 10000);
	push @load, start_script('undone', (q{
		BEGIN;
		INSERT INTO docs (client, t, n, body)
			SELECT 0, t, 0, body_of(0, t, 0, 0) FROM generate_series(1, 200) t;
		ROLLBACK;}) x 10000);
	return @load;
}

# Check that the transactions of a worker exist: those that it saw committed, and
# possibly the one in progress.  Return the number that it saw.
sub check_worker
{
	my ($name, $worker) = @_;
	my ($seen) = slurp($worker->{stdout}) =~ /(\d+)\n\z/;
	my $last = $node->safe_psql('postgres',
		"SELECT max(t) FROM done WHERE client = $worker->{client}") || 0;

	$seen = $worker->{before} unless defined $seen;
	ok($last == $seen || $last == $seen + 1,
		"$name: client $worker->{client} saw $seen committed, there are $last");
	return $seen - $worker->{before};
}

# Check that both indexes find the same rows as a sequential scan.
sub check_plans
{
	my ($name) = @_;

	foreach my $threshold (.1, .5, .8)
	{
		foreach my $column ('sig', 'words')
		{
			my ($expected, $found) =
			  by_both_plans($node, [ search($threshold) ], pairs_query($column));

			ok($expected =~ /^[1-9]/ && $found eq $expected,
				"$name: $column at $threshold, the same by both plans")
			  or diag("sequential scan $expected, index $found");
		}
	}
	return;
}

# Let the clients work, crash in the given way, and check.
sub check_crash
{
	my ($number) = @_;
	my ($way, $crash) = crash_of($node, $number);
	my $delay = rand(1.5);
	my $name = sprintf 'crash %d (%s, after %.2f s)', 1 + $number, $way, $delay;
	my $before = $node->safe_psql('postgres', 'SELECT count(*) FROM done');
	my @load = start_load();
	my $committed = 0;

	wait_for_sessions($node, @load);
	$node->poll_query_until('postgres', "SELECT count(*) > $before + 100 FROM done")
	  or die 'no client works';
	sleep $delay;
	$crash->();
	is(scalar(grep { !lost_server($_) } @load), 0, "$name: every client lost its connection");
	wait_for_server($node);
	$committed += check_worker($name, $_) foreach @load[ 0 .. $CLIENTS - 1 ];
	cmp_ok($committed, '>', 0, "$name: $committed transactions had been committed");
	is($node->safe_psql('postgres', 'TABLE wrong'), '', "$name: the rows are those committed");
	check_plans($name);
	return;
}

like(query_with($node, [ index_scan() ], 'EXPLAIN ' . pairs_query('sig')),
	qr/Bitmap Index Scan on docs_sig/, 'the index is used');
check_crash($_) foreach 0 .. $crashes - 1;

# Building indexes: a crash leaves the earlier state, and no other valid index.
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

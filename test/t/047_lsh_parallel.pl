# CREATE INDEX with parallel workers: an lsh index that several processes have built
# has no fault and returns the same rows as one that a single process has built.
# Also: NULLs, dead rows, rows of different kinds, errors, cancellation and crashes.

use LshsimTest;

my $node = start_node('lsh_parallel', 'jit = off', 'restart_after_crash = on',
	'max_prepared_transactions = 2', 'min_parallel_table_scan_size = 0',
	'max_parallel_maintenance_workers = 2', 'max_worker_processes = 8');

# Texts in families of similar ones, every eleventh NULL.
$node->safe_psql('postgres', q{
	CREATE TABLE docs (id int, body text);
	INSERT INTO docs SELECT i, CASE WHEN i % 11 > 0 THEN
			(SELECT string_agg('word' || (i % 500 * 100 + j + CASE WHEN j < i % 7 THEN i ELSE 0 END), ' ')
				FROM generate_series(1, 20) j) END
		FROM generate_series(1, 4000) i;
	UPDATE docs SET id = id WHERE id % 5 = 0;
	DELETE FROM docs WHERE id % 13 = 0;
	CREATE FUNCTION sign(body text) RETURNS minhash LANGUAGE sql IMMUTABLE PARALLEL SAFE
		AS $$ SELECT public.to_minhash(body, num_hashes => 256) $$;
	-- Fails in workers; until then, the leader leaves them time.
	CREATE FUNCTION fail_in_worker(body text) RETURNS minhash LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
		BEGIN
			IF pg_backend_pid() <> current_setting('test.leader')::int THEN
				RAISE EXCEPTION 'worker fails';
			END IF;
			PERFORM pg_sleep(0.05);
			RETURN public.to_minhash(body);
		END $$;
	-- Is true only in workers; the leader leaves them time.
	CREATE FUNCTION in_worker(body text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
		BEGIN
			IF pg_backend_pid() = current_setting('test.leader')::int THEN
				PERFORM pg_sleep(0.05);
				RETURN false;
			END IF;
			RETURN true;
		END $$;
	-- Is so slow that a build does not end by itself.
	CREATE FUNCTION slow(body text) RETURNS minhash LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
		BEGIN
			PERFORM pg_sleep(1);
			RETURN public.to_minhash(body);
		END $$});

# Run statements, and check that they launch parallel workers (or none).
sub launches
{
	my ($name, $sql, $workers) = @_;
	my ($result, $out, $err) = $node->psql('postgres', "SET client_min_messages = debug1; $sql");

	is($result, 0, "$name: succeeds") or diag($err);
	my $launched = $err =~ /using (\d+) parallel workers/ ? $1 : 0;
	ok($workers ? $launched > 0 : $launched == 0, "$name: " . ($workers ? 'with' : 'without') . ' workers')
	  or diag($err);
	return;
}

# Check that an index has no fault, also in comparison with its table.
sub is_clean
{
	my ($index) = @_;

	is(error_of($node, 'postgres', "SELECT lsh_index_check('$index', true)"), '', "$index: no fault is found");
	return;
}

# Return the rows that 100 searches find by an index, which the other is hidden from.
sub found
{
	my @set = ('SET enable_seqscan = off', 'SET max_parallel_workers_per_gather = 0', map { "SET $_" } search(.5));

	return $node->safe_psql('postgres', join(";\n", @set, q{
		SELECT count(*), md5(string_agg(p.id || ' ' || d.id || ' ' || d.ctid, ',' ORDER BY p.id, d.id))
		FROM (SELECT id, sign(body) AS sig FROM docs WHERE body IS NOT NULL ORDER BY id LIMIT 100) p,
			LATERAL (SELECT id, ctid FROM docs WHERE sign(body) % p.sig OFFSET 0) d}));
}

launches('one process', q{
	SET max_parallel_maintenance_workers = 0;
	CREATE INDEX docs_one ON docs USING lsh (sign(body))}, 0);
my $expected = found();
my $stats = $node->safe_psql('postgres', q{SELECT lsh_index_stats('docs_one')});

like($expected, qr/^[1-9]\d\d/, 'searches find rows');
is_clean('docs_one');
$node->safe_psql('postgres', 'DROP INDEX docs_one');
foreach my $how ('', 'CONCURRENTLY')
{
	launches("workers $how", "CREATE INDEX $how docs_lsh ON docs USING lsh (sign(body))", 1);
	is_clean('docs_lsh');
	is(found(), $expected, "workers $how: searches return the same rows");
	is($node->safe_psql('postgres', q{SELECT lsh_index_stats('docs_lsh')}), $stats, "workers $how: the same entries");
	$node->safe_psql('postgres', 'DROP INDEX docs_lsh');
}
launches('parallel_workers = 1', q{
	SET max_parallel_maintenance_workers = 4;
	ALTER TABLE docs SET (parallel_workers = 1);
	CREATE INDEX docs_lsh ON docs USING lsh (sign(body))}, 1);
launches('parallel_workers = 0', q{
	ALTER TABLE docs SET (parallel_workers = 0);
	REINDEX INDEX docs_lsh;
	ALTER TABLE docs RESET (parallel_workers)}, 0);
launches('no worker available', q{
	SET max_parallel_workers = 0;
	REINDEX INDEX docs_lsh}, 0);
is(found(), $expected, 'no worker available: the leader reads all rows');
is_clean('docs_lsh');

# Passages: the same entries, also through several files of each process.
launches('passages, one process', q{
	SET max_parallel_maintenance_workers = 0;
	CREATE INDEX docs_passages ON docs USING lsh (body passage_ops (run = 'word:2'))}, 0);
my $passages = $node->safe_psql('postgres', q{SELECT lsh_index_stats('docs_passages')});
foreach my $memory ('64MB', '1MB')
{
	launches("passages, $memory", "SET maintenance_work_mem = '$memory'; REINDEX INDEX docs_passages", 1);
	is_clean('docs_passages');
	is($node->safe_psql('postgres', q{SELECT lsh_index_stats('docs_passages')}), $passages, "passages, $memory: the same entries");
}
$node->safe_psql('postgres', 'DROP INDEX docs_passages');

# Temporary files: as many as the reference says, of 20 kB of memory each, and not
# limited by temp_file_limit if there are workers.
$node->safe_psql('postgres', 'CREATE TABLE sigs AS SELECT array_to_minhash(ARRAY[i, i + 1]) AS sig FROM generate_series(1, 100000) i');
foreach my $workers (0, 2)
{
	my $anonymous = q{SELECT 'RssAnon', substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s*(\d+)')};
	my $log = -s $node->logfile;
	my $build = "SET maintenance_work_mem = '1MB'; SET max_parallel_maintenance_workers = $workers; CREATE INDEX sigs_lsh ON sigs USING lsh (sig)";
	my $limited = error_of($node, 'postgres', "SET temp_file_limit = '1MB'; $build");

	like($limited, $workers ? qr/^$/ : qr/temporary file size exceeds "?temp_file_limit/, "temp_file_limit, $workers workers");
	$node->safe_psql('postgres', 'DROP INDEX IF EXISTS sigs_lsh');
	my ($before, $after) = $node->safe_psql('postgres', join ';', 'SELECT count(*) FROM sigs',
		can_read_proc() ? $anonymous : (), 'SET log_temp_files = 0', $build, 'RESET log_temp_files', can_read_proc() ? $anonymous : ()) =~ /RssAnon\|(\d+)/g;
	my $files = () = substr(slurp($node->logfile), $log) =~ /temporary file: path/g;
	my $expected = $node->safe_psql('postgres', "SELECT 32 * (1 + $workers) * entries / 2 ^ 20 FROM lsh_index_stats('sigs_lsh')");

	cmp_ok(abs($files - $expected), '<', 5, "$files temporary files, $workers workers");
	cmp_ok($after - $before, '<', 20 * $files + 3000, "memory to read them, $workers workers (" . ($after - $before) . ' kB)') if can_read_proc();
	$node->safe_psql('postgres', 'DROP INDEX sigs_lsh');
}
$node->safe_psql('postgres', 'DROP TABLE sigs');

# The first page of the directory, which is the leader's, is empty; the only other
# page, the worker's, is the last.
launches('no row for the leader', q{
	SET max_parallel_maintenance_workers = 1;
	SELECT set_config('test.leader', pg_backend_pid()::text, false);
	CREATE INDEX docs_worker ON docs USING lsh (sign(body)) WHERE in_worker(body)}, 1);
is($node->safe_psql('postgres', q{SELECT entries > 0 FROM lsh_index_stats('docs_worker')}), 't',
	'no row for the leader: the worker adds rows');
is(error_of($node, 'postgres', q{SELECT lsh_index_check('docs_worker')}), '',
	'no row for the leader: no fault is found');
$node->safe_psql('postgres', 'DROP INDEX docs_worker');

# The index takes rows, also in the pages that the build left half full.
$node->safe_psql('postgres', q{
	INSERT INTO docs SELECT id + 10000, body FROM docs WHERE id % 3 = 0;
	DELETE FROM docs WHERE id < 300;
	VACUUM docs});
is_clean('docs_lsh');
launches('unlogged table', q{
	CREATE UNLOGGED TABLE fast AS SELECT * FROM docs;
	CREATE INDEX fast_lsh ON fast USING lsh (sign(body))}, 1);
is_clean('fast_lsh');
launches('temporary table', q{
	CREATE TEMP TABLE temporary AS SELECT * FROM docs LIMIT 100;
	CREATE INDEX ON temporary USING lsh (sign(body))}, 0);
launches('expression that is not parallel safe', q{
	CREATE FUNCTION unsafe(body text) RETURNS minhash LANGUAGE plpgsql IMMUTABLE
		AS 'BEGIN RETURN public.to_minhash(body); END';
	CREATE INDEX docs_unsafe ON docs USING lsh (unsafe(body));
	DROP INDEX docs_unsafe}, 0);

# Dead rows that a transaction may see: of another kind than the live ones, in front
# of them; and all rows of a table.
$node->safe_psql('postgres', q{
	CREATE TABLE kinds (sig minhash);
	INSERT INTO kinds SELECT to_minhash(body, num_hashes => 64) FROM docs WHERE id < 2000;
	CREATE TABLE gone AS SELECT sign(body) AS sig FROM docs;
	CREATE INDEX gone_lsh ON gone USING lsh (sig);
	CREATE TABLE xid ()});
$node->safe_psql('postgres', q{BEGIN; DROP TABLE xid; PREPARE TRANSACTION 'old'});
$node->safe_psql('postgres', q{
	DELETE FROM kinds;
	INSERT INTO kinds SELECT sign(body) FROM docs;
	DELETE FROM gone});
launches('dead rows of another kind', 'CREATE INDEX kinds_lsh ON kinds USING lsh (sig)', 1);
is_clean('kinds_lsh');
launches('dead rows only, REINDEX', 'REINDEX INDEX gone_lsh', 1);
is_clean('gone_lsh');
is($node->safe_psql('postgres', q{SELECT entries > 0 FROM lsh_index_stats('gone_lsh')}), 't',
	'dead rows only, REINDEX: keeps them');
launches('dead rows only, CREATE INDEX', 'CREATE INDEX gone_new ON gone USING lsh (sig)', 1);
is($node->safe_psql('postgres', q{SELECT entries > 0 FROM lsh_index_stats('gone_new')}), 't',
	'dead rows only, CREATE INDEX: keeps them');
$node->safe_psql('postgres', q{ROLLBACK PREPARED 'old'});

# Errors.
$node->safe_psql('postgres', q{DROP INDEX kinds_lsh;
	INSERT INTO kinds SELECT to_minhash(body, num_hashes => 64) FROM docs});
like(error_of($node, 'postgres', 'CREATE INDEX ON kinds USING lsh (sig)'),
	qr/index "kinds_sig_idx" cannot hold signatures of different kinds/, 'live rows of different kinds: an error');
like(error_of($node, 'postgres', q{
		SELECT set_config('test.leader', pg_backend_pid()::text, false);
		CREATE INDEX docs_fail ON docs USING lsh (fail_in_worker(body))}),
	qr/worker fails.*CONTEXT:.*parallel worker/s, 'an error in a worker reaches the client');
like(error_of($node, 'postgres', q{
		SET statement_timeout = '2s';
		CREATE INDEX docs_slow ON docs USING lsh (slow(body))}),
	qr/canceling statement due to statement timeout/, 'a build with workers can be cancelled');
ok($node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'parallel worker'}),
	'no worker is left');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname ~ '^docs_(fail|slow)'}), '0',
	'no index is left');

# Crashes during a build.
foreach my $crash (0, 1)
{
	my ($way, $do) = crash_of($node, $crash);
	my $build = start_session($node, "build$crash", '-c', 'CREATE INDEX docs_slow ON docs USING lsh (slow(body))');

	$node->poll_query_until('postgres', q{
		SELECT count(*) > 0 FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND query ~ 'docs_slow'})
	  or die 'no worker runs';
	$do->();
	lost_server($build);
	wait_for_server($node);
	is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname = 'docs_slow'}), '0',
		"crash ($way): no index is left");
	is_clean('docs_lsh');
}
launches('after crashes', 'REINDEX TABLE docs', 1);
is_clean('docs_lsh');

$node->stop;
done_testing();

# While clients insert in bulk, update, delete and roll back, and the GIN and lsh
# indexes are rebuilt, vacuumed and flushed, other clients compare an index with a
# sequential scan in one snapshot: no row is missing, and none is wrong.  Then the
# same with parallel workers.

use LshsimTest;

my $node = start_node('concurrent', 'shared_buffers = 64MB', 'jit = off');

# A probe for each family of signatures.
$node->safe_psql('postgres', member_function() . q{
	CREATE TABLE docs (id int, sig minhash, twin minhash GENERATED ALWAYS AS (sig) STORED);
	INSERT INTO docs SELECT i, member(i % 100, i) FROM generate_series(1, 4000) i;
	CREATE INDEX docs_sig ON docs USING gin (sig) WITH (gin_pending_list_limit = 64);
	CREATE INDEX docs_twin ON docs USING lsh (twin);
	CREATE TABLE probes AS SELECT family, member(family, 0) AS sig FROM generate_series(0, 99) family;
	CREATE TABLE stop ();
	CREATE TABLE probed (probes bigint, found bigint, seq_scans bigint);
	CREATE TABLE written (inserted int);
	ANALYZE});

# Start a client that inserts 20 rows at a time until it is told to stop, updates and
# deletes some, and rolls back one transaction of four.
sub start_writer
{
	my ($number) = @_;
	return start_session($node, "writer$number", '-c', qq{
		DO \$\$
		DECLARE
			last int := 1000000 * $number;
		BEGIN
			WHILE NOT EXISTS (SELECT FROM stop) LOOP
				INSERT INTO docs SELECT i, member(i % 100, i) FROM generate_series(last + 1, last + 20) i;
				UPDATE docs SET sig = member((id + 1) % 100, id) WHERE id IN (last - 5, last - 15);
				DELETE FROM docs WHERE id BETWEEN last - 40 AND last - 24;
				INSERT INTO written VALUES (20);
				IF last % 80 = 60 THEN
					ROLLBACK;
				ELSE
					COMMIT;
				END IF;
				last := last + 20;
				PERFORM pg_sleep(0.05);
			END LOOP;
		END \$\$});
}

# A condition within CASE cannot use the index.
my $comparison = q{
	SELECT count(*), count(*) FILTER (WHERE by_index.id IS NULL),
		count(*) FILTER (WHERE by_scan.id IS NULL)
	FROM (SELECT d.id FROM docs d WHERE d.%s %% probe) by_index
		FULL JOIN (SELECT d.id FROM docs d WHERE CASE WHEN d.sig %% probe THEN true END) by_scan USING (id)};

# Start a client that compares the index of a column with a scan until it is told to
# stop, by a plain index scan if asked to.
sub start_searcher
{
	my ($column, $threshold, $bitmap) = @_;
	my $compare = sprintf $comparison, $column;
	return start_session(
		$node,
		"searcher$column$threshold$bitmap",
		'-c', "SET enable_bitmapscan = $bitmap",
		'-c', 'SET enable_seqscan = off',
		'-c', "SET lshsim.similarity_threshold = $threshold",
		'-c', qq{
		DO \$\$
		DECLARE
			n int := 0;
			total bigint := 0;
			probe minhash;
			found bigint;
			lost bigint;
			phantom bigint;
		BEGIN
			WHILE NOT EXISTS (SELECT FROM stop) LOOP
				SELECT sig INTO probe FROM probes WHERE family = n % 100;
				$compare INTO found, lost, phantom;
				IF lost > 0 OR phantom > 0 THEN
					RAISE EXCEPTION 'probe %: of % rows % lost, % phantom', n, found, lost, phantom;
				END IF;
				n := n + 1;
				total := total + found;
				COMMIT;
			END LOOP;
			INSERT INTO probed VALUES (n, total, pg_stat_get_xact_numscans('docs'::regclass));
		END \$\$});
}

# Rebuild, vacuum and flush the indexes while the clients run, six times, or until
# a minute has passed.
sub maintain
{
	my $flushed = 0;
	my $end = time + 60;

	foreach my $round (1 .. 6)
	{
		last if $round > 4 && time > $end;
		$node->safe_psql('postgres', "REINDEX INDEX CONCURRENTLY $_") foreach 'docs_sig', 'docs_twin';
		$node->safe_psql('postgres', 'VACUUM docs');
		$flushed += $node->poll_query_until('postgres', q{SELECT gin_clean_pending_list('docs_sig') > 0});
	}
	cmp_ok($flushed, '>=', 4, 'there were pending lists');
	return;
}

# Return the rows that all probes find, as pairs in order.
sub all_pairs
{
	my ($condition, @settings) = @_;
	return query_with($node, \@settings, qq{
		SELECT count(*), md5(string_agg(family || ' ' || id, ',' ORDER BY family, id))
		FROM probes p, LATERAL (SELECT id FROM docs d WHERE $condition OFFSET 0) found});
}

my @writers = map { start_writer($_) } 1 .. 4;
my @searchers = (start_searcher('sig', 0.6, 'on'), start_searcher('sig', 0.9, 'on'),
	start_searcher('twin', 0.6, 'on'), start_searcher('twin', 0.9, 'off'));
maintain();
ok($node->poll_query_until('postgres', 'SELECT sum(inserted) > 1000 FROM written'), 'the writers did write');
$node->safe_psql('postgres', 'INSERT INTO stop DEFAULT VALUES');
end_sessions('a writer', @writers);
end_sessions('a searching client', @searchers);

my ($probes, $found, $seq_scans) = split /\|/,
  $node->safe_psql('postgres', 'SELECT sum(probes), sum(found), sum(seq_scans) FROM probed');
cmp_ok($probes, '>', 20, "nothing lost, no phantom: $probes probes, $found rows found");
is($seq_scans, $probes, 'one sequential scan a probe: the other side was the index');

my @index_scan = ('enable_seqscan = off', 'max_parallel_workers_per_gather = 0');
my $expected = all_pairs('minhash_similar_op(d.sig, p.sig)');
is(all_pairs("d.$_ % p.sig", @index_scan), $expected, "after all of it: the same ($expected) by the index of $_")
  foreach 'sig', 'twin';
is(error_of($node, 'postgres', q{SELECT lsh_index_check('docs_twin', true)}), '', 'no fault is found');

# Parallel workers without the leader return the same rows as the leader alone.
$node->safe_psql('postgres', 'ANALYZE docs');
my @parallel = (
	'max_parallel_workers_per_gather = 2', 'parallel_setup_cost = 0',
	'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0',
	'parallel_leader_participation = off', 'lshsim.similarity_threshold = 0.6');
my %queries = (
	'scan' => q{SELECT count(*), md5(string_agg(id::text, ',' ORDER BY id))
		FROM docs WHERE sig % member(7, 0)},
	'lsh' => q{SELECT count(*), md5(string_agg(id::text, ',' ORDER BY id))
		FROM docs WHERE twin % member(7, 0)},
	'aggregate' => q{SELECT md5(minhash_union_agg(sig)::text), md5(minhash_agg(id)::text) FROM docs},
	'join' => q{SELECT count(*), sum(p.family * 1000 + d.id) FROM docs d JOIN probes p
		ON minhash_similar(p.sig, d.sig, 0.7)});

# Compare a query with and without workers.
sub check_parallel
{
	my ($name, $plan, $query, @settings) = @_;
	my @alone = ('max_parallel_workers_per_gather = 0', 'lshsim.similarity_threshold = 0.6');

	like(query_with($node, [ @parallel, @settings ], "EXPLAIN (COSTS OFF) $query"),
		$plan, "parallel $name: a parallel plan");
	is(query_with($node, [ @parallel, @settings ], $query),
		query_with($node, \@alone, $query), "parallel $name: the same");
	return;
}

check_parallel('sequential scan', qr/Gather.*Parallel Seq Scan/s,
	$queries{scan}, 'enable_bitmapscan = off');
check_parallel('index scan', qr/Gather.*Parallel Bitmap Heap Scan.*docs_sig/s,
	$queries{scan}, 'enable_seqscan = off', 'cpu_tuple_cost = 100');
check_parallel('scan of an lsh index', qr/Gather.*Parallel Bitmap Heap Scan.*docs_twin/s,
	$queries{lsh}, 'enable_seqscan = off', 'cpu_tuple_cost = 100', 'enable_indexscan = off');
check_parallel('aggregate', qr/Gather.*Parallel Seq Scan/s, $queries{aggregate});
check_parallel('join', qr/Gather.*Bitmap Index Scan on docs_sig/s, $queries{join});

SKIP:
{
	skip 'GIN indexes are built in parallel from PostgreSQL 18 on', 2
	  if $node->safe_psql('postgres', 'SHOW server_version_num') < 180000;

	my $search = "SET enable_seqscan = off; $queries{scan}";
	my $serial = query_with($node,
		['max_parallel_maintenance_workers = 0'], "REINDEX INDEX docs_sig; $search");
	$node->safe_psql('postgres', 'ALTER TABLE docs SET (parallel_workers = 3)');
	my ($status, $stdout, $stderr) = $node->psql('postgres', qq{
		SET max_parallel_maintenance_workers = 3;
		SET maintenance_work_mem = '256MB';
		SET client_min_messages = debug1;
		REINDEX INDEX docs_sig;
		RESET client_min_messages;
		$search});
	like($stderr, qr/docs_sig.* request for [123] parallel workers/, 'parallel build');
	is($stdout, $serial, 'parallel build: the same index');
}

$node->stop;
done_testing();

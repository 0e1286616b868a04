# An lsh index after cancelled inserts, single-row sessions and a promotion:
# unfinished records do not represent copies of them, and other sessions and a
# former standby find the free space on pages again.

use LshsimTest;

my $node = start_node('leftovers', 'jit = off', 'shared_buffers = 64MB', 'wal_level = replica',
	'max_wal_senders = 4', 'wal_keep_size = 256MB');

# Return the number of pages of an index.
sub pages_of
{
	my ($server, $index) = @_;
	return $server->safe_psql('postgres', "SELECT pg_relation_size('$index') / current_setting('block_size')::int");
}

### Cancelled inserts, then the same signatures again, and similar ones

$node->safe_psql('postgres', q{
	CREATE TABLE source AS SELECT i AS id,
		array_to_minhash(ARRAY(SELECT 1000 * i + j FROM generate_series(1, 40) j)) AS sig,
		array_to_minhash(ARRAY(SELECT 1000 * i + j + CASE WHEN j <= 4 THEN 500 ELSE 0 END FROM generate_series(1, 40) j)) AS other
	FROM generate_series(1, 3000) i;
	CREATE TABLE docs (id int, sig minhash);
	CREATE INDEX docs_sig ON docs USING lsh (sig)});

# Return the number of pages of the table without visible rows.
sub pages_left
{
	return $node->safe_psql('postgres', q{
		SELECT round(pg_relation_size('docs') / 8192 - coalesce(sum(pg_column_size(docs)), 0) / 8192) FROM docs});
}

# A slow machine needs more time to insert anything.
for (my $slower = 1; $slower < 200 && pages_left() < 100; $slower *= 2)
{
	my $cancelled = join '', map {
		sprintf "SET statement_timeout = %d; INSERT INTO docs SELECT id, sig FROM source WHERE id > %d; SET statement_timeout = 0;\n",
		  $slower * (4 + $_ % 7), 7 * $_
	} 1 .. 400;
	$node->psql('postgres', $cancelled, on_error_stop => 0);
}
cmp_ok(pages_left(), '>=', 100, 'cancelled insertions have left rows');
$node->safe_psql('postgres', 'INSERT INTO docs SELECT id, sig FROM source; INSERT INTO docs SELECT id + 10000, other FROM source');
my $joined = $node->safe_psql('postgres', q{SET enable_seqscan = off;
	SELECT count(*) FROM docs a JOIN docs b ON minhash_similar(a.sig, b.sig, 0.7) AND a.ctid < b.ctid});
cmp_ok($joined, '>', 2000, "$joined pairs of rows, by a join");
is($node->safe_psql('postgres', q{SELECT count(*) FROM lsh_index_pairs('docs_sig', 0.7)}), $joined,
	'pairs of the index, where unfinished records have the same signatures');
$node->safe_psql('postgres', 'VACUUM (INDEX_CLEANUP ON) docs');
is($node->safe_psql('postgres', q{SELECT count(*) FROM lsh_index_pairs('docs_sig', 0.7)}), $joined, 'and after VACUUM');

### Sessions of one row

$node->safe_psql('postgres', q{
	CREATE TABLE sessions (id int, sig minhash); CREATE INDEX sessions_sig ON sessions USING lsh (sig);
	CREATE TABLE at_once (id int, sig minhash); CREATE INDEX at_once_sig ON at_once USING lsh (sig);
	INSERT INTO at_once SELECT id, sig FROM source WHERE id <= 100});
$node->safe_psql('postgres', join '', map { "INSERT INTO sessions SELECT id, sig FROM source WHERE id = $_;\n\\c\n" } 1 .. 100);
is(pages_of($node, 'sessions_sig'), pages_of($node, 'at_once_sig'), 'rows of 100 sessions take as many pages as those of one');
$node->safe_psql('postgres', 'REINDEX INDEX sessions_sig');
my $rebuilt = pages_of($node, 'sessions_sig');
$node->safe_psql('postgres', join '', map { "INSERT INTO sessions SELECT id, sig FROM source WHERE id = $_;\n\\c\n" } 101 .. 103);
cmp_ok(pages_of($node, 'sessions_sig'), '<=', $rebuilt + 1, 'and the last page of an index that was built is filled');

### A former standby

$node->safe_psql('postgres', q{CREATE TABLE halves (id int, sig minhash); CREATE INDEX halves_sig ON halves USING lsh (sig);
	INSERT INTO halves SELECT id, sig FROM source});
my $standby = start_standby($node, 'leftovers_standby');
$node->safe_psql('postgres', q{DELETE FROM halves WHERE id % 2 = 0; VACUUM (INDEX_CLEANUP ON) halves});
$node->wait_for_catchup($standby, 'replay', $node->lsn('write'));
$standby->promote;
$standby->safe_psql('postgres', 'VACUUM (INDEX_CLEANUP ON) halves');
my $before = pages_of($standby, 'halves_sig');
$standby->safe_psql('postgres', 'INSERT INTO halves SELECT id, sig FROM source WHERE id % 2 = 0');
cmp_ok(pages_of($standby, 'halves_sig'), '<=', $before + 2, "rows go where VACUUM freed room before ($before pages)");
is($standby->safe_psql('postgres', q{SELECT lsh_index_check('halves_sig', true)}), '', 'the index is sound');

$standby->stop;
$node->stop;
done_testing();

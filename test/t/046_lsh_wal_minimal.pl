# A crash with wal_level = minimal and full_page_writes = off.  The server does
# not log changes of an index whose file is new in the transaction; at commit it
# logs the whole file or syncs it, depending on wal_skip_threshold.

use LshsimTest;

my $node = start_node('wal_minimal', 'wal_level = minimal', 'max_wal_senders = 0', 'full_page_writes = off');
my $rows = 'SELECT i, array_to_minhash(ARRAY[i, i + 1, i + 2]) FROM generate_series(1, 2000) i UNION ALL SELECT 0, NULL';

# Each ends with 2001 rows in a new file of the index.
my @transactions = (
	[ 'created', "CREATE TABLE docs (id int, sig minhash); CREATE INDEX docs_lsh ON docs USING lsh (sig); INSERT INTO docs $rows" ],
	[ 'truncated', "TRUNCATE docs; INSERT INTO docs $rows" ],
	[ 'rebuilt', 'DELETE FROM docs WHERE id % 2 = 1; REINDEX INDEX docs_lsh; ' .
		'INSERT INTO docs SELECT i, array_to_minhash(ARRAY[i, i + 1, i + 2]) FROM generate_series(1, 2000, 2) i' ]);

foreach my $threshold ('0', '1GB')
{
	$node->safe_psql('postgres', 'DROP TABLE IF EXISTS docs');
	foreach my $transaction (@transactions)
	{
		my ($name, $statements) = @$transaction;

		$node->safe_psql('postgres', "SET wal_skip_threshold = '$threshold'; BEGIN; $statements; COMMIT");
		$node->stop('immediate');
		$node->start;
		is($node->safe_psql('postgres', q{SELECT count(*) FROM docs, lsh_index_check('docs_lsh', true)}), 2001,
			"an index $name with wal_skip_threshold = $threshold survives a crash");
	}
}

$node->stop;
done_testing();

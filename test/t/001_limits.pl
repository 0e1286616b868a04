# Large texts, large numbers of hashes, and bytes that are not a text.

use LshsimTest;

my $MB = 1024 * 1024;
my $node = start_node('limits', 'shared_buffers = 16MB');
my $dir = $node->basedir;

# Texts of 200 MB.
my %texts = (
	sentences => q{repeat('The quick brown fox jumps over a lazy dog, 42. ', 4200000)},
	'one word' => q{repeat('abcdefghij', 21000000)});

# The memory that a function needs in addition to its argument: the peak of a
# session that calls it less that of one that computes MD5 of the same text.  The
# text is stored, so that there is one copy of it and no other large object.
SKIP:
{
	skip 'cannot see how much memory a process uses', 6
	  unless can_read_proc();

	foreach my $text ('sentences', 'one word')
	{
		$node->safe_psql('postgres', qq{
			DROP TABLE IF EXISTS stored;
			CREATE UNLOGGED TABLE stored (t text);
			ALTER TABLE stored ALTER t SET STORAGE EXTERNAL;
			INSERT INTO stored SELECT $texts{$text}});
		my $base = peak_memory($node, 'postgres', 'SELECT md5(t) FROM stored');

		cmp_ok($base, '>', 200 * $MB, "$text: a text of 200 MB");
		foreach my $shingling ('char:5', 'word:3')
		{
			my $extra = peak_memory($node, 'postgres',
				"SELECT to_minhash(t, '$shingling') FROM stored") - $base;

			cmp_ok($extra, '<', 8 * $MB,
				sprintf('%s of 200 MB, %s: %.1f MB of extra memory',
					$shingling, $text, $extra / $MB));
		}
	}
	$node->safe_psql('postgres', 'DROP TABLE stored');
}

# The largest signature fits a row, an index and both formats.
is($node->safe_psql('postgres', q{
	CREATE TABLE large (sig minhash(4096));
	INSERT INTO large
		SELECT array_to_minhash(array(SELECT generate_series(i, i + 20000)), 4096)
		FROM generate_series(1, 30) i;
	CREATE INDEX ON large USING gin (sig);
	SET enable_seqscan = off;
	SELECT count(*), bool_and(a.sig = a.sig::text::minhash),
		bool_and(a.sig = a.sig::bytea::minhash)
	FROM large a, large b WHERE a.sig % b.sig}),
	'900|t|t', 'signatures of 4096 hashes are stored, indexed and read back');

# Bytes that are not UTF-8, through binary COPY.
$node->safe_psql('postgres', q{
	CREATE TABLE docs (body text,
		sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED)});
foreach my $bytes ("\xC3", "word \xE2\x82", "\xC0\x80", "\xED\xA0\x80",
	"\xF4\x90\x80\x80", "\xFF")
{
	copy_file("$dir/body", [$bytes]);
	like(error_of($node, 'postgres',
			"COPY docs (body) FROM '$dir/body' (FORMAT binary)"),
		qr/invalid byte sequence for encoding "UTF8"/,
		'COPY refuses a text of the bytes ' . unpack('H*', $bytes));
}
copy_file("$dir/body", ["Stra\xC3\x9Fe und Weg"]);
$node->safe_psql('postgres', "COPY docs (body) FROM '$dir/body' (FORMAT binary)");
is($node->safe_psql('postgres', q{SELECT sig = to_minhash('STRASSE und weg') FROM docs}),
	't', 'a generated column is filled by COPY in binary format');

$node->stop;
done_testing();

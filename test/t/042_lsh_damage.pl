# Damaged pages of an lsh index of signatures, and of one of passages: searches,
# writes, VACUUM, lsh_index_pairs and lsh_index_check return, mostly with an error
# that reports the damage; none crashes or hangs.  Unless a signature was damaged,
# no wrong row is returned.
#
# LSHSIM_FUZZ=n tries n damages, LSHSIM_SEED=n draws others.

use LshsimTest;

my $rounds = $ENV{LSHSIM_FUZZ} // 60;
my $node = without_checksums(start_node('lsh_damage', 'jit = off', 'statement_timeout = 10min',
	'max_parallel_workers_per_gather = 0', 'full_page_writes = off', 'fsync = off',
	'restart_after_crash = off'));

seed(1);

$node->safe_psql('postgres', member_function() . q{
	CREATE TABLE docs (id int, sig minhash);
	CREATE INDEX docs_lsh ON docs USING lsh (sig);
	INSERT INTO docs SELECT i, CASE WHEN i % 30 > 0 THEN member(i % 100, i) END FROM generate_series(1, 1500) i;
	-- leaves that become free
	INSERT INTO docs SELECT 0, member(1, 0) FROM generate_series(1, 2500) i;
	DELETE FROM docs WHERE id = 0;
	VACUUM docs;
	CREATE TABLE probes AS SELECT member(family, 0) AS sig FROM generate_series(0, 99, 9) family;
	CREATE FUNCTION body_of(i int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
		SELECT string_agg(md5((i / 3 + j)::text), ' ') || repeat(' a notice that all texts have', 2) FROM generate_series(1, 12) j
	$$;
	CREATE TABLE texts (id int, body text);
	INSERT INTO texts SELECT i, CASE WHEN i % 30 > 0 THEN body_of(i) END FROM generate_series(1, 300) i;
	CREATE INDEX texts_lsh ON texts USING lsh (body passage_ops (run = 'word:5'));
	INSERT INTO texts SELECT i, body_of(i) FROM generate_series(301, 400) i;
	VACUUM ANALYZE docs, texts});

my @paths = map { $node->data_dir . "/$_" } split /\n/,
  $node->safe_psql('postgres', q{CHECKPOINT; SELECT pg_relation_filepath(i) FROM unnest('{docs_lsh,texts_lsh}'::regclass[]) i});
my $found = q{SELECT p.sig::text, d.id FROM probes p, LATERAL (SELECT id FROM docs WHERE docs.sig %% p.sig OFFSET 0) d};
my $all = join "\n", sort split /\n/, query_with($node, [ search(.5), seq_scan() ], $found =~ s/%%/%/r);
my $quotes = q{SELECT i, id FROM generate_series(1, 400, 13) i, LATERAL (SELECT id FROM texts WHERE shares_passage(body, body_of(i), 'word:6') OFFSET 0) t};
my $shared = q{SELECT i, id FROM generate_series(1, 400, 13) i, texts WHERE jaccard(body, body_of(i), 'word:6') > 0};
my %true = map { $_ => 1 } split(/\n/, $all), split(/\n/, query_with($node, [], $shared));

cmp_ok(scalar(grep { /^$_/ } keys %true), '>', 100, 'there is something to find') foreach qr/\S+-permutation/, qr/\d+\|/;
$node->stop;
my @whole = map { slurp($_) } @paths;

# Statements on a damaged index; each may end in an error.
my @tries = (
	[ search => [ search(.5), index_scan() ], $found =~ s/%%/%/r ],
	[ 'compare all' => [ search(.1), index_scan() ], $found =~ s/%%/%/r ],
	[ order => [ index_scan() ], 'SELECT id FROM docs ORDER BY sig <-> (SELECT sig FROM probes LIMIT 1) LIMIT 5' ],
	[ pairs => [], q{SELECT FROM lsh_index_pairs('docs_lsh', 0.5) UNION ALL SELECT FROM lsh_index_pairs('docs_lsh', 0.9, 1)} ],
	[ check => [], q{SELECT lsh_index_check('docs_lsh', true)} ],
	[ insert => [], 'BEGIN; INSERT INTO docs SELECT i, member(i % 100, i) FROM generate_series(1501, 1900) i; ROLLBACK' ],
	[ vacuum => [], 'VACUUM docs' ],
	[ 'passages: search' => [ index_scan() ], $quotes ],
	[ 'passages: compare all' => [ index_scan() ], q{SELECT 1, id FROM texts WHERE body &&~ passage_query(body_of(1), 'word:4')} ],
	[ 'passages: check' => [], q{SELECT lsh_index_check('texts_lsh', true), lsh_index_stats('texts_lsh')} ],
	[ 'passages: insert' => [], 'BEGIN; INSERT INTO texts SELECT i, body_of(i) FROM generate_series(401, 500) i; ROLLBACK' ],
	[ 'passages: vacuum' => [], 'VACUUM texts' ]);
my %counts;

# Change some bytes of a page of an index, more often those of its header.  Return
# the bytes of all pages, true if it is a page of the store, and its number.
sub damage
{
	my ($bytes) = @_;
	my $page = rand() < .3 ? int(rand(4)) : int(rand(length($bytes) / 8192));
	my $is_store = unpack('v', substr($bytes, 8192 * $page + 26, 2)) == 3;

	foreach (1 .. 1 + int(rand(3)))
	{
		my $at = 8192 * $page + (rand() < .7 ? 12 + int(rand(52)) : int(rand(8191)));
		my $kind = int(rand(4));

		if ($kind == 0) { vec($bytes, 8 * $at + int(rand(8)), 1) ^= 1; }
		elsif ($kind == 1) { substr($bytes, $at, 1) = chr(int(rand(256))); }
		elsif ($kind == 2) { substr($bytes, $at, 2) = pack('v', (0, 1, 0xffff, int(rand(9000)))[ rand 4 ]) if $at % 8192 < 8190; }
		else { substr($bytes, 8192 * $page, 8192) = "\0" x 8192 if rand() < .1; }
	}
	return ($bytes, $is_store, $page);
}

# Return the numbers of the pages of an index that have a type.
sub pages_of
{
	my ($bytes, $type) = @_;
	return grep { unpack('v', substr($bytes, 8192 * $_ + 26, 2)) == $type } 0 .. length($bytes) / 8192 - 1;
}

# Return the error of statements, with its SQLSTATE, while an index (0 or 1) has other bytes.
sub error_with
{
	my ($i, $bytes, @statements) = @_;

	write_file($paths[$i], $bytes);
	$node->start;
	my @errors = map { error_of($node, 'postgres', "\\set VERBOSITY verbose\n$_") } @statements;
	$node->stop;
	write_file($paths[$i], $whole[$i]);
	return @errors;
}

# Return the statements of a try.
sub statements_of
{
	my ($try) = @_;
	return join('', map { "SET $_;\n" } @{ $try->[1] }) . $try->[2];
}

foreach my $round (1 .. $rounds)
{
	my (@is_store, @page);

	foreach my $i (0, 1)
	{
		(my $bytes, $is_store[$i], $page[$i]) = damage($whole[$i]);
		write_file($paths[$i], $bytes);
	}
	$node->start;
	foreach my $try (@tries)
	{
		my ($name) = @$try;
		my $of_texts = $name =~ /^passages/ ? 1 : 0;
		my $page = $page[$of_texts];
		my ($status, $stdout, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\n" . statements_of($try));
		my ($state) = $stderr =~ /ERROR:  (\w+)/;

		$counts{$name}{ $state // 'none' }++;
		fail("round $round, page $page, $name: the server is lost: $stderr")
		  if $stderr =~ /server closed|terminating connection|could not connect/;
		# A damaged version, a damaged TID, and another kind of signatures, which is
		# valid by itself: insertions are refused, and a scan finds rows without an order.
		fail("round $round, page $page, $name: $stderr")
		  if defined $state && $state !~ /^(XX00[12]|54000)$/
		  && $stderr !~ /0A000: .* has format version|could not open file .* \(target block/
		  && $stderr !~ /22000: index "docs_lsh" cannot hold signatures of different kinds|XX000: index returned tuples in wrong order/;
		# A search for passages verifies every row by its text.
		if ($name =~ /search|compare/ && !defined $state && ($of_texts || !$is_store[0]))
		{
			my @wrong = grep { !$true{$_} } split /\n/, $stdout;
			is(scalar @wrong, 0, "round $round, page $page, $name: no row that does not match") if @wrong;
		}
	}
	# Dead rows remain in the table, and have no entries in a complete index.
	$node->stop;
}

# The indexes are whole again.
write_file($paths[$_], $whole[$_]) foreach 0, 1;

# With a damaged list of common k-grams a search would miss rows.  The last 8 bytes
# of the metapage are the hash of the list; those of a page of the list, a k-gram.
my @lists = pages_of($whole[1], 6);
cmp_ok(scalar @lists, '>', 0, 'there is a list of common k-grams');
foreach my $page (0, @lists)
{
	my $bytes = $whole[1];
	my @reading = grep { $_->[0] =~ /^passages: (search|insert|check)/ } @tries;

	vec($bytes, 8 * (8192 * $page + unpack('v', substr($bytes, 8192 * $page + 12, 2)) - 8), 1) ^= 1;
	like($_, qr/XX002: .*common k-grams/s, "list, page $page: refused") foreach error_with(1, $bytes, map { statements_of($_) } @reading);
}
# Without a directory, or with one end of the list of NULLs, an insertion would begin
# another list.
foreach my $at (56, 60, 64)
{
	my $bytes = $whole[0];

	substr($bytes, $at, 4) = "\xff" x 4;
	like((error_with(0, $bytes, 'INSERT INTO docs VALUES (0, NULL)'))[0],
		qr/XX002: .* at block 0\b/, "metapage without the block at $at: reported");
}

# If the list of free leaves leads elsewhere, to a leaf of the tree, itself, a page of
# the store, or none, splits report it or do without, and overwrite no page in use;
# the check reports it last, so that the tree is whole.
my ($free) = unpack('V', substr($whole[0], 52, 4));
my @leaves = grep { $_ > 1 && unpack('C', substr($whole[0], 8192 * $_ + 50, 1)) == 0 } pages_of($whole[0], 2);
my ($leaf) = grep { unpack('v', substr($whole[0], 8192 * $_ + 14, 2)) < 8000 } @leaves;
my ($store) = pages_of($whole[0], 3);
my $split = 'INSERT INTO docs SELECT 0, member(2, 0) FROM generate_series(1, 2500)';
cmp_ok($free, '>', 0, 'there are free leaves');
foreach my $damage ([ 'a leaf of the tree', 52, $leaf, '', 'listed as a free leaf' ],
	[ 'itself', 8192 * $free + 28, $free, '', 'listed as a free leaf|has no end' ],
	[ 'a page of the store', 52, $store, 'XX002', 'page of another type' ],
	[ 'a page beyond the end', 52, length($whole[0]) / 8192 + 9, 'XX001', 'read only 0 of' ],
	[ 'no page', 52, 0xffffffff, 'XX002', 'no such page' ])
{
	my ($what, $at, $block, $state, $detail) = @$damage;
	my $bytes = $whole[0];

	substr($bytes, $at, 4) = pack('V', $block);
	my ($found, $check) = error_with(0, $bytes, "BEGIN; $split; ROLLBACK", q{SELECT lsh_index_check('docs_lsh')});
	is($found =~ /ERROR:  (\w+)/ ? $1 : '', $state, "free leaves lead to $what: a split");
	like($check, qr/XX00[12]: .* blocks? $block\b.*(?:$detail)/s, "free leaves lead to $what: the check reports it");
}

# Entries that refer to records on the root, which is locked when a leaf is split, are
# reported when their keys are made again; reading such a record would wait for itself.
{
	my $bytes = $whole[0];

	foreach my $page (@leaves)
	{
		my $upper = unpack('v', substr($bytes, 8192 * $page + 14, 2));

		substr($bytes, 8192 * $page + $upper, 8192 - $upper) = pack('V', 32) x ((8192 - $upper) / 4);
	}
	like((error_with(0, $bytes, $split))[0], qr/XX002: .*page of the tree/s, 'records on the root: a split');
}

# A TID that is not valid is reported before the server gets it, which may only
# assume that TIDs are valid.  Records of a page of signatures have their TIDs after
# three planes, of 128 bytes a record in all.
foreach my $damage (
	[ 'docs', 'a signature', 0, 3, 64 + 31 * 128 ], [ 'texts', 'passages', 1, 3, 164 ],
	[ 'docs', 'a NULL among signatures', 0, 5, 32 ], [ 'texts', 'a NULL among passages', 1, 5, 32 ])
{
	my ($table, $what, $i, $type, $at) = @$damage;
	my $bytes = $whole[$i];
	my ($page) = pages_of($bytes, $type);
	my @reading = ("DELETE FROM $table WHERE id = 9; VACUUM (INDEX_CLEANUP ON) $table", "SELECT lsh_index_check('${table}_lsh')");

	push @reading, 'SET enable_seqscan = off; SET enable_sort = off; ' . ($table eq 'docs' ?
		'SELECT id FROM docs ORDER BY sig <-> (SELECT sig FROM probes LIMIT 1)' :
		q{SELECT id FROM texts WHERE body &&~ passage_query(body_of(1), 'word:4')}) unless $table eq 'texts' && $type == 5;
	substr($bytes, 8192 * $page + $at, 6) = "\0" x 6;
	like($_, qr/XX002: .* at block $page\b.*TID/s, "TID of $what: reported") foreach error_with($i, $bytes, @reading);
}
foreach my $try (@tries)
{
	my $states = $counts{ $try->[0] };
	pass("$try->[0]: " . join ', ', map { "$_ $states->{$_}" } sort keys %$states);
	cmp_ok($states->{XX002} // 0, '>', 0, "$try->[0]: some damage was refused");
}

# An index of another version of the format is refused by every statement but
# lsh_index_stats() until it is rebuilt.
foreach my $i (0, 1)
{
	my $bytes = $whole[$i];

	is(unpack('V', substr($bytes, 36, 4)), 1, "index $i has version 1 of the format");
	substr($bytes, 36, 4) = pack('V', 3);
	write_file($paths[$i], $bytes);
}
$node->start;
like(error_of($node, 'postgres', "\\set VERBOSITY verbose\n" . statements_of($_)),
	qr/0A000: .* has format version 3,.* it knows is 1\..*Rebuild the index with REINDEX INDEX/s, "version 3, $_->[0]: refused")
  foreach @tries, [ 'a NULL' => [], 'INSERT INTO docs VALUES (0, NULL)' ], [ 'passages: a NULL' => [], 'INSERT INTO texts VALUES (0, NULL)' ];
my $versions = q{SELECT version, entries IS NULL FROM unnest('{docs_lsh,texts_lsh}'::regclass[]) i, lsh_index_stats(i)};
is($node->safe_psql('postgres', $versions), "3|t\n3|t", 'lsh_index_stats() shows the version, without counts');
$node->safe_psql('postgres', 'REINDEX INDEX docs_lsh; REINDEX INDEX texts_lsh');
is($node->safe_psql('postgres', $versions), "1|f\n1|f", 'after REINDEX, it is the version of this build');
my ($by_index, $by_table) = map { join "\n", sort split /\n/, query_with($node, [ search(.5), @$_ ], $found =~ s/%%/%/r) }
  [ index_scan() ], [ seq_scan() ];
ok($by_index eq $by_table && $by_table =~ /\|/, 'after REINDEX, a search finds all rows');
is($node->safe_psql('postgres', q{SELECT lsh_index_check(i, true) FROM unnest('{docs_lsh,texts_lsh}'::regclass[]) i}),
	"\n", 'after REINDEX, the indexes are whole');
done_testing();

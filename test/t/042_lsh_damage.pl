# Damaged pages of an index of access method lsh: searches, writes, VACUUM,
# lsh_index_pairs and lsh_index_check return, mostly with an error that says that the index is
# damaged; nothing crashes or goes on for ever.  Where structure was damaged and
# not a signature, no row comes that does not match.
#
# LSHSIM_FUZZ=n tries n damages, LSHSIM_SEED=n draws others.

use strict;
use warnings;

use LshsimTest;
use Test::More;

my $rounds = $ENV{LSHSIM_FUZZ} // 60;
my $seed = $ENV{LSHSIM_SEED} // 1;
my $node = start_node('lsh_damage', 'jit = off', 'autovacuum = off', 'statement_timeout = 60s',
	'max_parallel_workers_per_gather = 0', 'full_page_writes = off', 'fsync = off',
	'restart_after_crash = off');

# Pages are edited, so they must have no checksums, as they have from 18 on.
if ($node->safe_psql('postgres', 'SHOW data_checksums') eq 'on')
{
	$node->stop;
	PostgreSQL::Test::Utils::system_or_bail('pg_checksums', '--disable', '-D', $node->data_dir);
	$node->start;
}
srand($seed);
note("seed $seed");

$node->safe_psql('postgres', q{
	CREATE FUNCTION member(family int, i int) RETURNS minhash LANGUAGE sql IMMUTABLE AS $$
		SELECT array_to_minhash(ARRAY(
			SELECT CASE WHEN j <= i % 12 THEN -1000::bigint * i - j ELSE 1000 * family + j END
			FROM generate_series(1, 60) j))
	$$;
	CREATE TABLE docs (id int, sig minhash);
	CREATE INDEX docs_lsh ON docs USING lsh (sig);
	INSERT INTO docs SELECT i, CASE WHEN i % 30 > 0 THEN member(i % 100, i) END FROM generate_series(1, 1500) i;
	CREATE TABLE probes AS SELECT member(family, 0) AS sig FROM generate_series(0, 99, 9) family;
	VACUUM ANALYZE docs});

my $path = $node->data_dir . '/' . $node->safe_psql('postgres', q{CHECKPOINT; SELECT pg_relation_filepath('docs_lsh')});
my $found = q{SELECT p.sig::text, d.id FROM probes p, LATERAL (SELECT id FROM docs WHERE docs.sig %% p.sig OFFSET 0) d};
my $all = join "\n", sort split /\n/, query_with($node, [ search(.5, .99), seq_scan() ], $found =~ s/%%/%/r);
my %true = map { $_ => 1 } split /\n/, $all;

cmp_ok(scalar keys %true, '>', 100, 'there is something to find');
$node->stop;
my $whole = slurp($path);
my $pages = length($whole) / 8192;

# What is tried of a damaged index; each may end in an error.
my @tries = (
	[ search => [ search(.5, .99), index_scan() ], $found =~ s/%%/%/r ],
	[ 'compare all' => [ search(.5, 1), index_scan() ], $found =~ s/%%/%/r ],
	[ order => [ index_scan() ], 'SELECT id FROM docs ORDER BY sig <-> (SELECT sig FROM probes LIMIT 1) LIMIT 5' ],
	[ pairs => [], q{SELECT FROM lsh_index_pairs('docs_lsh', 0.5) UNION ALL SELECT FROM lsh_index_pairs('docs_lsh', 0.9, 1)} ],
	[ check => [], q{SELECT lsh_index_check('docs_lsh', true)} ],
	[ insert => [], 'BEGIN; INSERT INTO docs SELECT i, member(i % 100, i) FROM generate_series(1501, 1900) i; ROLLBACK' ],
	[ vacuum => [], 'VACUUM docs' ]);
my %counts;

# Change some bytes of a page, more often those of its header; tell whether it
# holds signatures.
sub damage
{
	my ($bytes) = @_;
	my $page = rand() < .3 ? int(rand(4)) : int(rand($pages));
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

foreach my $round (1 .. $rounds)
{
	my ($bytes, $is_store, $page) = damage($whole);

	open my $file, '>:raw', $path or die "$path: $!";
	print $file $bytes;
	close $file or die "$path: $!";
	$node->start;
	foreach my $try (@tries)
	{
		my ($name, $settings, $sql) = @$try;
		my ($status, $stdout, $stderr) = $node->psql('postgres',
			"\\set VERBOSITY verbose\n" . join('', map { "SET $_;\n" } @$settings) . $sql);
		my ($state) = $stderr =~ /ERROR:  (\w+)/;

		$counts{$name}{ $state // 'none' }++;
		fail("round $round, page $page, $name: the server is lost: $stderr")
		  if $stderr =~ /server closed|terminating connection|could not connect/;
		fail("round $round, page $page, $name: $stderr")
		  if defined $state && $state !~ /^(XX00[12]|54000)$/ && $stderr !~ /0A000: .* has format version/;
		if ($name =~ /search|compare/ && !defined $state && !$is_store)
		{
			my @wrong = grep { !$true{$_} } split /\n/, $stdout;
			is(scalar @wrong, 0, "round $round, page $page, $name: no row that does not match") if @wrong;
		}
	}
	# Dead rows stay in the table, and have no entries in the whole index.
	$node->stop;
}
foreach my $try (@tries)
{
	my $states = $counts{ $try->[0] };
	pass("$try->[0]: " . join ', ', map { "$_ $states->{$_}" } sort keys %$states);
	cmp_ok($states->{XX002} // 0, '>', 0, "$try->[0]: some damage was refused");
}
done_testing();

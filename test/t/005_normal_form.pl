# The normal form of a text is Unicode's toNFKC_Casefold(NFD(text)).  Perl has its own
# tables: the property NFKC_Casefold, which maps every code point alone, and the form NFC,
# which makes one of what then belongs together.

use List::Util qw(min);
use LshsimTest;
use Unicode::Normalize qw(NFC NFD);
use Unicode::UCD qw(prop_invlist prop_invmap search_invlist);

my $node = start_node('normal_form');

# Not every utf8proc knows later code points.  Those that are reserved for
# ignorable characters are in a list of lshsim.
my ($unicode) = Unicode::UCD::UnicodeVersion() =~ /^(\d+)/;
my $known = 'Present_In: ' . min($unicode, 14) . '.0';
my @ignorable = prop_invlist('Default_Ignorable_Code_Point');

# Return the code points of an inversion list, which alternates between the
# beginning of a run and the first code point after it.
sub members
{
	my @list = @_;

	return map { $list[ 2 * $_ ] .. $list[ 2 * $_ + 1 ] - 1 } 0 .. @list / 2 - 1;
}

my %wanted = map { $_ => 1 } members(prop_invlist($known)), members(@ignorable);
my @code_points = sort { $a <=> $b } grep { $_ > 0 && ($_ < 0xD800 || $_ > 0xDFFF) } keys %wanted;

my ($starts, $maps) = prop_invmap('NFKC_Casefold');
my %folded;

# Map a code point alone; a run of the property has one number for its first
# code point, from which the others count, or a list, or nothing.
sub nfkc_casefold
{
	my ($c) = @_;
	my $i = search_invlist($starts, $c);
	my $to = $maps->[$i];

	return pack 'W*', @$to if ref $to;
	return '' if $to eq '';
	return chr($to == 0 ? $c : $to + $c - $starts->[$i]);
}

# Return the expected normal form of a text, with white space as lshsim leaves it.
sub expected
{
	my ($text) = @_;
	return NFC(join '', map { $folded{$_} //= nfkc_casefold(ord) } split //, NFD($text)) =~ s/\p{White_Space}+/ /gr =~ s/^ | $//gr;
}

# Write a text as hexadecimal digits of its UTF-8.
sub hex_utf8
{
	my ($text) = @_;

	utf8::encode($text);
	return unpack 'H*', $text;
}

# Compare the normal forms of texts of at most 255 code points.
sub compare
{
	my ($name, $texts) = @_;
	my @differing;

	$node->safe_psql('postgres', 'CREATE TABLE IF NOT EXISTS texts (n int, text bytea); TRUNCATE texts');
	open my $file, '>', $node->basedir . '/texts' or die $!;
	print $file "$_\t\\\\x" . hex_utf8($texts->[$_]) . "\n" for 0 .. $#$texts;
	close $file;
	$node->safe_psql('postgres', "COPY texts FROM '" . $node->basedir . "/texts'");
	my @forms = split /\n/, $node->safe_psql('postgres', q{
		SELECT 'x' || encode(convert_to(array_to_string(shingles(convert_from(text, 'UTF8'), 'char:255'), ''), 'UTF8'), 'hex')
		FROM texts ORDER BY n});
	for my $n (0 .. $#$texts)
	{
		my $form = hex_utf8(expected($texts->[$n]));

		push @differing, hex_utf8($texts->[$n]) . ": $forms[$n], not x$form" if $forms[$n] ne "x$form";
	}
	is(scalar @forms, scalar @$texts, "$name: " . @$texts . ' texts');
	is(@differing, 0, "$name: none differs") or diag(join "\n", @differing[ 0 .. min(20, $#differing) ]);
}

compare('every code point', [ map { chr } @code_points ]);
compare('between letters and a mark', [ map { 'e' . chr($_) . "\x{301}b" } @code_points ]);
compare('two of Hangul behind a syllable', [ map { my $c = $_; map { chr(0xAC00) . chr($c) . chr } 0x1100 .. 0x11FF } 0x1100 .. 0x11FF ]);

# Random texts, mostly of characters that interact with their neighbors.
my @marks = grep { chr =~ /\p{M}/ } @code_points;
my @dropped = grep { $wanted{$_} } members(@ignorable);
my @folded = grep { nfkc_casefold($_) ne chr } @code_points;
my @pools = (\@code_points, \@marks, \@marks, \@dropped, \@dropped, \@folded, [ 0x20, 0x345, 0x301, 0x34F, 0x3B1 ],
	[ 0x1100 .. 0x11FF ], [ 0x41 .. 0x5A ]);

seed(1);
note("Unicode $known");
compare('random texts', [ map { join '', map { my $pool = $pools[ rand @pools ]; chr $pool->[ rand @$pool ] } 1 .. 1 + rand 40 } 1 .. 50000 ]);

done_testing();

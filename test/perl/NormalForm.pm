# The normal form of a text, Unicode's toNFKC_Casefold(NFD(text)), by Perl's own
# tables: the property NFKC_Casefold, which maps every code point alone, and the
# form NFC, which makes one of what then belongs together.
package NormalForm;

use strict;
use warnings;

use Exporter 'import';
use Unicode::Normalize qw(NFC NFD);
use Unicode::UCD qw(prop_invmap search_invlist);

our @EXPORT = qw(nfkc_casefold normal_form);

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

# Return a text in its normal form, with its white space as it is.
sub normal_form
{
	my ($text) = @_;

	return NFC(join '', map { $folded{$_} //= nfkc_casefold(ord) } split //, NFD($text));
}

1;

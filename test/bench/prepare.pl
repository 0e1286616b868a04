#!/usr/bin/perl
# prepare.pl: read lines of an id and a text as COPY writes them; print lines of
# a number, the id, the text, and the text in two forms.
#
# The first form is what the truth of the corpora is about: every code point in
# lower case by itself, white space collapsed.  The second is the normal form of
# a shingling that is not raw, toNFKC_Casefold(NFD(text)), white space
# collapsed.  Both are by Perl's tables; nothing here is shared with src/.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../perl";
use NormalForm;

binmode STDIN, ':encoding(UTF-8)';
binmode STDOUT, ':encoding(UTF-8)';

my %escapes = (b => "\b", f => "\f", n => "\n", r => "\r", t => "\t", v => "\x0B");

# Return a text in its normal form.
sub fold
{
	my ($text) = @_;

	return lc $text if $text !~ /[^\x00-\x7F]/;
	return normal_form($text);
}

# Return a text with each code point in lower case by the simple mapping.
sub lower
{
	my ($text) = @_;

	return lc($text =~ s/\x{130}/i/gr);
}

# Return a text with a space for each run of white space, and none at the ends.
sub collapse
{
	my ($text) = @_;

	return $text =~ s/\p{White_Space}+/ /gr =~ s/^ | $//gr;
}

# Return a text as COPY writes it.
sub escape
{
	my ($text) = @_;
	my %by = reverse %escapes;

	return $text =~ s/\\/\\\\/gr =~ s/([\x08\f\n\r\t\x0B])/\\$by{$1}/gr;
}

while (my $line = <STDIN>)
{
	chomp $line;
	my ($id, $copied) = split /\t/, $line;
	my $text = $copied =~ s/\\(.)/$escapes{$1} \/\/ $1/ger;

	print join("\t", $., $id, $copied, escape(collapse(lower($text))), escape(collapse(fold($text)))), "\n";
}

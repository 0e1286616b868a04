#!/usr/bin/env bash
# Software: Perl modules Text::Ngrams 2.006 and Text::Ngram 0.15 (libtext-ngrams-perl 2.006-2, libtext-ngram-perl 0.15-3+b1
#   of Debian 12).
# Guess: "version 1" and "version 2" have different trigrams of characters.
# Seen: they have the same ones, in both modules, which have no place for digits.
# Why it matters: invoices, versions, sizes and dates that differ in numbers only are the pairs that a deduplication must keep
#   apart. Their similarity is 1 here, and a comparison with another program's shingles finds "missing" pairs.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download libtext-ngrams-perl=2.006-2 libtext-ngram-perl=0.15-3+b1 \
	libunicode-casefold-perl
for deb in *.deb; do dpkg-deb -x "$deb" .; done
PERL5LIB=$(echo "$dir"/usr/lib/*/perl5/5.*):$dir/usr/share/perl5 /usr/bin/perl >seen - <<'END'
use strict;
use warnings;
use Text::Ngram 'ngram_counts';
use Text::Ngrams;

for my $text ('version 1', 'version 2', 'version b') {
	my $ngrams = Text::Ngrams->new(windowsize => 3);
	$ngrams->process_text($text);
	my %of_ngrams = $ngrams->get_ngrams(n => 3);
	my $of_ngram = ngram_counts($text, 3);
	s/ //g for my @of_ngrams = keys %of_ngrams;
	print "$text, Text::Ngrams: ", join(' ', sort @of_ngrams), "\n";
	print "$text, Text::Ngram: ", join(' ', map { "[$_]" } sort keys %$of_ngram), "\n";
}
END
cat seen
diff seen - <<'END'
version 1, Text::Ngrams: ERS ION ON_ RSI SIO VER
version 1, Text::Ngram: [ers] [ion] [on ] [rsi] [sio] [ver]
version 2, Text::Ngrams: ERS ION ON_ RSI SIO VER
version 2, Text::Ngram: [ers] [ion] [on ] [rsi] [sio] [ver]
version b, Text::Ngrams: ERS ION N_B ON_ RSI SIO VER
version b, Text::Ngram: [ers] [ion] [n b] [on ] [rsi] [sio] [ver]
END

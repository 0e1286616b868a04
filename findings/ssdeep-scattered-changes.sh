#!/usr/bin/env bash
# Software: ssdeep 2.14.1+git20180629.57fcfff-3 of Debian 12, with libfuzzy2.
# Guess: of two texts of 4 kB of which 95 % is the same, word for word, ssdeep says that they match.
# Seen: 30 of 600 words replaced at equal distances: no match at all, as for an unrelated text. One word replaced: 99. What
#   counts is the longest stretch without a change, not the part that is shared.
# Why it matters: a text whose dates, numbers or names are filled in all over, a template, is the usual near-duplicate. Its
#   shingles agree to 80 % or more; its fuzzy hashes have nothing in common.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download ssdeep=2.14.1+git20180629.57fcfff-3 libfuzzy2=2.14.1+git20180629.57fcfff-3
for deb in *.deb; do dpkg-deb -x "$deb" .; done
lib=$(echo "$dir"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH=$lib
words() { awk -v seed="$1" 'BEGIN { srand(seed); for (i = 0; i < 600; i++) {
	w = ""; for (j = 0; j < 6; j++) w = w sprintf("%c", 97 + int(26 * rand())); print w } }'; }
words 1 >text
awk 'NR == 300 { $0 = "changed" } 1' text >one
awk 'NR % 20 == 10 { $0 = "changed" } 1' text >scattered
words 2 >unrelated
usr/bin/ssdeep -b text >digest
for file in text one scattered unrelated; do
	echo "$file: $(usr/bin/ssdeep -bm digest $file)"
done | sed 's/: .*(\(.*\))/: \1/; s/: $/: no match/' >seen
cat seen
diff seen - <<'END'
text: 100
one: 99
scattered: no match
unrelated: no match
END

#!/usr/bin/env bash
# Software: git 2.39.5 (git 1:2.39.5-0+deb12u3 of Debian 12), detection of renames and copies.
# Guess: of two files of one line of 3,000 characters, equal but for one character, git says that they are 90 % similar at least.
# Seen: they are not similar at all, even at --find-renames=1%. git compares pieces that end at a line break or after 64 bytes,
#   so one character more at the start moves every piece. The same change in lines of 60 characters leaves 97 %.
# Why it matters: a row exported as a file, an HTML page or a JSON document is often one line. A similarity index of git is no
#   measure for such texts: neither to choose a threshold by it nor to check pairs. Shingles are not moved by an insertion.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download git=1:2.39.5-0+deb12u3 libpcre2-8-0
for deb in *.deb; do dpkg-deb -x "$deb" .; done
lib=$(echo "$dir"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH=$lib HOME=$dir
awk 'BEGIN { srand(1); for (i = 0; i < 3000; i++) printf "%c", 97 + int(26 * rand()); print "" }' >line
mkdir old new
cp line old/line
fold -w 60 line >old/lines
for name in line lines; do { printf x; cat old/$name; } >new/$name-2; done
usr/bin/git diff --no-index --find-renames=1% --summary old new >seen || [ $? = 1 ]
cat seen
diff seen - <<'END'
 delete mode 100644 old/line
 create mode 100644 new/line-2
 rename old/lines => new/lines-2 (97%)
END

#!/usr/bin/env bash
# Software: textdistance 4.5.0 (python3-textdistance 4.5.0-1 of Debian 12), normalized_similarity().
# Guess: a normalized similarity lies between 0 and 1, is 1 for equal texts, and 0 for an empty text and another one.
# Seen: by smith_waterman and gotoh the empty text has similarity 1 to every text, by needleman_wunsch 0. smith_waterman gives 1 to
#   every text that contains the shorter one, gotoh goes below 0, and zlib_ncd and rle_ncd of equal texts are below 1.
# Why it matters: a row whose name is missing matches all others, above any threshold. Leave out empty fields, and inspect the range
#   of a measure on one's own data before choosing a threshold for it.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download python3-textdistance=4.5.0-1
dpkg-deb -x python3-textdistance_*.deb .
PYTHONPATH=$dir/usr/lib/python3/dist-packages /usr/bin/python3 - <<'PY' | tee seen
import textdistance

for name in ("smith_waterman", "gotoh", "needleman_wunsch", "jaccard", "zlib_ncd", "rle_ncd"):
    measure = getattr(textdistance, name)
    pairs = [("", "Miller"), ("a", "abaaa"), ("Miller", "Miller"), ("Miller", "Smith")]
    print(name, *(f"{measure.normalized_similarity(*pair):.2f}" for pair in pairs))
PY
diff seen - <<'END'
smith_waterman 1.00 1.00 1.00 0.00
gotoh 1.00 -0.10 1.00 0.40
needleman_wunsch 0.00 0.20 1.00 0.42
jaccard 0.00 0.20 1.00 0.10
zlib_ncd 0.50 0.73 0.83 0.50
rle_ncd 0.00 0.25 0.00 0.00
END

#!/usr/bin/env bash
# Software: pandas 1.5.3 (python3-pandas 1.5.3+dfsg-2 of Debian 12), Series.isin() and merge().
# Guess: a signed 64-bit key is in a list of unsigned ones if the number is the same, or the types are refused.
# Seen: isin() compares both as floating-point numbers, and takes neighbouring keys above 2^53 for equal: of ten consecutive keys all
#   are found if one is in the list. merge() on the same columns joins one.
# Why it matters: PostgreSQL's bigint is signed, and hashes and keys from Python are often unsigned. "Drop the rows whose key is in
#   the list of duplicates" then drops rows that are not in the list. Convert one side by astype first.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download python3-pandas=1.5.3+dfsg-2 python3-pandas-lib=1.5.3+dfsg-2 python3-numpy \
	python3-dateutil python3-tz python3-six libblas3 liblapack3 libgfortran5 libquadmath0
for deb in *.deb; do dpkg-deb -x "$deb" .; done
lib=$(echo "$dir"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack PYTHONPATH=$dir/usr/lib/python3/dist-packages
/usr/bin/python3 -W ignore >seen - <<'PY'
import pandas

first = 1801439850948198400     # of ten keys as they count up from the time of a row
rows = pandas.DataFrame({"key": pandas.Series(range(first, first + 10), dtype="int64")})
for kind in "uint64", "int64":
    listed = pandas.DataFrame({"key": pandas.Series([first + 3], dtype=kind)})
    print(kind, "isin", rows.key.isin(listed.key).sum(), "merge", len(rows.merge(listed)))
PY
cat seen
diff seen - <<'END'
uint64 isin 10 merge 1
int64 isin 1 merge 1
END

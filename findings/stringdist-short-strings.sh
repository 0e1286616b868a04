#!/usr/bin/env bash
# Software: R package stringdist 0.9.10 of Debian 12 (r-cran-stringdist 0.9.10-1, r-base-core 4.2.2.20221110-2).
# Guess: two different strings that are shorter than q have no q-gram in common, so their Jaccard similarity is 0 or NA.
# Seen: it is 1, as for equal strings; so is the cosine. The q-gram similarity is 1 for one character and NaN for two.
# Why it matters: near-duplicates of short codes, names and titles, found or checked in R, contain every pair of strings
#   below q characters. Choose q for the shortest string, or compare these for equality.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download r-cran-stringdist=0.9.10-1 r-base-core=4.2.2.20221110-2 \
	libblas3 liblapack3 libgfortran5 libquadmath0 libgomp1 libreadline8 libtirpc3 libicu72
for deb in *.deb; do dpkg-deb -x "$deb" .; done
mv usr/lib/R/etc/Renviron.ucf usr/lib/R/etc/Renviron
lib=$(echo "$dir"/usr/lib/*-linux-gnu)
export R_HOME=$dir/usr/lib/R R_SHARE_DIR=$dir/usr/share/R/share R_LIBS=$dir/usr/lib/R/site-library
export LD_LIBRARY_PATH=$R_HOME/lib:$lib:$lib/blas:$lib/lapack:$dir/lib/${lib##*/}
cat >seen.R <<'END'
suppressMessages(library(stringdist))
for (pair in list(c("a", "b"), c("ab", "xy"), c("abc", "xyz")))
	for (method in c("jaccard", "cosine", "qgram"))
		cat(paste(pair[1], pair[2], method, stringsim(pair[1], pair[2], method = method, q = 3)), fill = TRUE)
END
"$R_HOME/bin/exec/R" --vanilla --no-echo -f seen.R >seen
cat seen
diff seen - <<'END'
a b jaccard 1
a b cosine 1
a b qgram 1
ab xy jaccard 1
ab xy cosine 1
ab xy qgram NaN
abc xyz jaccard 0
abc xyz cosine 0
abc xyz qgram 0
END

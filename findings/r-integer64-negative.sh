#!/usr/bin/env bash
# Software: R package bit64 4.0.5 of Debian 12 (r-cran-bit64 4.0.5-1, r-base-core 4.2.2.20221110-2), with which fread() of data.table
#   (r-cran-data.table 1.14.8+dfsg-1) reads 64-bit integers of a CSV file.
# Guess: merge(), aggregate() and unique() of tables compare such keys exactly, or refuse the type.
# Seen: all negative keys above -2^52 are equal, and an unknown key is equal to 0: merge() joins -5 with -6 and NA with 0.
#   aggregate() leaves these negative keys out, unique() of two columns drops rows that differ in them. The bits are compared as
#   floating-point numbers, where they mean NaN and -0. Keys above 2^53 and unique() of a single column are right.
# Why it matters: -1 and -2 next to 64-bit keys mean "none" and "not yet", and bands of hashes have some keys in that range.
#   Rows with such keys become candidates of each other, or disappear from a count of copies. Read the keys as text.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download r-cran-bit64=4.0.5-1 r-cran-bit=4.0.5-1 r-cran-data.table=1.14.8+dfsg-1 r-base-core=4.2.2.20221110-2 \
	libblas3 liblapack3 libgfortran5 libquadmath0 libgomp1 libreadline8 libtirpc3 libicu72
for deb in *.deb; do dpkg-deb -x "$deb" .; done
mv usr/lib/R/etc/Renviron.ucf usr/lib/R/etc/Renviron
lib=$(echo "$dir"/usr/lib/*-linux-gnu)
export R_HOME=$dir/usr/lib/R R_SHARE_DIR=$dir/usr/share/R/share R_LIBS=$dir/usr/lib/R/site-library
export LD_LIBRARY_PATH=$R_HOME/lib:$lib:$lib/blas:$lib/lapack:$dir/lib/${lib##*/}
cat >seen.R <<'END'
suppressMessages(library(bit64))
key <- function(...) as.integer64(c(...))
pairs <- function(a, b) {
	joined <- merge(data.frame(key = key(a), a = a), data.frame(key = key(b), b = b))
	cat("merge:", paste(joined$a, joined$b, sep = " = "), fill = TRUE)
}
pairs(c("1152921504606846976", "-5", NA), c("1152921504606846977", "-6", "0"))
pairs(c("1152921504606846976", "5", "0"), c("1152921504606846976", "5", "0"))
rows <- data.table::fread("key,part,n\n-1,9007199254740995,1\n-2,9007199254740995,1\n9007199254740997,9007199254740995,1", data.table = FALSE)
cat("fread:", class(rows$key), as.character(rows$key), fill = TRUE)
cat("aggregate:", as.character(aggregate(n ~ key, rows, sum)$key), fill = TRUE)
cat("unique of two columns:", as.character(unique(rows[c("key", "part")])$key), fill = TRUE)
cat("unique of one:", as.character(unique(rows$key)), fill = TRUE)
END
"$R_HOME/bin/exec/R" --vanilla --no-echo -f seen.R >seen
cat seen
diff seen - <<'END'
merge: NA = 0 -5 = -6
merge: 0 = 0 5 = 5 1152921504606846976 = 1152921504606846976
fread: integer64 -1 -2 9007199254740997
aggregate: 9007199254740997
unique of two columns: -1 9007199254740997
unique of one: -1 -2 9007199254740997
END

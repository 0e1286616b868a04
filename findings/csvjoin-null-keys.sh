#!/usr/bin/env bash
# Software: csvkit 1.0.7 with agate 1.6.3 (csvkit 1.0.7-1, python3-agate 1.6.3-2 of Debian 12), csvjoin.
# Guess: a row whose key is "N/A" joins no row whose key is "-", as texts or as NULLs; at most it joins all such rows.
# Seen: N/A, none, - and . are all NULL, NULL joins NULL, and each row on the left gets the last such row of the right, so an
#   inner join adds a price to rows without a code. -I (--no-inference) does not help; --blanks does.
# Why it matters: pairs and keys are often exported as CSV, and joined there with the rows. Rows without a key get the text
#   of another row, and look like near-duplicates.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download csvkit=1.0.7-1 python3-csvkit=1.0.7-1 python3-agate=1.6.3-2 python3-agatedbf python3-agateexcel \
	python3-agatesql python3-six python3-babel python3-isodate python3-leather python3-parsedatetime python3-pytimeparse \
	python3-slugify python3-text-unidecode python3-tz python-babel-localedata
for deb in *.deb; do dpkg-deb -x "$deb" .; done
export PYTHONPATH=$dir/usr/lib/python3/dist-packages
printf '%s\n' code,title A-5,first N/A,second none,third >titles.csv
printf '%s\n' code,price A-5,1 -,2 .,3 >prices.csv
join() {
	echo "csvjoin${*:+ $*}"
	/usr/bin/python3 -W ignore usr/bin/csvjoin "$@" -c code titles.csv prices.csv
}
{ join; join -I; join -I --blanks; } >seen
cat seen
diff seen - <<'END'
csvjoin
code,title,price
A-5,first,1
,second,3
,third,3
csvjoin -I
code,title,price
A-5,first,1
,second,3
,third,3
csvjoin -I --blanks
code,title,price
A-5,first,1
END

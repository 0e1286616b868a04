#!/usr/bin/env bash
# Software: gensim 4.2.0 (python3-gensim 4.2.0+dfsg-1+deb12u1 of Debian 12).
# Guess: the Jaccard distance of a bag of words from itself is 0.
# Seen: it is .5, because the sum of both sizes stands for the union. No pair has a similarity above .5. Given sets instead of
#   bags, the same function returns 0; jaccard_distance() of two empty sets is 1.
# Why it matters: "distance at most .2" selects nothing at all, exact copies included, and looks like a table without
#   duplicates.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download python3-gensim=4.2.0+dfsg-1+deb12u1 python3-numpy python3-scipy python3-smart-open python3-decorator \
	liblbfgsb0 libblas3 liblapack3 libgfortran5 libquadmath0
for deb in *.deb; do dpkg-deb -x "$deb" .; done
lib=$(echo "$dir"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack PYTHONPATH=$dir/usr/lib/python3/dist-packages
/usr/bin/python3 -W ignore >seen - <<'PY'
from gensim.corpora import Dictionary
from gensim.matutils import jaccard

texts = [text.split() for text in ("the cat sat on the mat", "the cat sat on the mat", "the cat sat on the bed", "no dog")]
words = Dictionary(texts)
for text in texts[1:]:
    print(*text, "bags", round(jaccard(words.doc2bow(texts[0]), words.doc2bow(text)), 2),
          "sets", round(jaccard(set(texts[0]), set(text)), 2))
PY
cat seen
diff seen - <<'END'
the cat sat on the mat bags 0.5 sets 0.0
the cat sat on the bed bags 0.58 sets 0.33
no dog bags 1.0 sets 1.0
END

#!/usr/bin/env bash
# Software: gensim 4.2.0 (python3-gensim 4.2.0+dfsg-1+deb12u1 of Debian 12), TfidfModel and MatrixSimilarity.
# Guess: equal texts have similarity 1.
# Seen: it is 0 where all texts are equal, because a word of all texts weighs log(1) = 0. Two texts that differ in one word of
#   four have 0 as well if there is no other text, and .29 next to an unrelated one, where the Jaccard index is .6.
# Why it matters: in a tenant, block or batch of copies and near-duplicates only, which needs deduplication most, there seem to
#   be none. Weights by the number of texts with a word suit a search for rare words. Compare sets.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download python3-gensim=4.2.0+dfsg-1+deb12u1 python3-numpy python3-scipy python3-smart-open \
	python3-decorator liblbfgsb0 libblas3 liblapack3 libgfortran5 libquadmath0
for deb in *.deb; do dpkg-deb -x "$deb" .; done
lib=$(echo "$dir"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack PYTHONPATH=$dir/usr/lib/python3/dist-packages
/usr/bin/python3 -W ignore >seen - <<'PY'
from gensim.corpora import Dictionary
from gensim.models import TfidfModel
from gensim.similarities import MatrixSimilarity

copy, near, other = "red shoe size 9", "red shoe size 8", "a blue hat"
for texts in [copy, copy], [copy, copy, other], [copy, near], [copy, near, other]:
    bags = [text.split() for text in texts]
    words = Dictionary(bags)
    bags = [words.doc2bow(bag) for bag in bags]
    weights = TfidfModel(bags)[bags]
    print(", ".join(texts) + ":", *(f"{x:.2f}" for x in MatrixSimilarity(weights, num_features=len(words))[weights[0]]))
PY
cat seen
diff seen - <<'END'
red shoe size 9, red shoe size 9: 0.00 0.00
red shoe size 9, red shoe size 9, a blue hat: 1.00 1.00 0.00
red shoe size 9, red shoe size 8: 1.00 0.00
red shoe size 9, red shoe size 8, a blue hat: 1.00 0.29 0.00
END

#!/usr/bin/env bash
# Software: Abydos 0.5.0 (python3-abydos 0.5.0+git20201231.344346a-6 of Debian 12), class MinHash.
# Guess: of sets of 60 words that share 30, a Jaccard index of 1/3, the mean estimate by 128 hash functions is within .03 of it.
# Seen: an estimate is .48 or 1, nothing else: .48 for sets without a common word, 1 for a third of these pairs and for "Niall"
#   and "Neil", which share 2 of 9 bigrams. The 128 masks have 64 bits, the hashes of words 512, so that a mask changes no
#   order but by its sign, and all 128 functions together decide as much as one.
# Why it matters: a third of all pairs with a Jaccard index of 1/3 look like equal texts, at every threshold. Estimates of other
#   programs cannot be checked with this class; the class Jaccard is exact.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download python3-abydos=0.5.0+git20201231.344346a-6 python3-numpy=1:1.24.2-1+deb12u1 \
	python3-deprecation python3-packaging libblas3 liblapack3 libgfortran5 libquadmath0
for deb in *.deb; do dpkg-deb -x "$deb" .; done
lib=$(echo "$dir"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack PYTHONPATH=$dir/usr/lib/python3/dist-packages
/usr/bin/python3 -W ignore >seen - <<'PY'
from collections import Counter
from random import Random
from abydos.distance import Jaccard, MinHash
from abydos.tokenizer import WhitespaceTokenizer

random = Random(1)
minhash = MinHash(tokenizer=WhitespaceTokenizer(), k=128)
for shared in 0, 30:
    seen = Counter()
    for _ in range(200):
        words = ["%x" % random.getrandbits(40) for _ in range(120 - shared)]
        seen[round(minhash.sim(" ".join(words[:60]), " ".join(words[-60:])), 3)] += 1
    print(shared, "of 60 words shared:", *(f"{value} {count} times" for value, count in sorted(seen.items())), sep=" ")
print("Niall and Neil: MinHash", MinHash().sim("Niall", "Neil"), "Jaccard", round(Jaccard().sim("Niall", "Neil"), 2))
PY
cat seen
diff seen - <<'END'
0 of 60 words shared: 0.477 200 times
30 of 60 words shared: 0.477 137 times 1.0 63 times
Niall and Neil: MinHash 1.0 Jaccard 0.22
END

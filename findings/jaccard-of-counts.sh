#!/usr/bin/env bash
# Software: SciPy 1.10.1 and scikit-learn 1.2.1 (python3-scipy 1.10.1-2, python3-sklearn 1.2.1+dfsg-1 of Debian 12).
# Guess: the Jaccard distance of two vectors of word counts is the same in both, because scikit-learn calls SciPy for it.
# Seen: scikit-learn counts words that occur, SciPy those that occur equally often. Texts of the same words in other numbers are
#   equal for scikit-learn and have nothing in common for SciPy. Neither is the Jaccard index of the bags, sum of minima over
#   sum of maxima.
# Why it matters: one of the two is taken for the truth when estimates of similarity are checked. Turn counts to true and false
#   first; then both agree, and are what MinHash estimates.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download python3-sklearn=1.2.1+dfsg-1 python3-sklearn-lib=1.2.1+dfsg-1 python3-scipy=1.10.1-2 \
	python3-numpy python3-joblib python3-threadpoolctl python3-decorator liblbfgsb0 libblas3 liblapack3 libgfortran5 libquadmath0 libgomp1
for deb in *.deb; do dpkg-deb -x "$deb" .; done
lib=$(echo "$dir"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack PYTHONPATH=$dir/usr/lib/python3/dist-packages
/usr/bin/python3 -W ignore >seen - <<'PY'
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

for a, b in ([1, 2, 0], [2, 1, 0]), ([1, 2, 0], [1, 2, 3]), ([1, 2, 0], [1, 1, 1]):
    a, b = np.array([a]), np.array([b])
    print(a[0], b[0], *(f"{name} {distance.item():.2f}" for name, distance in (
        ("SciPy", cdist(a, b, "jaccard")), ("scikit-learn", pairwise_distances(a, b, metric="jaccard")),
        ("bags", 1 - np.minimum(a, b).sum() / np.maximum(a, b).sum()), ("SciPy of sets", cdist(a > 0, b > 0, "jaccard")))))
PY
cat seen
diff seen - <<'END'
[1 2 0] [2 1 0] SciPy 1.00 scikit-learn 0.00 bags 0.50 SciPy of sets 0.00
[1 2 0] [1 2 3] SciPy 0.33 scikit-learn 0.33 bags 0.50 SciPy of sets 0.33
[1 2 0] [1 1 1] SciPy 0.67 scikit-learn 0.33 bags 0.50 SciPy of sets 0.33
END

#!/usr/bin/env bash
# Software: scikit-learn 1.2.1 (python3-sklearn 1.2.1+dfsg-1 of Debian 12), scores of groupings.
# Guess: every score of a grouping against itself is 1.
# Seen: fowlkes_mallows_score() is 0 if no group has two rows, the worst value for a perfect result. The adjusted Rand index and
#   the V-measure are 1.
# Why it matters: groups of near-duplicates are compared with judgments by such scores. A table or tenant without duplicates,
#   rightly left alone, lowers the mean as if all of its rows had been grouped wrongly.

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
from sklearn.metrics import adjusted_rand_score, fowlkes_mallows_score, v_measure_score

for groups in [1, 1, 2, 3], [1, 2, 3, 4]:
    for score in adjusted_rand_score, v_measure_score, fowlkes_mallows_score:
        print(*groups, score.__name__, round(score(groups, groups), 2))
PY
cat seen
diff seen - <<'END'
1 1 2 3 adjusted_rand_score 1.0
1 1 2 3 v_measure_score 1.0
1 1 2 3 fowlkes_mallows_score 1.0
1 2 3 4 adjusted_rand_score 1.0
1 2 3 4 v_measure_score 1.0
1 2 3 4 fowlkes_mallows_score 0.0
END

#!/usr/bin/env bash
# Software: scikit-learn 1.2.1 (python3-sklearn 1.2.1+dfsg-1 of Debian 12), class AffinityPropagation.
# Guess: equal rows are in one cluster, because they have the same distances to all rows.
# Seen: of four copies of a row and one other row, three copies are a cluster, and one is alone; of two copies of one
#   row and three of another, each of the five is alone. It converges, and gives no warning. DBSCAN and MeanShift put copies together.
# Why it matters: exact copies are the ones that a deduplication must find, and a test on rows without copies does not show it.
#   Cluster each distinct row once, and give its copies the same label.

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
/usr/bin/python3 -W error::UserWarning >seen - <<'PY'
import numpy as np
from sklearn.cluster import DBSCAN, AffinityPropagation, MeanShift

for rows in [[0, 0]] * 4 + [[9, 9]], [[0, 0]] * 2 + [[9, 9]] * 3:
    for model in AffinityPropagation(random_state=0), DBSCAN(eps=0.5, min_samples=1), MeanShift(bandwidth=1):
        labels = [int(label) for label in model.fit_predict(np.array(rows, float))]
        groups = [[row for row in range(len(rows)) if labels[row] == label] for label in set(labels)]
        print(*rows, type(model).__name__, *sorted(groups))
PY
cat seen
diff seen - <<'END'
[0, 0] [0, 0] [0, 0] [0, 0] [9, 9] AffinityPropagation [0] [1, 2, 3] [4]
[0, 0] [0, 0] [0, 0] [0, 0] [9, 9] DBSCAN [0, 1, 2, 3] [4]
[0, 0] [0, 0] [0, 0] [0, 0] [9, 9] MeanShift [0, 1, 2, 3] [4]
[0, 0] [0, 0] [9, 9] [9, 9] [9, 9] AffinityPropagation [0] [1] [2] [3] [4]
[0, 0] [0, 0] [9, 9] [9, 9] [9, 9] DBSCAN [0, 1] [2, 3, 4]
[0, 0] [0, 0] [9, 9] [9, 9] [9, 9] MeanShift [0, 1] [2, 3, 4]
END

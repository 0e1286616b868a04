#!/usr/bin/env bash
# Software: scikit-learn 1.2.1 and SciPy 1.10.1 (python3-sklearn 1.2.1+dfsg-1, python3-scipy 1.10.1-2 of Debian 12).
# Guess: cut at distance .5, single linkage makes the same groups in AgglomerativeClustering and in SciPy's fcluster(), and so
#   does DBSCAN with eps=.5.
# Seen: rows at distance .5 exactly are one group for SciPy and DBSCAN, but two for AgglomerativeClustering, which merges only
#   below its distance_threshold.
# Why it matters: Jaccard indexes are fractions of small numbers, and often exactly on a round threshold, which "similarity
#   at least .5" includes. Give this class the next larger number, np.nextafter(0.5, 1).

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
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import DBSCAN, AgglomerativeClustering

sets = [{"red", "shoe"}, {"red", "shoe", "size", "9"}, {"blue", "hat"}]
distances = np.array([[1 - len(a & b) / len(a | b) for a in sets] for b in sets])
print("distances:", *distances[np.triu_indices(3, 1)])


def agglomerative(threshold):
    return AgglomerativeClustering(None, metric="precomputed", linkage="single", distance_threshold=threshold).fit_predict(distances)


for name, labels in [("fcluster", fcluster(linkage(squareform(distances), "single"), 0.5, "distance")),
                     ("DBSCAN", DBSCAN(eps=0.5, min_samples=1, metric="precomputed").fit_predict(distances)),
                     ("AgglomerativeClustering", agglomerative(0.5)),
                     ("the same with the next number", agglomerative(np.nextafter(0.5, 1)))]:
    print(f"{name}: {len(set(labels))} groups")
PY
cat seen
diff seen - <<'END'
distances: 0.5 1.0 1.0
fcluster: 2 groups
DBSCAN: 2 groups
AgglomerativeClustering: 3 groups
the same with the next number: 2 groups
END

#!/usr/bin/env bash
# Software: SciPy 1.10.1 (python3-scipy 1.10.1-2 of Debian 12), scipy.sparse.csgraph.
# Guess: in a matrix of distances with infinity for pairs beyond the threshold, connected components are the groups.
# Seen: rows at distance 0 are not connected, because zero means "no edge", too. Near-duplicates are grouped, exact copies are
#   not; the minimum spanning tree lacks them as well.
# Why it matters: copies are the most certain pairs, and a count of groups does not show that they are missing. Pass true and
#   false, connected_components(distances <= threshold).

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download python3-scipy=1.10.1-2 python3-numpy python3-decorator \
	libblas3 liblapack3 libgfortran5 libquadmath0
for deb in *.deb; do dpkg-deb -x "$deb" .; done
lib=$(echo "$dir"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack PYTHONPATH=$dir/usr/lib/python3/dist-packages
/usr/bin/python3 -W ignore >seen - <<'PY'
import numpy as np
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

texts = ["red shoe size 9", "red shoe size 9", "blue hat with a bow", "blue hat with bow"]
sets = [set(text.split()) for text in texts]
distances = np.array([[1 - len(a & b) / len(a | b) for a in sets] for b in sets])
near = distances <= 0.5
for name, matrix in ("distances", np.where(near, distances, np.inf)), ("true and false", near):
    print(name, *connected_components(matrix)[1])
print("edges of the tree:", minimum_spanning_tree(np.where(near, distances, np.inf)).nnz)
PY
cat seen
diff seen - <<'END'
distances 0 1 2 2
true and false 0 0 1 1
edges of the tree: 1
END

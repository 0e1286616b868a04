#!/usr/bin/env bash
# Software: igraph 0.10.2 for Python (python3-igraph 0.10.2-1+b1 of Debian 12), Graph.community_leiden().
# Guess: with its defaults, the Leiden algorithm finds two groups of five rows, in each of which all rows are linked, and that one
#   link connects.
# Seen: every row is alone. By default it optimizes the constant Potts model with resolution 1, where a complete group is worth as
#   much as its rows alone, and any other group less; weights below 1, such as similarities, make it worse. Louvain, label
#   propagation, and objective_function="modularity" find both groups.
# Why it matters: a graph of near-duplicates consists of small groups that are nearly complete. The result reads like "no duplicates".

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download python3-igraph=0.10.2-1+b1 python3-texttable libigraph3 libglpk40 libarpack2 libamd2 \
	libcolamd2 libsuitesparseconfig5 libltdl7 libgmp10 libxml2 libicu72 libblas3 liblapack3 libgfortran5 libquadmath0 libgomp1
for deb in *.deb; do dpkg-deb -x "$deb" .; done
lib=$(echo "$dir"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack PYTHONPATH=$dir/usr/lib/python3/dist-packages
/usr/bin/python3 -W ignore >seen - <<'PY'
from igraph import Graph

rows = Graph.Full(5) + Graph.Full(5)
rows.add_edge(4, 5)
rows.es["weight"] = [0.9] * rows.ecount()
for name, groups in (
        ("Leiden", rows.community_leiden()), ("Leiden, weights", rows.community_leiden(weights="weight")),
        ("Leiden, modularity", rows.community_leiden(objective_function="modularity")),
        ("Louvain", rows.community_multilevel())):
    print(name, *groups)
PY
cat seen
diff seen - <<'END'
Leiden [0] [1] [2] [3] [4] [5] [6] [7] [8] [9]
Leiden, weights [0] [1] [2] [3] [4] [5] [6] [7] [8] [9]
Leiden, modularity [0, 1, 2, 3, 4] [5, 6, 7, 8, 9]
Louvain [0, 1, 2, 3, 4] [5, 6, 7, 8, 9]
END

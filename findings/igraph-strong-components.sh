#!/usr/bin/env bash
# Software: igraph 0.10.2 for Python with pandas 1.5.3 (python3-igraph 0.10.2-1+b1, python3-pandas 1.5.3+dfsg-2 of Debian 12).
# Guess: connected_components() of a graph made of pairs joins the rows that pairs connect, as in R and networkx.
# Seen: every row is alone. Graph.DataFrame() makes a directed graph, and connected_components() asks for a way back as well
#   (strong components) by default; pairs with a < b have none.
# Why it matters: the pairs of a self-join have a < b. Grouped this way a table seems to have no duplicates, and nothing warns.
#   Pass directed=False.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download python3-igraph=0.10.2-1+b1 python3-pandas python3-pandas-lib python3-numpy \
	python3-dateutil python3-tz python3-six python3-texttable libigraph3 libglpk40 libarpack2 libamd2 libcolamd2 libsuitesparseconfig5 \
	libltdl7 libgmp10 libxml2 libicu72 libblas3 liblapack3 libgfortran5 libquadmath0 libgomp1
for deb in *.deb; do dpkg-deb -x "$deb" .; done
lib=$(echo "$dir"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack PYTHONPATH=$dir/usr/lib/python3/dist-packages
/usr/bin/python3 -W ignore >seen - <<'PY'
import igraph
import pandas

pairs = pandas.DataFrame({"a": [0, 1, 3], "b": [1, 2, 4]})
for arguments in {}, {"directed": False}:
    print(arguments, *sorted(igraph.Graph.DataFrame(pairs, **arguments).connected_components()))
PY
cat seen
diff seen - <<'END'
{} [0] [1] [2] [3] [4]
{'directed': False} [0, 1, 2] [3, 4]
END

#!/usr/bin/env bash
# Software: npm package talisman 1.1.4, clustering (naive, vp-tree, sorted-neighborhood, blocking).
# Guess: the clusters are the connected components of the pairs within the radius, so a row is in one cluster at most, and the
#   order of the rows does not matter.
# Seen: a row can be in two clusters, and the order decides. Of hanna with the neighbours anna and hannah, hanna first makes one
#   cluster of three; anna first makes two, both with hanna. All four functions do the same.
# Why it matters: rows counted by cluster are counted twice, and "keep the first row of each cluster" keeps two rows of one
#   group, or deletes a row that another cluster keeps. Take the pairs, and join them by union-find.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" talisman@1.1.4
node - >seen <<'END'
const load = (name) => require("talisman/" + name).default || require("talisman/" + name);
const distance = load("metrics/levenshtein");
const options = { distance, radius: 1, window: 3, block: () => ["all"], comparator: (a, b) => (a < b ? -1 : 1) };
for (const rows of [["anna", "hanna", "hannah"], ["hanna", "anna", "hannah"]])
	for (const name of ["naive", "vp-tree", "blocking", "sorted-neighborhood"])
		console.log(rows.join(" ") + ", " + name + ": " +
			load("clustering/" + name)(options, rows).map((cluster) => cluster.sort().join(" ")).sort().join(" | "));
END
cat seen
diff seen - <<'END'
anna hanna hannah, naive: anna hanna | hanna hannah
anna hanna hannah, vp-tree: anna hanna | hanna hannah
anna hanna hannah, blocking: anna hanna | hanna hannah
anna hanna hannah, sorted-neighborhood: anna hanna | hanna hannah
hanna anna hannah, naive: anna hanna hannah
hanna anna hannah, vp-tree: anna hanna hannah
hanna anna hannah, blocking: anna hanna hannah
hanna anna hannah, sorted-neighborhood: anna hanna hannah
END

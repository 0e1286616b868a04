#!/usr/bin/env bash
# Software: DuckDB 1.5.6 (npm package @duckdb/node-api 1.5.6-r.1).
# Guess: the cosine similarity of a zero vector is NULL, NaN or an error, because it is not defined.
# Seen: it is -1, and its distance from every vector, itself included, is 2: the opposite of everything.
# Why it matters: weights of an empty text are a zero vector. Such rows become the most distant pair of a table, and an
#   average over pairs shifts, where one expects rows without a result. Filter them, or compare sets.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" @duckdb/node-api@1.5.6-r.1
node - >seen <<'END'
(async () => {
	const { DuckDBInstance } = require("@duckdb/node-api");
	const connection = await (await DuckDBInstance.create(":memory:")).connect();
	for (const b of ["[1, 0]", "[0, 0]"]) {
		const result = await connection.run(`SELECT list_cosine_similarity([0, 0]::double[], ${b}::double[]),
			array_cosine_distance([0, 0]::float[2], ${b}::float[2])`);
		const [[similarity, distance]] = await result.getRows();
		console.log("[0, 0] and " + b + ": similarity " + similarity + ", distance " + distance);
	}
})();
END
cat seen
diff seen - <<'END'
[0, 0] and [1, 0]: similarity -1, distance 2
[0, 0] and [0, 0]: similarity -1, distance 2
END

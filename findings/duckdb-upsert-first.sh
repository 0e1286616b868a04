#!/usr/bin/env bash
# Software: DuckDB 1.5.6 (npm package @duckdb/node-api 1.5.6-r.1), INSERT ... ON CONFLICT and MERGE.
# Guess: two rows of one key in a single upsert are an error, as in PostgreSQL, or the later one wins, as in SQLite.
# Seen: the first wins, and the second disappears: ON CONFLICT DO UPDATE SET n = t.n + excluded.n adds 10 of 10 and 20. MERGE
#   does the same, and counts the row twice in its result. The same two rows in two statements add 30.
# Why it matters: batches with copies of a key are what deduplication is about. Counts and merged columns are too low, and the
#   row that is kept is the first of the batch. Group the batch by key before the upsert.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" @duckdb/node-api@1.5.6-r.1
node - >seen <<'END'
(async () => {
	const { DuckDBInstance } = require("@duckdb/node-api");
	const connection = await (await DuckDBInstance.create(":memory:")).connect();
	const query = async (sql) => (await connection.runAndReadAll(sql)).getRows();
	const tail = "ON CONFLICT (id) DO UPDATE SET n = t.n + excluded.n";
	const merge = (rows) => `MERGE INTO t USING (VALUES ${rows}) s (id, n) ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = t.n + s.n`;
	for (const [name, ...statements] of [
		["two statements", `INSERT INTO t VALUES (1, 10) ${tail}`, `INSERT INTO t VALUES (1, 20) ${tail}`],
		["one statement", `INSERT INTO t VALUES (1, 10), (1, 20) ${tail}`],
		["one statement, new key", `INSERT INTO t VALUES (2, 10), (2, 20) ${tail}`],
		["merge", merge("(1, 10), (1, 20)")]]) {
		await query("CREATE OR REPLACE TABLE t (id int PRIMARY KEY, n int)");
		await query("INSERT INTO t VALUES (1, 0)");
		let count;
		for (const statement of statements) [[count]] = await query(statement);
		console.log(`${name}: count ${count}, rows ${(await query("FROM t ORDER BY id")).join(" ")}`);
	}
})();
END
cat seen
diff seen - <<'END'
two statements: count 1, rows 1,30
one statement: count 1, rows 1,10
one statement, new key: count 1, rows 1,0 2,10
merge: count 2, rows 1,10
END

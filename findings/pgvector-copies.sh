#!/usr/bin/env bash
# Software: pgvector 0.8.7 (npm package @electric-sql/pglite-pgvector 0.0.15) on PGlite 0.5.14, which is PostgreSQL 18.6.
# Guess: equal rows do no harm to an HNSW index: at least 95 % of the other rows are still found by a search for themselves.
# Seen: 300 random rows are all found. With 5,000 copies of one more row, most of the 300 are not, or none is: a search that
#   comes to the copies finds nothing nearer among its 40 candidates, and ends there.
# Why it matters: a table with a template or an empty text in thousands of rows is just the one in which near-duplicates are
#   sought. The rows that are lost are not the copies. Embed each distinct text once: group equal or similar texts first.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" \
	@electric-sql/pglite@0.5.14 @electric-sql/pglite-pgvector@0.0.15
cat >seen.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";

const db = await PGlite.create({ extensions: { vector } });
await db.exec(`CREATE EXTENSION vector; SET enable_seqscan = off; SELECT setseed(0.5);
	CREATE TABLE doc (id int, embedding vector(16));
	INSERT INTO doc SELECT i, array_agg(random())::vector FROM generate_series(1, 300) i, generate_series(1, 16) GROUP BY i`);
for (const copies of [0, 5000]) {
	await db.exec(`INSERT INTO doc SELECT 300 + i, array_fill(0.5::real, ARRAY[16])::vector FROM generate_series(1, ${copies}) i;
		DROP INDEX IF EXISTS doc_hnsw; CREATE INDEX doc_hnsw ON doc USING hnsw (embedding vector_l2_ops)`);
	const { rows: [{ n }] } = await db.query(`SELECT count(*)::int AS n FROM doc a, LATERAL
		(SELECT id FROM doc b ORDER BY b.embedding <-> a.embedding LIMIT 1) nearest WHERE a.id <= 300 AND nearest.id = a.id`);
	console.log(`${copies} copies: ${n >= 285 ? "at least 95 %" : n < 150 ? "less than half" : "more than half"} of 300 found`);
}
await db.close();
JS
node seen.mjs >seen
cat seen
diff seen - <<'END'
0 copies: at least 95 % of 300 found
5000 copies: less than half of 300 found
END

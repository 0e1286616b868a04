# An upgraded extension equals a new installation, and objects created under the
# older version keep their results.
#
# Every path from an install script in src or test/data, through the upgrade
# scripts there, to the version of lshsim.control is tried step by step, by a user
# who is not a superuser.  How to add a version: CONTRIBUTING.md.
#
# The test derives two older versions from the current script, so that there is
# always one: the script without groups, passages, advice and the functions of
# indexes, with another cost.  The upgrade from "older" is complete.  That from
# "forgetful" lacks two changes, which the comparison must find.

use File::Basename;
use LshsimTest;
use PostgreSQL::Test::Utils;

my $node = start_node('upgrade');
my $directory = $node->safe_psql('postgres',
	q{SELECT setting FROM pg_config WHERE name = 'SHAREDIR'}) . '/extension';
my ($default) = slurp('lshsim.control') =~ /^default_version = '(.*)'/m;
my @installed;

# The scripts, by the versions between "lshsim--" and ".sql" in their names.
my %scripts = map { /lshsim--(.*)\.sql$/ ? ($1 => slurp($_)) : () }
  glob('src/lshsim--*.sql test/data/lshsim--*.sql');

plan skip_all => "cannot write to $directory" unless -w $directory;

# Remove the scripts that this test installed.
END { unlink @installed }

# Derive the two older versions from the current script, and their upgrades.
sub make_older
{
	my $class = qr/COMMENT ON OPERATOR CLASS minhash_ops USING gin [^;]*;\n/;
	my ($types, $groups, $methods, $indexes) =
	  $scripts{$default} =~ /^(.*?)(--\n-- Groups in a table\n.*?)(--\n-- Access methods\n.*?$class)(.*)$/s
	  or die 'no such sections';
	my ($older, $upgrade) = ($types . $methods, $groups . $indexes);
	my $cost = 'ALTER FUNCTION to_minhash(text, shingling, integer, integer, text) COST 100;';

	$older =~ s/(CREATE FUNCTION to_minhash\([^;]*) COST 100;/$1 COST 7;/ or die 'no cost';
	$scripts{$_} = $older foreach qw(older forgetful);
	$scripts{"older--$default"} = "$upgrade\n$cost\n";
	$scripts{"forgetful--$default"} = $upgrade =~ s/COMMENT ON FUNCTION minhash_advise_shingling[^;]*;\n//r;
	return;
}

# Return all paths from a version to the default one, as lists of versions.
sub ways_from
{
	my (@way) = @_;
	my @next = map { /^\Q$way[-1]\E--(.*)/ ? $1 : () } sort keys %scripts;

	return [@way] if $way[-1] eq $default;
	return map {
		my $next = $_;
		(grep { $_ eq $next } @way) ? () : ways_from(@way, $next)
	} @next;
}

# Run statements in a database as its owner.
sub as_owner
{
	my ($database, $sql) = @_;
	return $node->safe_psql($database, $sql, extra_params => [ '-U', 'owner' ]);
}

# The definition of the extension, a line for each field of the catalogs: its
# objects and their internal dependencies, with names in place of OIDs.
# pg_get_catalog_foreign_keys() lists the columns that hold OIDs.
my $definition = q{
	CREATE TEMP VIEW member AS
	WITH RECURSIVE member (classid, objid) AS (
		SELECT classid, objid FROM pg_depend
		WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
			AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'lshsim')
		UNION
		SELECT d.classid, d.objid FROM pg_depend d JOIN member m
			ON d.refclassid = m.classid AND d.refobjid = m.objid
		WHERE d.deptype IN ('a', 'i')
			AND d.classid IN ('pg_type'::regclass, 'pg_amop'::regclass, 'pg_amproc'::regclass)
	) SELECT *, pg_describe_object(classid, objid, 0) AS name FROM member;
	CREATE TEMP TABLE known (class regclass, catalog regclass, key name);
	INSERT INTO known SELECT c, c, 'oid' FROM unnest('{pg_type, pg_proc, pg_operator,
		pg_cast, pg_opclass, pg_opfamily, pg_amop, pg_amproc}'::regclass[]) c;
	INSERT INTO known VALUES ('pg_proc', 'pg_aggregate', 'aggfnoid');

	SELECT format('SELECT name || %L || coalesce(%s, %L) FROM member JOIN %s c ON c.%s = objid WHERE classid = %L::regclass',
		': ' || a.attname || ' = ',
		format(CASE WHEN a.atttypid = 'pg_node_tree'::regtype THEN 'pg_get_expr(c.%1$I, 0)'
			WHEN f.is_array THEN '(SELECT string_agg(pg_describe_object(%2$L::regclass, o, 0), %3$L ORDER BY n)
				FROM unnest(c.%1$I) WITH ORDINALITY u (o, n))'
			WHEN f.pktable IS NOT NULL THEN 'pg_describe_object(%2$L::regclass, c.%1$I::oid, 0)'
			ELSE 'c.%1$I::text' END, a.attname, f.pktable, ', '),
		'null', k.catalog, k.key, k.class)
	FROM known k JOIN pg_attribute a ON a.attrelid = k.catalog AND a.attnum > 0 AND a.attname NOT IN ('oid', k.key)
		LEFT JOIN pg_get_catalog_foreign_keys() f ON f.fktable = k.catalog AND f.fkcols = ARRAY[a.attname::text]
	\gexec
	SELECT name || ': comment = ' || description FROM member JOIN pg_description
		ON classoid = classid AND objoid = objid;
	SELECT name || ': initial privileges = ' || initprivs::text FROM member JOIN pg_init_privs
		ON classoid = classid AND objoid = objid;
	SELECT name || ': depends (' || d.deptype::text || ') on ' || pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
	FROM member m JOIN pg_depend d ON d.classid = m.classid AND d.objid = m.objid;
	SELECT 'extension: ' || (to_jsonb(e) - '{oid,extowner,extnamespace}'::text[])::text FROM pg_extension e WHERE extname = 'lshsim';
	SELECT 'not compared: ' || name FROM member WHERE classid NOT IN (SELECT class FROM known)};

# Return a definition as a set of lines.
sub definition_of
{
	my ($database) = @_;
	return map { $_ => 1 } split /\n(?=\S)/, $node->safe_psql($database, $definition);
}

# Objects of a user of an older version, made with features of every version.
my $objects = q{
	CREATE TABLE docs (id int PRIMARY KEY, body text,
		sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED, how shingling DEFAULT 'char:5',
		CHECK (sig % sig));
	INSERT INTO docs (id, body)
		SELECT id, (SELECT string_agg(CASE WHEN i <= id % 10 THEN id + i ELSE id / 10 * 100 + i END::text, ' ')
			FROM generate_series(1, 50) i) FROM generate_series(1, 1000) id;
	CREATE INDEX docs_sig ON docs USING gin (sig);
	CREATE INDEX docs_words ON docs USING gin (to_minhash(body, 'word:2'));
	CREATE INDEX docs_lsh ON docs USING lsh (to_minhash(body, 'word:3'));
	CREATE INDEX docs_order ON docs (sig);
	CREATE INDEX docs_hash ON docs USING hash (sig);
	CREATE INDEX docs_how ON docs USING hash (how);
	CREATE VIEW pairs AS SELECT a.id, b.id AS other, round((a.sig <-> b.sig)::numeric, 6) AS distance
		FROM docs a JOIN docs b ON a.sig % b.sig};
my $all_of = q{SELECT count(*), md5(string_agg(x::text, ',' ORDER BY x::text)) FROM};
my $answers = qq{
	$all_of pairs x; $all_of docs x;
	$all_of (SELECT a.id, b.id FROM docs a JOIN docs b
		ON to_minhash(a.body, 'word:2') % to_minhash(b.body, 'word:2') WHERE a.id < 100) x;
	$all_of (SELECT a.id, b.id FROM docs a JOIN docs b
		ON to_minhash(a.body, 'word:3') % to_minhash(b.body, 'word:3') WHERE a.id < 100) x};

# Install a version, create objects, upgrade along a path; return the earlier results.
sub upgrade_by
{
	my ($database, $first, @next) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $database OWNER owner TEMPLATE template0");
	as_owner($database, "CREATE SCHEMA near; CREATE EXTENSION lshsim SCHEMA near VERSION '$first'");
	as_owner($database, "ALTER DATABASE $database SET search_path = public, near");
	as_owner($database, $objects);
	my $before = as_owner($database, $answers);
	as_owner($database, "SET search_path = ''; ALTER EXTENSION lshsim UPDATE TO '$_'") foreach @next;
	return $before;
}

# Return the differences between an upgraded database and a new one, in both
# directions.
sub differences_of
{
	my ($database) = @_;
	my %fresh = definition_of('fresh');
	my %upgraded = definition_of($database);

	cmp_ok(scalar keys %fresh, '>', 3000, scalar(keys %fresh) . ' facts are compared');
	return ([ grep { !$upgraded{$_} } sort keys %fresh ], [ grep { !$fresh{$_} } sort keys %upgraded ]);
}

# Check that an upgraded database has the same definitions as a new one.
sub check_definition
{
	my ($name, $database, $step) = @_;
	my ($missing, $extra) = differences_of($database);

	ok(!@$missing && !@$extra, "$name: equals a fresh install")
	  or diag("lshsim--$step.sql does not do all that was changed in lshsim--$default.sql:\n",
		map({ "  it should make:  $_\n" } @$missing), map({ "  it leaves:       $_\n" } @$extra));
	return;
}

# Check that a comparison finds the changes that an upgrade lacks.
sub check_forgotten
{
	my ($missing, $extra) = differences_of('forgetful');
	my $function = 'function to_minhash(text,shingling,integer,integer,text)';

	is_deeply([ map { s/ = recommend a shingling.*/ = recommend a shingling/r } @$missing ],
		[ 'function minhash_advise_shingling(regclass,name,regclass,name): comment = recommend a shingling', "$function: procost = 100" ],
		'what was forgotten is found');
	is_deeply($extra, ["$function: procost = 7"], 'and what was left');
	return;
}

# Check the objects created before the upgrade.
sub check_data
{
	my ($name, $database, $before) = @_;
	my $plan = sub { as_owner($database, "SET enable_seqscan = off; EXPLAIN (COSTS OFF) $_[0]") };

	foreach my $settings ('enable_bitmapscan = off', 'enable_seqscan = off')
	{
		is(as_owner($database, "SET $settings; $answers"), $before, "$name: the same answers, $settings");
	}
	like($plan->('TABLE pairs'), qr/Bitmap Index Scan on docs_sig/, "$name: by the index made before");
	like($plan->(q{SELECT FROM docs a, docs b WHERE to_minhash(b.body, 'word:3') % to_minhash(a.body, 'word:3')}),
		qr/Scan (on|using) docs_lsh/, "$name: also by that of method lsh");
	like($plan->(q{SELECT FROM docs a, docs b WHERE b.sig @@ minhash_query(a.sig, 0.5)}),
		qr/Bitmap Index Scan on docs_sig/, "$name: which serves the operators of today");
	is(as_owner($database, q{
			SET enable_seqscan = off;
			INSERT INTO docs (id, body) SELECT 2000 + id, body FROM docs WHERE id % 2 = 0;
			DELETE FROM docs WHERE id % 3 = 0;
			VACUUM docs;
			CREATE TEMP TABLE before AS TABLE pairs;
			REINDEX TABLE docs;
			(TABLE before EXCEPT TABLE pairs) UNION ALL (TABLE pairs EXCEPT TABLE before)}),
		'', "$name: REINDEX changes nothing");
	is(error_of($node, $database, q{SELECT near.lsh_index_check('docs_lsh', true)}), '',
		"$name: no fault is found in the lsh index");
	return;
}

foreach my $file (glob 'src/lshsim--*.sql')
{
	is(slurp("$directory/" . basename($file)), slurp($file), "make install installs $file");
}
ok(exists $scripts{$default}, "there is an install script of version $default");
make_older();
foreach my $versions (grep { !-e "src/lshsim--$_.sql" } sort keys %scripts)
{
	push @installed, "$directory/lshsim--$versions.sql";
	append_to_file($installed[-1], $scripts{$versions});
}
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');
upgrade_by('fresh', $default);

my $number = 0;
foreach my $first (grep { !/--/ && $_ ne $default && $_ ne 'forgetful' } sort keys %scripts)
{
	my @ways = ways_from($first);

	ok(@ways > 0, "there are upgrade scripts from version $first to version $default");
	foreach my $way (@ways)
	{
		my $name = join ' to ', @$way;
		my $database = 'upgraded' . ++$number;

		check_data($name, $database, upgrade_by($database, @$way));
		check_definition($name, $database, join '--', @$way[ -2, -1 ]);
	}
}
cmp_ok($number, '>', 0, 'there was an upgrade');
upgrade_by('forgetful', 'forgetful', $default);
check_forgotten();

$node->stop;
done_testing();

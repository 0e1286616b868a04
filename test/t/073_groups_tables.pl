# Groups of partitioned tables, keys of types from elsewhere, default privileges and dumps;
# code that another role plants must not run with the rights of the owner.

use LshsimTest;

my $node = start_node('tables', 'jit = off');

# Refresh groups, and compare them with the components.
sub check_groups
{
	my ($database, $docs, $groups, $name) = @_;
	is($node->safe_psql($database, qq{SELECT count(minhash_groups_refresh('$groups')); SELECT wrong_groups('$docs', '$groups')}), "1\n0", $name);
	return;
}

$node->safe_psql('postgres', group_functions());

# Partitions that come and go, and rows that no trigger would see.
{
	my $changed = sub {
		my ($name, $sql) = @_;
		$node->safe_psql('postgres', $sql);
		check_groups('postgres', 'docs', 'docs_groups', $name);
	};

	$node->safe_psql('postgres', q{
		CREATE TABLE docs (id bigint PRIMARY KEY, sig minhash) PARTITION BY RANGE (id);
		CREATE TABLE low PARTITION OF docs FOR VALUES FROM (0) TO (30);
		CREATE TABLE high PARTITION OF docs FOR VALUES FROM (30) TO (1000);
		INSERT INTO docs SELECT i, link(i) FROM generate_series(1, 80) i WHERE i % 4 > 0;
		SELECT minhash_groups_create('docs', 'sig', 0.6, 0.99)});
	$changed->('new groups', 'SELECT 1');
	$changed->('attached', 'CREATE TABLE more (LIKE docs INCLUDING ALL); INSERT INTO more SELECT i, link(i - 990) FROM generate_series(1001, 1020) i;
		ALTER TABLE docs ATTACH PARTITION more FOR VALUES FROM (1000) TO (2000)');
	$changed->('another partition', 'UPDATE docs SET id = 4 WHERE id = 1015');
	$changed->('one partition truncated', 'TRUNCATE more');
	$changed->('detached', 'ALTER TABLE docs DETACH PARTITION low');
	$changed->('replica', 'SET session_replication_role = replica; DELETE FROM docs WHERE id % 5 = 0');
}

# Keys whose operators are in other schemas, domains, and keys of two columns.  The default
# operator class of a type may use an operator in another schema than its function.
SKIP:
{
	$node->psql('postgres', 'CREATE EXTENSION citext') == 0 or skip 'no citext', 8;
	$node->safe_psql('postgres', q{
		CREATE DOMAIN nick AS citext; CREATE DOMAIN code AS varchar(9) COLLATE "C" CHECK (VALUE <> '');
		CREATE SCHEMA f; CREATE SCHEMA o;
		CREATE TYPE o.t AS (x int);
		CREATE FUNCTION f.t_eq(o.t, o.t) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1.x % 1000 = $2.x % 1000';
		CREATE FUNCTION f.t_hash(o.t) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1.x % 1000';
		CREATE FUNCTION f.t_lt(o.t, o.t) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1.x % 1000 < $2.x % 1000';
		CREATE FUNCTION f.t_le(o.t, o.t) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1.x % 1000 <= $2.x % 1000';
		CREATE FUNCTION f.t_ge(o.t, o.t) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1.x % 1000 >= $2.x % 1000';
		CREATE FUNCTION f.t_gt(o.t, o.t) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1.x % 1000 > $2.x % 1000';
		CREATE FUNCTION f.t_cmp(o.t, o.t) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT sign($1.x % 1000 - $2.x % 1000)::int';
		CREATE OPERATOR o.= (LEFTARG = o.t, RIGHTARG = o.t, FUNCTION = f.t_eq, HASHES, MERGES);
		CREATE OPERATOR o.< (LEFTARG = o.t, RIGHTARG = o.t, FUNCTION = f.t_lt);
		CREATE OPERATOR o.<= (LEFTARG = o.t, RIGHTARG = o.t, FUNCTION = f.t_le);
		CREATE OPERATOR o.>= (LEFTARG = o.t, RIGHTARG = o.t, FUNCTION = f.t_ge);
		CREATE OPERATOR o.> (LEFTARG = o.t, RIGHTARG = o.t, FUNCTION = f.t_gt);
		CREATE OPERATOR CLASS o.t_btree DEFAULT FOR TYPE o.t USING btree AS OPERATOR 1 o.<, OPERATOR 2 o.<=, OPERATOR 3 o.=, OPERATOR 4 o.>=, OPERATOR 5 o.>, FUNCTION 1 f.t_cmp(o.t, o.t);
		CREATE OPERATOR CLASS o.t_hash DEFAULT FOR TYPE o.t USING hash AS OPERATOR 1 o.=, FUNCTION 1 f.t_hash(o.t)});
	foreach my $case ([ 'citext', "'K' || i" ], [ 'nick', "'K' || i" ], [ 'text', "'k' || i" ], [ 'uuid', 'md5(i::text)::uuid' ],
		[ 'code', "'k' || i" ], [ 'numeric(9,2)', 'i / 4.0' ], [ 'o.t', 'ROW(i)::o.t' ])
	{
		my ($type, $key) = @$case;

		is($node->safe_psql('postgres', qq{
			CREATE TABLE keyed (id $type NOT NULL, "Second one" date NOT NULL DEFAULT '2026-01-01', sig minhash);
			ALTER TABLE keyed ADD PRIMARY KEY (id, "Second one");
			INSERT INTO keyed SELECT $key, '2026-01-01', link(i) FROM generate_series(1, 40) i;
			SELECT minhash_groups_create('keyed', 'sig', 0.6, agreement => 0);
			DELETE FROM keyed WHERE sig = link(7) OR sig = link(8) OR sig = link(9);
			UPDATE keyed SET "Second one" = '2027-01-01' WHERE sig = link(20);
			INSERT INTO keyed SELECT $key, '2026-01-01', link(i) FROM generate_series(101, 103) i;
			SELECT changed_rows FROM minhash_groups_refresh('keyed_groups');
			SELECT string_agg(event || ' ' || n, ', ' ORDER BY event) FROM (SELECT event, count(*) AS n FROM keyed_groups_log WHERE refresh = 2 GROUP BY event) e;
			SELECT count(*), count(DISTINCT grp) FROM keyed JOIN keyed_groups USING (id, "Second one");
			SELECT minhash_groups_drop('keyed_groups'); DROP TABLE keyed}) =~ s/\A.*?\n//r =~ s/\n.*?\z//r,
			"14\njoin 1, leave 4, new 3, split 6\n40|3", "key of type $type");
	}
	# unique only under the operator class of another type, or under its own with another order
	my $stderr;
	$node->safe_psql('postgres', 'CREATE TABLE other_class (id citext NOT NULL, sig minhash); CREATE UNIQUE INDEX ON other_class (id text_ops); INSERT INTO other_class VALUES (\'a\'), (\'A\')');
	$node->psql('postgres', q{SELECT minhash_groups_create('other_class', 'sig', 0.6, key => '{id}', agreement => 0)}, stderr => \$stderr);
	like($stderr, qr/key of "other_class" is not unique/, 'a key unique only under the class of another type');
	is($node->safe_psql('postgres', q{DELETE FROM other_class; CREATE UNIQUE INDEX ON other_class (id citext_pattern_ops); SELECT minhash_groups_create('other_class', 'sig', 0.6, key => '{id}', agreement => 0)}),
		'other_class_groups', 'and under another class with the same equality');
	# a value that is equal under the type's own operators
	is($node->safe_psql('postgres', q{CREATE TABLE names (id nick PRIMARY KEY, sig minhash);
		INSERT INTO names VALUES ('Carl', link(1)), ('Dora', link(1));
		SELECT minhash_groups_create('names', 'sig', 0.6, agreement => 0);
		UPDATE names SET id = 'CARL' WHERE id = 'carl';
		SELECT changed_rows FROM minhash_groups_refresh('names_groups')}), "names_groups\n0", 'a key that is equal to the old one');
}
SKIP:
{
	my $stderr;

	$node->psql('postgres', q{CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)}) == 0
	  or skip 'no ICU', 2;
	$node->safe_psql('postgres', 'CREATE TABLE folded (id text COLLATE no_case NOT NULL, sig minhash); CREATE UNIQUE INDEX ON folded (id COLLATE "C"); INSERT INTO folded VALUES (\'a\'), (\'A\')');
	$node->psql('postgres', q{SELECT minhash_groups_create('folded', 'sig', 0.6, key => '{id}', agreement => 0)}, stderr => \$stderr);
	like($stderr, qr/key of "folded" is not unique/, 'a key unique only under another collation');
	is($node->safe_psql('postgres', q{DELETE FROM folded; CREATE UNIQUE INDEX ON folded (id); INSERT INTO folded VALUES ('a', link(1)), ('b', link(1));
		SELECT minhash_groups_create('folded', 'sig', 0.6, key => '{id}', agreement => 0); UPDATE folded SET id = 'A' WHERE id = 'a'; DELETE FROM folded WHERE id = 'B';
		SELECT changed_rows FROM minhash_groups_refresh('folded_groups')}), "folded_groups\n1", 'a key under a nondeterministic collation');
}

# Privileges that are granted by default do not apply to groups.
{
	$node->safe_psql('postgres', q{
		CREATE ROLE alice; CREATE ROLE "Mal ""lory"; CREATE ROLE friend;
		CREATE SCHEMA app AUTHORIZATION alice; GRANT ALL ON SCHEMA app TO PUBLIC;
		ALTER DEFAULT PRIVILEGES FOR ROLE alice GRANT ALL ON TABLES TO "Mal ""lory", PUBLIC;
		ALTER DEFAULT PRIVILEGES FOR ROLE alice GRANT ALL ON SEQUENCES TO "Mal ""lory", PUBLIC;
		ALTER DEFAULT PRIVILEGES FOR ROLE alice IN SCHEMA app GRANT ALL ON TABLES TO friend WITH GRANT OPTION;
		SET ROLE alice;
		CREATE TABLE app.docs AS SELECT i AS id, link(i) AS sig FROM generate_series(1, 9) i;
		ALTER TABLE app.docs ADD PRIMARY KEY (id);
		SELECT minhash_groups_create('app.docs', 'sig', 0.6, agreement => 0)});
	is($node->safe_psql('postgres', q{SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class,
			LATERAL (SELECT FROM aclexplode(relacl) WHERE grantee <> relowner LIMIT 1) granted
		WHERE relnamespace = 'app'::regnamespace AND relkind IN ('r', 'S')}), 'docs', 'default privileges on the table only');
	foreach my $table ('docs_groups', 'docs_groups_log', 'docs_groups_definition')
	{
		my $stderr;

		$node->psql('postgres', qq{SET ROLE "Mal ""lory"; SELECT * FROM app.$table}, stderr => \$stderr);
		like($stderr, qr/permission denied for table $table/, "$table cannot be read by others");
	}
}

# A dump of the schema alone restores and takes data; a refresh says what is missing.
{
	my $stderr;

	add_database($node, 'dumped', 'ENCODING UTF8');
	$node->safe_psql('dumped', group_functions() . q{;
		CREATE TABLE docs (id bigint PRIMARY KEY, sig minhash);
		INSERT INTO docs SELECT i, link(i) FROM generate_series(1, 80) i WHERE i % 4 > 0;
		SELECT minhash_groups_create('docs', 'sig', 0.6, 0.99, agreement => 0);
		DELETE FROM docs WHERE id % 5 = 0});
	my $before = $node->safe_psql('dumped', q{SELECT string_agg(id || ':' || grp, ',' ORDER BY id) FROM docs_groups});

	$node->safe_psql('postgres', 'CREATE DATABASE again TEMPLATE template0');
	restore_dump($node, 'dumped', 'again', '--schema-only');
	$node->safe_psql('again', 'INSERT INTO docs SELECT i, link(i) FROM generate_series(1, 9) i');
	$node->psql('again', q{SELECT minhash_groups_refresh('docs_groups')}, stderr => \$stderr);
	like($stderr, qr/docs_groups_definition must have one row, but has 0\nHINT:  Restore its data, or drop/, 'without a definition');
	$node->safe_psql('again', 'DELETE FROM docs');
	restore_dump($node, 'dumped', 'again', '--data-only');
	is($node->safe_psql('again', q{SELECT string_agg(id || ':' || grp, ',' ORDER BY id) FROM docs_groups}), $before, 'groups are as dumped');
	check_groups('again', 'docs', 'docs_groups', 'restored groups can be refreshed');
	is($node->safe_psql('again', q{SELECT min(new_grp) > (SELECT max(old_grp) FROM docs_groups_log) FROM docs_groups_log WHERE event = 'split'}),
		't', 'new ids follow those of the dump');
}

$node->stop;
done_testing();

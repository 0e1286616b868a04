# Searches of tables on another server (postgres_fdw): minhash_similar and @@ are
# sent to it, with a recall or without.  % follows the setting of the user's
# session and not that of the other server, so it is not sent.
#
# The same queries run on a local copy of the rows: the results must be equal.

use LshsimTest;

# Documents in families of ten; members at a distance of d have a similarity
# of (60 - 2d) / (60 + 2d): .94, .88, .82, .76, .71, .67 ...
my $rows = q{
	SELECT id, id % 4 AS part, to_minhash(string_agg('w' || id / 10 * 1000 + id % 10 * 2 + i, ' '), 'word:1') AS sig
	FROM generate_series(0, 1999) id, generate_series(1, 60) i GROUP BY id};
my $far = start_node('far', "log_statement = 'none'");
my $near = start_node('near', "log_statement = 'none'");

# The local tables have another kind of index than the remote ones.
my ($there, $here) = reverse split / /, $near->safe_psql('postgres',
	q{SELECT string_agg(amname, ' ' ORDER BY amname) FROM pg_am WHERE amname IN ('gin', 'lsh')});
$here //= $there;
my $tables = qq{
	CREATE TABLE docs (id int PRIMARY KEY, part int NOT NULL, sig minhash);
	INSERT INTO docs $rows;
	CREATE INDEX ON docs USING KIND (sig);
	CREATE TABLE probes (id int, sig minhash);
	INSERT INTO probes SELECT id, sig FROM docs WHERE id % 100 = 5;
	ANALYZE docs, probes;};

plan skip_all => 'needs postgres_fdw'
  unless $near->safe_psql('postgres',
	q{SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'});

$far->safe_psql('postgres', ($tables =~ s/KIND/$there/r) . qq{
	CREATE TABLE docs_odd (LIKE docs INCLUDING INDEXES);
	INSERT INTO docs_odd SELECT * FROM docs WHERE part % 2 = 1;
	CREATE TABLE docs_even (LIKE docs);
	CREATE INDEX ON docs_even USING $here (sig);
	INSERT INTO docs_even SELECT * FROM docs WHERE part % 2 = 0;
	ANALYZE;
	ALTER DATABASE postgres SET lshsim.similarity_threshold = 0.95;});

my ($host, $port) = ($far->host, $far->port);
my $user = $near->safe_psql('postgres', 'SELECT current_user');

# The schema near has local tables, the others have foreign ones: plain, as
# partitions, some of them local, and as members of a view.
$near->safe_psql('postgres', qq{
	CREATE EXTENSION postgres_fdw;
	CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw
		OPTIONS (host '$host', port '$port', dbname 'postgres', extensions 'lshsim',
			use_remote_estimate 'true', async_capable 'true');
	CREATE USER MAPPING FOR "$user" SERVER far OPTIONS (user '$user');
	CREATE SCHEMA near;
	SET search_path = near, public;
	} . ($tables =~ s/KIND/$here/r) . qq{
	CREATE SCHEMA far;
	IMPORT FOREIGN SCHEMA public FROM SERVER far INTO far;
	CREATE SCHEMA parted;
	CREATE TABLE parted.probes AS TABLE probes;
	CREATE TABLE parted.docs (id int, part int NOT NULL, sig minhash) PARTITION BY LIST (part);
	CREATE FOREIGN TABLE parted.odd PARTITION OF parted.docs FOR VALUES IN (1, 3)
		SERVER far OPTIONS (schema_name 'public', table_name 'docs_odd');
	CREATE FOREIGN TABLE parted.even PARTITION OF parted.docs FOR VALUES IN (0)
		SERVER far OPTIONS (schema_name 'public', table_name 'docs_even');
	CREATE TABLE parted.rest PARTITION OF parted.docs DEFAULT;
	ALTER TABLE parted.even ADD CHECK (part = 0);
	INSERT INTO parted.rest SELECT * FROM docs WHERE part = 2;
	CREATE INDEX ON parted.rest USING $here (sig);
	ANALYZE parted.rest;
	CREATE SCHEMA united;
	CREATE TABLE united.probes AS TABLE probes;
	CREATE VIEW united.docs AS
		SELECT * FROM far.docs_odd UNION ALL SELECT * FROM far.docs_even;});
$far->safe_psql('postgres', q{DELETE FROM docs_even WHERE part = 2});
$near->safe_psql('postgres', q{
	CREATE OR REPLACE VIEW united.docs AS
		SELECT * FROM far.docs_odd UNION ALL SELECT * FROM far.docs_even
		UNION ALL SELECT * FROM parted.rest});

my $q = $near->safe_psql('postgres', q{SELECT quote_literal(sig::text) || '::minhash' FROM near.docs WHERE id = 105});

# Searches, with the text that must be sent (undef: none), alone and in all kinds of
# places.
my $number = qr/'?[\d.]+'?::double precision/;
my $similar = qr/ SQL:.*minhash_similar\(.*, $number, $number\)/;
my $matches = qr{ SQL:.*minhash_query_match(_commuted)?\(};
my $is_similar = "minhash_similar(sig, $q, 0.6)";
my @queries = (
	[ '%', "SELECT id FROM docs WHERE sig % $q ORDER BY 1", undef ],
	[ '% the other way', "SELECT id FROM docs WHERE $q % sig ORDER BY 1", undef ],
	[ 'minhash_similar', "SELECT id FROM docs WHERE $is_similar ORDER BY 1", $similar ],
	[ 'minhash_similar with a recall', "SELECT id FROM docs WHERE minhash_similar(sig, $q, 0.6, 0.5) ORDER BY 1", $similar ],
	[ '@@', "SELECT id FROM docs WHERE sig @@ minhash_query($q, 0.6) ORDER BY 1", $matches ],
	[ '@@ the other way', "SELECT id FROM docs WHERE minhash_query($q, 0.6) @@ sig ORDER BY 1", $matches ],
	[ 'not', "SELECT id FROM docs WHERE NOT $is_similar AND id < 120 ORDER BY 1", $similar ],
	[ 'or', "SELECT id FROM docs WHERE $is_similar OR id = 7 ORDER BY 1", $similar ],
	[ 'or %', "SELECT id FROM docs WHERE $is_similar OR sig % $q ORDER BY 1", undef ],
	[ 'count', "SELECT part, count(*), max(id) FROM docs WHERE NOT $is_similar GROUP BY 1 ORDER BY 1", qr/SQL: SELECT part, count\(\*\), max\(id\) FROM .*minhash_similar\(.*, $number, $number\)/ ],
	[ 'select list', "SELECT id, sig % $q FROM docs WHERE id BETWEEN 95 AND 115 ORDER BY 1", undef ],
	[ 'filter', "SELECT part, count(*) FILTER (WHERE sig % $q) FROM docs GROUP BY 1 ORDER BY 1", undef ],
	[ 'having', "SELECT part FROM docs GROUP BY 1 HAVING count(*) FILTER (WHERE sig % $q) > 1 ORDER BY 1", undef ],
	[ 'grouped by', "SELECT NOT sig % $q, count(*) FROM docs GROUP BY sig % $q HAVING sig % $q OR count(*) > 100 ORDER BY 1", undef ],
	[ 'grouped by an SQL function', "SELECT NOT like_it(sig, $q), count(*) FROM docs GROUP BY like_it(sig, $q) HAVING like_it(sig, $q) OR count(*) > 100 ORDER BY 1", undef ],
	[ 'rolled up', "SELECT like_it(sig, $q), NOT like_it(sig, $q), count(*) FROM docs GROUP BY ROLLUP (like_it(sig, $q)) ORDER BY 1, 2, 3", undef ],
	[ 'rolled up, having', "SELECT count(*) FROM docs GROUP BY ROLLUP (like_it(sig, $q)) HAVING NOT like_it(sig, $q)", undef ],
	[ 'order by', "SELECT id FROM docs ORDER BY sig % $q DESC, id LIMIT 20", undef ],
	[ 'distinct on', "SELECT DISTINCT ON (sig % $q) sig % $q, id FROM docs ORDER BY sig % $q, id", undef ],
	[ 'window', "SELECT id, count(*) OVER (PARTITION BY sig % $q), NOT sig % $q FROM docs WHERE id < 110 ORDER BY 1", undef ],
	[ 'case', "SELECT sum(CASE WHEN sig % $q THEN 1 WHEN minhash_similar(sig, $q, .5) THEN 100 ELSE 0 END) FROM docs", undef ],
	[ 'join of docs', 'SELECT a.id, b.id FROM docs a JOIN docs b ON minhash_similar(a.sig, b.sig, 0.6) AND a.id < b.id WHERE a.id < 300 ORDER BY 1, 2', $similar ],
	[ 'join with probes', 'SELECT p.id, d.id FROM probes p JOIN docs d ON d.sig % p.sig ORDER BY 1, 2', undef ],
	[ 'join, minhash_similar', 'SELECT p.id, d.id FROM probes p JOIN docs d ON minhash_similar(p.sig, d.sig, 0.6) ORDER BY 1, 2', $similar ],
	[ 'join, @@', 'SELECT p.id, d.id FROM probes p JOIN docs d ON d.sig @@ minhash_query(p.sig, 0.6) ORDER BY 1, 2', $matches ],
	[ 'join with a local table', 'SELECT p.id, d.id FROM near.probes p JOIN docs d ON d.sig % p.sig ORDER BY 1, 2', undef ],
	[ 'join, local index', 'SELECT p.id, d.id FROM probes p JOIN near.docs d ON d.sig % p.sig ORDER BY 1, 2', undef ],
	[ 'left join', 'SELECT p.id, d.id FROM near.probes p LEFT JOIN docs d ON d.sig % p.sig AND d.id <> p.id ORDER BY 1, 2', undef ],
	[ 'full join', "SELECT p.id, d.id FROM near.probes p FULL JOIN docs d ON d.id = p.id AND d.sig % $q ORDER BY 1, 2", undef ],
	[ 'lateral', 'SELECT p.id, d.id FROM near.probes p, LATERAL (SELECT id FROM docs WHERE sig % p.sig ORDER BY id LIMIT 3) d ORDER BY 1, 2', undef ],
	[ 'lateral function', "SELECT id, x FROM docs, LATERAL generate_series(1, (sig % $q)::int) x ORDER BY 1", undef ],
	[ 'exists', 'SELECT id FROM near.probes p WHERE EXISTS (SELECT FROM docs d WHERE d.sig % p.sig AND d.id <> p.id) ORDER BY 1', undef ],
	[ 'not exists', 'SELECT id FROM near.docs p WHERE id < 200 AND NOT EXISTS (SELECT FROM docs d WHERE d.sig % p.sig AND d.id < p.id) ORDER BY 1', undef ],
	[ 'in', "SELECT id FROM near.docs WHERE id IN (SELECT id FROM docs WHERE $is_similar) ORDER BY 1", $similar ],
	[ 'scalar', "SELECT id, (SELECT count(*) FROM docs WHERE sig % p.sig) FROM near.probes p ORDER BY 1", undef ],
	[ 'inner limit', "SELECT id FROM (SELECT * FROM docs ORDER BY id LIMIT 110) d WHERE sig % $q ORDER BY 1", undef ],
	[ 'subquery', "SELECT id FROM (SELECT id, sig FROM docs OFFSET 0) d WHERE sig % $q ORDER BY 1", undef ],
	[ 'common table', "WITH d AS MATERIALIZED (SELECT * FROM docs WHERE $is_similar) SELECT id FROM d ORDER BY 1", $similar ],
	[ 'recursive', "WITH RECURSIVE r (id, sig) AS (SELECT id, sig FROM docs WHERE id = 105 UNION SELECT d.id, d.sig FROM r JOIN docs d ON d.sig % r.sig) SELECT id FROM r ORDER BY 1", undef ],
	[ 'union', "SELECT id FROM docs WHERE sig % $q UNION SELECT id FROM docs WHERE $is_similar ORDER BY 1", $similar ],
	[ 'cluster', 'SELECT id, minhash_cluster(sig, .6) OVER (ORDER BY id) FROM docs WHERE id < 200 ORDER BY 1', undef ],
	[ 'an aggregate', "SELECT minhash_union_agg(sig)::text FROM docs WHERE $is_similar", $similar ],
	[ 'sub-select as the probe', 'SELECT id FROM docs WHERE minhash_similar(sig, (SELECT sig FROM docs WHERE id = 105), 0.6) ORDER BY 1', $similar ],
	[ 'SQL function', "SELECT id FROM docs WHERE like_it(sig, $q) ORDER BY 1", $similar ],
	[ 'function of a threshold', "SELECT matches_at(0.55)", undef ],
	[ 'function with SET', "SELECT matches_set()", undef ],
	[ 'function that SETs', "SELECT matches_after_set()", undef ],
	[ 'security barrier', 'SELECT id FROM guarded WHERE id > 100 ORDER BY 1', $similar ],
	[ 'security barrier, outside', "SELECT id FROM fenced WHERE sig % $q ORDER BY 1", undef ],
);

# Objects over the tables that the search path finds.
my $objects = qq{
	CREATE FUNCTION like_it(a minhash, b minhash) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT minhash_similar(a, b, 0.6)';
	CREATE FUNCTION matches_at(t float8) RETURNS text LANGUAGE plpgsql AS \$\$
	DECLARE n text := ''; m int;
	BEGIN
		FOR i IN 1 .. 8 LOOP
			PERFORM set_config('lshsim.similarity_threshold', (t + i * .05)::text, true);
			SELECT count(*) INTO m FROM docs WHERE sig % $q;
			n := n || m || ' ';
		END LOOP;
		RETURN n;
	END \$\$;
	CREATE FUNCTION matches_set() RETURNS bigint LANGUAGE sql
		SET lshsim.similarity_threshold = 0.7 AS 'SELECT count(*) FROM docs WHERE sig % $q';
	CREATE FUNCTION matches_after_set() RETURNS bigint LANGUAGE sql
		AS \$\$SELECT set_config('lshsim.similarity_threshold', '0.5', true); SELECT count(*) FROM docs WHERE sig % $q\$\$;
	CREATE VIEW guarded WITH (security_barrier) AS SELECT id, sig FROM docs WHERE $is_similar;
	CREATE VIEW fenced WITH (security_barrier) AS SELECT id, sig FROM docs WHERE id % 2 = 1;};
$objects =~ s/'SELECT count\(\*\) FROM docs WHERE sig % (.*?)'(?=;)/\$\$SELECT count(*) FROM docs WHERE sig % $1\$\$/s;
$near->safe_psql('postgres', "SET search_path = $_, public; $objects")
  foreach qw(near far parted united);

# Run a query on the tables of a schema under settings.
sub on
{
	my ($schema, $settings, $sql) = @_;
	return query_with($near, [ @$settings, "search_path = $schema, public" ], $sql);
}

# Run every query on the tables of a schema in one session; return the results by
# name.
sub answers
{
	my @results = split /^----\n/m, on(@_, join "\\echo ----\n", map { "$_->[1];\n" } @queries), -1;

	@results == @queries or die 'not an answer to each query';
	return map { $queries[$_][0] => $results[$_] } 0 .. $#queries;
}

# Every query on every kind of table, under settings other than the remote one.
foreach my $settings ([], [ search(.6) ], [ search(.75) ])
{
	my %expected = answers('near', $settings);
	foreach my $schema (qw(far parted united))
	{
		my %answers = answers($schema, $settings);
		my @different = grep { $answers{ $_->[0] } ne $expected{ $_->[0] } } @queries;
		is(join(', ', map { $_->[0] } @different),
			'', "answers on schema $schema with @$settings");
	}
}

# The statements that are sent.
foreach my $query (grep { defined $_->[2] } @queries)
{
	my ($name, $sql, $sent) = @$query;
	foreach my $schema (qw(far parted united))
	{
		next if $schema ne 'far' && $name =~ /join|SQL|probe|an aggregate|count/;
		like(on($schema, [], "EXPLAIN (VERBOSE, COSTS OFF) $sql"),
			$sent, "$name is sent from schema $schema");
	}
}

# Foreign partitions are scanned asynchronously.
my $appended = on('parted', [], "EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF) SELECT id FROM docs WHERE $is_similar");
like($appended, qr/Async Foreign Scan on parted\.(odd|even)/, 'foreign partitions are scanned asynchronously');
like($appended, qr/Scan on \S*docs_sig_idx|rest_sig_idx|Seq Scan on parted\.rest/, 'next to the local one');
unlike($appended =~ s/Scan on parted\.rest.*//sr, qr/Rows Removed by Filter/, 'and send only what matches');

# The same statements on the tables of a schema, rolled back; their output must be
# equal.
sub same_everywhere
{
	my ($name, $sql, @schemas) = @_;
	my $expected = on('near', [ search(.6) ], $sql);

	is(on($_, [ search(.6) ], $sql), $expected, "$name on schema $_")
	  foreach @schemas;
	return;
}

my $digest = 'SELECT count(*), sum(id), sum(part) FROM docs';
my %changes = (
	'update' => "UPDATE docs SET id = id + 10000 WHERE sig % $q",
	'update, minhash_similar' => "UPDATE docs SET id = id + 10000 WHERE minhash_similar(sig, $q, 0.7)",
	'update, @@' => "UPDATE docs SET id = -id WHERE sig @@ minhash_query($q, 0.7) AND id <> 105",
	'update to a search' => "UPDATE docs SET id = 20000 + id + 5000 * (sig % $q)::int WHERE id < 110",
	'update from' => 'UPDATE docs SET id = docs.id + 10000 FROM near.probes p WHERE docs.sig % p.sig',
	'delete' => "DELETE FROM docs WHERE sig % $q",
	'delete, minhash_similar' => "DELETE FROM docs WHERE $is_similar",
	'delete using' => 'DELETE FROM docs USING near.probes p WHERE docs.sig % p.sig AND docs.id <> p.id',
	'delete, not exists' => 'DELETE FROM docs d WHERE id < 100 AND NOT EXISTS (SELECT FROM near.probes p WHERE d.sig % p.sig)',
	'insert' => "INSERT INTO docs SELECT id + 10000, part, sig FROM docs WHERE sig % $q",
	'insert, nothing on conflict' => "INSERT INTO docs SELECT id + 10000, part, sig FROM docs WHERE sig % $q ON CONFLICT DO NOTHING",
	'merge' => "MERGE INTO near.docs t USING docs s ON t.id = s.id AND t.sig % $q
		WHEN MATCHED AND s.sig % $q THEN UPDATE SET part = -1 WHEN MATCHED THEN DELETE");
foreach my $name (sort keys %changes)
{
	my @schemas = $name =~ /merge/ ? qw(far parted united) : qw(far parted);
	my $after = $name =~ /merge/ ? $digest =~ s/docs/near.docs/r : $digest;
	same_everywhere($name, "BEGIN; $changes{$name}; $after; ROLLBACK", @schemas);
}
same_everywhere('delete, returning', "BEGIN; WITH d AS (DELETE FROM docs WHERE sig % $q RETURNING id, sig % $q) SELECT * FROM d ORDER BY 1; ROLLBACK", qw(far parted));
same_everywhere('locks', "BEGIN; SELECT id FROM docs WHERE sig % $q ORDER BY id FOR UPDATE; ROLLBACK", qw(far parted));
foreach my $name ('update, minhash_similar', 'delete, minhash_similar')
{
	like(on('far', [], "EXPLAIN (VERBOSE, COSTS OFF) $changes{$name}"),
		qr/Foreign (Update|Delete) .*Remote SQL: (UPDATE|DELETE) .*minhash_similar\(.*, $number, $number\)/s,
		"$name is sent as one statement");
}
unlike(on('far', [], "EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM docs WHERE sig % $q"),
	qr/Remote SQL:.*%/, '% is not sent');

# A join sends a search for each row if it asks the server for its costs, and fetches
# all rows otherwise.
my $join = 'EXPLAIN (VERBOSE, COSTS OFF) SELECT p.id, d.id FROM near.probes p JOIN docs d ON minhash_similar(p.sig, d.sig, 0.8) WHERE p.id = 105';
like(on('far', [], $join), qr/SQL: SELECT id, sig FROM .*minhash_similar\(.*\$1/, 'a join with estimates of the server');
like(on('far', [], "BEGIN; ALTER SERVER far OPTIONS (SET use_remote_estimate 'false'); $join; ROLLBACK"),
	qr/SQL: SELECT id, sig FROM \S+$/m, 'a join without them');

# Groups, with judgments, of foreign tables, partitions and a view of them.
my $groups = q{SELECT md5(string_agg(id || ' ' || first, ',' ORDER BY id)) FROM
	(SELECT id, min(id) OVER (PARTITION BY grp) AS first FROM docs_groups) AS g};
my $create = q{BEGIN; SELECT minhash_groups_create('docs', 'sig', 0.8, 1, key => '{id}')};
my $judge = q{INSERT INTO docs_groups_judged (id_a, id_b, same) VALUES (100, 104, false), (3, 1003, true);
	SELECT * FROM minhash_groups_refresh('docs_groups')};
same_everywhere('groups', "$create; $groups; $judge; $groups; ROLLBACK", qw(far parted united));
same_everywhere('groups after changes', "$create; DELETE FROM docs WHERE id % 10 = 3; UPDATE docs SET id = id + 10000 WHERE id % 7 = 2;
	SELECT * FROM minhash_groups_refresh('docs_groups'); $groups; $judge; $groups; ROLLBACK", qw(far parted));

# Cached plans and changing settings.
same_everywhere('a generic plan', qq{
	SET plan_cache_mode = force_generic_plan;
	PREPARE search(minhash) AS SELECT count(*) FROM docs WHERE sig % \$1;
	PREPARE search2(minhash, float8) AS SELECT count(*) FROM docs WHERE minhash_similar(sig, \$1, \$2);
	PREPARE search3(minhash, float8) AS SELECT count(*) FROM docs WHERE sig @@ minhash_query(\$1, \$2);
	EXECUTE search($q); EXECUTE search2($q, .8); EXECUTE search3($q, .8);
	SET lshsim.similarity_threshold = 0.9;
	EXECUTE search($q);
	BEGIN;
	SET LOCAL lshsim.similarity_threshold = 0.55;
	EXECUTE search($q);
	SAVEPOINT s;
	SET LOCAL lshsim.similarity_threshold = 1;
	EXECUTE search($q); EXECUTE search2($q, .5); EXECUTE search3($q, .5);
	ROLLBACK TO s;
	EXECUTE search($q); EXECUTE search2($q, .5);
	ROLLBACK;
	EXECUTE search($q); EXECUTE search2($q, .5); EXECUTE search3($q, .5);
	RESET lshsim.similarity_threshold;
	EXECUTE search($q)}, qw(far parted united));
same_everywhere('a cursor', qq{
	BEGIN;
	DECLARE c CURSOR FOR SELECT id FROM docs WHERE sig % $q ORDER BY id;
	FETCH 1 FROM c;
	SET LOCAL lshsim.similarity_threshold = 1;
	ROLLBACK;
	BEGIN;
	SET LOCAL lshsim.similarity_threshold = 0.9;
	DECLARE c CURSOR FOR SELECT id FROM docs WHERE sig % $q ORDER BY id;
	FETCH ALL FROM c;
	ROLLBACK}, qw(far parted united));

# Signatures are aggregated remotely.
like(on('far', [], 'EXPLAIN (VERBOSE) SELECT part, minhash_union_agg(sig) FROM docs GROUP BY part'),
	qr/Remote SQL: SELECT part, \S*minhash_union_agg\(sig\) FROM .* GROUP BY/, 'an aggregate of signatures is sent');

# Only estimates read the setting itself, and lsh_search.c, to see whether it has
# changed and rows must be rechecked; everything else calls the function that raises
# an error on a Citus worker.
my %estimates = map { $_ => 1 } qw(settings.c minhash_sel.c lsh_cost.c lsh_search.c);
my @readers = grep { slurp($_) =~ /\b(?<!")lshsim_similarity_threshold\b(?![("])/ }
  grep { !m,/([^/]+)$, || !$estimates{$1} } glob 'src/*.c src/*/*.c';
is("@readers", '', 'no answer depends on a setting that may not be the session\'s');

# IMPORT FOREIGN SCHEMA imports generated columns: the signature is computed here.
$far->safe_psql('postgres', q{
	CREATE SCHEMA texts;
	CREATE TABLE texts.t (body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED)});
is($near->safe_psql('postgres', q{
	CREATE SCHEMA texts;
	IMPORT FOREIGN SCHEMA texts FROM SERVER far INTO texts;
	INSERT INTO texts.t VALUES ('one two three'), ('one two three four');
	SELECT count(*) FROM texts.t WHERE sig = to_minhash(body)}),
	2, 'a generated column of an imported table');
like(error_of($near, 'postgres', q{CREATE FOREIGN TABLE texts.plain (body text, sig minhash) SERVER far OPTIONS (schema_name 'texts', table_name 't');
	INSERT INTO texts.plain (body) VALUES ('one')}),
	qr/cannot insert a non-DEFAULT value into column "sig"/, 'a generated column that is declared as a plain one');

# minhash_check_trigger refuses foreign tables and partitions, and finds their rows.
{
	my $columns = q{(id int, part int, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED)};
	my $trigger = sub {
		my ($table, $action, $events) = @_;
		return "CREATE TRIGGER check_rows BEFORE $events ON $table FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, '$action');";
	};

	$far->safe_psql('postgres', "CREATE TABLE checked $columns");
	$near->safe_psql('postgres', qq{
		CREATE FOREIGN TABLE alone $columns SERVER far OPTIONS (table_name 'checked');
		CREATE TABLE checked $columns PARTITION BY LIST (part);
		CREATE TABLE checked_here PARTITION OF checked FOR VALUES IN (1);
		CREATE FOREIGN TABLE checked_there PARTITION OF checked FOR VALUES IN (2) SERVER far OPTIONS (table_name 'checked');
		INSERT INTO checked VALUES (1, 1, 'one two three'), (2, 2, 'four five six'), (3, 1, 'seven eight nine');
		} . $trigger->('alone', 'reject', 'INSERT OR UPDATE') . $trigger->('checked', 'reject', 'INSERT OR UPDATE'));
	foreach (
		[ 'alone', 'update of a foreign table', 'UPDATE alone SET body = upper(body)' ],
		[ 'alone', 'insert into a foreign table', q{INSERT INTO alone VALUES (4, 2, 'ten')} ],
		[ 'checked_there', 'update of a foreign partition', q{UPDATE checked SET body = 'ten' WHERE id = 2} ],
		[ 'checked_there', 'insert into a foreign partition', q{INSERT INTO checked VALUES (4, 2, 'ten')} ],
		[ 'checked_there', 'move to a foreign partition', 'UPDATE checked SET part = 2 WHERE part = 1 AND id = 1' ])
	{
		my ($table, $name, $sql) = @$_;
		like(error_of($near, 'postgres', $sql), qr/ERROR:  "$table" is not a table\n.*DETAIL:  .*another server/s, "$name is refused");
	}
	like(error_of($near, 'postgres', q{INSERT INTO checked VALUES (4, 1, 'six five four')}),
		qr/near-duplicate/, 'the rows of a foreign partition are searched');
	is($near->safe_psql('postgres', q{UPDATE checked SET body = 'Three two one' WHERE id = 1; SELECT id, part FROM checked ORDER BY id}),
		"1|1\n2|2\n3|1", 'no row is lost');

	# postgres_fdw writes at REPEATABLE READ, so that a trigger of the other server neither checks nor skips such a row.
	$near->safe_psql('postgres', 'DROP TRIGGER check_rows ON checked');
	foreach my $action ('reject', 'skip')
	{
		$far->safe_psql('postgres', "DROP TRIGGER IF EXISTS check_rows ON checked;" . $trigger->('checked', $action, 'INSERT'));
		like(error_of($near, 'postgres', 'UPDATE checked SET part = 2 WHERE part = 1 AND id = 3'),
			qr/only at isolation level READ COMMITTED/, "a move into a table with a trigger is refused there: $action");
	}
	is($near->safe_psql('postgres', q{SELECT id, part FROM checked ORDER BY id}), "1|1\n2|2\n3|1", 'no row is lost');
}

done_testing();

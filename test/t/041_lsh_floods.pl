# Floods of equal rows that come and go do not make an lsh index grow: VACUUM merges
# the leaves of their keys, and later floods use these pages.  No search misses a row
# while that happens, on the primary or on a standby, nor after a crash.
#
# LSHSIM_FLOODS is the number of floods one after the other, LSHSIM_CRASHES that of
# crashes, LSHSIM_SEED chooses their moments, and parts of floods.

use LshsimTest;
use Time::HiRes qw(sleep);

my $floods = $ENV{LSHSIM_FLOODS} || 8;
my $crashes = $ENV{LSHSIM_CRASHES} || 3;

seed();
my $primary = start_node('floods', 'wal_level = replica', 'max_wal_senders = 4', 'wal_keep_size = 1GB', 'jit = off',
	'hot_standby = on', 'shared_buffers = 64MB', 'restart_after_crash = on', 'fsync = off');
my $standby = start_standby($primary, 'floods_standby');

# A lasting row has five words, and so one passage key.  Of each flood one row lasts.
$primary->safe_psql('postgres', q{
	CREATE FUNCTION lasting(i int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'a lasting row ' || md5(i::text) || ' ' || i $$;
	CREATE FUNCTION flood(g int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
		SELECT 'flood ' || md5(g::text) || ' of equal mails that come today and are gone tomorrow ' || g
	$$;
	CREATE TABLE docs (id int, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
	CREATE INDEX docs_sig ON docs USING lsh (sig);
	CREATE INDEX docs_body ON docs USING lsh (body passage_ops (run = 'word:5'));
	INSERT INTO docs SELECT i, lasting(i) FROM generate_series(1, 2000) i;
	INSERT INTO docs SELECT -g, flood(g) FROM generate_series(1, 100) g;
	CREATE TABLE lasting AS SELECT id, body FROM docs;
	CREATE TABLE stop ()});

# Return the numbers of pages of both indexes.
sub pages
{
	return split /\|/, $primary->safe_psql('postgres',
		q{SELECT pg_relation_size('docs_sig') / 8192, pg_relation_size('docs_body') / 8192});
}

# Check that both indexes have no fault, with the table.
sub check_indexes
{
	my ($node, $name) = @_;

	is(error_of($node, 'postgres', q{SELECT lsh_index_check('docs_sig', true), lsh_index_check('docs_body', true)}),
		'', "$name: no fault on " . $node->name);
	return;
}

# Return the query for the number of some lasting rows that are found, by a column.
sub found
{
	my ($column, $rows) = @_;
	my %same = (sig => 'minhash_similar(d.sig, to_minhash(p.body), 0.8)', body => q{shares_passage(d.body, p.body, 'word:5')});

	return qq{
		SELECT count(*) FROM (SELECT id, body FROM lasting WHERE $rows) p,
			LATERAL (SELECT FROM docs d WHERE d.id = p.id AND $same{$column} OFFSET 0) found};
}

my $lasting = 'id < 0 OR id <= 2000 AND id % 7 = 0';
my $all = 100 + int(2000 / 7);

### One flood after the other

# Let a flood come and go; the standby compares pages with the primary's, those of
# the flood itself only if asked to.
sub flood
{
	my ($number, $rows, $compare) = @_;

	$primary->safe_psql('postgres', qq{
		SET wal_consistency_checking = '$compare';
		INSERT INTO docs SELECT 10000 + i, flood($number) FROM generate_series(1, $rows) i;
		DELETE FROM docs WHERE id > 10000;
		SET wal_consistency_checking = 'generic';
		VACUUM docs});
	return;
}

my @after;
foreach my $number (1 .. $floods)
{
	flood($number, $number % 5 == 4 ? (1200, 'generic') : (5000, ''));
	$after[$number] = [ pages() ];
	$primary->wait_for_catchup($standby);
	check_indexes($_, "flood $number") foreach $primary, $standby;
}
foreach my $i (0, 1)
{
	my @pages = map { $after[$_][$i] } 1 .. $floods;
	cmp_ok($pages[-1], '<=', 1.5 * $pages[1], 'the index of ' . (qw(signatures passages))[$i] . " does not grow: @pages");
}
foreach my $node ($primary, $standby)
{
	foreach my $column ('sig', 'body')
	{
		like(query_with($node, [ index_scan() ], 'EXPLAIN ' . found($column, $lasting)), qr/Scan (on|using) docs_$column/, "docs_$column is used");
		is(query_with($node, [ index_scan() ], found($column, $lasting)), $all, "$column: all lasting rows on " . $node->name);
	}
}
unlike(slurp($standby->logfile), qr/inconsistent page found/, 'no page was inconsistent');

### Parts of floods

# Leaves of one key next to those of others, with any number of entries: rows of ten
# keys and rows with keys of their own come, and parts of both go.
$primary->safe_psql('postgres', q{
	CREATE TABLE parts (id serial, k int, body text);
	CREATE INDEX parts_body ON parts USING lsh (body passage_ops (run = 'word:5'))});
foreach my $round (1 .. 3 * $floods)
{
	my ($k, $rows, $from, $part) = (int(rand(10)), int(rand(4000)), rand(), rand());
	my $other = ($k + 5) % 10;

	is(error_of($primary, 'postgres', join ";\n",
		$round % 7 == 6 ? 'REINDEX INDEX parts_body' : '',
		"INSERT INTO parts (k, body) SELECT $k, lasting($k) FROM generate_series(1, $rows) i",
		'INSERT INTO parts (body) SELECT lasting(id + i) FROM (SELECT max(id) AS id FROM parts) m, generate_series(1, 700) i',
		"DELETE FROM parts WHERE k = $k AND id >= $from * (SELECT max(id) FROM parts) AND random() < $part",
		"DELETE FROM parts WHERE k = $other AND id < $from * (SELECT max(id) FROM parts)",
		"DELETE FROM parts WHERE k IS NULL AND random() < $part", 'VACUUM parts',
		"SELECT lsh_index_check('parts_body', true)"), '', "round $round of parts: no fault");
}

### Searches during floods

# Start a session that lets floods of three texts come and go until it is told to stop.
sub start_flood
{
	my ($number) = @_;
	return start_session($primary, "flood$number", '-c', qq{
		DO \$\$
		DECLARE
			g int := 0;
		BEGIN
			WHILE NOT EXISTS (SELECT FROM stop) LOOP
				g := g % 3 + 1;
				INSERT INTO docs SELECT 10000 * $number + i, flood(2 * g - $number % 2) FROM generate_series(1, 1500) i;
				COMMIT;
				DELETE FROM docs WHERE id BETWEEN 10000 * $number AND 10000 * $number + 9999;
				COMMIT;
			END LOOP;
		END \$\$});
}

# Start a session that vacuums without end.
sub start_vacuum
{
	return start_session($primary, 'vacuum', '-f', write_file($primary->basedir . '/vacuum.sql', "VACUUM docs;\n" x 5000));
}

# Start a session that counts the lasting rows of all texts of these floods, and some
# others, until its server has a file "stop": a row would reach the standby only after
# the VACUUMs before it, which wait for these searches.
sub start_search
{
	my ($node, $column) = @_;
	my $query = found($column, 'id >= -6 AND id <= 2000 AND (id < 0 OR id % 100 = 0)');
	return start_session($node, "search_$column", '-c', 'SET enable_seqscan = off', '-c', qq{
		DO \$\$
		DECLARE
			found bigint;
			searches int := 0;
		BEGIN
			WHILE (pg_stat_file('stop', true)).size IS NULL LOOP
				$query INTO found;
				IF found <> 26 THEN
					RAISE EXCEPTION '% of 26 lasting rows found', found;
				END IF;
				searches := searches + 1;
				COMMIT;
			END LOOP;
			RAISE NOTICE '% times', searches;
		END \$\$});
}

my $vacuum = start_vacuum();
my @load = map { start_flood($_) } 1, 2;
my @searches = map { my $node = $_; map { start_search($node, $_) } 'sig', 'body' } $primary, $standby;
my $vacuumed = q{SELECT vacuum_count FROM pg_stat_user_tables WHERE relname = 'docs'};
my $before = $primary->safe_psql('postgres', $vacuumed);
$primary->poll_query_until('postgres', "SELECT vacuum_count > $before + 20 FROM pg_stat_user_tables WHERE relname = 'docs'")
  or die 'no VACUUM';
$primary->safe_psql('postgres', 'INSERT INTO stop DEFAULT VALUES');
end_sessions('a session with floods', @load);
PostgreSQL::Test::Utils::append_to_file($_->data_dir . '/stop', 'x') foreach $primary, $standby;
end_sessions('a search during floods', @searches);
like(slurp($_->{stderr}), qr/[1-9]\d* times/, 'it did search') foreach @searches;
$vacuum->{run}->kill_kill;
$primary->safe_psql('postgres', 'DELETE FROM docs WHERE id > 10000; VACUUM docs; TRUNCATE stop');
$primary->wait_for_catchup($standby);
check_indexes($_, 'after all floods') foreach $primary, $standby;
$standby->stop;

### Crashes

foreach my $crash (1 .. $crashes)
{
	my ($way, $do) = crash_of($primary, $crash);
	my @sessions = (start_flood(1), start_flood(2), start_vacuum());

	wait_for_sessions($primary, @sessions);
	sleep 1 + rand(2);
	$do->();
	lost_server($_) foreach @sessions;
	wait_for_server($primary);
	check_indexes($primary, "crash $crash ($way)");
	$primary->safe_psql('postgres', 'DELETE FROM docs WHERE id > 10000; VACUUM docs');
	check_indexes($primary, "crash $crash, after VACUUM");
}
# The free leaves are still known: nothing but a few inner pages is added.
my @before = pages();
flood($_, 5000, '') foreach 51 .. 53;
my @now = pages();
cmp_ok($now[$_], '<=', 1.02 * $before[$_], "floods after the crashes: from @before to @now pages") foreach 0, 1;
is(query_with($primary, [ index_scan() ], found($_, $lasting)), $all, "$_: all lasting rows") foreach 'sig', 'body';

$primary->stop;
done_testing();

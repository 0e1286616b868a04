# A Citus cluster of a coordinator and two workers: searches with explicit numbers
# return the rows of one node; workers refuse %, which depends on a setting, unless
# the setting is propagated; clusters over all workers are those of
# minhash_cluster.
#
# It needs a server with Citus: PG_CONFIG=... TESTS=053_citus make test.
# LSHSIM_DOCS=FILE names documents (name, tab, text) in place of the sample; a file
# whose name ends in .gz is decompressed.

use strict;
use warnings;

use LshsimTest;
use Test::More;

my $probe = start_node('probe');
plan skip_all => 'needs Citus'
  unless $probe->safe_psql('postgres',
	q{SELECT count(*) FROM pg_available_extensions WHERE name = 'citus'});
my $kinds = $probe->safe_psql('postgres', q{SELECT string_agg(amname, ' ' ORDER BY amname) FROM pg_am WHERE amname IN ('gin', 'lsh')});
$probe->stop('immediate');

# Start a node, which listens on TCP, because Citus needs host names.
sub citus_node
{
	my ($name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name, own_host => 0);

	$node->init(extra => [ '--no-locale', '--encoding=UTF8' ]);
	$node->append_conf('postgresql.conf', join("\n",
		q{shared_preload_libraries = 'citus'}, q{max_prepared_transactions = 100},
		q{citus.shard_count = 8}, q{citus.local_hostname = '127.0.0.1'}, q{listen_addresses = '127.0.0.1'},
		q{log_statement = 'none'}, q{max_connections = 100}));
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION citus; CREATE EXTENSION lshsim');
	return $node;
}

my ($coordinator, @workers) = map { citus_node($_) } qw(coordinator worker1 worker2);
$coordinator->safe_psql('postgres', "SELECT citus_set_coordinator_host('127.0.0.1', " . $coordinator->port . ')');
$coordinator->safe_psql('postgres', "SELECT citus_add_node('127.0.0.1', " . $_->port . ')') foreach @workers;

# The table one is on the coordinator alone; docs is distributed.
my $file = $ENV{LSHSIM_DOCS} // 'test/demo/sample.tsv';
my $copy = $file =~ /\.gz$/ ? "PROGRAM 'gzip -dc $file'" : "'$file'";
$coordinator->safe_psql('postgres', qq{
	CREATE TABLE raw (name text, body text);
	\\copy raw FROM $copy
	CREATE TABLE one (id bigint PRIMARY KEY, body text, sig minhash);
	INSERT INTO one SELECT row_number() OVER (ORDER BY name), body, to_minhash(body) FROM raw;
	INSERT INTO one VALUES (-1, NULL, NULL), (-2, '', to_minhash('')), (-3, '', to_minhash(''));
	CREATE TABLE docs (id bigint PRIMARY KEY, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
	SELECT create_distributed_table('docs', 'id');
	CREATE TABLE probes AS SELECT id, sig FROM one WHERE id % GREATEST((SELECT count(*) FROM one) / 100, 1) = 0;
	CREATE TABLE probes_everywhere (LIKE probes);
	SELECT create_reference_table('probes_everywhere');
	INSERT INTO probes_everywhere TABLE probes;
	ANALYZE one});

# COPY loads documents, which are signed where they are stored.
$coordinator->safe_psql('postgres', q{\copy (SELECT id, body FROM one) TO 'docs.copy'
	\copy docs (id, body) FROM 'docs.copy'});
unlink 'docs.copy';

# Run statements on the coordinator; the last column of errors is their text.
sub at_coordinator
{
	my ($sql) = @_;
	my ($status, $stdout, $stderr) = $coordinator->psql('postgres', $sql);

	return $status == 0 ? $stdout : $stderr =~ /ERROR:  (.*)/ ? $1 : $stderr;
}

# A document with many neighbours, and its number.
my ($id, $sig) = split /\|/, at_coordinator(q{
	SELECT a.id, a.sig FROM one a JOIN one b ON minhash_similar(a.sig, b.sig, 0.6, 0.99)
	GROUP BY a.id, a.sig ORDER BY abs(count(*) - 30), a.id LIMIT 1});
my $q = "'$sig'::minhash";

is(at_coordinator('SELECT md5(string_agg(sig::text, \',\' ORDER BY id)) FROM docs'),
	at_coordinator('SELECT md5(string_agg(sig::text, \',\' ORDER BY id)) FROM one'),
	'the same signatures');

# Queries with explicit numbers return the rows of one node, over all shards and
# one.
my %explicit = (
	'minhash_similar' => "SELECT id FROM docs WHERE minhash_similar(sig, $q, 0.6, 0.99) ORDER BY 1",
	'@@' => "SELECT id FROM docs WHERE sig @@ minhash_query($q, 0.6, 0.99) ORDER BY 1",
	'one shard' => "SELECT count(*) FROM docs WHERE minhash_similar(sig, $q, 0.6, 0.99) AND id = $id",
	'minhash_similar without a recall' => "SELECT id FROM docs WHERE minhash_similar(sig, $q, 0.6) ORDER BY 1",
	'@@ without a recall' => "SELECT id FROM docs WHERE sig @@ minhash_query($q, 0.6) ORDER BY 1",
	'clusters without a recall' => 'SELECT sum(c) FROM (SELECT minhash_cluster(sig, 0.7) OVER (PARTITION BY id) c FROM docs) s',
	'low recall' => "SELECT count(*) FROM docs WHERE minhash_similar(sig, $q, 0.6, 0.3)",
	'aggregate' => "SELECT minhash_union_agg(sig)::text FROM docs WHERE sig @@ minhash_query($q, 0.6, 0.99)",
	'join with a reference table' => 'SELECT p.id, d.id FROM probes_everywhere p JOIN docs d ON minhash_similar(p.sig, d.sig, 0.7, 0.99) ORDER BY 1, 2',
	'join with a local table' => 'SELECT p.id, d.id FROM probes p JOIN docs d ON minhash_similar(p.sig, d.sig, 0.7, 0.99) ORDER BY 1, 2',
	'clusters gathered' => 'SELECT id, minhash_cluster(sig, 0.7, 0.99) OVER (ORDER BY id) FROM docs ORDER BY 1',
	'clusters of a shard key' => 'SELECT id, minhash_cluster(sig, 0.7, 0.99) OVER (PARTITION BY id ORDER BY id) FROM docs ORDER BY 1',
	'prepared' => "PREPARE s (minhash, float8) AS SELECT count(*) FROM docs WHERE minhash_similar(sig, \$1, \$2, 0.99);"
	  . join(';', map { "EXECUTE s($q, $_)" } qw(.6 .8 .6 .7 .6 .9 .6 .5)),
	'prepared, one shard' => "PREPARE s (minhash, float8, bigint) AS SELECT count(*) FROM docs WHERE minhash_similar(sig, \$1, \$2, 0.99) AND id = \$3;"
	  . join(';', map { "EXECUTE s($q, $_, $id)" } qw(.6 .8 .6 .7 .6 .9 .6 .5)));

# Expressions that depend on the setting.
my %following = (
	'%' => "SELECT id FROM docs WHERE sig % $q ORDER BY 1",
	'%, one shard' => "SELECT count(*) FROM docs WHERE sig % $q AND id = $id",
	'select list' => "SELECT count(*) FROM (SELECT sig % $q AS m FROM docs) s WHERE m",
	'join' => 'SELECT p.id, d.id FROM probes_everywhere p JOIN docs d ON p.sig % d.sig ORDER BY 1, 2',
	'prepared' => "PREPARE s (minhash) AS SELECT count(*) FROM docs WHERE sig % \$1;" . join(';', map { "EXECUTE s($q)" } 1 .. 8));

my $refusal = qr/^cannot follow lshsim\.similarity_threshold on a Citus worker$/;
foreach my $index ('', map { "USING $_ (sig)" } split / /, $kinds)
{
	my $how = $index =~ /(\w+) \(/ ? $1 : 'none';

	$coordinator->safe_psql('postgres', "DROP INDEX IF EXISTS docs_sig; DROP INDEX IF EXISTS one_sig;"
		  . ($index ? "CREATE INDEX docs_sig ON docs $index; CREATE INDEX one_sig ON one $index;" : '')
		  . 'ANALYZE docs, one');
	foreach my $name (sort keys %explicit)
	{
		is(at_coordinator($explicit{$name}),
			at_coordinator($explicit{$name} =~ s/\bdocs\b/one/r), "$how: $name");
	}
	foreach my $name (sort keys %following)
	{
		my $query = $following{$name};
		my $one = $query =~ s/\bdocs\b/one/r;
		my $set = 'SET %s lshsim.similarity_threshold = 0.6;';

		like(at_coordinator($query), $refusal, "$how: $name is refused");
		like(at_coordinator($set =~ s/%s//gr . $query), $refusal, "$how: $name is refused after SET");
		is(at_coordinator("BEGIN; SET citus.propagate_set_commands = 'local';" . $set =~ s/%s/LOCAL/gr . "$query; COMMIT"),
			at_coordinator($set =~ s/%s//gr . $one), "$how: $name with SET LOCAL that travels");
		is(at_coordinator($set =~ s/%s//gr . $one), at_coordinator("BEGIN; $set $one; COMMIT" =~ s/%s/LOCAL/gr), "$how: $name on a local table");
	}
}

# The setting of the database reaches the workers, but is not the session's.
$coordinator->safe_psql('postgres', 'ALTER DATABASE postgres SET lshsim.similarity_threshold = 0.9');
like(at_coordinator($following{'%'}), $refusal, 'a setting of the database is not followed');
$coordinator->safe_psql('postgres', 'ALTER DATABASE postgres RESET lshsim.similarity_threshold');

# A command for the workers is not the session's either.
like(at_coordinator("SELECT result FROM run_command_on_workers(\$\$SELECT $q % $q\$\$)"),
	qr/cannot follow lshsim.similarity_threshold/, 'nor does a command for the workers');

# Changes of many rows.
foreach my $change ("UPDATE docs SET body = body || ' more' WHERE minhash_similar(sig, $q, 0.6, 0.99)",
	"DELETE FROM docs WHERE sig @@ minhash_query($q, 0.6, 0.99)")
{
	is(at_coordinator("BEGIN; $change; SELECT count(*), sum(length(body)) FROM docs; ROLLBACK"),
		at_coordinator("BEGIN; $change; SELECT count(*), sum(length(body)) FROM docs; ROLLBACK" =~ s/\bdocs\b/one/gr), $change =~ s/ .*//r);
}

# Aggregates run on the workers: unions do, and so does a set given as rows if it is
# a union of signatures of one element.
my $union = 'SELECT minhash_union_agg(sig)::text FROM docs';
is(at_coordinator($union), at_coordinator($union =~ s/docs/one/r), 'union');
like(at_coordinator("EXPLAIN (COSTS OFF) $union"), qr/Task\b.*Aggregate.*Seq Scan/s, 'union on the workers');
my $set = 'SELECT minhash_union_agg(array_to_minhash(ARRAY[id % 1000]))::text FROM docs';
is(at_coordinator($set), at_coordinator('SELECT minhash_agg(id % 1000)::text FROM one'), 'a set given as rows');
like(at_coordinator("EXPLAIN (COSTS OFF) $set"), qr/Task\b.*Aggregate.*Seq Scan/s, 'a set given as rows, on the workers');
like(at_coordinator('SELECT minhash_agg(id % 1000)::text FROM docs'),
	qr/could not confirm type correctness/, 'minhash_agg, of any type, is refused by Citus');

# Clusters of the distributed table.
$coordinator->safe_psql('postgres', slurp('test/citus/clusters.sql'));
foreach my $threshold (.9, .8, .7, .6)
{
	$coordinator->safe_psql('postgres', "CALL distributed_clusters('docs', $threshold, 0.99)");
	my ($rows, $clusters, $different) = split /\|/, at_coordinator(qq{
		WITH truth AS (SELECT id, first_value(id) OVER (PARTITION BY c ORDER BY id) AS cluster
			FROM (SELECT id, minhash_cluster(sig, $threshold, 0.99) OVER (ORDER BY id) AS c FROM one) c),
			found AS MATERIALIZED (SELECT id, cluster FROM docs_clusters)
		SELECT count(*), count(DISTINCT found.cluster), count(*) FILTER (WHERE truth.cluster IS DISTINCT FROM found.cluster)
		FROM truth FULL JOIN found USING (id)});
	is($different, 0, "$rows rows in $clusters clusters at $threshold");
	like(at_coordinator("CALL distributed_clusters('docs', $threshold, 0.99)"), qr/"docs_clusters" already exists/,
		'a table that is there is not replaced')
	  if $threshold == .9;
	$coordinator->safe_psql('postgres', 'DROP TABLE docs_clusters');
}
like(at_coordinator(q{CALL distributed_clusters('docs', 0.01, 0.99)}), qr/all rows must be compared/, 'a plan without bands is refused');

done_testing();

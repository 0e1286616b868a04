# A Citus cluster of a coordinator and two workers: searches with explicit numbers
# return the rows of one node; workers refuse %, which depends on a setting, unless
# the setting is propagated; the recipes of DEPLOYMENT.md for distributed tables have
# the results of one node.
#
# It needs a server with Citus: PG_CONFIG=... test/run 053_citus.
# LSHSIM_DOCS=FILE names documents (name, tab, text) in place of the sample; a file
# whose name ends in .gz is decompressed.

use LshsimTest;

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
	CREATE TABLE one (id bigint PRIMARY KEY, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
	INSERT INTO one SELECT row_number() OVER (ORDER BY name), body FROM raw;
	INSERT INTO one VALUES (-1, NULL), (-2, ''), (-3, '');
	CREATE TABLE docs (id bigint PRIMARY KEY, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
	SELECT create_distributed_table('docs', 'id');
	CREATE TABLE probes AS SELECT id, sig FROM one WHERE id % GREATEST((SELECT count(*) FROM one) / 100, 1) = 0;
	CREATE TABLE probes_everywhere (LIKE probes);
	SELECT create_reference_table('probes_everywhere');
	INSERT INTO probes_everywhere TABLE probes;
	CREATE TABLE probes_of_passages AS SELECT body FROM one WHERE id > 0 ORDER BY id LIMIT 1;
	CREATE INDEX one_sig ON one USING lsh (sig);
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
	'nearest' => "SELECT id FROM docs ORDER BY sig <-> $q, id LIMIT 10",
	'passage' => "SELECT id FROM docs WHERE shares_passage(body, (SELECT body FROM probes_of_passages), 'word:12') ORDER BY 1",
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
like(at_coordinator("EXPLAIN (COSTS OFF) $union"), qr/Task\b.*Aggregate.*Scan/s, 'union on the workers');
my $set = 'SELECT minhash_union_agg(array_to_minhash(ARRAY[id % 1000]))::text FROM docs';
is(at_coordinator($set), at_coordinator('SELECT minhash_agg(id % 1000)::text FROM one'), 'a set given as rows');
like(at_coordinator("EXPLAIN (COSTS OFF) $set"), qr/Task\b.*Aggregate.*Scan/s, 'a set given as rows, on the workers');
my $elements = 'SELECT minhash_agg(id % 1000)::text FROM docs';
is(at_coordinator($elements), at_coordinator($elements =~ s/docs/one/r), 'minhash_agg');
like(at_coordinator("EXPLAIN (COSTS OFF) $elements"), qr/^Aggregate.*Task\b(?!.*Aggregate)/s, 'minhash_agg, on the coordinator');

# Clusters of the distributed table.
$coordinator->safe_psql('postgres', slurp('test/citus/clusters.sql'));
foreach my $threshold (.9, .8, .7, .6, .5)
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

# The statements of a recipe, in blocks.
my $deployment = slurp('DEPLOYMENT.md');

sub recipe
{
	my ($heading) = @_;
	my ($section) = $deployment =~ /^### \Q$heading\E\n(.*?)^##/ms or die "no recipe $heading";

	return $section =~ /^```plpgsql\n(.*?)^```/msg;
}

# The rows that statements at the coordinator return, in an order.
sub rows_of
{
	return join "\n", sort grep { /\S/ } split /\n/, at_coordinator(join ';', @_);
}

# The functions that read an index refuse the table of the coordinator and that of a
# worker.
foreach my $node ($coordinator, $workers[0])
{
	like(error_of($node, 'postgres', "SELECT $_"),
		qr/cannot read index "docs_sig" of a distributed table/, "$_ on " . $node->name)
	  foreach q{lsh_index_stats('docs_sig')}, q{lsh_index_check('docs_sig')}, q{lsh_index_pairs('docs_sig', 0.8)};
}
like(rows_of(recipe('Looking into the indexes of shards')), qr/^(?:\d+\|t\|\n?){8}$/, 'lsh_index_check on shards');

# ANALYZE reaches the shards.
is(rows_of(q{SELECT DISTINCT result FROM run_command_on_shards('docs',
	$$SELECT count(*) FROM pg_stats WHERE tablename = '%s' AND attname = 'sig'$$)}), 1, 'statistics of shards');

# All pairs, and what Citus says without a recipe.
my $self_join = 'SELECT a.id, b.id FROM docs a JOIN docs b ON minhash_similar(a.sig, b.sig, 0.8) AND a.id < b.id';
my $pairs = rows_of($self_join =~ s/docs/one/gr);
like($pairs, qr/\n/, 'pairs of one node');
like(at_coordinator($self_join), qr/^complex joins are only supported/, 'a plain self-join is refused');
is(rows_of(recipe('All pairs over shards')), $pairs, 'all pairs');
my ($gathered) = slurp('COOKBOOK.md') =~ /^### Pairs without an index\n.*?^```sql\n(.*?)^```/ms;
is(rows_of($gathered =~ s/articles/docs/r), $pairs, 'all pairs, gathered');
like(at_coordinator("SET citus.max_intermediate_result_size = 10; " . join '', recipe('All pairs over shards')),
	qr/^the intermediate result size exceeds citus.max_intermediate_result_size/, 'a result that is too large');
is(rows_of('SET citus.max_intermediate_result_size = -1', recipe('All pairs over shards')), $pairs, 'no limit of results');

# Pairs of passages.
at_coordinator('CREATE INDEX ON one USING lsh (body passage_ops); ANALYZE one');
my $passages = rows_of(q{SELECT a.id, b.id FROM one a JOIN one b ON shares_passage(a.body, b.body, 'word:12') AND a.id < b.id});
like($passages, qr/\n/, 'passages of one node');
is(rows_of(recipe('Pairs of passages over shards')), $passages, 'pairs of passages');

# Searching by band key.
is(rows_of('SET citus.shard_count = 64', recipe('Searching by band key'), "EXECUTE search($q)"),
	rows_of("SELECT id FROM one WHERE minhash_similar(sig, $q, 0.8)"), 'a search by band key');
my ($tasks) = at_coordinator("EXPLAIN (COSTS OFF) SELECT id FROM bands WHERE key = ANY (lsh_plan_keys($q, 0.8))") =~ /Task Count: (\d+)/;
cmp_ok($tasks, '<=', 16, 'shards of a search by band key');

# Groups, after random changes and judgments.  Ids differ with the order of rows.
sub groups_of
{
	my ($table) = @_;

	return at_coordinator("SELECT count(DISTINCT grp), md5(string_agg(id || ' ' || first, ',' ORDER BY id))
		FROM (SELECT id, grp, min(id) OVER (PARTITION BY grp) AS first FROM ${table}_groups) g");
}

seed();
my ($create, $refresh) = map { "$_;" } split /;\n/, join '', recipe('Groups of a distributed table');
foreach my $table (qw(docs one))
{
	is(at_coordinator($create =~ s/docs/$table/r), "${table}_groups", "groups of $table");
}
is(groups_of('docs'), groups_of('one'), 'groups');
foreach my $round (1 .. 20)
{
	my ($from, $to) = map { 1 + int rand 400 } 1, 2;
	my $text = at_coordinator("SELECT quote_literal(coalesce(min(body), '') || ' $round') FROM one WHERE id = $from");
	my $change = ("UPDATE docs SET body = $text WHERE id = $to", "DELETE FROM docs WHERE id = $to",
		"INSERT INTO docs VALUES (" . (100000 + $round) . ", $text)")[rand 3];

	foreach my $table (qw(docs one))
	{
		at_coordinator(join ';', map { s/docs/$table/r } $change, $refresh);
	}
	is(groups_of('docs'), groups_of('one'), 'groups after ' . substr $change, 0, 30);
}
my ($first, $second, $other) = split /\|/, at_coordinator(q{
	SELECT min(id), max(id), (SELECT min(id) FROM one WHERE id > 0) FROM one_groups GROUP BY grp HAVING count(*) = 2 ORDER BY 1 LIMIT 1});
at_coordinator("INSERT INTO ${_}_groups_judged (id_a, id_b, same) VALUES ($first, $second, false), ($first, $other, true);" . $refresh =~ s/docs/$_/r)
  foreach qw(docs one);
is(groups_of('docs'), groups_of('one'), 'groups with judgments');
like(groups_of('docs'), qr/^\d+\|\w{32}$/, 'groups are there');

# A batch, with the table locked on all nodes.
my $batch = join '', recipe('Loading a batch into shards');
at_coordinator(q{CREATE TABLE incoming (LIKE one INCLUDING ALL);
	INSERT INTO incoming SELECT 1000000 + id, body || ' more' FROM one WHERE id % 5 = 0;
	INSERT INTO incoming SELECT 2000000 + id, reverse(body) FROM one WHERE id % 5 < 2 AND id > 0;
	INSERT INTO incoming SELECT 3000000 + id, reverse(body) || ' more' FROM one WHERE id % 5 = 0 AND id > 0});
is(rows_of('BEGIN', 'LOCK TABLE docs IN SHARE ROW EXCLUSIVE MODE', q{SELECT DISTINCT result FROM run_command_on_workers(
	$$SELECT count(*) FROM pg_locks WHERE relation = 'docs'::regclass AND mode = 'ShareRowExclusiveLock' AND granted$$)}),
	1, 'LOCK TABLE reaches the workers');
at_coordinator($batch);
at_coordinator(q{INSERT INTO one (id, body) SELECT id, body FROM (
	SELECT *, minhash_representative(sig, 0.8, id) OVER (ORDER BY id) AS stays
	FROM incoming n WHERE NOT EXISTS (SELECT FROM one a WHERE minhash_similar(a.sig, n.sig, 0.8))) c WHERE stays = id});
my $loaded = 'SELECT id FROM docs WHERE id > 1000000';
like(rows_of($loaded), qr/\n/, 'rows of a batch');
is(rows_of($loaded), rows_of($loaded =~ s/docs/one/r), 'a batch');

# A deduplication, and its check.
my ($left, $check) = (q{SELECT id FROM docs}, (recipe('Deleting copies from shards'))[2]);
my $before = () = rows_of($left) =~ /^/mg;
at_coordinator(join '', (recipe('Deleting copies from shards'))[ 0, 1 ]);
at_coordinator(q{DELETE FROM one d USING (SELECT id, minhash_representative(sig, 0.8, id) OVER (ORDER BY id) AS stays FROM one) r
	WHERE d.id = r.id AND r.stays <> r.id});
is(rows_of($left), rows_of($left =~ s/docs/one/r), 'rows that stay');
my $deleted = $before - (() = rows_of($left) =~ /^/mg);
is(rows_of($check), "$deleted|0|0", 'the check of a deduplication');

# The check trigger.
my ($trigger) = recipe('Checking rows in shards');
like(at_coordinator($trigger =~ s/^ *SET .*\n//mr), qr/^triggers are not supported on distributed tables/, 'a trigger needs the setting');
at_coordinator("DROP TABLE posts; $trigger");
at_coordinator($trigger =~ s/^ *(SET|SELECT create).*\n//mgr =~ s/posts/posts_one/gr);
foreach my $number (1 .. 60)
{
	my $row = sprintf "('t%d', %d, 'the ferry %d to the islands leaves at eight in the morning %s')",
	  rand 4, $number, rand 5, 'from pier ' x rand 3;

	at_coordinator("INSERT INTO posts VALUES $row; INSERT INTO posts_one VALUES $row");
}
my $flags = q{SELECT tenant, id, copy_of IS NULL, copy_of LIKE '(' || tenant || ',%' FROM posts};
like(rows_of($flags), qr/t\|\n.*f\|t|f\|t\n.*t\|/s, 'some rows have flags');
is(rows_of($flags), rows_of($flags =~ s/posts/posts_one/r), 'flags of rows that came one by one');
at_coordinator(q{INSERT INTO posts SELECT 'u' || i % 5, i, 'the same words in each of them' FROM generate_series(1, 20) i});
is(rows_of(q{SELECT count(*), count(copy_of) FROM posts WHERE tenant LIKE 'u%'}), '20|15', 'flags of rows that came together');

# Without the distribution column in the scope, rows of other shards are missed.
at_coordinator(q{CREATE TABLE loose (id bigint PRIMARY KEY, body text, copy_of bigint, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
	SELECT create_distributed_table('loose', 'id');
	SET citus.enable_unsafe_triggers = on;
	CREATE TRIGGER check_copies BEFORE INSERT ON loose FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.7, 'flag', 'copy_of')});
at_coordinator("INSERT INTO loose VALUES ($_, 'the same words in each of them')") foreach 1 .. 20;
cmp_ok(rows_of('SELECT count(copy_of) FROM loose'), '<', 19, 'a scope without the distribution column misses copies');

done_testing();

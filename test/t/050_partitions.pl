# Partitioned tables: an index on the parent serves searches of all partitions
# except pruned ones; the results are those of one table.  Attaching and detaching,
# several kinds of signatures, and partition-wise aggregates and clusters; the same
# for passages.

use LshsimTest;

my ($rows, $parts) = (8000, 4);
my $node = start_node('parted', 'autovacuum = off', q{log_statement = 'none'});

# Families of eight in which the similarity falls from .95 to .5; a family lies
# in two partitions. Two rows are the empty set and NULL.
$node->safe_psql('postgres', qq{
	CREATE FUNCTION signature(id bigint) RETURNS minhash LANGUAGE sql IMMUTABLE AS \$\$
		SELECT to_minhash(string_agg('w' || id / 8 * 1000 + id % 8 * 3 + i, ' '), 'word:1') FROM generate_series(1, 60) i \$\$;
	CREATE TABLE flat (id bigint, part int NOT NULL, sig minhash);
	INSERT INTO flat SELECT id, id / 4 % $parts, signature(id) FROM generate_series(0, $rows - 1) id;
	INSERT INTO flat VALUES (-1, 0, NULL), (-2, 1, to_minhash('', 'word:1'));
	CREATE TABLE docs (LIKE flat) PARTITION BY LIST (part)});
$node->safe_psql('postgres', join ';',
	map { "CREATE TABLE docs_$_ PARTITION OF docs FOR VALUES IN ($_)" } 0 .. $parts - 1);
$node->safe_psql('postgres', 'INSERT INTO docs SELECT * FROM flat; VACUUM ANALYZE docs, flat');

my $probe = int($rows / 2) + 3;
my $q = "(SELECT sig FROM flat WHERE id = $probe)";
my $part = int($probe / 4) % $parts;
my $some = 'id % 97 = 1';
my %searches = (
	'%' => "SELECT id FROM docs WHERE sig % $q ORDER BY 1",
	'minhash_similar' => "SELECT id FROM docs WHERE minhash_similar(sig, $q, 0.6) ORDER BY 1",
	'@@' => "SELECT id FROM docs WHERE sig @@ minhash_query($q, 0.6) ORDER BY 1",
	'one partition' => "SELECT id FROM docs WHERE sig % $q AND part = $part ORDER BY 1",
	'order' => "SELECT id FROM docs WHERE minhash_similar(sig, $q, 0.5) ORDER BY sig <-> $q, id LIMIT 5",
	'join' => "SELECT a.id, b.id FROM docs a JOIN docs b ON a.sig % b.sig AND a.id <> b.id WHERE a.$some ORDER BY 1, 2",
	'join within partitions' => "SELECT a.id, b.id FROM docs a JOIN docs b ON a.part = b.part AND a.sig % b.sig AND a.id < b.id WHERE a.$some ORDER BY 1, 2");

foreach my $kind (qw(gin lsh))
{
	$node->safe_psql('postgres', qq{SET maintenance_work_mem = '1MB'; DROP INDEX IF EXISTS docs_sig, flat_sig;
		CREATE INDEX docs_sig ON docs USING $kind (sig); CREATE INDEX flat_sig ON flat USING $kind (sig)});
	foreach my $settings ([ search(.8) ], [ search(.6) ])
	{
		my @settings = (@$settings, 'max_parallel_workers_per_gather = 0', index_scan());
		foreach my $name (sort keys %searches)
		{
			my $one = $searches{$name} =~ s/\bdocs\b/flat/gr;
			is(query_with($node, \@settings, $searches{$name}), query_with($node, \@settings, $one), "$kind, $name under @$settings: as in one table");
		}
	}
	my $plan = query_with($node, [ index_scan() ], "EXPLAIN (COSTS OFF) $searches{'%'}");
	my $scans = () = $plan =~ /Index Scan (?:on|using) docs_\d+_sig_idx/g;
	is($scans, $parts, "$kind: the index of every partition is searched");
	$plan = query_with($node, [ index_scan() ], "EXPLAIN (COSTS OFF) $searches{'one partition'}");
	$scans = () = $plan =~ /Index Scan (?:on|using) docs_\d+_sig_idx/g;
	is($scans, 1, "$kind: only that of the one partition");
}

# Combined aggregates of partitions.
my $union = 'SELECT part, minhash_union_agg(sig)::text, minhash_agg(id)::text, count(*) FROM docs GROUP BY part ORDER BY 1';
my @partitionwise = ('enable_partitionwise_aggregate = on', 'enable_partitionwise_join = on');
is(query_with($node, \@partitionwise, $union), query_with($node, [], $union =~ s/docs/flat/r), 'aggregates of each partition');
like(query_with($node, \@partitionwise, "EXPLAIN (COSTS OFF) $union"), qr/Append.*Aggregate.*Aggregate/s, 'made partition by partition');
is(query_with($node, \@partitionwise, $union =~ s/part, |GROUP BY part ORDER BY 1//gr),
	query_with($node, [], $union =~ s/part, |GROUP BY part ORDER BY 1//gr =~ s/docs/flat/r), 'aggregates of all');
unlike(query_with($node, [ @partitionwise, index_scan() ], "EXPLAIN (COSTS OFF) $searches{'join within partitions'}"),
	qr/Append.*Append/s, 'a join within partitions is made partition by partition');

# Clusters within partitions, of one of them, and of all.
foreach my $over ('PARTITION BY part ORDER BY id', 'ORDER BY id')
{
	my $clusters = "SELECT count(DISTINCT c), md5(string_agg(id || ' ' || c, ',' ORDER BY id)) FROM (SELECT id, minhash_cluster(sig, .6) OVER ($over) c FROM docs) s";
	is(query_with($node, [], $clusters), query_with($node, [], $clusters =~ s/docs/flat/r), "clusters $over");
}
is(query_with($node, [], 'SELECT id, minhash_cluster(sig, .6) OVER (ORDER BY id) FROM docs_1 ORDER BY 1'),
	query_with($node, [], 'SELECT id, minhash_cluster(sig, .6) OVER (PARTITION BY part ORDER BY id) FROM docs WHERE part = 1 ORDER BY 1'),
	'clusters of a partition');

# The contents of the parent's index.
$node->safe_psql('postgres', 'DROP INDEX docs_sig; CREATE INDEX docs_sig ON docs USING lsh (sig); CREATE INDEX flat_too ON flat USING lsh (sig)');
is(query_with($node, [], q{SELECT count(*), sum(entries) = (SELECT entries FROM lsh_index_stats('flat_too')) FROM lsh_index_stats('docs_sig')}),
	"$parts|t", 'lsh_index_stats of the parent');

# A check of the parent's index checks those of the partitions.
is(error_of($node, 'postgres', q{SELECT lsh_index_check('docs_sig', true)}), '', 'lsh_index_check of the parent');
$node->safe_psql('postgres', qq{
	SET allow_system_table_mods = on;
	UPDATE pg_index SET indisready = false WHERE indexrelid = 'docs_${part}_sig_idx'::regclass;
	INSERT INTO docs SELECT -3, part, sig FROM docs WHERE id = $probe;
	UPDATE pg_index SET indisready = true WHERE indexrelid = 'docs_${part}_sig_idx'::regclass});
like(error_of($node, 'postgres', q{SELECT lsh_index_check('docs_sig', true)}),
	qr/index "docs_${part}_sig_idx" does not match its table at row/, 'finds a row that the index of a partition lacks');
is(error_of($node, 'postgres', q{SELECT lsh_index_check('docs_sig')}), '', 'which the pages alone do not tell');
$node->safe_psql('postgres', 'DELETE FROM docs WHERE id = -3; CREATE INDEX docs_only ON ONLY docs USING lsh (sig)');
like(error_of($node, 'postgres', "SELECT $_('docs_only')"), qr/index "docs_only" is not valid.*ATTACH PARTITION/s, "$_ where partitions lack an index")
  foreach 'lsh_index_check', 'lsh_index_stats';
$node->safe_psql('postgres', 'DROP INDEX docs_only');

# A partition is detached and attached, also one with an index of its own.
my $count = "SELECT count(*) FROM docs WHERE minhash_similar(sig, $q, 0.5)";
my $all = query_with($node, [ index_scan() ], $count);
$node->safe_psql('postgres', "ALTER TABLE docs DETACH PARTITION docs_$part");
my $rest = query_with($node, [ index_scan() ], $count);
is($rest + query_with($node, [ index_scan() ], $count =~ s/docs/docs_$part/r), $all, 'rows of a detached partition are no longer found');
cmp_ok($rest, '<', $all, 'there were some');
$node->safe_psql('postgres', "ALTER TABLE docs ATTACH PARTITION docs_$part FOR VALUES IN ($part)");
is(query_with($node, [ index_scan() ], $count), $all, 'and found again');
$node->safe_psql('postgres', qq{
	CREATE TABLE newcomer (LIKE flat);
	INSERT INTO newcomer SELECT id + $rows, $parts, sig FROM flat WHERE id BETWEEN $probe - 10 AND $probe + 10;
	ALTER TABLE docs ATTACH PARTITION newcomer FOR VALUES IN ($parts)});
is(query_with($node, [ index_scan() ], $count), 2 * $all, 'a table that is attached is found, too');
is(query_with($node, [], q{SELECT count(*) FROM lsh_index_stats('docs_sig')}), $parts + 1, 'it has an index');
$node->safe_psql('postgres', 'DROP TABLE newcomer');

# Partitions with different kinds of signatures: a search of one of them by its
# kind works, and a search of all is an error with every plan.
$node->safe_psql('postgres', q{
	CREATE TABLE texts (language text, body text, sig minhash) PARTITION BY LIST (language);
	CREATE TABLE texts_en PARTITION OF texts FOR VALUES IN ('en');
	CREATE TABLE texts_zh PARTITION OF texts FOR VALUES IN ('zh');
	INSERT INTO texts SELECT 'en', body, to_minhash(body, 'char:5') FROM (SELECT 'a text of number ' || i FROM generate_series(1, 300) i) t (body);
	INSERT INTO texts SELECT 'zh', body, to_minhash(body, 'char:2') FROM (SELECT 'text ' || i FROM generate_series(1, 300) i) t (body);
	CREATE INDEX texts_sig ON texts USING gin (sig);
	ANALYZE texts});
foreach my $plan ([ seq_scan() ], [ index_scan() ])
{
	is(query_with($node, $plan, q{SELECT count(*) FROM texts WHERE sig % to_minhash('text 7', 'char:2') AND language = 'zh' AND body = 'text 7'}),
		1, 'the partition of the same kind');
	my ($status, $stdout, $stderr) = $node->psql('postgres',
		join('', map { "SET $_;" } @$plan) . q{SELECT count(*) FROM texts WHERE sig % to_minhash('text 7', 'char:2')});
	like($stderr, qr/cannot compare minhash signatures of different kinds/, 'all partitions: an error');
}

### Passages

# Families of texts with a common quotation lie in all partitions. Two partitions
# have a common footer, so the lists of common k-grams differ.
$node->safe_psql('postgres', q{
	CREATE FUNCTION words(seed text, count int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
		SELECT string_agg('w' || get_byte(decode(md5(seed || '.' || i), 'hex'), 0), ' ' ORDER BY i) FROM generate_series(1, count) i $$;
	CREATE TABLE mails (id int, part int NOT NULL, body text);
	INSERT INTO mails SELECT i, i % 4, concat_ws(' ', words('own ' || i, 25), words('quoted ' || i / 6, 15), CASE WHEN i % 4 < 2 THEN words('footer', 14) END)
		FROM generate_series(1, 200) i;
	INSERT INTO mails VALUES (-1, 0, NULL), (-2, 1, ''), (-3, 2, 'two words');
	CREATE TABLE parted (LIKE mails) PARTITION BY LIST (part);
	CREATE TABLE parted_0 PARTITION OF parted FOR VALUES IN (0);
	CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
	CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2);
	CREATE TABLE parted_3 PARTITION OF parted FOR VALUES IN (3);
	INSERT INTO parted SELECT * FROM mails;
	VACUUM ANALYZE parted, mails});

my ($quotation, $footer) = map { $node->safe_psql('postgres', "SELECT words('$_', 13)") } 'quoted 8', 'footer';
my %passages = (
	constant => "SELECT id FROM parted WHERE shares_passage(body, 'Re: $quotation') ORDER BY 1",
	'constant, reversed' => "SELECT id FROM parted WHERE shares_passage('> $footer', body) ORDER BY 1",
	parameter => "PREPARE search (text) AS SELECT id FROM parted WHERE shares_passage(body, \$1) ORDER BY 1; EXECUTE search ('$quotation, $footer')",
	'one partition' => "SELECT id FROM parted WHERE shares_passage(body, '$quotation') AND part = 1 ORDER BY 1",
	join => 'SELECT a.id, b.id FROM mails a JOIN parted b ON shares_passage(b.body, a.body) WHERE a.id % 21 = 1 ORDER BY 1, 2',
	'join, reversed' => 'SELECT a.id, b.id FROM parted a JOIN parted b ON shares_passage(b.body, a.body) WHERE a.id % 21 = 1 ORDER BY 1, 2');

# Check that searches of partitions by an index find what a sequential scan of
# one table finds by jaccard().
sub check_passages
{
	my ($kind, $when) = @_;

	foreach my $name (sort keys %passages)
	{
		my $truth = $passages{$name} =~ s/\bparted\b/mails/gr =~ s/shares_passage\((.*?)\)/jaccard($1, 'word:12') > 0/r;
		is(query_with($node, [ index_scan(), 'plan_cache_mode = force_generic_plan' ], $passages{$name}),
			query_with($node, [ seq_scan() ], $truth), "$kind: passages, $name, $when");
	}
	return;
}

# Return the number of indexes of partitions that a search uses.
sub indexes_of
{
	my ($name) = @_;
	my $plan = query_with($node, [ index_scan(), 'plan_cache_mode = force_generic_plan' ], $passages{$name} =~ s/(EXECUTE|^SELECT)/EXPLAIN $1/r);
	my $scans = () = $plan =~ /Index Scan (?:on|using) parted_\d_body_idx/g;

	return $scans;
}

foreach my $kind ('gin', 'lsh')
{
	$node->safe_psql('postgres', "CREATE INDEX parted_body ON parted USING $kind (body passage_ops)");
	check_passages($kind, 'built');
	is(indexes_of($_), $_ eq 'one partition' ? 1 : 4, "$kind: indexes for passages, $_") foreach sort keys %passages;

	$node->safe_psql('postgres', 'ALTER TABLE parted DETACH PARTITION parted_1; DELETE FROM mails WHERE part = 1');
	check_passages($kind, 'one detached');
	$node->safe_psql('postgres', q{
		INSERT INTO parted_1 SELECT 501, 1, body FROM parted WHERE id = 48;
		INSERT INTO mails TABLE parted_1;
		ALTER TABLE parted ATTACH PARTITION parted_1 FOR VALUES IN (1)});
	check_passages($kind, 'attached');
	is($node->safe_psql('postgres', q{SELECT inhparent::regclass FROM pg_inherits WHERE inhrelid = 'parted_1_body_idx'::regclass}),
		'parted_body', "$kind: attached with its index");

	# An index built on an empty table, and one of another run.
	$node->safe_psql('postgres', qq{
		CREATE TABLE parted_4 (LIKE mails);
		CREATE TABLE parted_5 (LIKE mails);
		CREATE INDEX ON parted_4 USING $kind (body passage_ops);
		CREATE INDEX ON parted_5 USING $kind (body passage_ops (run = 'char:30'));
		INSERT INTO parted_4 SELECT id + 1000, 4, body FROM mails WHERE part < 2;
		INSERT INTO parted_5 SELECT id + 2000, 5, body FROM mails WHERE part = 3;
		INSERT INTO mails TABLE parted_4 UNION ALL TABLE parted_5;
		ALTER TABLE parted ATTACH PARTITION parted_4 FOR VALUES IN (4);
		ALTER TABLE parted ATTACH PARTITION parted_5 FOR VALUES IN (5)});
	check_passages($kind, 'tables with indexes attached');
	$node->safe_psql('postgres', q{
		DROP TABLE parted_4, parted_5;
		DELETE FROM mails WHERE part > 3 OR id = 501;
		DELETE FROM parted WHERE id = 501;
		DROP INDEX parted_body});
}

$node->stop;
done_testing();

# Out of memory is an error and no crash; and caught errors, index probes and
# successive statements leave no memory allocated.

use LshsimTest;

my $node = start_node('memory', 'shared_buffers = 2MB', 'wal_buffers = 64kB', 'jit = off',
	'max_parallel_workers_per_gather = 0');

plan skip_all => 'needs /proc and the program prlimit'
  if !can_read_proc() || system('prlimit --version >/dev/null 2>&1') != 0;

# Inputs for which the functions need 5 to 150 MB.
$node->safe_psql('postgres', q{
	CREATE TABLE input AS
	SELECT t, x, array_fill(1.5::float8, ARRAY[300000]) w,
		array(SELECT i::text FROM generate_series(1, 100000) i) y
	FROM (SELECT string_agg(md5(i::text), ' ') t FROM generate_series(1, 50000) i) t,
		(SELECT array_agg(i) x FROM generate_series(1, 300000) i) x;
	CREATE TABLE docs (id int, sig minhash);
	INSERT INTO docs SELECT i, array_to_minhash(ARRAY[i, i + 1, i + 2], 64) FROM generate_series(1, 20000) i;
	CREATE TABLE large AS SELECT array_to_minhash(array(SELECT generate_series(100 * i, 100 * i + 9999)), 4096) sig FROM generate_series(1, 200) i;
	CREATE INDEX large_sig ON large USING gin (sig);
	CREATE TABLE pairs AS SELECT sig FROM docs;
	CREATE INDEX pairs_lsh ON pairs USING lsh (sig);
	CREATE TABLE twins AS SELECT i AS id, array_to_minhash(ARRAY[i, i + 1, i + 2], 64) AS sig FROM generate_series(1, 100000) i;
	CREATE INDEX twins_lsh ON twins USING lsh (sig);
	CREATE TABLE triggered (t text, sig minhash);
	CREATE TRIGGER keep BEFORE INSERT ON triggered FOR EACH ROW
		EXECUTE FUNCTION minhash_trigger('sig', 'char:5', '128', 't')});

my @hungry = (
	q{SELECT to_minhash(t, 'char:9 bag') FROM input},
	q{SELECT cardinality(shingles(t, 'char:9')) FROM input},
	q{SELECT cardinality(shingles(t, 'word:1 bag')) FROM input},
	q{SELECT jaccard(t, t || 'x', 'char:9') FROM input},
	q{SELECT containment(t, t, 'word:1 bag') FROM input},
	q{SELECT jaccard(x, x || 1) FROM input},
	q{SELECT count(*) FROM input, common_passages(t, t || 'x', 'char:5', 60, 5)},
	q{SELECT length(text_without(t, t || 'x', 'char:5', 60, 5)) FROM input},
	q{SELECT shares_passage(t, t || 'x', 'char:100') FROM input},
	q{SELECT cardinality(passage_keys(t, 'char:16')) FROM input},
	q{SELECT count(*) FROM minhash_advise('input', 't', shingling => 'char:5', sample_rows => 10)},
	q{SELECT count(*) FROM minhash_advise_pairs('input', 't', 0.5, sample_rows => 10)},
	q{SELECT count(*) FROM minhash_advise_shingling('input', 't')},
	q{SELECT containment(y, y) FROM input},
	q{SELECT weighted_to_minhash(x, w) FROM input},
	q{SELECT array_to_minhash(y, 4096) FROM input},
	q{SELECT count(c) FROM (SELECT minhash_cluster(sig, 0.5) OVER () AS c FROM docs) d},
	q{SELECT count(c) FROM (SELECT minhash_representative(sig, 0.5, id::text) OVER () AS c FROM docs) d},
	q{SELECT count(c) FROM (SELECT minhash_link(sig, 0.5, id::text) OVER () AS c FROM docs) d},
	q{SELECT count(a) FROM (SELECT minhash_agg(t, 4096, 0, 'k-permutation') AS a FROM input, generate_series(1, 5000) i GROUP BY i) g},
	q{SELECT count(u) FROM (SELECT minhash_union_agg(sig) AS u FROM docs GROUP BY id) d},
	q{SELECT count(*) FROM lsh_index_stats('pairs_lsh')},
	q{SELECT count(*) FROM lsh_index_pairs('pairs_lsh', 0.5)},
	q{SELECT count(*) FROM (SELECT sig FROM docs ORDER BY sig OFFSET 10) s},
	q{CREATE INDEX docs_gin ON docs USING gin (sig)},
	q{CREATE INDEX docs_lsh ON docs USING lsh (sig)},
	q{SELECT lsh_index_check('twins_lsh', true)},
	q{CREATE INDEX input_lsh ON input USING lsh (t passage_ops (run = 'char:20'))},
	q{CREATE INDEX input_gin ON input USING gin (t passage_ops (run = 'char:20'))},
	q{SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off;
		SELECT count(d) FROM (SELECT sig <-> (SELECT sig FROM twins LIMIT 1) AS d FROM twins ORDER BY sig <-> (SELECT sig FROM twins LIMIT 1)) t},
	q{INSERT INTO triggered SELECT t || t FROM input});

# Return the SQLSTATE of each statement (00000 without an error) in a session that
# may allocate the given number of bytes more than at its start.
sub states_with
{
	my ($bytes) = @_;
	my ($status, $stdout, $stderr) = $node->psql('postgres', join("\n",
			'SET work_mem = 1000000; SET maintenance_work_mem = 1000000;',
			q{SET statement_timeout = '10min';},
			# Loading libraries and filling caches comes before the limit.
			'SELECT count(%s) FROM docs LIMIT 1;' =~ s/%s/sig::text/r,
			q{SELECT pg_backend_pid() AS pid, } . $bytes . q{ + 1024 *
				substring(pg_read_file('/proc/self/status') FROM 'VmSize:\s*(\d+)')::bigint AS bytes \gset},
			'\setenv PID :pid', '\setenv BYTES :bytes', '\! prlimit --pid $PID --as=$BYTES',
			(map { ("BEGIN;", "$_ \\g /dev/null", '\echo state :SQLSTATE', 'ROLLBACK;') } @hungry),
			q{SELECT 'alive', pg_backend_pid() = :pid;}), on_error_stop => 0);

	return ($stdout =~ /alive\|t/ ? 1 : 0, $stdout =~ /^state (\w+)/mg);
}

my %count;
foreach my $mb (2, 8, 64)
{
	my ($alive, @states) = states_with($mb * 1024 * 1024);
	my @wrong = grep { $states[$_] !~ /^(00000|53200)$/ } 0 .. $#states;

	$count{$_}++ foreach @states;
	ok($alive, "$mb MB more: the session lives on");
	is(scalar(@states), scalar(@hungry), "$mb MB more: every statement has ended");
	is_deeply([ map { "$states[$_]: $hungry[$_]" } @wrong ], [],
		"$mb MB more: " . (grep { $_ eq '53200' } @states) . ' of ' . @states . ' are out of memory, the others answer');
}
cmp_ok($count{53200}, '>', 10, 'memory was too small often enough');
cmp_ok($count{'00000'}, '>', 10, 'and large enough');
unlike(slurp($node->logfile), qr/terminated by signal|TRAP:|PANIC:/, 'the server has not crashed');

# Return the memory of a session in kB before and after statements that run many
# times: its peak, and the sum of its memory contexts.
sub growth
{
	my ($few, $many) = @_;
	my $used = q{SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s*(\d+)'),
		sum(total_bytes) / 1024 FROM pg_backend_memory_contexts;} . "\n";
	my ($before, $after) = map { [ split /\|/ ] } grep { /^\d+\|/ } split /\n/,
	  $node->safe_psql('postgres', "$few;\n$used$many;\n$used");

	return map { int($after->[$_] - $before->[$_]) } 0, 1;
}

# Check that a statement that runs many times leaves no memory allocated.  What grows
# only once is no leak: the kernel may give a process 2 MB in place of 4 kB.
sub leaves_nothing
{
	my ($name, $few, $many) = @_;
	my ($peak, $contexts) = growth($few, $many);

	($peak, $contexts) = growth("$few;\n$many", $many) if $peak >= 3000;

	ok($peak < 3000 && $contexts < 500, "$name: $peak kB more at the peak, $contexts kB at the end");
	return;
}

# Wrong calls, each caught in a subtransaction.
foreach my $call (
	q{to_minhash('a', 'integer')}, q{to_minhash('a', 'char:1', 1)}, q{array_to_minhash(ARRAY[json '1'])},
	q{weighted_to_minhash(ARRAY[1], ARRAY[-1.0])}, q{jaccard(to_minhash('a'), array_to_minhash(ARRAY[1]))},
	q{to_minhash('a') | to_minhash('a', 'char:5', 64)}, q{('x' || now())::minhash},
	q{('x' || now())::shingling}, q{decode('00', 'hex')::minhash}, q{minhash_query(to_minhash('a'), 2)},
	q{shingles('a', 'other')}, q{lsh_band_keys(to_minhash('a'), 999, 999)},
	q{lsh_index_stats('docs')}, q{minhash_from_values(ARRAY[1])},
	q{(SELECT minhash_agg(n, 16 + n) FROM generate_series(1, 2) n)},
	q{(SELECT max(c) FROM (SELECT minhash_cluster(array_to_minhash(ARRAY[n], 15 + n), 0.5) OVER () c FROM generate_series(1, 2) n) x)},
	q{(SELECT count(*) FROM lsh_index_pairs('pairs_lsh', 2))}, q{(SELECT count(*) FROM lsh_index_pairs('large_sig', 0.8))},
	q{(SELECT count(*) FROM large WHERE sig % to_minhash('a'))})
{
	my $block = sub { "DO \$\$ BEGIN FOR i IN 1 .. $_[0] LOOP BEGIN PERFORM $call; RAISE 'not refused';"
	  . " EXCEPTION WHEN data_exception OR undefined_function OR wrong_object_type OR null_value_not_allowed"
	  . " OR invalid_parameter_value OR feature_not_supported THEN NULL; END; END LOOP; END \$\$" };

	leaves_nothing("errors of $call", $block->(100), $block->(2000));
}

# Index probes and rescans, sorts and joins of signatures, and other uses that are
# not calls of a function.
# Each has a statement for a number N of calls, a small number and a large one.
$node->safe_psql('postgres', q{CREATE INDEX docs_gin ON docs USING gin (sig);
	CREATE TABLE quotes AS SELECT i AS id, 'a text of number ' || i AS body FROM generate_series(1, 100) i;
	CREATE TABLE quotes_gin AS TABLE quotes; CREATE INDEX ON quotes_gin USING gin (body passage_ops (run = 'char:18'));
	CREATE INDEX ON quotes USING lsh (body passage_ops (run = 'char:18'));
	CREATE TABLE ordered (sig minhash); CREATE INDEX ON ordered USING btree (sig)});
my $member = 'array_to_minhash(ARRAY[i, i + 1, i + 2], 64)';
my $probes = 'SET enable_seqscan = off; SET enable_material = off; SELECT count(*) FROM generate_series(1, N) i';
my $quote = "shares_passage(body, 'a text of number ' || i, 'char:18')";
foreach my $case (
	[ '20,000 index probes', "$probes, LATERAL (SELECT FROM docs WHERE sig % $member OFFSET 0) d", 1000, 20000 ],
	[ '20,000 probes of an lsh index', "$probes, LATERAL (SELECT FROM twins WHERE sig % $member OFFSET 0) d", 1000, 20000 ],
	[ 'scans of an lsh index in order', "SET enable_sort = off; $probes, LATERAL (SELECT FROM twins ORDER BY sig <-> $member LIMIT 10) d", 5, 100 ],
	[ 'inserts into an lsh index', "INSERT INTO twins SELECT i, array_to_minhash(ARRAY[i, i + 7, i + 9], 64) FROM generate_series(1, N) i", 1000, 20000 ],
	[ 'sort of signatures with short headers',
		q{SET work_mem = '64kB'; SELECT count(*) FROM (SELECT array_to_minhash(ARRAY[i], 16) s FROM generate_series(1, N) i ORDER BY s OFFSET 1) x}, 1000, 40000 ],
	[ 'sort of toasted signatures',
		q{SET work_mem = '64kB'; SELECT count(*) FROM (SELECT sig FROM large LIMIT N) l, LATERAL (SELECT FROM large WHERE sig < l.sig OFFSET 0) x}, 2, 50 ],
	[ 'B-tree of signatures', 'INSERT INTO ordered SELECT array_to_minhash(ARRAY[i], 16) FROM generate_series(1, N) i', 5000, 20000 ],
	[ 'lsh_index_stats', q{SELECT count(*) FROM generate_series(1, N) i, LATERAL (SELECT FROM lsh_index_stats(('pairs_lsh' || left('', i))::regclass)) p}, 3, 60 ],
	[ 'lsh_index_pairs', q{SELECT count(*) FROM generate_series(1, N) i, LATERAL (SELECT FROM lsh_index_pairs('pairs_lsh', 0.9 + i * 0)) p}, 3, 60 ],
	[ 'common_passages',
		q{SELECT count(*) FROM generate_series(1, N) i, LATERAL (SELECT FROM common_passages(repeat('a text ' || i, 20), 'a text 1', 'char:5')) p}, 100, 10000 ],
	[ 'text_without', q{SELECT sum(length(text_without(repeat('a text ' || i, 20), 'a text 1', 'char:5'))) FROM generate_series(1, N) i}, 100, 10000 ],
	[ 'shares_passage',
		q{SELECT count(*) FROM generate_series(1, N) i WHERE shares_passage(repeat('a text ' || i, 20), 'a text ' || repeat('b', i % 50), 'char:9')}, 1000, 20000 ],
	[ 'passage_keys', q{SELECT sum(cardinality(passage_keys(repeat('a text ' || i, 20), 'char:20'))) FROM generate_series(1, N) i}, 1000, 20000 ],
	[ 'searches for passages', "$probes, LATERAL (SELECT FROM quotes_gin WHERE $quote OFFSET 0) q", 100, 10000 ],
	map({ [ "searches for passages by lsh, $_ = off", "SET $_ = off; $probes, LATERAL (SELECT FROM quotes WHERE $quote OFFSET 0) q", 100, 10000 ] }
		'enable_indexscan', 'enable_bitmapscan'),
	[ 'inserts of passages into an lsh index', q{INSERT INTO quotes SELECT i, 'another text of number ' || i FROM generate_series(1, N) i}, 1000, 20000 ],
	[ 'trigger', q{INSERT INTO triggered SELECT 'The quick ' || i FROM generate_series(1, N) i}, 1000, 20000 ],
	[ 'planning', q{DO $$ BEGIN FOR i IN 1 .. N LOOP EXECUTE
		'SELECT FROM docs a, docs b WHERE a.sig % b.sig AND minhash_similar(a.sig, array_to_minhash(ARRAY[' || i || '], 64), 0.5) LIMIT 0'; END LOOP; END $$}, 100, 1000 ],
	[ 'elements of changing types', q{ANALYZE pg_class, pg_attribute; SELECT count(array_to_minhash(histogram_bounds))
		FROM pg_stats, generate_series(1, N) WHERE attname ~ '^(oid|rel.*(id|pages)|attnum)$'}, 3, 300 ])
{
	my ($name, $statement, @numbers) = @$case;

	leaves_nothing($name, map { $statement =~ s/\bN\b/$_/gr } @numbers);
}
$node->safe_psql('postgres', q{CREATE TABLE texts AS SELECT i AS id, 'a text of number ' || i % 100 AS body FROM generate_series(1, 500) i});
foreach my $advice ('minhash_advise_shingling(%s)', 'minhash_advise(%s, sample_rows => 50)', 'minhash_advise_pairs(%s, sample_rows => 50)')
{
	# Each call has different arguments, so that its result is not reused.
	my $call = sprintf $advice, q{'texts', CASE WHEN i > 0 THEN name 'body' END};

	leaves_nothing($advice, map { "SELECT count(*) FROM generate_series(1, $_) i, LATERAL (SELECT FROM $call) p" } 3, 60);
}
# A call with many pairs needs memory for the pairs, of 1,000 characters, not for their
# comparisons.
$node->safe_psql('postgres', q{CREATE TABLE windows AS SELECT i AS id, string_agg(md5((i + j)::text), ' ') AS body
	FROM generate_series(1, 400) i, generate_series(1, 60) j GROUP BY i});
my ($peak) = growth(map { "SELECT count(*) FROM minhash_advise_pairs('windows', 'body', shingling => 'word:1', pairs => $_)" } 1, 100);
cmp_ok($peak, '<', 40000, "100 pairs at each threshold: $peak kB more than one");
$node->stop;
done_testing();

# Searches return all matching rows and no others, with random tables, settings and
# plans.
#
# The matching rows are computed in SQL from minhash_slots and lsh_plan: the share
# of equal slots reaches the threshold, and the rows of enough bands of the plan
# agree.  PL/pgSQL densifies the rows of a band, too, by the rules in bands.c.
#
# LSHSIM_ROUNDS=n runs n rounds instead of 10, LSHSIM_SEED=n draws other cases.

use LshsimTest;

my $rounds = $ENV{LSHSIM_ROUNDS} // 10;
my $node = start_node('verified', 'jit = off');

seed(1);

# The finalizer of splitmix64 in numbers modulo 2^64, and functions based on it: the
# slot from which slot i borrows, and the 14 bits that represent a first row.
$node->safe_psql('postgres', q{
	CREATE FUNCTION mix64(x numeric) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS $$
	DECLARE
		two64 CONSTANT numeric := 18446744073709551616;
		step record;
		hi bigint;
		y bit(64);
	BEGIN
		FOR step IN SELECT * FROM (VALUES (30, 13787848793156543929), (27, 10723151780598845931), (31, 1)) v(shift, factor)
		LOOP
			y := (CASE WHEN x >= 9223372036854775808 THEN x - two64 ELSE x END)::bigint::bit(64);
			y := y # (y >> step.shift);
			hi := y::bigint;
			x := mod((CASE WHEN hi < 0 THEN hi + two64 ELSE hi END) * step.factor, two64);
		END LOOP;
		RETURN x;
	END $$;
	CREATE FUNCTION row_of(slots int[], i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
	DECLARE
		k int := cardinality(slots);
		source int := i;
		attempt int := 0;
	BEGIN
		WHILE slots[source + 1] IS NULL LOOP
			source := div(div(mix64(i * 4294967296::numeric + attempt), 4294967296) * k, 4294967296);
			attempt := attempt + 1;
		END LOOP;
		RETURN div(mix64(source * 65536::numeric + slots[source + 1]), 1125899906842624);
	END $$;
	CREATE FUNCTION rows_of(sig minhash) RETURNS int[] LANGUAGE sql IMMUTABLE STRICT AS $$
		SELECT CASE WHEN bool_or(s IS NOT NULL) THEN
			(SELECT array_agg(row_of(minhash_slots(sig), i) ORDER BY i)
			FROM generate_series(0, least(64, cardinality(minhash_slots(sig)) / 3) * 3 - 1) i) END
		FROM unnest(minhash_slots(sig)) s
	$$;
	-- a later row of a band has fewer of these bits: 14, 12, 10, 7, 7, 6
	CREATE FUNCTION band_agrees(a_rows int[], b_rows int[], slot int, rows int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
		SELECT bool_and(a_rows[slot + i] >> unused = b_rows[slot + i] >> unused)
		FROM unnest('{0,2,4,7,7,8}'::int[]) WITH ORDINALITY r(unused, i) WHERE i <= rows
	$$;
	CREATE FUNCTION matches(a int[], b int[], a_rows int[], b_rows int[], threshold float8, recall float8)
	RETURNS boolean LANGUAGE sql STABLE AS $$
		SELECT count(*) FILTER (WHERE x = y) >= threshold * count(*) - 1e-9 AND count(*) > 0 AND
			(plan.compare_all OR plan.agreeing_bands <= (SELECT count(*) FROM generate_series(0, plan.bands - 1) i
				WHERE band_agrees(a_rows, b_rows, CASE WHEN plan.band_rows > 3 THEN 6 ELSE 3 END * i, plan.band_rows)))
		FROM unnest(a, b) s(x, y), lsh_plan(threshold, recall, cardinality(a)) plan
		WHERE x IS NOT NULL OR y IS NOT NULL
		GROUP BY plan.compare_all, plan.bands, plan.band_rows, plan.agreeing_bands
	$$;
	CREATE TABLE docs (id int, sig minhash);
	CREATE TABLE pairs (a int, b int)});

my @plans = (
	[ 'sequential scan', 'enable_indexscan = off', 'enable_bitmapscan = off' ],
	[ 'index', 'enable_seqscan = off' ],
	[ 'index, lossy', 'enable_seqscan = off', q{work_mem = '64kB'} ],
	[ 'parallel', 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0',
		'min_parallel_table_scan_size = 0', 'max_parallel_workers_per_gather = 2' ]);

# Fill the table with families of near-copies; return a description.
sub make_table
{
	my $k = draw(16, 17, 31, 64, 128, 200);
	my $method = draw(q{one-permutation}, q{one-permutation}, q{k-permutation});
	my $elements = draw(1, 3, 10, 40, 200);
	my $family = draw(2, 5, 20);
	my $change = draw(0, 0.02, 0.1, 0.3);
	my $fastupdate = draw('on', 'off');

	$node->safe_psql('postgres', qq{
		TRUNCATE docs, pairs;
		DROP INDEX IF EXISTS docs_sig;
		SELECT setseed(@{[rand()]});
		INSERT INTO docs
			SELECT i, CASE WHEN random() > 0.05 THEN array_to_minhash(array(
				SELECT CASE WHEN random() < $change THEN (random() * 1e9)::int ELSE i / $family * 1000 + j END
				FROM generate_series(1, $elements * (random() > 0.03)::int) j WHERE i = i), $k, 0, '$method') END
			FROM generate_series(1, 60) i;
		CREATE INDEX docs_sig ON docs USING gin (sig) WITH (fastupdate = $fastupdate);
		INSERT INTO docs SELECT id + 60, sig FROM docs WHERE random() < 0.3;
		DELETE FROM docs WHERE random() < 0.1});
	$node->safe_psql('postgres', 'VACUUM docs') if rand() < 0.5;
	return "k $k, $method, $elements elements, families of $family, $change changed";
}

# Return all pairs that each of some conditions finds.
sub pairs_where
{
	my ($settings, @conditions) = @_;

	return split /\n/, query_with($node, $settings, join '', map {
		"SELECT coalesce(string_agg(a.id || '-' || b.id, ' ' ORDER BY a.id, b.id), '') || '.' FROM docs a, docs b WHERE $_;\n"
	} @conditions);
}

# Return the clusters as computed, and as they follow from the pairs.
sub clusters_agree
{
	my ($threshold, $recall) = @_;

	return $node->safe_psql('postgres', qq{
		WITH RECURSIVE numbered AS (SELECT row_number() OVER (ORDER BY id) n, id,
			minhash_cluster(sig, $threshold, $recall) OVER (ORDER BY id) c FROM docs),
		reached AS (
			SELECT id AS origin, id FROM docs
			UNION SELECT origin, b FROM reached JOIN pairs ON a = reached.id)
		SELECT bool_and(c = first) FROM numbered JOIN
			(SELECT origin, min(n) AS first FROM reached JOIN numbered USING (id) GROUP BY origin) r
			ON r.origin = numbered.id});
}

my ($wrong, $tried, $found) = (0, 0, 0);
foreach my $round (1 .. $rounds)
{
	my $table = make_table();
	my $threshold = draw(0.05, 0.2, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1);
	my $recall = draw(0.1, 0.5, 0.9, 0.99, 0.99, 0.99, 0.999, 1);
	my @settings = ("lshsim.similarity_threshold = $threshold");

	$node->safe_psql('postgres', qq{
		CREATE TEMP TABLE known AS SELECT id, minhash_slots(sig) v, rows_of(sig) r FROM docs WHERE sig IS NOT NULL;
		INSERT INTO pairs SELECT a.id, b.id FROM known a, known b
			WHERE matches(a.v, b.v, a.r, b.r, $threshold, $recall)});
	my $expected = $node->safe_psql('postgres', q{SELECT string_agg(a || '-' || b, ' ' ORDER BY a, b) FROM pairs});
	$found += () = $expected =~ /-/g;
	foreach my $plan (@plans)
	{
		my ($name, @plan_settings) = @$plan;

		my @conditions = ("a.sig @@ minhash_query(b.sig, $threshold, $recall)",
			"minhash_similar(a.sig, b.sig, $threshold, $recall)",
			$recall == 0.99 ? ('a.sig % b.sig', 'b.sig % a.sig', "minhash_similar(a.sig, b.sig, $threshold)") : ());
		my @got = pairs_where([ @settings, @plan_settings ], @conditions);

		foreach my $i (0 .. $#conditions)
		{
			$tried++;
			next if $got[$i] eq "$expected.";
			$wrong++;
			diag("round $round, $table, threshold $threshold, recall $recall, $name, $conditions[$i]: "
				. join ' ', symmetric_difference($got[$i], "$expected."));
		}
	}
	$tried++;
	next if clusters_agree($threshold, $recall) eq 't';
	$wrong++;
	diag("round $round, $table, threshold $threshold, recall $recall: clusters differ");
}

# Return the words that only one of two lists has.
sub symmetric_difference
{
	my %count;

	$count{$_}++ foreach map { split / / } @_;
	return grep { $count{$_} == 1 } sort keys %count;
}

is($wrong, 0, "$tried answers are the pairs of the definition ($found pairs, each in 16 answers)");
cmp_ok($found, '>', 20 * $rounds, 'there were pairs to be found');
$node->stop;
done_testing();

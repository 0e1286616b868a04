# Rows that row-level security hides from a role.  Two databases differ only in hidden rows,
# of which each has the same number: in "one" they are like the texts that are
# searched for, in "other" they are not.  Each statement answers a role with a policy alike
# in both, with its results, errors, estimated rows and the counts of EXPLAIN ANALYZE; the
# owner sees the difference.

use LshsimTest;

my $node = start_node('hidden_rows', 'jit = off');
my $owner = $node->safe_psql('postgres', 'SELECT current_user');
my $probe = 'a text that many of the rows share, with a number 000070';
my %hidden = (
	one => { text => "left('$probe', -6) || lpad(i::text, 6, '0')", kind => 'char:5', rows => 'true' },
	other => { text => q{left(md5(i::text) || md5((i + 9)::text), 56)}, kind => 'word:1', rows => 'i % 2 = 0' });

$node->safe_psql('postgres', "CREATE ROLE $_ LOGIN") foreach qw(alice eve);
foreach my $database (keys %hidden)
{
	my ($text, $kind, $rows) = @{ $hidden{$database} }{qw(text kind rows)};

	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
	$node->safe_psql($database, qq{
		CREATE EXTENSION lshsim;
		CREATE TABLE texts AS SELECT i AS id, CASE WHEN i <= 60 THEN 'alice' ELSE 'bob' END::name AS tenant,
			CASE WHEN i > 60 THEN $text WHEN i < 4 THEN '$probe' || i ELSE md5((i / 2)::text) END AS body
			FROM generate_series(1, 1000) i;
		CREATE TABLE docs (id int PRIMARY KEY, tenant name, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
		INSERT INTO docs SELECT id, tenant, body FROM texts;
		CREATE INDEX docs_sig ON docs USING lsh (sig);
		CREATE INDEX docs_body ON docs USING lsh (body passage_ops (run = 'word:4'));
		-- Of their rows alice and eve see only some without a signature, or none.
		CREATE TABLE kinds (id int, tenant name, sig minhash);
		CREATE INDEX kinds_sig ON kinds USING lsh (sig);
		CREATE TABLE parts (LIKE kinds) PARTITION BY RANGE (id);
		CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (1) TO (500);
		CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (500) TO (1001);
		CREATE INDEX parts_sig ON parts USING lsh (sig);
		CREATE TABLE nulls (LIKE kinds);
		INSERT INTO kinds SELECT id, tenant, CASE tenant WHEN 'bob' THEN to_minhash(body, '$kind') END FROM texts;
		INSERT INTO parts SELECT * FROM kinds;
		INSERT INTO nulls SELECT i, tenant, CASE WHEN tenant = 'alice' OR $rows THEN to_minhash(body) END FROM texts t (i);
		CREATE TABLE mine AS SELECT to_minhash('$probe') AS sig, to_minhash('$probe', 'word:1') AS other;
		CREATE VIEW hers WITH (security_barrier) AS SELECT id, body, sig FROM docs WHERE tenant = 'alice';
		CREATE VIEW open AS SELECT id, body, sig FROM docs WHERE tenant = 'alice';
		ANALYZE;
		GRANT SELECT ON mine TO alice, eve;
		GRANT SELECT ON hers, open TO eve});
	foreach my $table (qw(docs kinds parts nulls))
	{
		$node->safe_psql($database, qq{GRANT SELECT, INSERT ON $table TO alice, eve;
			CREATE POLICY own ON $table USING (tenant = current_user) WITH CHECK (true);
			ALTER TABLE $table ENABLE ROW LEVEL SECURITY});
	}
}

# Return all that a user gets to see of a statement, by a plan that prefers indexes.
sub seen_by
{
	my ($user, $database, $statement) = @_;
	my ($status, $out, $error) = $node->psql($database, "SET enable_seqscan = off; $statement",
		on_error_stop => 0, extra_params => [ '-U', $user ]);

	# Costs depend on the size of an index, which pg_class shows to every role.
	$out =~ s/cost=\S+ //g;
	return "$out\n$error";
}

# Check that a statement does not tell of hidden rows, and that the owner's does.
sub check_hidden
{
	my ($statement) = @_;

	is(seen_by($_, 'one', $statement), seen_by($_, 'other', $statement), "$_: $statement")
	  foreach qw(alice eve);
	isnt(seen_by($owner, 'one', $statement), seen_by($owner, 'other', $statement),
		"the owner sees a difference: $statement");
	return;
}

my $sig = "to_minhash('$probe')";
my $word = "to_minhash('$probe', 'word:1')";

### Searches, of which each is also explained

my $explain = 'EXPLAIN (ANALYZE, BUFFERS OFF, TIMING OFF, SUMMARY OFF)';

my @searches = (
	map({ "docs WHERE $_" } "sig % $sig", "minhash_similar(sig, $sig, 0.6)", "sig @@ minhash_query($sig, 0.6)",
		"jaccard(sig, $sig) > 0.5", "sig <-> $sig < 0.5", "containment(sig, $sig) > 0.5", "sig = $sig",
		"sig % ANY (ARRAY[$sig])", "sig % $sig OR sig @@ minhash_query($sig, 0.6)",
		map({ ("shares_passage(body, '$probe', '$_')", "shares_passage('$probe', body, '$_')", "body &&~ passage_query('$probe', '$_')") } 'word:6', 'word:2', 'char:9')),
	"mine JOIN docs ON docs.sig % mine.sig", "mine JOIN docs ON docs.sig = mine.sig",
	"mine WHERE EXISTS (SELECT FROM docs WHERE docs.sig % mine.sig AND docs.id > 3)",
	map({ "kinds WHERE $_" } "sig % $sig", "minhash_similar($sig, sig, 0.6)", "sig @@ minhash_query($sig, 0.6)", "jaccard(sig, $sig) > 0.5", "sig <-> $sig < 0.5"),
	"nulls WHERE minhash_similar(sig, to_minhash('a new text'), 0.03)");
foreach my $method ('gin', 'lsh')
{
	$node->safe_psql($_, "DROP INDEX docs_sig, docs_body, kinds_sig; CREATE INDEX docs_sig ON docs USING $method (sig);
		CREATE INDEX docs_body ON docs USING $method (body passage_ops (run = 'word:4')); CREATE INDEX kinds_sig ON kinds USING $method (sig)")
	  foreach keys %hidden;
	foreach my $search (@searches)
	{
		# Where the owner's results do not differ, the estimates do.
		check_hidden("SELECT count(*) FROM $search; $explain SELECT 1 FROM $search");
		like(seen_by('alice', 'one', "SELECT count(*) FROM $search"), qr/\A[1-9]/, "alice finds hers by $method: $search")
		  if $search =~ /^docs WHERE (sig|minhash_similar|jaccard|shares_passage)/;
	}
}

### Nearest rows, also by a signature of another kind than that of hidden rows

# No index may serve the order below a policy: the number of rows that the policy removes
# would be that of hidden rows which are nearer than a visible one.
foreach my $target ($sig, $word, '(SELECT sig FROM mine)', '(SELECT other FROM mine)')
{
	foreach my $table (qw(docs kinds parts))
	{
		my $nearest = "SELECT id FROM $table ORDER BY sig <-> $target LIMIT 3";
		my $forced = "SET enable_sort = off; SET enable_bitmapscan = off; $explain $nearest";

		next if $table eq 'docs' && $target =~ /word|other/;
		check_hidden($nearest);
		is(seen_by($_, 'one', $forced), seen_by($_, 'other', $forced), "$_: EXPLAIN ANALYZE $nearest") foreach qw(alice eve);
		like(seen_by('alice', 'one', $forced), qr/Sort Key.*Rows Removed by Filter: [1-9]/s, 'no index serves the order');
		like(seen_by($owner, 'one', "EXPLAIN $nearest"), qr/Index Scan.*Order By/s, 'but that of the owner');
	}
}
check_hidden($_)
  foreach "SELECT id FROM kinds ORDER BY sig <-> $sig, sig <-> $word", "SELECT min(sig <-> $word) FROM kinds",
  "BEGIN; DECLARE c CURSOR FOR SELECT id FROM kinds ORDER BY sig <-> $word; FETCH 2 FROM c",
  "SELECT count(*) FROM (SELECT id FROM kinds ORDER BY sig <-> $word LIMIT 9) k",
  "SELECT id, row_number() OVER (ORDER BY sig <-> $word) FROM kinds LIMIT 3",
  "SELECT DISTINCT ON (sig <-> $word) id FROM kinds ORDER BY sig <-> $word LIMIT 3",
  "SELECT id FROM mine, LATERAL (SELECT id FROM kinds k ORDER BY k.sig <-> mine.other LIMIT 3) k";

### A view that is a security barrier, and one that is not

foreach my $search ("WHERE sig % $sig", "WHERE shares_passage(body, '$probe', 'word:6')", "ORDER BY sig <-> $sig LIMIT 9")
{
	my ($hers, $open) = map { "SET enable_sort = off; SELECT id FROM $_ $search; $explain SELECT id FROM $_ $search" } 'hers', 'open';

	is(seen_by('eve', 'one', $hers), seen_by('eve', 'other', $hers), "eve: $hers");
	isnt(seen_by('eve', 'one', $open), seen_by('eve', 'other', $open), "eve sees a difference: $open");
}

### All rows, and other functions

check_hidden($_)
  foreach 'SELECT max(c) FROM (SELECT minhash_cluster(sig, 0.6) OVER () AS c FROM docs) c',
  'SELECT max(r) FROM (SELECT minhash_representative(sig, 0.6, id) OVER (ORDER BY id) AS r FROM docs) r',
  'SELECT count(l) FROM (SELECT minhash_link(sig, 0.6, id) OVER () AS l FROM docs) l',
  'SELECT minhash_union_agg(sig) FROM docs', 'SELECT minhash_union_agg(sig) FROM kinds',
  q{SELECT * FROM minhash_advise('docs', 'body')}, q{SELECT * FROM minhash_advise_pairs('docs', 'body', 0.5)},
  q{SELECT * FROM minhash_advise_shingling('docs', 'body')};
foreach my $call ("lsh_index_stats('docs_sig')", "lsh_index_pairs('docs_sig', 0.6)", "lsh_index_stats('docs_body')", "lsh_index_pairs('docs_body', 0.6)")
{
	check_hidden("SELECT * FROM $call") unless $call =~ /pairs.*body/;
	like(seen_by('alice', 'one', "SELECT * FROM $call"),
		qr/permission denied for index of table "docs".*Row-level security hides rows/s, "$call is refused");
}
like(seen_by('alice', 'one', q{SELECT lsh_index_check('docs_sig')}), qr/permission denied for function lsh_index_check/,
	'lsh_index_check needs EXECUTE');
like(seen_by('alice', 'one', $_), qr/must be owner of table "docs"/, "$_ is refused")
  foreach q{SELECT minhash_groups_create('docs', 'sig', 0.6)};
is(seen_by('alice', 'one', q{SELECT * FROM pg_stats WHERE tablename = 'docs'}), "\n", 'no statistics');

### The report

foreach my $user (qw(alice eve), $owner)
{
	my ($one, $other) = map { join "\n", run_report($node, '-U', $user, '-d', $_, 'docs', 'body') } 'one', 'other';

	if ($user eq $owner) { isnt($one, $other, 'the report of the owner differs'); }
	else { is($one, $other, "the report of $user"); }
}

### Facts that a role does learn

like(seen_by('eve', 'one', "INSERT INTO kinds VALUES (0, 'eve', $word)"),
	qr/index "kinds_sig" cannot hold signatures of different kinds.*It holds char:5/s, 'INSERT tells the kind of an index');
like(seen_by('eve', 'one', "$explain SELECT FROM docs WHERE id = 70"), qr/Rows Removed by Filter: 1\n/,
	'EXPLAIN ANALYZE counts hidden rows that meet a leakproof condition, as in any table');

# The advisory locks of the check trigger are keys of the signature, which any role can compute.
$node->safe_psql('one', q{CREATE TRIGGER check_docs BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.6, 'skip')});
is(seen_by($owner, 'one', qq{BEGIN; INSERT INTO docs VALUES (0, 'bob', 'a new text'); SET ROLE eve;
	SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory'
	AND (classid::int8 << 32 | objid::int8) = ANY (lsh_plan_keys(to_minhash('a new text'), 0.6))}), "t\n",
	'pg_locks shows keys of a row that is being checked');
like(seen_by('eve', 'one', q{INSERT INTO docs VALUES (0, 'bob', 'a new text')}),
	qr/cannot check for near-duplicates in table "docs".*Row-level security would hide rows/s, 'the check refuses a role with a policy');

$node->stop;
done_testing();

# The advisor, common_passages and lshsim_report with unusual relations, long texts,
# privileges and hostile texts, in addition to the tests "advise" and "passages" and
# to 061_report; test/LEDGER.md has a table.
#
# LSHSIM_MB=50 makes the long texts 50 MB long instead of 10.

use IPC::Run;
use LshsimTest;

my $node = start_node('bad_input', 'jit = off', 'shared_buffers = 64MB', 'max_wal_size = 4GB');
my $mb = $ENV{LSHSIM_MB} // 10;

# Return the output of a query for a role.
sub as_role
{
	my ($role, $query) = @_;
	my ($status, $out, $err) = $node->psql('postgres', "SET ROLE $role; $query");
	return $status == 0 ? $out : $err;
}

# Texts without repetition: two that differ in the middle.
$node->safe_psql('postgres', qq{
	CREATE TABLE long (id int PRIMARY KEY, body text);
	INSERT INTO long SELECT 1, string_agg(md5(i::text), ' ') FROM generate_series(1, $mb * 1000000 / 33) i;
	INSERT INTO long SELECT 2, overlay(body PLACING ' and so on ' FROM length(body) / 2) FROM long;
	CREATE VIEW one_long AS SELECT body FROM long WHERE id = 1});
is($node->safe_psql('postgres', "SELECT count(*) FROM long WHERE octet_length(body) > 990000 * $mb"), '2', "texts of $mb MB");
is($node->safe_psql('postgres', q{SELECT shingling FROM minhash_advise_shingling('one_long', 'body') WHERE recommended}),
	'word:3', 'long texts: a shingling is recommended');
is($node->safe_psql('postgres', q{SELECT round(pairs), copies FROM minhash_advise('long', 'body', shingling => 'word:3') WHERE threshold = 0.9}),
	'1|0', 'long texts: the advice finds the pair');
is($node->safe_psql('postgres', q{SELECT key_a::int + key_b::int, length(text_a), length(text_b), similarity > 0.95
	FROM minhash_advise_pairs('long', 'body', 0.9, shingling => 'word:3', pairs => 1)}),
	'3|1004|1004|t', 'long texts: the example is short');
is($node->safe_psql('postgres', q{SELECT count(*), sum(length_a) > 0.99 * max(length(a.body)) FROM long a, long b,
	common_passages(a.body, b.body, 'word:3') WHERE a.id = 1 AND b.id = 2}), '2|t', 'long texts: what they share');
like(error_of($node, 'postgres', q{SET statement_timeout = '20ms';
	SELECT count(*) FROM long a, long b, common_passages(a.body, b.body, 'char:5') WHERE a.id = 1 AND b.id = 2}),
	qr/canceling statement/, 'long texts: what they share by characters can be cancelled');
{
	my ($status, $page, $err) = run_report($node, 'long', 'body');
	is("$status $err", '0 ', 'long texts: a report');
	like($page, qr/<b>2<\/b><span>rows in groups/, 'long texts: the report finds the pair');
	cmp_ok(length $page, '<', 200_000, 'long texts: the page is short');
}
$node->safe_psql('postgres', 'DROP TABLE long CASCADE');

# A table with unusual contents: names with quotes, hostile texts, columns without
# texts, hidden rows; a view and partitions of it.
my $hostile = q{<script>alert(1)</script><img src=x onerror="alert(2)"> &lt;b&gt; '"%s};
$node->safe_psql('postgres', qq{
	CREATE TABLE "the ""odd"" 'one'" (id int, "a 'text'""" varchar(400), number int, doc json, PRIMARY KEY (id)) PARTITION BY RANGE (id);
	CREATE TABLE odd_1 PARTITION OF "the ""odd"" 'one'" FOR VALUES FROM (0) TO (4);
	CREATE TABLE odd_2 PARTITION OF "the ""odd"" 'one'" FOR VALUES FROM (4) TO (100);
	INSERT INTO "the ""odd"" 'one'" SELECT i, \$\$$hostile\$\$ || ' and the rest of it is the same for all, until ' || repeat('end', i % 3),
		1000000 + i, json_build_object('k', i) FROM generate_series(1, 7) i;
	INSERT INTO "the ""odd"" 'one'" VALUES (50, 'a secret that two rows hold, hidden from others'), (51, 'a secret that two rows hold, hidden from others!');
	CREATE VIEW "odd ""view""" AS SELECT id, "a 'text'""" AS "text""", number FROM "the ""odd"" 'one'";
	CREATE ROLE reader LOGIN; CREATE ROLE stranger LOGIN;
	GRANT SELECT ON "the ""odd"" 'one'" TO reader;
	ALTER TABLE "the ""odd"" 'one'" ENABLE ROW LEVEL SECURITY;
	CREATE POLICY visible ON "the ""odd"" 'one'" FOR SELECT USING (id < 50)});
my $odd = q{'"the ""odd"" ''one''"', 'a ''text''"'};
my $view = q{'"odd ""view"""', 'text"'};

# The advisor.
foreach my $call ("minhash_advise_shingling(%s)", "minhash_advise(%s)", "minhash_advise_pairs(%s, pairs => 100)")
{
	my $all = $node->safe_psql('postgres', 'SELECT * FROM ' . sprintf($call, $odd));
	my $seen = as_role('reader', 'SELECT * FROM ' . sprintf($call, $odd));

	isnt($all, '', "$call: names with quotes, partitions");
	isnt($node->safe_psql('postgres', 'SELECT * FROM ' . sprintf($call, $view)), '', "$call: a view");
	isnt($seen, $all, "$call: what is hidden does not count");
	unlike($seen, qr/secret|ERROR/, "$call: nor does it show");
	like(as_role('stranger', 'SELECT * FROM ' . sprintf($call, $odd)), qr/permission denied/, "$call: a stranger");
	foreach my $column ('number', 'doc')
	{
		like(error_of($node, 'postgres', 'SELECT * FROM ' . sprintf($call, qq{'"the ""odd"" ''one''"', '$column'})),
			qr/has type (integer|json), not text.*\n.*HINT:/s, "$call: column $column");
	}
}
is($node->safe_psql('postgres', "SELECT count(*) > 0 FROM minhash_advise_pairs($view) WHERE text_a LIKE " . q{'<script>alert(1)</script><img%'}),
	't', 'advice: hostile texts as they came');

# Passages: unchanged, of the rows that a query may read.
my $shared = q{SELECT count(*), count(*) FILTER (WHERE passage = substr(a.%1$s, start_a, length_a)), max(length_a) > 100
	FROM %2$s a, %2$s b, common_passages(a.%1$s, b.%1$s, 'char:3') WHERE a.id = 1 AND b.id = 4};
my $passages_odd = sprintf $shared, q{"a 'text'"""}, q{"the ""odd"" 'one'"};
is($node->safe_psql('postgres', $passages_odd), '1|1|t', 'passages: quotes, partitions, varchar, hostile texts');
is($node->safe_psql('postgres', sprintf($shared, q{"text"""}, q{"odd ""view"""})), '1|1|t', 'passages: a view');
like(as_role('stranger', $passages_odd), qr/permission denied/, 'passages: a stranger');
is(as_role('reader', $passages_odd =~ s/a\.id = 1 AND b\.id = 4/a.id = 50 AND b.id = 51/r), '0|0|', 'passages: hidden rows');
is($node->safe_psql('postgres', $passages_odd =~ s/a\.id = 1 AND b\.id = 4/a.id = 50 AND b.id = 51/r), '1|1|f', 'passages: shown rows');
like(error_of($node, 'postgres', 'SELECT common_passages(number, number) FROM odd_1'), qr/function common_passages\(integer, integer\) does not exist/,
	'passages: a column of another type');
is($node->safe_psql('postgres', 'CREATE TABLE empty (body text); SELECT count(*) FROM empty a, empty b, common_passages(a.body, b.body)'),
	'0', 'passages: an empty table');
is($node->safe_psql('postgres', 'INSERT INTO empty VALUES (NULL), (NULL); SELECT count(*) FROM empty a, empty b, common_passages(a.body, b.body)'),
	'0', 'passages: all NULL');

# The report refuses columns of other types, too.
foreach my $case (['number', 'integer'], ['doc', 'json'])
{
	my ($column, $type) = @$case;
	my ($status, $page, $err) = run_report($node, q{"the ""odd"" 'one'"}, $column);
	isnt($status, 0, "report: a column of type $type");
	is($page . $err, qq{lshsim_report: column "$column" of relation "the ""odd"" 'one'" has type $type, not text\n}, "report: a column of type $type, the message");
}

# Of 10,530 rows with 30 matches, a sample of ten times as many rows is drawn, which has nearly all.
$node->safe_psql('postgres', q{CREATE TABLE unlike AS SELECT md5(i::text) AS body FROM generate_series(1, 10500) i;
	INSERT INTO unlike SELECT md5(i::text) || ' ' || d FROM generate_series(20001, 20015) i, unnest('{a,b}'::text[]) d});
my ($larger, $usual) = map { $node->safe_psql('postgres',
	"SELECT matched_rows FROM minhash_advise('unlike', 'body', shingling => 'char:3', sample_rows => $_) WHERE threshold = 0.8") } ('NULL', 1000);
cmp_ok(abs($larger - 30), '<=', 3, "a larger sample: $larger rows with a match");
cmp_ok(abs($usual - 30), '>', 3, "a sample of 1000 rows: $usual");

done_testing();

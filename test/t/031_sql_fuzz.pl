# Every function and operator of the extension with unusual arguments.
#
# The calls are drawn from the catalog, with values from pools for every type.
# None may crash the server or end in an internal error.
#
# LSHSIM_FUZZ=n makes n calls instead of 6000, LSHSIM_SEED=n draws other calls.

use LshsimTest;

my $calls = $ENV{LSHSIM_FUZZ} // 6000;
my $batch = 200;
my $node = start_node('fuzz', 'jit = off',
	'statement_timeout = 10min', 'log_min_messages = panic');

seed(1);
$node->safe_psql('postgres', q{
	CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
	CREATE DOMAIN small AS int CHECK (VALUE < 1000);
	CREATE DOMAIN many AS int[];
	CREATE DOMAIN signature AS minhash;
	CREATE TYPE pair AS (a int, b text);
	CREATE TYPE odd AS (a json, b minhash);
	CREATE TABLE docs (id int, sig minhash);
	INSERT INTO docs SELECT i, CASE WHEN i % 9 > 0 THEN array_to_minhash(ARRAY[i / 2, i / 3, i / 5], 32) END
		FROM generate_series(1, 300) i;
	CREATE INDEX docs_gin ON docs USING gin (sig);
	CREATE INDEX docs_btree ON docs USING btree (sig);
	CREATE TABLE few (sig minhash, other int);
	CREATE INDEX few_gin ON few USING gin (sig);
	CREATE TABLE texts AS SELECT i AS id, 'the quick brown fox of number ' || i AS body FROM generate_series(1, 300) i;
	CREATE INDEX texts_lsh ON texts USING lsh (body passage_ops (run = 'word:4'));
	CREATE VIEW seen AS SELECT * FROM docs});

# Values of every type, as SQL.
my @ints = (qw(0 1 2 -1 15 16 17 128 4096 4097 65536 2147483647), '(-2147483648)', 'NULL');
my @floats = qw(0 1 0.5 0.999999 -0 -1 2 1e-300 5e-324 1.7e308 'NaN' 'Infinity' '-Infinity' NULL);
my @texts = (
	q{''}, q{' '}, q{'a'}, q{'The quick brown fox'}, q{NULL}, q{repeat('a', 100000)},
	q{repeat('ab cd ', 30000)}, q{U&'\0301\0327'}, q{repeat(U&'\FDFA', 3000)},
	q{U&'\+01F469\200D\+01F680 \4E00\4E01'}, q{U&'\D7A3\1160\11FF'}, q{E'\x01\x02'},
	q{'queue'}, q{'commit'}, q{'one-permutation'}, q{'k-permutation'}, q{'weighted'}, q{'imported'}, q{'K-Permutation'});
my @shingles = map { "'$_'" } ('char:1', 'char:255', 'word:1', 'word:255 raw', 'char:5 bag',
	'word:2 raw bag', 'integer', 'other', 'char:0', 'char:256', 'word', '', ' char:5', 'x:1');
my @arrays = (
	q{'{}'::int[]}, q{'{1}'::int[]}, q{'{NULL}'::int[]}, q{'{{1,2},{3,NULL}}'::int[]},
	q{'[-5:-4]={1,1}'::int[]}, q{'[2:2][3:4]={{7,8}}'::int8[]}, q{'{1,NULL,2}'::int2[]},
	q{array_fill(1, ARRAY[10000])}, q{array_fill(NULL::int, ARRAY[10, 10, 10])},
	q{'{}'::text[]}, q{'{a,"",NULL,a}'::text[]}, q{ARRAY[repeat('x', 100000)]},
	q{'{a,b}'::name[]}, q{'{a ,a}'::char(5)[]}, q{'{sad,ok}'::mood[]}, q{'{1,2}'::small[]},
	q{'{1,2}'::many}, q{'{NaN,NaN,1}'::numeric[]}, q{'{1e1000,-1}'::numeric[]},
	q{'{NaN,Infinity,-0,0}'::float8[]}, q{'{t,f,NULL}'::bool[]}, q{ARRAY['{"a":1}']::json[]},
	q{ARRAY['{"a":1}']::jsonb[]}, q{ARRAY['\x00ff']::bytea[]}, q{ARRAY['[1,2)']::int4range[]},
	q{ARRAY['{[1,2)}']::int4multirange[]}, q{ARRAY[ROW(1, 'a')]::pair[]},
	q{ARRAY[ROW('1', NULL)]::odd[]}, q{ARRAY[ROW(1, 2), ROW(1, 2)]}, q{ARRAY[ROW(1, json '2')]},
	q{'{(1\,2)}'::point[]}, q{'{$1}'::money[]}, q{'{now,epoch,infinity}'::timestamptz[]},
	q{'{1 day,24:00}'::interval[]}, q{'{00000000-0000-0000-0000-000000000000}'::uuid[]},
	q{'{1.2.3.4}'::inet[]}, q{'{<a/>}'::xml[]}, q{'{101}'::bit(3)[]}, q{'1 2'::oidvector},
	q{'1 2'::int2vector}, q{'{pg_class}'::regclass[]}, q{ARRAY[to_tsvector('a b')]},
	q{ARRAY['a:1'::tsquery]}, q{'{char:5}'::shingling[]}, q{NULL::int[]}, q{NULL::text[]},
	q{(SELECT array_agg(array_to_minhash(ARRAY[i], 16)) FROM generate_series(1, 9) i)},
	q{ARRAY[minhash_query(to_minhash('a'), 0.5)]}, q{ARRAY['']::tsvector[]}, q{'{a}'::"char"[]});
my @sets = ('ARRAY[1, 2, 3]', q{'{}'::int[]}, 'ARRAY[1]', 'array_fill(1, ARRAY[9])',
	'(SELECT array_agg(i) FROM generate_series(1, 5000) i)');
my @signatures = (
	'NULL', q{''}, q{to_minhash('')}, q{to_minhash('a b c', 'word:1')}, q{to_minhash('a b', 'char:2 bag', 16, -1)},
	q{tsvector_to_minhash(''::tsvector)}, q{minhash_from_values(array_fill(-1::bigint, ARRAY[64]))},
	q{(SELECT minhash_from_values(array_agg(i * 99)) FROM generate_series(1, 16) i)},
	q{weighted_to_minhash(ARRAY[1, 2], ARRAY[0.5, 1e300], 16)}, q{weighted_to_minhash(ARRAY[1, 2], ARRAY[0, 0]::float8[], 32)},
	(map { my $set = $_; map { "array_to_minhash($set, $_)" } '16', '32', '128', '4096, 7', q{17, 0, 'k-permutation'},
		q{4096, -2147483648, 'k-permutation'} } @sets));
my %pools = (
	integer => \@ints, smallint => \@ints, bigint => [ @ints, '9223372036854775807', '(-9223372036854775808)' ],
	oid => [qw(0 1 23 4294967295 NULL)], boolean => [qw(true false NULL)],
	'double precision' => \@floats, text => \@texts, cstring => [ @texts, @shingles ],
	'cstring[]' => [ q{'{}'}, q{'{16}'}, q{'{16,17}'}, q{'{x}'}, q{'{99999999999}'}, q{'{{16}}'}, q{'{-1}'}, 'NULL' ],
	shingling => [ @shingles, 'NULL' ], anyarray => \@arrays, anycompatiblearray => \@arrays,
	anyelement => [ @arrays, map { "(($_)::text)" } @texts ],
	tsvector => [ q{''}, q{'a'}, q{'a:1 b:2,3A'}, q{'é'}, 'NULL', q{(SELECT string_agg(i::text, ' ')::tsvector FROM generate_series(1, 3000) i)} ],
	'double precision[]' => [ q{'{}'}, q{'{1}'}, q{'{NULL}'}, q{'{0.5,NaN}'}, q{'{1,2}'}, q{'{{1,2},{3,4}}'},
		q{'{-1,1}'}, q{'{1e308,1e308}'}, q{'{5e-324,1.7e308}'}, q{'[3:4]={0,1}'}, q{'{Infinity,1}'}, q{'{0,0}'}, 'NULL' ],
	'bigint[]' => [ q{'{}'}, q{'{1}'}, q{'{NULL}'}, q{array_fill(4294967295, ARRAY[16])}, q{array_fill(-1::bigint, ARRAY[4096])},
		q{array_fill(0::bigint, ARRAY[4, 4])}, q{array_fill(NULL::bigint, ARRAY[16])}, q{array_fill(1::bigint, ARRAY[16], ARRAY[-7])}, 'NULL' ],
	bytea => [ q{''}, q{'\\\\x00'}, q{'\\\\x01'}, q{decode(repeat('01', 48), 'hex')}, q{decode(repeat('ff', 8208), 'hex')},
		q{to_minhash('a')::bytea}, q{substr(to_minhash('a')::bytea, 2)}, 'NULL' ],
	regclass => [qw('docs_gin' 'few_gin' 'texts_lsh' 'docs_btree' 'docs' 'seen' 'pg_class' 0 999999 NULL)],
	name => [qw('body' 'sig' 'id' 'nothing' '' NULL)],
	passage_query => [ 'NULL', q{'(,,,)'}, q{'(abc,,0,0)'}, q{'(,char:5,0,0)'}, q{'("a b",word:255 raw,10000,16)'}, q{'(a,integer,0,0)'},
		q{'(a,word:2 bag,0,0)'}, q{'(a,word:2,1,0)'}, q{'(a,word:2,0,17)'}, q{'(a,word:2,-1,-1)'}, q{'("a b c d",word:2,3,1)'},
		map { my $text = $_; map { "passage_query($text, '$_')" } 'word:1', 'char:100' } @texts ],
	'name[]' => [qw('{}' '{id}' '{NULL}' '{sig,id}' '{ctid}' NULL)],
	internal => ['NULL'], minhash => \@signatures,
	minhash_query => [ 'NULL', q{''}, q{'0.5/0.9/'}, map { "minhash_query($_, 0.5, 0.9)" } grep { /to_minhash/ } @signatures ]);

# The calls: functions with the types of their arguments and kind, and operators.
my @callables = map { [ split /\t/ ] } split /\n/, $node->safe_psql('postgres', q{
	SELECT concat_ws(E'\t', proname, prokind, array_to_string(proargtypes::regtype[], ';'))
	FROM pg_proc JOIN pg_depend ON objid = pg_proc.oid
	WHERE classid = 'pg_proc'::regclass AND deptype = 'e'
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'lshsim')
	UNION ALL
	SELECT concat_ws(E'\t', oprname, 'o', concat_ws(';', oprleft::regtype, oprright::regtype))
	FROM pg_operator JOIN pg_depend ON objid = pg_operator.oid
	WHERE classid = 'pg_operator'::regclass AND deptype = 'e'
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'lshsim')
	ORDER BY 1});
my @missing = grep { !$pools{$_} } map { split /;/, $_->[2] // '' } @callables;

is_deeply(\@missing, [], 'there are odd values of every type');

# Return an unusual value of a type, sometimes one of another type.
sub value
{
	my ($type) = @_;
	my $pool = $pools{$type};

	$pool = $pools{ draw(sort keys %pools) } if rand() < 0.03;
	my $value = draw(@$pool);
	return $value if $type =~ /^any|internal/ || rand() < 0.3;
	return "($value)::$type";
}

# Return a statement with a random call.
sub statement
{
	my ($name, $kind, $types) = @{ draw(@callables) };
	my @values = map { value($_) } split /;/, $types // '';
	my $call = $kind eq 'o' ? "$values[0] $name $values[1]" : "$name(" . join(', ', @values) . ')';

	if ($kind eq 'w')
	{
		$call = "minhash_cluster(sig, $values[1]" . (@values > 2 ? ", $values[2]" : '') . ')' if rand() < 0.5;
		return "SELECT $call OVER (" . draw('', 'ORDER BY id', 'PARTITION BY id % 3') . ') FROM docs';
	}
	return "SELECT $call FROM generate_series(1, 3) i GROUP BY i % 2" if $kind eq 'a' && rand() < 0.5;
	return "SELECT $call OVER (ORDER BY i) FROM generate_series(1, 3) i" if $kind eq 'a';
	return "SELECT count(*) FROM texts WHERE body &&~ ($values[1])" if $name eq '&&~' && rand() < 0.5;
	return 'SELECT count(*) FROM docs WHERE sig ' . draw('%', '@@', '=', '<') . " ($values[1])"
	  if $kind eq 'o' && rand() < 0.3;
	return "SELECT $call" if rand() < 0.7 || $kind eq 'o';
	return draw("SELECT * FROM $call x", "SELECT $call FROM docs LIMIT 3", "SELECT ($call) IS NULL",
		"SELECT ($call)::text", "SELECT md5(($call)::text) FROM docs LIMIT 2");
}

# Settings that change the plans of the next statements.
sub settings
{
	return join '', map { "SET $_;\n" } 'lshsim.similarity_threshold = ' . draw(0.001, 0.1, 0.5, 0.9, 1),
	  'enable_seqscan = ' . draw('on', 'off'),
	  'work_mem = ' . draw(q{'64kB'}, q{'4MB'});
}

my %states;
my @internal;
for (my $done = 0; $done < $calls; $done += $batch)
{
	my @statements = map { statement() } 1 .. $batch;
	my ($status, $stdout, $stderr) = $node->psql('postgres',
		"\\set VERBOSITY sqlstate\n" . settings() . join('', map { "\\echo\n$_;\n" } @statements),
		on_error_stop => 0);
	while ($stderr =~ /psql:<stdin>:(\d+): (?:ERROR|FATAL|PANIC):  (\w+)/g)
	{
		$states{$2}++;
		push @internal, $statements[ ($1 - 7) / 2 ] if $2 eq 'XX000';
	}
	if ($status != 0)
	{
		fail("psql: $stderr; one of: " . join(";\n", @statements));
		last;
	}
}
my $errors = 0;
$errors += $_ foreach values %states;
note(join ', ', map { "$_: $states{$_}" } sort keys %states);
note($_) foreach @internal;
is_deeply(\@internal, [], "none of $calls calls ends in an internal error");
cmp_ok($calls - $errors, '>', $calls / 10, ($calls - $errors) . ' calls return an answer');
ok(!$states{57014}, 'none was stopped by statement_timeout');

# Functions that SQL cannot call.
foreach my $call ('minhash_gin_extract_value(sig, 1)', "minhash_agg_deserial('\\x00', 'x')",
	"minhash_recv('x', 0, -1)", "minhash_similar_support('x')")
{
	like(error_of($node, 'postgres', "SELECT $call FROM docs"),
		qr/cannot accept a value of type internal|does not exist/, "$call is refused");
}

unlike(slurp($node->logfile), qr/terminated by signal|TRAP:|PANIC:/,
	'the server has not crashed');
$node->stop;
done_testing();

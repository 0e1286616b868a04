# Every function of the extension on its largest input: it checks for interrupts
# frequently, and its memory does not grow with the number of calls.
#
# The table below must have every function of the extension.
#
# LSHSIM_SECONDS=n watches each long call for n seconds instead of 1.2, and
# LSHSIM_SIZE=n makes the input n times as large.

use LshsimTest;
use Time::HiRes qw(sleep time);

my $seconds = $ENV{LSHSIM_SECONDS} // 1.2;
my $size = $ENV{LSHSIM_SIZE} // 1;
my $node = start_node('limits', 'shared_buffers = 64MB', 'jit = off',
	'max_parallel_workers_per_gather = 0',
	q{log_line_prefix = '%n [%p] '});

# Texts of 100 MB, and one of 20 MB without repetition for functions that list
# shingles; arrays of ten million elements.
my $bytes = 1e8 * $size;
my $many = 1e7 * $size;
my %inputs = (
	sentences => qq{repeat('The quick brown fox jumps over a lazy dog. ', $bytes / 43)},
	spaces => qq{repeat(E' \\t\\n', $bytes / 3)},
	word => qq{repeat('abcdefghij', $bytes / 10)},
	marks => qq{repeat(U&'\\0301\\0327', $bytes / 4)},
	mixed => qq{(SELECT string_agg(md5(i::text), ' ') FROM generate_series(1, $many / 16) i)},
	ones => qq{array_fill(1, ARRAY[2 * $many])},
	nulls => qq{array_fill(NULL::int, ARRAY[5 * $many])},
	numbers => qq{(SELECT array_agg(i) FROM generate_series(1, $many) i)},
	words => qq{(SELECT array_agg(i::text) FROM generate_series(1, $many / 4) i)},
	days => qq{array_fill(date '2000-01-01', ARRAY[2 * $many])},
	list => qq{array_fill(1::numeric, ARRAY[$many])},
	spelled => qq{array_fill(1.0::numeric, ARRAY[$many])},
	string => qq{ARRAY[repeat('x', $bytes)::bytea]});

# Return a query of many calls with large inputs, which it names.
sub on_large
{
	my ($call) = @_;
	my $inputs = join ', ', map { "(SELECT $inputs{$_} AS $_ OFFSET 0) _$_" }
	  grep { $call =~ /\b$_\b/ } sort keys %inputs;

	return "SELECT count($call) FROM $inputs, generate_series(1, 1000)";
}

# Rows on which small calls are made: short, and as large as signatures get.
# Signatures with one full slot are the slowest to densify.
$node->safe_psql('postgres', q{
	CREATE TABLE short AS
	SELECT a, b, minhash_query(a, 0.5, 0.9) q, shingling 'char:5' s,
		text 'The quick brown fox' t, text 'The quick grey fox' u,
		ARRAY[1, 2, 3] x, ARRAY[2, 3, 4] y, ARRAY[1, 2, 3]::float8[] w,
		to_tsvector('simple', 'the quick brown fox') v,
		array(SELECT i::bigint FROM generate_series(1, 16) i) h,
		array_to_minhash(ARRAY[1, 2, 3], 16, 0, 'k-permutation') c
	FROM array_to_minhash(ARRAY[1, 2], 16) a, array_to_minhash(ARRAY[1, 3], 16) b;
	CREATE TABLE long AS
	SELECT a, b, minhash_query(a, 0.5, 0.9) q, shingling 'word:255 raw bag' s,
		t, t u, x, x y, x::float8[] w, to_tsvector('simple', t) v,
		array(SELECT i::bigint FROM generate_series(1, 4096) i) h,
		array_to_minhash(ARRAY[1, 2, 3], 4096, 0, 'k-permutation') c
	FROM array_to_minhash(ARRAY[1], 4096) a, array_to_minhash(ARRAY[2], 4096) b,
		repeat('quick fox ', 1000) t, (SELECT array_agg(i) x FROM generate_series(1, 1000) i) x;
	CREATE TABLE docs (id int, sig minhash);
	INSERT INTO docs SELECT i, array_to_minhash(ARRAY[i / 2, i / 3, i / 5, i / 7], 64)
		FROM generate_series(1, ROWS) i;
	CREATE TABLE copies AS SELECT * FROM docs;
	CREATE INDEX copies_sig ON copies USING gin (sig);
	DELETE FROM copies WHERE id % 2 = 0;
	CREATE TABLE paired AS SELECT sig FROM docs;
	CREATE INDEX paired_lsh ON paired USING lsh (sig);
	CREATE TABLE twins AS SELECT * FROM docs;
	CREATE INDEX twins_lsh ON twins USING lsh (sig);
	DELETE FROM twins WHERE id % 2 = 0;
	CREATE TABLE kept AS SELECT * FROM docs;
	ALTER TABLE kept ADD PRIMARY KEY (id);
	SELECT minhash_groups_create('kept', 'sig', 0.9);
	CREATE TABLE notes (id int, body text);
	ALTER TABLE notes ALTER body SET STORAGE EXTERNAL;
	INSERT INTO notes SELECT i, string_agg(md5((i / 3 + j)::text), ' ') FROM generate_series(1, 20000) i, generate_series(1, 20) j GROUP BY i;
	CREATE INDEX notes_lsh ON notes USING lsh (body passage_ops (run = 'word:5'));
	DELETE FROM notes WHERE id % 2 = 0;
	CREATE TABLE nothing (sig minhash);
	CREATE INDEX nothing_sig ON nothing USING gin (sig);
	CREATE INDEX nothing_lsh ON nothing USING lsh (sig);
	CREATE TABLE triggered (t text, sig minhash);
	CREATE TRIGGER keep BEFORE INSERT ON triggered FOR EACH ROW
		EXECUTE FUNCTION minhash_trigger('sig', 'char:5', '128', 't');
	CREATE TABLE checked (t text, sig minhash GENERATED ALWAYS AS (to_minhash(t)) STORED);
	CREATE TRIGGER checks BEFORE INSERT ON checked FOR EACH ROW
		EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'skip');
	CREATE FUNCTION drop_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
	CREATE TRIGGER later BEFORE INSERT ON triggered FOR EACH ROW EXECUTE FUNCTION drop_row()} =~ s/ROWS/150000 * $size/er);

# Statements that take long because of a function that cannot be called directly.
# The signatures of a trigger are dropped, because the server compresses 100 MB in
# one go.
my %through = (
	build => 'CREATE INDEX CONCURRENTLY ON docs USING gin (sig)',
	insert => 'INSERT INTO copies SELECT d.* FROM docs d, generate_series(1, 1000)',
	vacuum => 'VACUUM copies',
	scan => 'SET enable_seqscan = off; SELECT count(*) FROM docs d, copies c WHERE c.sig % d.sig',
	all => 'SET lshsim.similarity_threshold = 0.1; SET enable_seqscan = off;
		SELECT count(*) FROM docs d, copies c WHERE c.sig % d.sig',
	lsh_build => 'CREATE INDEX CONCURRENTLY ON docs USING lsh (sig)',
	lsh_insert => 'INSERT INTO twins SELECT d.* FROM docs d, generate_series(1, 1000)',
	lsh_vacuum => 'VACUUM twins',
	lsh_scan => 'SET enable_seqscan = off; SELECT count(*) FROM docs d, twins t WHERE t.sig % d.sig',
	lsh_all => 'SET lshsim.similarity_threshold = 0.1; SET enable_seqscan = off;
		SELECT count(*) FROM docs d, twins t WHERE t.sig % d.sig',
	lsh_order => 'SET enable_seqscan = off; SET enable_sort = off; SET work_mem = 64;
		SELECT count(*) FROM docs d, LATERAL (SELECT sig <-> d.sig AS distance FROM twins t ORDER BY t.sig <-> d.sig OFFSET 10) o',
	passage_build => 'CREATE INDEX CONCURRENTLY ON notes USING lsh (body passage_ops)',
	passage_insert => "INSERT INTO notes SELECT 1, t FROM (SELECT $inputs{mixed} AS t OFFSET 0) d, generate_series(1, 1000)",
	passage_vacuum => 'VACUUM notes',
	passage_scan => q{SET enable_seqscan = off; SELECT count(*) FROM notes d, notes n, generate_series(1, 1000) WHERE shares_passage(n.body, d.body)},
	passage_all => q{SET enable_seqscan = off; SELECT count(*) FROM notes d, notes n WHERE n.body &&~ passage_query(d.body, 'word:3')},
	btree => 'CREATE INDEX docs_btree ON docs USING btree (sig); DROP INDEX docs_btree',
	trigger => "INSERT INTO triggered SELECT t FROM (SELECT $inputs{sentences} AS t OFFSET 0) d, generate_series(1, 1000)",
	check_trigger => "INSERT INTO checked SELECT t FROM (SELECT $inputs{sentences} AS t OFFSET 0) d, generate_series(1, 1000)");

# These cannot be repeated within one statement, and may end before they are cancelled.
my %may_end = map { $_ => 1 } qw(build vacuum lsh_build lsh_vacuum passage_build passage_vacuum);

# Return a statement that does some work again and again, so that it does not end on
# any machine.
sub endless
{
	my ($work) = @_;

	$work =~ s/(^|;\s*)SELECT /$1PERFORM /g;
	return "DO \$\$ BEGIN LOOP $work; END LOOP; END \$\$";
}

# For every function: a call on a row of the tables short and long, with i as the
# number of the call; a call with wrong arguments; and calls or statements that
# take long.  A function without the last is fast with any arguments: it reads at
# most 4096 slots.
my %table = (
	'shingling_in(cstring)' => [ q{shingling_in(s::text::cstring)}, q{'x'::shingling} ],
	'shingling_out(shingling)' => [q{shingling_out(s)}],
	'shingling_recv(internal)' => [],
	'shingling_send(shingling)' => [q{shingling_send(s)}],
	'minhash_in(cstring,oid,integer)' => [ q{minhash_in(a::text::cstring, 0, -1)}, q{'char:5/'::minhash} ],
	'minhash_out(minhash)' => [q{minhash_out(a)}],
	'minhash_recv(internal,oid,integer)' => [],
	'minhash_send(minhash)' => [q{minhash_send(a)}],
	'minhash_typmod_in(cstring[])' => [ q{minhash_typmod_in(ARRAY['16'::cstring])}, q{minhash_typmod_in(ARRAY['0'::cstring])} ],
	'minhash_typmod_out(integer)' => [q{minhash_typmod_out(i)}],
	'minhash(minhash,integer,boolean)' => [ q{minhash(a, -1, true)}, q{minhash(a, 99, true)} ],
	'minhash(bytea,integer,boolean)' => [ q{minhash(a::bytea, -1, true)}, q{substr(a::bytea, 2)::minhash} ],
	'to_minhash(text,shingling,integer,integer,text)' => [
		q{to_minhash(t, 'word:1 bag', 16, i, 'k-permutation')}, q{to_minhash(t, 'integer')},
		q{to_minhash(sentences, 'char:5')}, q{to_minhash(sentences, 'word:3')},
		q{to_minhash(sentences, 'char:5', 4096, 0, 'k-permutation')},
		q{to_minhash(spaces, 'word:3')}, q{to_minhash(word, 'word:3')},
		q{to_minhash(mixed, 'char:9 bag')}, q{to_minhash(marks, 'char:5')} ],
	'array_to_minhash(anyarray,integer,integer,text)' => [
		q{array_to_minhash(x, 16, i)}, q{array_to_minhash(ARRAY[json '1'])},
		q{array_to_minhash(ones, 4096, 0, 'k-permutation')}, q{array_to_minhash(nulls)}, q{array_to_minhash(words)},
		q{array_to_minhash(days)}, q{array_to_minhash(list)}, q{array_to_minhash(string)} ],
	'tsvector_to_minhash(tsvector,integer,integer,text)' => [ q{tsvector_to_minhash(v, 16, i)}, q{tsvector_to_minhash(v, 1)} ],
	'weighted_to_minhash(anyarray,double precision[],integer,integer)' => [
		q{weighted_to_minhash(x, w, 16, i)}, q{weighted_to_minhash(x, ARRAY[1.0])},
		q{weighted_to_minhash(numbers, numbers::float8[])},
		q{weighted_to_minhash(ones, array_fill(1.5::float8, ARRAY[cardinality(ones)]))} ],
	'shingles(text,shingling)' => [ q{shingles(t, 'char:3')}, q{shingles(t, 'text')},
		q{shingles(mixed, 'char:5')}, q{shingles(mixed, 'word:1')} ],
	'minhash_info(minhash)' => [q{minhash_info(a)}],
	'minhash_kind(minhash)' => [q{minhash_kind(a)}],
	'common_passages(text,text,shingling,integer,integer)' => [ q{(SELECT count(*) FROM common_passages(t, u, 'char:3'))},
		q{(SELECT count(*) FROM common_passages(t, u, 'text'))}, q{(SELECT count(*) FROM common_passages(mixed, mixed, 'word:1'))},
		q{(SELECT count(*) FROM common_passages(sentences, mixed, 'char:5', 60, 16))} ],
	'text_without(text,text,shingling,integer,integer)' => [ q{text_without(t, u, 'char:3')}, q{text_without(t, u, 'text')},
		q{length(text_without(mixed, mixed, 'word:1'))}, q{length(text_without(mixed, sentences, 'char:5', 60, 16))} ],
	'shares_passage(text,text,shingling,integer,integer)' => [ q{shares_passage(t, u, 'char:50')}, q{shares_passage(t, u, 'char:5 bag')},
		q{shares_passage(mixed, mixed, 'word:3')}, q{shares_passage(mixed, word, 'char:100')},
		q{shares_passage(mixed, sentences, 'char:5', 10000, 16)} ],
	'passage_keys(text,shingling)' => [ q{passage_keys(t, 'char:50')}, q{passage_keys(t, 'text')},
		q{passage_keys(mixed, 'char:17')}, q{passage_keys(sentences, 'word:12')} ],
	'passage_query(text,shingling,integer,integer)' => [ q{passage_query(t, 'char:50')}, q{passage_query(t, 'char:5 bag')} ],
	'passage_match(text,passage_query)' => [ q{t &&~ passage_query(u, 'char:50')}, q{t &&~ ROW(u, 'char:5 bag', 0, 0)::passage_query} ],
	'shares_passage_support(internal)' => [],
	'passage_sel(internal,oid,internal,integer)' => [],
	'passage_joinsel(internal,oid,internal,smallint,internal)' => [],
	'passage_options(internal)' => [],
	'passage_gin_extract_value(text,internal)' => [],
	'passage_gin_extract_query(text,internal,smallint,internal,internal,internal,internal)' => [],
	'passage_gin_triconsistent(internal,smallint,text,integer,internal,internal,internal)' => [],
	'minhash_advise_shingling(regclass,name,regclass,name)' => [ undef, q{minhash_advise_shingling('pg_class', 'nothing')} ],
	'minhash_advise(regclass,name,regclass,name,shingling,integer)' => [ undef, q{minhash_advise('pg_class', 'nothing')} ],
	'minhash_advise_pairs(regclass,name,double precision,regclass,name,shingling,integer,integer)' =>
	  [ undef, q{minhash_advise_pairs('pg_class', 'nothing')} ],
	'lsh_handler(internal)' => [ undef, undef, qw(lsh_build lsh_insert lsh_scan lsh_all lsh_order lsh_vacuum
		passage_build passage_insert passage_scan passage_all passage_vacuum) ],
	'lsh_index_check(regclass,boolean)' => [ q{lsh_index_check('nothing_lsh', true)}, q{lsh_index_check('pg_class')},
		map { "SELECT lsh_index_check('${_}_lsh', true) FROM generate_series(1, 1000)" } 'twins', 'notes' ],
	'minhash_slots(minhash)' => [q{minhash_slots(a)}],
	'jaccard(minhash,minhash)' => [ q{jaccard(a, b)}, q{jaccard(a, c)} ],
	'jaccard(anycompatiblearray,anycompatiblearray)' => [ q{jaccard(x, y)}, q{jaccard(ARRAY[json '1'], ARRAY[json '1'])},
		q{jaccard(words, words)}, q{jaccard(ones, numbers)}, q{jaccard(list, spelled)} ],
	'jaccard(text,text,shingling)' => [ q{jaccard(t, u, 'char:3')}, q{jaccard(t, u, 'other')},
		q{jaccard(mixed, mixed, 'char:9')}, q{jaccard(mixed, mixed, 'word:3 bag')} ],
	'jaccard(tsvector,tsvector)' => [q{jaccard(v, v)}],
	'minhash_distance(minhash,minhash)' => [ q{a <-> b}, q{a <-> c} ],
	'minhash_similar_support(internal)' => [],
	'minhash_sel(internal,oid,internal,integer)' => [],
	'minhash_typanalyze(internal)' => [],
	'minhash_similar_op(minhash,minhash)' => [ q{a % b}, q{a % c} ],
	'minhash_similar(minhash,minhash,double precision,double precision)' =>
	  [ q{minhash_similar(a, b, 0.1)}, q{minhash_similar(a, b, 0, 'NaN')} ],
	'minhash_query_in(cstring)' => [ q{minhash_query_in(q::text::cstring)}, q{'1/2'::minhash_query} ],
	'minhash_query_out(minhash_query)' => [q{minhash_query_out(q)}],
	'minhash_query_recv(internal)' => [],
	'minhash_query_send(minhash_query)' => [q{minhash_query_send(q)}],
	'minhash_query(minhash,double precision,double precision)' => [ q{minhash_query(a, 0.5)}, q{minhash_query(a, 0.5, -1)} ],
	'minhash_query_match(minhash,minhash_query)' => [ q{b @@ q}, q{c @@ q} ],
	'minhash_query_match_commuted(minhash_query,minhash)' => [ q{q @@ b}, q{q @@ c} ],
	'minhash_cmp(minhash,minhash)' => [q{minhash_cmp(a, b)}],
	'minhash_hash(minhash)' => [q{minhash_hash(a)}],
	'minhash_hash_extended(minhash,bigint)' => [q{minhash_hash_extended(a, i)}],
	'minhash_gin_extract_value(minhash,internal)' => [ undef, undef, 'build', 'insert' ],
	'minhash_gin_extract_query(minhash,internal,smallint,internal,internal,internal,internal)' => [ undef, undef, 'scan' ],
	'minhash_gin_compare_partial(bigint,bigint,smallint,internal)' => [ undef, undef, 'scan' ],
	'minhash_gin_triconsistent(internal,smallint,minhash,integer,internal,internal,internal)' => [ undef, undef, 'all', 'vacuum' ],
	'lsh_probability(double precision,integer,integer,integer)' => [ q{lsh_probability(0.5, i, 2147483647, 2)}, q{lsh_probability(2, 1, 1)} ],
	'lsh_plan_keys(minhash,double precision,double precision)' => [ q{lsh_plan_keys(a, 0.9)}, q{lsh_plan_keys(a, 0.4, 1)} ],
	'lsh_plan(double precision,double precision,integer)' => [ q{lsh_plan(0.5, 0.9, 4096)}, q{lsh_plan('NaN')} ],
	'lsh_band_keys(minhash,integer,integer)' => [ q{lsh_band_keys(a, 2, 8)}, q{lsh_band_keys(a, 999, 999)} ],
	'lsh_index_pairs(regclass,double precision,double precision)' => [
		q{(SELECT count(*) FROM lsh_index_pairs('nothing_lsh', 0.5, 0.9))}, q{lsh_index_pairs('nothing_lsh', 2)},
		q{SELECT count(*) FROM generate_series(1, 1000), lsh_index_pairs('paired_lsh', 0.3, 0.99)},
		q{SELECT count(*) FROM generate_series(1, 1000) i, lsh_index_pairs('paired_lsh', 0.9 + 0 * i)},
		q{SELECT count(*) FROM lsh_index_pairs('paired_lsh', 0.9, 1)} ],
	'lsh_index_stats(regclass)' => [ q{lsh_index_stats('nothing_lsh')}, q{lsh_index_stats('pg_class')} ],
	'minhash_cluster(minhash,double precision,double precision,double precision)' => [ q{minhash_cluster(a, 0.5) OVER (PARTITION BY i)}, undef,
		q{SELECT count(c) FROM (SELECT minhash_cluster(sig, 0.05) OVER () AS c FROM docs) d},
		q{SELECT count(c) FROM (SELECT minhash_cluster(sig, 0.5, 1) OVER () AS c FROM docs) d} ],
	'minhash_representative(minhash,double precision,anyelement,double precision)' => [ q{minhash_representative(a, 0.5, t, 1) OVER (PARTITION BY i)}, undef,
		q{SELECT count(c) FROM (SELECT minhash_representative(sig, 0.05, id) OVER () AS c FROM docs) d} ],
	'minhash_link(minhash,double precision,anyelement,double precision,double precision)' => [ q{minhash_link(a, 0.5, t, 1) OVER (PARTITION BY i)}, undef,
		q{SELECT count(c) FROM (SELECT minhash_link(sig, 0.05, id) OVER () AS c FROM docs) d} ],
	'minhash_groups_create(regclass,name,double precision,double precision,name[],name,name[],double precision,name,boolean)' => [
		undef, q{minhash_groups_create('nothing', 'sig', 0.8)}, q{SELECT minhash_groups_create('kept', 'sig', 0.05, groups => 'more'); SELECT minhash_groups_drop('more')} ],
	'minhash_groups_refresh(regclass)' => [ undef, q{minhash_groups_refresh('docs')},
		q{SELECT minhash_groups_refresh('kept_groups') FROM generate_series(1, 1000)} ],
	'minhash_groups_drop(regclass)' => [ undef, q{minhash_groups_drop('docs')} ],
	'minhash_groups_match(bigint[],bigint[],bigint)' => [ q{minhash_groups_match(ARRAY[i], ARRAY[1], i)}, q{minhash_groups_match(ARRAY[i], ARRAY[2], i)},
		q{SELECT minhash_groups_match(array_agg(i % 1000), array_agg(10000000 - i), 1) FROM generate_series(1, 9999999) i} ],
	'minhash_agg(anyelement)' => [ q{minhash_agg(i)}, undef,
		q{SELECT minhash_agg(x) FROM generate_series(1, 1000), (SELECT array_fill(NULL::int, ARRAY[100000000]) x OFFSET 0) a} ],
	'minhash_agg(anyelement,integer)' => [q{minhash_agg(t, 16)}],
	'minhash_agg(anyelement,integer,integer)' => [q{minhash_agg(x, 16, 1)}],
	'minhash_agg(anyelement,integer,integer,text)' => [ q{minhash_agg(t, 16, 1, 'k-permutation')}, undef,
		q{SELECT minhash_agg(i, 4096, 0, 'k-permutation') FROM generate_series(1, 10000000) i} ],
	'minhash_union(minhash,minhash)' => [ q{a | b}, q{a | c} ],
	'minhash_union_agg(minhash)' => [ q{minhash_union_agg(a)}, undef,
		q{SELECT minhash_union_agg(sig) FROM docs, generate_series(1, 1000)} ],
	'cardinality(minhash)' => [q{cardinality(a)}],
	'containment(minhash,minhash)' => [ q{containment(a, b)}, q{containment(a, c)} ],
	'containment(anycompatiblearray,anycompatiblearray)' => [ q{containment(x, y)}, undef, q{containment(numbers, ones)} ],
	'containment(text,text,shingling)' => [ q{containment(t, u, 'char:3')}, undef, q{containment(mixed, mixed, 'word:1')} ],
	'containment(tsvector,tsvector)' => [q{containment(v, v)}],
	'minhash_trigger()' => [ undef, undef, 'trigger' ],
	'minhash_check_trigger()' => [ undef, undef, 'check_trigger' ],
	'minhash_judged_trigger()' => [],
	'minhash_note_trigger()' => [],
	'minhash_from_values(bigint[],integer)' => [ q{minhash_from_values(h, i)}, q{minhash_from_values('{}')} ]);

# Functions with the same calls.
$table{"shingling_$_(shingling,shingling)"} = [qq{shingling_$_(s, s)}] foreach qw(eq ne);
$table{'shingling_hash(shingling)'} = [q{shingling_hash(s)}];
$table{'shingling_hash_extended(shingling,bigint)'} = [q{shingling_hash_extended(s, i)}];
$table{'minhash_union_agg_transition(minhash,minhash)'} =
  [ q{minhash_union_agg_transition(a, b)}, q{minhash_union_agg_transition(a, c)} ];
$table{"minhash_$_(minhash,minhash)"} = [qq{minhash_$_(a, b)}] foreach qw(eq ne lt le ge gt);
push @{ $table{'minhash_lt(minhash,minhash)'} }, undef, 'btree';
foreach my $args ('', ',integer', ',integer,integer', ',integer,integer,text')
{
	$table{"minhash_agg_transition(internal,anyelement$args)"} =
	  [ undef, sprintf 'minhash_agg_transition(NULL, i%s)', $args =~ s/integer/16/gr =~ s/text/'x'/r ];
}
$table{$_} = [] foreach 'minhash_agg_final(internal)', 'minhash_agg_combine(internal,internal)',
  'minhash_agg_serial(internal)', 'minhash_agg_deserial(bytea,internal)';

my @functions = split /\n/, $node->safe_psql('postgres', q{
	SELECT objid::regprocedure FROM pg_depend
	WHERE classid = 'pg_proc'::regclass AND deptype = 'e'
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'lshsim')});

is_deeply([ sort keys %table ], [ sort @functions ],
	'all functions of the extension have a row in the table');

# Interrupts.  A session, found by its name, waits for a lock that the watching one
# holds until it knows the session, so that even a short statement is watched.  It is
# asked every 50 ms to log its memory, which it does at its next check for interrupts.
# At the end it is cancelled and watched until it is gone.  Each line has the time, the
# CPU time of the session in seconds, and the event.
$node->safe_psql('postgres', q{
	CREATE FUNCTION used(pid int) RETURNS float8 LANGUAGE sql VOLATILE AS $$
		SELECT (f[13]::float8 + f[14]::float8) / 100
		FROM regexp_split_to_array(pg_read_file(format('/proc/%s/stat', pid), 0, 1000, true), ' ') f
	$$;
	CREATE PROCEDURE watch(name text, seconds float8) LANGUAGE plpgsql AS $$
	DECLARE
		session int;
		steps int := 0;
	BEGIN
		WHILE session IS NULL LOOP
			IF clock_timestamp() > statement_timestamp() + interval '180s' THEN
				RAISE 'no session %', name;
			END IF;
			PERFORM pg_sleep(0.005), pg_stat_clear_snapshot();
			SELECT pid INTO session FROM pg_stat_activity
			WHERE application_name = name AND wait_event = 'advisory';
		END LOOP;
		RAISE NOTICE 'session %', session;
		RAISE NOTICE 'at % % t', extract(epoch FROM clock_timestamp()), used(session);
		PERFORM pg_advisory_unlock(1);
		WHILE EXISTS (SELECT FROM pg_stat_activity WHERE pid = session) LOOP
			steps := steps + 1;
			RAISE NOTICE 'at % % %', extract(epoch FROM clock_timestamp()), used(session),
				CASE WHEN steps * 0.05 > seconds THEN pg_cancel_backend(session)
					ELSE pg_log_backend_memory_contexts(session) END;
			PERFORM pg_sleep(0.05), pg_stat_clear_snapshot();
		END LOOP;
	END $$});

# Return the CPU time of a query in a new session.
sub cpu_time
{
	my ($query) = @_;

	return $node->safe_psql('postgres', qq{
		SELECT used(pg_backend_pid()) AS before \\gset
		$query \\g /dev/null
		SELECT used(pg_backend_pid()) - :before});
}

# The longest CPU time between two checks, in seconds.  The server makes large inputs
# without any check, which takes longer on a slow machine.
my $bound = 5 * cpu_time("SELECT count(x) FROM (SELECT $inputs{list} AS x OFFSET 0) l");
$bound = 1 if $bound < 1;
note("at most $bound s between two checks");

# Return the CPU time that a session had used at some time, given samples.
sub used_at
{
	my ($time, @samples) = @_;
	my ($before) = grep { $_->[0] <= $time } reverse @samples;
	my ($after) = grep { $_->[0] >= $time } @samples;

	return $before->[1] if !$after || $after == $before;
	return $before->[1] + ($after->[1] - $before->[1]) *
	  ($time - $before->[0]) / ($after->[0] - $before->[0]);
}

# Return the longest CPU time of a statement between two checks for interrupts, the
# number of checks, its end, and its whole CPU time.  CPU time, because on a busy
# machine a session may wait for a processor.  The statement is cancelled after
# the given number of seconds.
sub longest_wait
{
	my ($statement, $name, $patience) = @_;
	my $log = -s $node->logfile;
	my $watching = "CALL watch('$name', $patience)";
	my $watch = start_session($node, $name, '-c', 'SELECT pg_advisory_lock(1)', '-c', $watching);

	$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_stat_activity WHERE query = \$\$$watching\$\$")
	  or die "no session watches $name";
	IPC::Run::run(
		[ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-v', 'VERBOSITY=verbose',
			'-c', "SET application_name = '$name'", '-c', 'SELECT pg_advisory_lock(1)', '-c', $statement ],
		'<', '/dev/null', '>', '/dev/null', '2>', \my $stderr);
	$watch->{run}->finish;

	my $notices = slurp($watch->{stderr});
	my ($pid) = $notices =~ /session (\d+)/;
	my @samples = map { [ split / / ] } $notices =~ /at ([\d.]+ [\d.]+) t/g;
	my @answers = substr(slurp($node->logfile), $log) =~
	  /^([\d.]+) \[$pid\] LOG:  logging memory contexts/mg;
	my $longest = 0;
	foreach my $sample (@samples)
	{
		my ($answer) = grep { $_ > $sample->[0] - 0.002 } @answers, $samples[-1][0];
		my $wait = used_at($answer, @samples) - $sample->[1];

		$longest = $wait if $wait > $longest;
	}
	return ($longest, scalar(@answers),
		$stderr =~ /ERROR:  57014/ ? 'cancelled' : $stderr ne '' ? $stderr : 'done',
		$samples[-1][1] - $samples[0][1]);
}

# Watch a statement, and once more if the result was too slow: the whole machine may
# have paused for a moment, which counts as CPU time.
sub watched
{
	my ($is_good, @watched) = @_;
	my @found = longest_wait(@watched);

	return $is_good->(@found) ? @found : longest_wait(@watched);
}

my $number = 0;
foreach my $function (sort keys %table)
{
	my (undef, undef, @long) = @{ $table{$function} };

	foreach my $call (@long)
	{
		my $statement = $through{$call} // ($call =~ /^SELECT/ ? $call : on_large($call));
		$statement = endless($statement) unless $may_end{$call};
		my $start = time;
		my ($longest, $answers, $end) = watched(sub { $_[0] < $bound }, $statement, 'long_' . $number++, $seconds);

		ok($longest < $bound && ($end eq 'cancelled' || $end eq 'done' && $may_end{$call}),
			sprintf '%s: %s after %.1f s, answered %d times, within %.3f s',
			$call, $end, time - $start, $answers, $longest);
	}
}

# A statement that is not cancelled, to reach its last loop, too: shingles of 25 kB,
# computed twice and then compared, which is a quarter of the work.
{
	my $words = 2e5 * $size;
	my $statement = qq{
		SELECT jaccard(t, t, 'word:255') FROM (SELECT (SELECT string_agg(repeat(md5(i::text), 3), ' ')
			FROM generate_series(1, $words) i) AS t OFFSET 0) d};
	# CPU time is counted in steps of 10 ms.
	my $is_short = sub { $_[0] < $_[3] / 8 + 0.03 };
	my ($longest, $answers, $end, $all) = watched($is_short, $statement, 'merge', 1e6);

	ok($end eq 'done' && $is_short->($longest, $answers, $end, $all),
		sprintf 'equal texts of %.0f MB: %s, answered %d times, within %.3f s of %.3f s',
		$words * 97 / 1e6, $end, $answers, $longest, $all);
}

# The functions themselves, called with signatures of 4096 hashes and similar
# input: those that need no checks for interrupts are fast.
foreach my $function (grep { defined $table{$_}[0] } sort keys %table)
{
	my $call = $table{$function}[0];
	my $used = cpu_time("SELECT count(x) FROM (SELECT $call AS x FROM long, generate_series(1, 10) i "
		  . ($function =~ /_agg\(/ ? 'GROUP BY i' : '') . ') calls');

	cmp_ok($used / 10, '<', 0.5, sprintf '%s: done in %.3f s at most', $call, $used / 10);
}

# Memory.  A call is made 1,000 and 20,000 times in one statement; the peak memory
# of the session does not grow.  What grows only once is no leak: the kernel may give
# a process 2 MB in place of 4 kB.
SKIP:
{
	skip 'cannot see how much memory a process uses', 1 unless can_read_proc();

	foreach my $function (grep { defined $table{$_}[0] } sort keys %table)
	{
		my $call = $table{$function}[0];
		my $calls = sub {
			my ($count) = @_;
			return "SELECT count(x) FROM (SELECT $call AS x FROM short, generate_series(1, $count) i "
			  . ($function =~ /_agg\(/ ? 'GROUP BY i' : '') . ") calls \\g /dev/null\n";
		};
		my $peak = q{SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s*(\d+)');} . "\n";
		my $growth = sub {
			my ($few, $many) = split /\n/, $node->safe_psql('postgres',
				"SET enable_hashagg = off; SET work_mem = '64kB';\n"
				  . $calls->($_[0]) . $peak . $calls->(20000) . $peak);
			return $many - $few;
		};
		my $more = $growth->(1000);

		$more = $growth->(20000) if $more >= 700;
		cmp_ok($more, '<', 700, sprintf '%s: %d kB more for 20,000 calls', $call, $more);
	}
}

$node->stop;
done_testing();

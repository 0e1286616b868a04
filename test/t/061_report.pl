# The page of lshsim_report: its statements about known texts, the escaping of
# everything that comes from a text, and empty, strange or refused input.

use IPC::Run;
use LshsimTest;
use utf8;

my $node = start_node('report', 'jit = off');

# Elements and attributes of a page; style only as the element.
my %elements = map { $_ => 1 } qw(html head meta title style body main h1 h2 h3 h4 p div b span section svg text line
  rect polyline circle ol li table tr th td article mark footer code);
my %attributes = map { $_ => 1 } qw(lang charset name content http-equiv class viewbox role aria-label x y x1 x2 y1 y2
  text-anchor width height rx cx cy r points stroke-width opacity);

# Make a page of a table, without any message.
sub page_of
{
	my ($name, @arguments) = @_;
	my ($status, $page, $err) = run_report($node, @arguments);
	is("$status $err", '0 ', "$name: a page");
	return $page;
}

# Return the unexpected elements and attributes that a strict parser finds in a page.
sub strangers
{
	my ($page) = @_;
	my @strangers;
	$page =~ s/<style>.*?<\/style>/<style><\/style>/s;
	while ($page =~ /<(?!!DOCTYPE html>)(.*?)(>|\z)/sg)
	{
		my $tag = $1;
		push @strangers, "<$tag>" and next unless $tag =~ m{^/?(\w+)((?:\s+[\w:-]+="[^"<>]*")*)/?$} && $elements{lc $1};
		push @strangers, grep { !$attributes{lc $_} } ($2 =~ /([\w:-]+)="/g);
	}
	return join ' ', @strangers;
}

# Return those that Python's parser finds.
sub strangers_by_python
{
	my ($page) = @_;
	my $program = <<'END';
import sys
from html.parser import HTMLParser
elements, attributes = sys.argv[1].split(), sys.argv[2].split()
open_elements = []
class Parser(HTMLParser):
    def handle_starttag(self, tag, attrs):
        if tag not in elements: print('<%s>' % tag)
        for name, value in attrs:
            if name not in attributes: print(name)
        if tag != 'meta': open_elements.append(tag)
    def handle_startendtag(self, tag, attrs):
        if tag not in elements: print('<%s/>' % tag)
        for name, value in attrs:
            if name not in attributes: print(name)
    def handle_endtag(self, tag):
        if not open_elements or open_elements.pop() != tag: print('</%s>' % tag)
Parser().feed(sys.stdin.buffer.read().decode())
if open_elements: print(open_elements)
END
	my $out;
	utf8::encode($page);
	IPC::Run::run(['/usr/bin/python3', '-c', $program, join(' ', keys %elements), join(' ', keys %attributes)],
		'<', \$page, '>', \$out) or return 'no parser';
	return $out;
}

# Check that the texts added neither elements nor attributes.
sub is_clean
{
	my ($page, $name) = @_;
	is(strangers($page), '', "$name: no element or attribute of another's");
	SKIP:
	{
		skip 'no Python', 1 unless -x '/usr/bin/python3';
		is(strangers_by_python($page), '', "$name: none for an HTML parser either, and all are closed");
	}
	unlike($page, qr/https?:|\/\/|url\(|\@import|<script/i, "$name: nothing to be fetched or run");
}

# Known texts: a group of six, a copy, and others.
$node->safe_psql('postgres', q{
	CREATE TABLE plain (id text PRIMARY KEY, body text);
	INSERT INTO plain SELECT 'alone ' || i, (SELECT string_agg(md5(i || ' ' || j), ' ') FROM generate_series(1, 10) j) FROM generate_series(1, 50) i;
	INSERT INTO plain SELECT 'part ' || i, format('The library number %s of this large and well known collection holds books of many kinds, and opens at eight', i * 1234567) FROM generate_series(1, 7) i;
	INSERT INTO plain SELECT 'copy', body FROM plain WHERE id = 'alone 1';
	INSERT INTO plain VALUES ('none', NULL)});
my $page = page_of('plain', 'plain', 'body', '-t', '0.6');
is_clean($page, 'plain');
like($page, qr/<b>58<\/b><span>texts<\/span>/, 'plain: number of texts');
like($page, qr/<b>2<\/b><span>groups<\/span>/, 'plain: number of groups');
like($page, qr/<b>9<\/b><span>rows in groups<\/span>/, 'plain: rows in groups');
like($page, qr/1 of them NULL/, 'plain: NULLs');
like($page, qr/<th>key<.*<td class="key">alone 1</s, 'plain: groups are named by the key');
like($page, qr/looks like a template/, 'plain: siblings of a template');
like($page, qr/<mark>The library number <\/mark>/, 'plain: shared passages are marked');
is(() = $page =~ /<circle/g, 7, 'plain: the group is drawn');
like($page, qr/>1 row: /, 'plain: rows alone');
like($page, qr/<tr><td class="n">1<.*?<td class="n">0\.0[34]<\/td><td class="n">1<\/td>/s, 'plain: 2 of 57 rows have a match at 1');

# Tables of other users with the names of the program's temporary tables.
my @own = slurp('src/lshsim_report') =~ /CREATE TEMP TABLE (\w+)/g;
$node->safe_psql('postgres', join '; ', map { "CREATE TABLE public.$_ (n bigint, key text, body text)" } @own);
my ($alone, $next) = map { s/<p class="says">\d+ \w+ \d+//r } $page, page_of('next to others', 'plain', 'body', '-t', '0.6');
is($next, $alone, 'tables of the same names do not matter, except for the date');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname ~ '^report_' AND relnamespace = 'public'::regnamespace}), 10,
	'there were some');
$node->safe_psql('postgres', join '; ', map { "DROP TABLE public.$_" } @own);

# The number of similar pairs is exact, with copies and empty texts, also in a table that has many copies of one text.
sub shown_pairs
{
	return page_of("pairs @_", @_) =~ /<b>([\d,]+)<\/b><span>similar pairs<\/span>/ ? $1 =~ tr/,//dr : undef;
}
my $all_pairs = q{SELECT count(*) FROM %s a JOIN %1$s b ON a.ctid < b.ctid AND minhash_similar(to_minhash(a.body, '%s'), to_minhash(b.body, '%2$s'), %s)};
$node->safe_psql('postgres', q{CREATE TABLE repeated AS SELECT body FROM plain UNION ALL SELECT '' FROM generate_series(1, 3)
	UNION ALL SELECT body || '!' FROM plain, generate_series(1, 2) UNION ALL SELECT 'One text of many rows' FROM generate_series(1, 30)});
for my $case (map { my $table = $_; map { [$table, @$_] } ['char:5', 0.6], ['char:5', 0.62], ['char:2', 0.3], ['char:2', 0.05] } 'plain', 'repeated')
{
	is(shown_pairs($case->[0], 'body', '-s', $case->[1], '-t', $case->[2]), $node->safe_psql('postgres', sprintf $all_pairs, @$case),
		"@$case: number of pairs");
}

# One question has one number on the whole page: pairs, exact copies, rows in groups, and the counts above the threshold.
foreach my $case (map { my $table = $_; map { [$table, @$_] } ['char:5', 0.6], ['char:2', 0.32] } 'plain', 'repeated')
{
	my ($table, $shingling, $threshold) = @$case;
	my $html = page_of("numbers @$case", $table, 'body', '-s', $shingling, '-t', $threshold);
	my %figure = reverse $html =~ /<b>([\d,]+)<\/b><span>([\w ]+)<\/span>/g;
	my %line = map { $_->[0] => $_ } grep { @$_ } map { [map { tr/,//dr } /<td class="n">(.*?)<\/td>/g] } $html =~ /<tr[^>]*>(.*?)<\/tr>/sg;
	is($line{$threshold}[1], $figure{'similar pairs'} =~ tr/,//dr, "@$case: the line of the threshold has the number of the figure");
	is($figure{'rows in groups'} =~ tr/,//dr, $node->safe_psql('postgres', qq{SELECT count(*) FROM (SELECT count(*) OVER (PARTITION BY c) AS size
		FROM (SELECT minhash_cluster(to_minhash(body, '$shingling'), $threshold, agreement => .5) OVER (ORDER BY ctid) AS c FROM $table) s) t WHERE size > 1}), "@$case: rows in groups");
	is($figure{'of them exact copies'}, $node->safe_psql('postgres', "SELECT count(*) FROM $table a JOIN $table b ON a.ctid < b.ctid AND a.body = b.body AND a.body <> ''"), "@$case: exact copies");
	is($line{0.9}[1], $node->safe_psql('postgres', "SELECT count(*) FROM $table a JOIN $table b ON a.ctid < b.ctid AND jaccard(to_minhash(a.body, '$shingling'), to_minhash(b.body, '$shingling')) >= .9"),
		"@$case: pairs above the threshold");
	is($line{0.9}[5], $node->safe_psql('postgres', "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM $table a JOIN $table b ON a.ctid <> b.ctid
		AND jaccard(to_minhash(a.body, '$shingling'), to_minhash(b.body, '$shingling')) >= .9 GROUP BY a.ctid) m"), "@$case: most matches of a row");
}

# Too many pairs are estimated, at the threshold or at the next step of the advice, which is named then.
$node->safe_psql('postgres', q{CREATE TABLE copies AS SELECT 'One text of very many rows' AS body FROM generate_series(1, 7000)});
like(page_of('estimated', 'copies', 'body', '-t', '0.6'), qr/<b>≈ 2[3-6] M<\/b><span>similar pairs, by a sample<\/span>/, 'estimated: pairs at the threshold');
like(page_of('between steps', 'copies', 'body', '-t', '0.62'), qr/<span>similar pairs at 0\.65, by a sample<\/span>/, 'estimated: pairs at the step above');
like($page, qr/<text[^>]*>pairs<.*<text[^>]*>groups<.*<text[^>]*>pairs found</s, 'plain: titles of the vertical axes');

# Anything can come from a database: texts, keys, names of tables and columns.
my $hostile = q{<script>document.title="owned"</script><img src=x onerror=alert(1)>"'><svg onload=alert(2)></mark></title></style><!-- ]]> &lt;b&gt; &amp; -->};
$node->safe_psql('postgres', qq{
	CREATE SCHEMA "<i>schema\\";
	CREATE TABLE "<i>schema\\"."docs""><script>'%s" ("key""<b>" text PRIMARY KEY, "body""'><script>" text);
	INSERT INTO "<i>schema\\"."docs""><script>'%s"
	SELECT x || i, x || ' and so on, number ' || i || E'\\u0001\\u0008\\u001f \\u202e \\ufffe \\U0001F600' || repeat(x, i)
	FROM (SELECT \$\$$hostile\$\$::text AS x) x, generate_series(1, 8) i;
	INSERT INTO "<i>schema\\"."docs""><script>'%s" SELECT 'facts' || i, name || i || ' <plaintext>' FROM unnest('{facts,plan,curve,counts,sizes,groups,nodes,edges,pairs,passages}'::text[]) name, generate_series(1, 3) i ON CONFLICT DO NOTHING});
$page = page_of('hostile', q{"<i>schema\\"."docs""><script>'%s"}, q{body"'><script>}, '-t', '0.3', '-s', 'char:3');
is_clean($page, 'hostile');
like($page, qr/&lt;script&gt;document\.title=&quot;owned&quot;/, 'hostile: the texts are there, escaped');
like($page, qr/<h1>[^<]*docs[^<]*&lt;script&gt;/, 'hostile: so are the names');
$node->safe_psql('postgres', q{CREATE TABLE names (id text PRIMARY KEY, body text);
	INSERT INTO names SELECT x || i, x || i FROM unnest('{facts,plan,curve,counts,sizes,groups,nodes,edges,pairs,passages}'::text[]) x, generate_series(1, 3) i;
	INSERT INTO names SELECT x, x FROM unnest('{facts,plan,curve,counts,sizes,groups,nodes,edges,pairs,passages,"",1,2}'::text[]) x;
	ALTER TABLE names RENAME TO plan});
$page = page_of('names of sections', 'plan', 'body', '-t', '0.3');
is_clean($page, 'names of sections');
like($page, qr/<b>43<\/b><span>texts<\/span>/, 'names of sections: all is where it belongs');

SKIP:
{
	my ($browser) = grep { -x } '/usr/bin/chromium', '/usr/bin/chromium-browser';
	skip 'no browser', 2 unless $browser;
	my ($status, $hostile_page) = run_report($node, q{"<i>schema\\"."docs""><script>'%s"}, q{body"'><script>}, '-t', '0.3', '-s', 'char:3');
	utf8::encode($hostile_page);
	my $file = write_file(PostgreSQL::Test::Utils::tempdir() . '/page.html', $hostile_page);
	my $dom = '';
	eval { IPC::Run::run([$browser, qw(--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
		--disable-component-update --disable-sync), '--user-data-dir=' . PostgreSQL::Test::Utils::tempdir(), '--dump-dom',
		"file://$file"], '<', \'', '>', \$dom, '2>', \my $noise, IPC::Run::timeout(300)) } or skip 'the browser does not run', 2;
	utf8::decode($dom);
	is(strangers($dom =~ s/<!DOCTYPE html>//ir =~ s/<style>.*?<\/style>//sr =~ s/<\/?tbody>//gr), '', 'hostile: no element of another in the browser');
	like($dom, qr/<title>Similar texts in/, 'hostile: nothing ran in the browser');
}

# Functions, operators and casts of another user, who owns the schema of the extension and the table, and that
# would match better, are not used.
$node->safe_psql('postgres', 'CREATE ROLE mallory LOGIN; CREATE DATABASE planted OWNER mallory');
my $trap = q{LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'captured as %', current_user; END $$};
my @calls = ('to_minhash(text, text)', 'minhash_cluster(minhash, text)', 'lsh_plan(text)', 'lsh_plan(float8)', 'lsh_probability(numeric, int, int, int)',
	'minhash_advise_shingling(text, text)', 'minhash_advise_shingling(regclass, name)', 'minhash_advise(text, text, shingling)',
	'minhash_similar(minhash, minhash, text)', 'minhash_similar(minhash, minhash, float8)', 'minhash_cluster(minhash, float8)', 'jaccard(text, text, text)', 'common_passages(text, text, text)',
	'"left"(text, int)', 'minus(float8, numeric)', 'round(numeric, int)', 'quote_ident(name)', 'as_text(kind)');
my ($psql_status) = $node->psql('planted', join('; ', 'CREATE SCHEMA m', 'SET search_path = m, pg_catalog', 'CREATE EXTENSION lshsim SCHEMA m',
		"CREATE TYPE kind AS ENUM ('a', 'b', 'c')", (map { "CREATE FUNCTION $_ RETURNS text $trap" } @calls),
		'CREATE OPERATOR m.- (LEFTARG = float8, RIGHTARG = numeric, FUNCTION = minus)', 'CREATE CAST (kind AS text) WITH FUNCTION as_text(kind)',
		q{CREATE TABLE docs (id kind PRIMARY KEY, body text); INSERT INTO docs SELECT id, 'a text that is the same but for ' || (i % 2)
			FROM unnest(enum_range(NULL::kind)) WITH ORDINALITY AS e(id, i)}), extra_params => [ '-U', 'mallory' ]);
is($psql_status, 0, 'planted: functions, an operator and a cast');
like(error_of($node, 'planted', 'SET search_path = m; SELECT to_minhash(body, \'char:5\') FROM docs'), qr/captured as/, 'planted: they are in the way');
like(page_of('planted', 'm.docs', 'body', '-d', 'planted'), qr/<b>3<\/b><span>rows in groups/, 'planted: what the extension has is called');
like(page_of('planted, key', 'm.docs', 'body', '-d', 'planted', '-k', 'id'), qr/<b>3<\/b><span>rows in groups/, 'planted: likewise with a key');
is((run_report($node, '-d', 'planted', 'm.docs', 'id'))[2], "lshsim_report: column \"id\" of relation m.docs has type m.kind, not text\n",
	'planted: a column of a type with a cast is refused');
{
	my ($status, $out, $err) = run_report($node, '-d', 'template1', 'pg_class', 'relname');
	is("$status $out", '256 ', 'no extension: fails');
	is($err, "lshsim_report: extension lshsim is not in this database: CREATE EXTENSION lshsim\n", 'no extension: says why');
}

# A row without a key is shown by its text, and named by the beginning in the graph.  One group in which chains link rows that are not similar is
# drawn from its first row on, so that every row has a line to another one.
$node->safe_psql('postgres', q{CREATE TABLE chain AS
	SELECT (SELECT string_agg(md5(j::text), ' ') FROM generate_series(i, i + 14) j) AS body FROM generate_series(1, 100) i ORDER BY i % 10, i});
$page = page_of('chain', 'chain', 'body', '-t', '0.6');
like($page, qr/<b>(\d\d)<\/b><span>groups<\/span>/, 'chain: several groups');
is(join(' ', grep { $_ < .5 } $page =~ /<td class="n share">([\d.]+)</g), '', 'chain: in each group at least half of the pairs are similar');
unlike($page, qr/<th>key<|class="key"|<h4>/, 'chain: no names of rows');
my ($graph) = $page =~ /(<svg[^>]*A group: rows.*?<\/svg>)/s;
like($page, qr/<li>\w{32} \w{7}\.\.\.<\/li>/, 'chain: a row is named by its text');
my %linked = map { $_ => 1 } $graph =~ /[xy]1="([\d.]+)" [xy]1="(?:[\d.]+)" x2="([\d.]+)"/g;
is(join(' ', grep { !$linked{$_} } $graph =~ /cx="([\d.]+)"/g), '', 'chain: every row that is drawn has a line');

# Each row of the graph has a number within the picture, and its name, however wide, is in the list below it.
$node->safe_psql('postgres', q{CREATE TABLE keyed AS
	SELECT repeat('W', 10) || i || repeat('漢', 7) AS id, repeat('one text of fourteen rows ', 3) || i AS body FROM generate_series(1, 14) i});
$page = page_of('numbers of the graph', 'keyed', 'body', '-k', 'id', '-t', '0.3');
my @circles = map { [/cx="([\d.]+)" cy="([\d.]+)" r="(\d+)"/] } $page =~ /<circle[^>]*>/g;
is(scalar(grep { $_->[0] >= $_->[2] && $_->[0] <= 480 - $_->[2] && $_->[1] >= $_->[2] && $_->[1] <= 270 - $_->[2] } @circles), 14, 'numbers of the graph: all are within it');
is(join(' ', sort { $a <=> $b } $page =~ /class="name"[^>]*>(\d+)</g), join(' ', 1 .. 14), 'numbers of the graph: each row has one');
is(join(' ', sort $page =~ /<li>(.*?)<\/li>/g), join(' ', sort map { 'W' x 10 . $_ . '漢' x 7 } 1 .. 14), 'numbers of the graph: names in full');

# A group is named by its first row in the order of the primary key, of the order of its columns, without those that are only included.
$node->safe_psql('postgres', q{CREATE TABLE ordered (b int, body text, a text, j json, PRIMARY KEY (a, b) INCLUDE (j));
	INSERT INTO ordered VALUES (10, 'the very same text', 'x'), (9, 'the very same text', 'x'), (1, 'the very same text', 'y'), (11, 'the very same text', 'x')});
like(page_of('ordered', 'ordered', 'body'), qr/<td class="key">x, 9</, 'ordered: the first row by key');
like(page_of('ordered, key', 'ordered', 'body', '-k', 'b'), qr/<td class="key">9</, 'ordered: also if the name is another column');

# The mean is that of the other rows: in a group of two, it is the least.
$node->safe_psql('postgres', q{CREATE TABLE two AS
	SELECT i AS id, 'The ferry to the islands leaves at eight in the morning, and on Sunday at ' || name AS body FROM (VALUES (1, 'nine'), (2, 'noon')) AS v(i, name)});
my ($mean, $least) = page_of('two', 'two', 'body', '-t', '0.5', '-k', 'id') =~ /<td class="n mean">([\d.]+)<.*<td class="n least">([\d.]+)</;
ok($mean < 1 && $mean == $least, "two: the mean is $mean, the least $least");

# Few or no rows.
$node->safe_psql('postgres', q{CREATE TABLE empty (body text)});
like(page_of('empty', 'empty', 'body'), qr/<b>0<\/b><span>texts/, 'empty: says so');
$node->safe_psql('postgres', q{INSERT INTO empty VALUES (NULL), (NULL)});
is_clean(page_of('all NULL', 'empty', 'body'), 'all NULL');
$node->safe_psql('postgres', q{INSERT INTO empty VALUES ('one row')});
is_clean(page_of('one row', 'empty', 'body'), 'one row');
$node->safe_psql('postgres', q{INSERT INTO empty VALUES ('one row'), (''), ('  ')});
is_clean(page_of('a copy', 'empty', 'body', '-t', '0.1'), 'a copy, compared with all');
$node->safe_psql('postgres', q{INSERT INTO empty VALUES ('One row')});
like(page_of('capitals', 'empty', 'body'), qr/<title>1, without exact copies: 2 pairs/, 'capitals: similar, but no exact copies');

# A view, partitions, privileges.
$node->safe_psql('postgres', q{CREATE VIEW seen AS SELECT body FROM plain WHERE id <> 'copy';
	CREATE TABLE parts (id int, body varchar) PARTITION BY RANGE (id);
	CREATE TABLE part_1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
	INSERT INTO parts SELECT i, 'the very same text in the very same place' FROM generate_series(1, 4) i;
	CREATE ROLE reader LOGIN; CREATE ROLE stranger LOGIN;
	GRANT SELECT ON plain TO reader;
	ALTER TABLE plain ENABLE ROW LEVEL SECURITY;
	CREATE POLICY visible ON plain FOR SELECT USING (id <> 'copy')});
like(page_of('view', 'seen', 'body', '-t', '0.6'), qr/<b>7<\/b><span>rows in groups/, 'view: its rows');
like(page_of('partitions', 'parts', 'body'), qr/<b>4<\/b><span>rows in groups/, 'partitions: all rows');
like(page_of('row-level security', 'plain', 'body', '-U', 'reader', '-t', '0.6'), qr/<b>57<\/b><span>texts/, 'row-level security: hidden rows');
for my $case (['a stranger', qr/permission denied for table plain/, 'plain', 'body', '-U', 'stranger'],
	['no such table', qr/^lshsim_report: relation "nowhere" does not exist\n\z/, 'nowhere', 'body'],
	['no such column', qr/^lshsim_report: column "nothing" of relation plain does not exist\n\z/, 'plain', 'nothing'],
	['no such key', qr/^lshsim_report: column "no 'key'" of relation plain does not exist\n\z/, 'plain', 'body', '-k', "no 'key'"],
	['no such shingling', qr/invalid input syntax for type shingling/, 'plain', 'body', '-s', 'line:1'],
	['no such threshold', qr/invalid value for argument "threshold": 7/, 'plain', 'body', '-t', '7'],
	['no column', qr/^Usage/, 'plain'],
	['a statement for a table', qr/invalid name syntax|does not exist/, 'plain; DROP TABLE plain', 'body'])
{
	my ($name, $message, @arguments) = @$case;
	my ($status, $out, $err) = run_report($node, @arguments);
	isnt($status, 0, "$name: fails");
	like($err, $message, "$name: says why");
	is($out, '', "$name: no page");
}
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname LIKE 'report%'}), '0', 'no table stays behind');

done_testing();

# The same text has the same signature in every database encoding and locale.

use LshsimTest;

my $node = start_node('encodings');

# Every client sends UTF-8; the server converts it.
$ENV{PGCLIENTENCODING} = 'UTF8';

# Databases to compare with the database postgres, which is UTF8 in the C
# locale.  Turkish has special rules for the case of i.
my %options = (
	latin1 => q{ENCODING 'LATIN1' LOCALE 'C'},
	latin9 => q{ENCODING 'LATIN9' LOCALE 'C'},
	sql_ascii => q{ENCODING 'SQL_ASCII' LOCALE 'C'},
	euc_jp => q{ENCODING 'EUC_JP' LOCALE 'C'},
	c_utf8 => q{ENCODING 'UTF8' LOCALE 'C.UTF-8'},
	turkish => q{ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'tr'});

# Texts, and the databases whose encodings have their characters.
my %texts = (
	english => 'The Quick  BROWN fox, in 42 words; Istanbul is Istanbul.',
	german => 'Größe, Äpfel und ÜBERMUT: «Straße» ×7, naïve Façade.',
	japanese => '吾輩は猫である。名前はまだ無い。ﾃﾞｰﾀ ベース ＡＢＣ',
	mixed => 'ǅ ﬁ ẞ İstanbul ½ €20 e̊ 한국어 ไทย 👩‍🚀');
my @everywhere = grep { $_ ne 'turkish' } sort keys %options;
my %homes = (
	english => [@everywhere],
	german => [ grep { $_ ne 'euc_jp' } @everywhere ],
	japanese => [qw(sql_ascii euc_jp c_utf8)],
	mixed => [qw(sql_ascii c_utf8)]);

# Signatures of a text, $1, and of its first word, $2, by every function, in one
# line.  The cast to tsvector takes quoted lexemes unchanged.
my $signatures = q{
	CREATE TYPE kind_$3 AS ENUM ($2);
	SELECT md5(string_agg(s::bytea::text, ' ')) FROM unnest(array[
		to_minhash($1::text),
		to_minhash($1, 'char:2 raw', 64, 7),
		to_minhash($1, 'word:3'),
		to_minhash($1, 'word:1 bag', 100, -1, 'k-permutation'),
		array_to_minhash(array[$1, 'and more']),
		array_to_minhash(array[$1, 'and more']::varchar[]),
		array_to_minhash(array[$1, 'and more']::char(200)[]),
		array_to_minhash(array[$2]::name[]),
		array_to_minhash(array[$2]::kind_$3[]),
		tsvector_to_minhash(format('%L and more', $1)::tsvector)]) s};

# The passages of two texts: their positions in characters, which in SQL_ASCII are
# bytes, and whether substr() finds them there.
my $passages = q{
	SELECT string_agg(format('%s+%s %s+%s', start_a, length_a, start_b, length_b), ', '),
		bool_and(passage = substr(a, start_a, length_a) AND length_b = length(substr(b, start_b, length_b)))
	FROM (SELECT $2 || ' o ' || $1, $2 || substr($1, length($2) + 1)) t (a, b), common_passages(a, b, 'char:4')};

# The shingles of a text, the text without its first word, and exact similarities, as
# one line.
my $exact = q{
	SELECT convert_to(array_to_string(shingles($1, 'char:3 raw'), '|'), 'UTF8'),
		convert_to(text_without($1, $2, 'char:2'), 'UTF8'),
		jaccard($1, $2, 'char:2'), jaccard($1, $2, 'word:1')};

# Run a query about one of the texts.
sub ask
{
	my ($database, $query, $name) = @_;
	my ($word) = $texts{$name} =~ /([^ ]+)/;
	my @values = ("'$texts{$name}'", "'$word'", $name);

	$query =~ s/\$(\d)/$values[$1 - 1]/g;
	return $node->safe_psql($database, $query);
}

my %expected = map { $_ => ask('postgres', $signatures, $_) } keys %texts;

foreach my $database (sort keys %options)
{
  SKIP:
	{
		my @names = grep {
			my $name = $_;
			$database eq 'turkish'
			  || grep { $_ eq $database } @{ $homes{$name} }
		} sort keys %texts;

		skip "cannot make a database: $options{$database}", 4 * @names
		  unless add_database($node, $database, $options{$database});
		foreach my $name (@names)
		{
			is(ask($database, $signatures, $name),
				$expected{$name}, "$database: signatures of $name text");
			my $found = ask($database, $passages, $name);

			like($found, qr/^\d+\+\d+ .*\|t$/, "$database: passages of $name text are where their positions say");
			# Nothing can be converted from SQL_ASCII.
			next if $database eq 'sql_ascii';
			is($found, ask('postgres', $passages, $name), "$database: positions of passages of $name text");
			is(ask($database, $exact, $name), ask('postgres', $exact, $name),
				"$database: shingles and exact similarities of $name text");
		}
	}
}

# SQL_ASCII holds any bytes; those that are not UTF-8 have no signature.
foreach my $call (
	q{to_minhash(b)}, q{to_minhash(b, 'word:1 raw')},
	q{array_to_minhash(array['a', b])}, q{array_to_minhash(array[b]::name[])},
	q{tsvector_to_minhash(('a ' || b)::tsvector)}, q{shingles(b)},
	q{jaccard(b, 'a', 'word:1')})
{
	foreach my $bytes ('\xC3', 'a\xE2\x82', '\xED\xA0\x80', '\xFFa')
	{
		like(error_of($node, 'sql_ascii', "SELECT $call FROM (SELECT E'$bytes'::text) t (b)"),
			qr/^psql:\S+ ERROR:  invalid byte sequence for encoding "UTF8"/,
			"SQL_ASCII: $call refuses $bytes");
	}
}

# The planner compares searches with statistics, but not with such bytes.
is($node->safe_psql('sql_ascii', q{
	CREATE TABLE bytes AS SELECT i AS id, concat(CASE WHEN i % 2 = 0 THEN E'\\xFF' END, i % 500, ' some text') AS b FROM generate_series(1, 1000) i;
	ANALYZE bytes;
	SELECT id FROM bytes WHERE id = 7 AND shares_passage(b, 'text', 'word:1');
	SELECT id FROM bytes WHERE id = 7 AND shares_passage(b, E'\\xFF', 'word:1') AND id = 8}),
	7, 'SQL_ASCII: statistics that are not UTF-8');

# A shingle of normalized text may have no representation in the database encoding.
like(error_of($node, 'latin1', q{SELECT shingles('5 µm')}),
	qr/has no equivalent in encoding "LATIN1"/,
	'LATIN1: shingles() says that it cannot show a Greek letter');
is($node->safe_psql('latin1', q{SELECT to_minhash('5 µm')::bytea}),
	$node->safe_psql('postgres', q{SELECT to_minhash('5 μm')::bytea}),
	'LATIN1: which does not keep a text from having a signature');

# Estimates and exact similarities ignore a collation that calls different
# strings equal.
SKIP:
{
	skip 'no ICU', 1
	  if $node->psql('postgres', q{
		CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)});
	is($node->safe_psql('postgres', q{
			SELECT 'a' = 'A' COLLATE no_case, jaccard(array_to_minhash(a), array_to_minhash(b)), jaccard(a, b)
			FROM (SELECT ARRAY['a' COLLATE no_case] a, ARRAY['A' COLLATE no_case] b) s}),
		't|0|0', 'strings are compared by their bytes, with any collation');
}

# There is no conversion from MULE_INTERNAL to UTF-8: an error, not a wrong result.
SKIP:
{
	my @calls = (q{to_minhash('a')}, q{array_to_minhash(array['a'])},
		q{tsvector_to_minhash('a')}, q{minhash_agg('a'::text)}, q{shingles('a')}, q{jaccard('a', 'b', 'char:1')});

	skip 'no MULE_INTERNAL', scalar @calls
	  if $node->psql('postgres', q{CREATE DATABASE mule TEMPLATE template0 ENCODING 'MULE_INTERNAL' LOCALE 'C'});
	# Clients cannot use UTF-8 there.
	local $ENV{PGCLIENTENCODING} = 'MULE_INTERNAL';
	$node->safe_psql('mule', 'CREATE EXTENSION lshsim');
	like(error_of($node, 'mule', "SELECT $_"),
		qr/conversion function for encoding "MULE_INTERNAL" to "UTF8" does not exist/, "MULE_INTERNAL: $_")
	  foreach @calls;
}

$node->stop;
done_testing();

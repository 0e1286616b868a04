# DBD::Pg: what a program does with signatures.  Reported as TAP.
use strict;
use warnings;

use DBD::Pg ':pg_types';
use Test::More;

my $text = 'The quick brown fox jumps over the lazy dog near the river bank on a sunny day';

# README
use DBI;

my $dbh = DBI->connect('dbi:Pg:', '', '', { RaiseError => 1 });	# PGHOST, PGDATABASE, ... say where

sub insert {
	my ($title, $body) = @_;
	$dbh->do('INSERT INTO articles (title, body) VALUES (?, ?)', undef, $title, $body);
}

sub search {
	my ($text, $threshold) = @_;
	my $search = $dbh->prepare_cached(q{
		SELECT id, title, jaccard(sig, q) AS similarity FROM articles, to_minhash(?) AS q
		WHERE minhash_similar(sig, q, ?) ORDER BY 3 DESC, id});
	return $dbh->selectall_arrayref($search, { Slice => {} }, $text, $threshold);
}
# end

# Return the first column of the first row of a query.
sub value
{
	my ($query, @values) = @_;
	return $dbh->selectrow_array($query, undef, @values);
}

# Return generic plans of searches so far, and scans of the index and of the
# table that the session has not sent to the statistics yet.
sub plans
{
	return $dbh->selectrow_array(q{
		SELECT (SELECT coalesce(sum(generic_plans), 0) FROM pg_prepared_statements
			WHERE statement ~ '^\s*SELECT id'),
			pg_stat_get_xact_numscans('articles_sig'::regclass),
			pg_stat_get_xact_numscans('articles'::regclass)});
}

$dbh->{PrintError} = 0;
$dbh->{AutoInactiveDestroy} = 1;
is(search($text, 0.8)->[0]{title}, 'Fox', 'search with a bound text');
insert('Vixen', "$text in May");
is_deeply([ map { $_->{title} } @{ search($text, 0.5) } ], [qw(Fox Vixen)], 'insert by parameters');
is(@{ search("$text in June or in July", 0.99) }, 0, 'a threshold as parameter');
is(value('SELECT count(*) FROM articles WHERE sig % to_minhash(?)', $text), 2, 'the operator');
is(value('SELECT to_minhash(?, ?)', 'some text', 'word:2'), value(q{SELECT to_minhash('some text', 'word:2')}),
	'a shingling as parameter');

# Arrays
is(value('SELECT array_to_minhash(?::text[])', [qw(red green)]), value(q{SELECT array_to_minhash('{red,green}'::text[])}),
	'an array as parameter');
ok(!eval { value('SELECT array_to_minhash(?)', [qw(red green)]); 1 } && $@ =~ /polymorphic/,
	'without a type: an error, nothing else');

# A setting of the session
value(q{SELECT set_config('lshsim.similarity_threshold', ?, false)}, 1);
is(value('SELECT count(*) FROM articles WHERE sig % to_minhash(?)', $text), 1, 'a setting of the session');
$dbh->do('RESET lshsim.similarity_threshold');

# A signature out and in again, as text and as bytes
my $sig = value('SELECT sig FROM articles WHERE id = 1');
like($sig, qr{^char:5/one-permutation/128/0/}, 'a signature as text');
is(value('SELECT id FROM articles WHERE sig = ?', $sig), 1, 'and back');
my $bytes = value('SELECT sig::bytea FROM articles WHERE id = 1');
is(length $bytes, 272, 'a signature as bytes');
my $back = $dbh->prepare('SELECT id FROM articles WHERE sig = ?::bytea::minhash');
$back->bind_param(1, $bytes, { pg_type => PG_BYTEA });
$back->execute;
is($back->fetchrow_array, 1, 'and back');

# COPY, both ways
$dbh->begin_work;
$dbh->do('COPY articles (title, body) FROM STDIN');
$dbh->pg_putcopydata("Cub $_\t$text for time $_\n") for 1 .. 3;
$dbh->pg_putcopyend;
is(@{ search($text, 0.5) }, 5, 'COPY FROM');
$dbh->do('COPY (SELECT sig FROM articles WHERE id = 1) TO STDOUT');
$dbh->pg_getcopydata(my $line);
is($line, "$sig\n", 'COPY TO');
1 while $dbh->pg_getcopydata(my $rest) >= 0;
$dbh->rollback;

# Generic plans
$dbh->begin_work;
$dbh->do('SET LOCAL plan_cache_mode = force_generic_plan');
my @before = plans();
search($text, 0.8) for 1 .. 3;
my @after = plans();
is_deeply([ map { $after[$_] - $before[$_] } 0 .. 2 ], [ 3, 3, 0 ], 'generic plans use the index');
$dbh->rollback;

# Catalog queries of tools
my $column = $dbh->column_info(undef, 'public', 'articles', 'sig')->fetchrow_hashref;
is($column->{TYPE_NAME}, 'minhash', 'metadata of the column');
my $row = $dbh->selectrow_hashref('SELECT * FROM articles WHERE id = 1');
is($row->{sig}, $sig, 'SELECT *');
done_testing;

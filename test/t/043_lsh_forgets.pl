# An lsh index that has become empty forgets the kind of its signatures.  VACUUM
# reads all of its pages for that, while other sessions search and insert: their
# rows are kept, and neither waits.

use strict;
use warnings;

use LshsimTest;
use Test::More;
use Time::HiRes 'sleep';

my $node = start_node('forgets', q{log_statement = 'none'});
my $flag = 43;    # where the first page tells that VACUUM looks
my $rows = 700;

$node->safe_psql('postgres', q{
	CREATE EXTENSION pageinspect;
	CREATE TABLE docs (id int, sig minhash) WITH (vacuum_truncate = off);
	CREATE INDEX docs_lsh ON docs USING lsh (sig)});

# Return a statement that adds some rows of a shingling.
sub insert
{
	my ($shingling, $from, $to) = @_;
	return "INSERT INTO docs SELECT i, to_minhash('text number ' || i, '$shingling') FROM generate_series($from, $to) i";
}

# Return true if VACUUM is reading the pages.
sub is_looking
{
	return $node->safe_psql('postgres', "SELECT get_byte(get_raw_page('docs_lsh', 0), $flag)");
}

# Delete all rows, and start a slow VACUUM; stop its process while it reads.
sub start_looking
{
	my ($name) = @_;
	my $vacuum;

	# If it ends before it is stopped, try again with more rows.
	for (my $try = 0; $try < 6 && !is_looking(); $try++)
	{
		$vacuum->{run}->finish if $vacuum;
		$node->safe_psql('postgres', 'VACUUM (INDEX_CLEANUP ON) docs; ' . insert('char:5', 1, $rows * 2 ** $try) . '; DELETE FROM docs');
		$vacuum = start_session($node, $name =~ s/ /_/gr, '-c', 'SET vacuum_cost_delay = 50', '-c', 'SET vacuum_cost_limit = 1',
			'-c', 'SET vacuum_cost_page_dirty = 0', '-c', 'VACUUM (INDEX_CLEANUP ON) docs');
		sleep 0.01 until is_looking() || !$vacuum->{run}->pumpable;
		$vacuum->{pid} = $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE query = 'VACUUM (INDEX_CLEANUP ON) docs' AND state = 'active'});
		kill 'STOP', $vacuum->{pid} if $vacuum->{pid};
		kill 'CONT', $vacuum->{pid} if $vacuum->{pid} && !is_looking();
	}
	ok(is_looking(), "$name: VACUUM looks whether the index is empty");
	return $vacuum;
}

# Check that the index holds the rows of the table, and whether it accepts a row of
# another shingling.
sub check_kind
{
	my ($name, $takes) = @_;

	is(error_of($node, 'postgres', q{SELECT lsh_index_check('docs_lsh', true)}), '', "$name: no fault is found");
	like(error_of($node, 'postgres', 'BEGIN; ' . insert('word:2', -1, -1) . '; ROLLBACK'),
		$takes ? qr/^$/ : qr/cannot hold signatures of different kinds/,
		$name . ($takes ? ': another kind is taken' : ': another kind is refused'));
	return;
}

my $vacuum = start_looking('nothing comes');
is($node->safe_psql('postgres', q{SELECT count(*) FROM docs WHERE sig % to_minhash('text number 1')}), 0, 'a search does not wait');
ok(is_looking(), 'while VACUUM looks');
kill 'CONT', $vacuum->{pid};
end_sessions('VACUUM', $vacuum);
is(is_looking(), 0, 'it ends');
check_kind('nothing came', 1);

$vacuum = start_looking('a row comes');
$node->safe_psql('postgres', insert('char:5', 1, 1));
is(is_looking(), 0, 'who adds a row does not wait, and says so');
kill 'CONT', $vacuum->{pid};
end_sessions('VACUUM', $vacuum);
check_kind('a row came', 0);
is(query_with($node, [ index_scan() ], q{SELECT id FROM docs WHERE sig % to_minhash('text number 1')}), 1, 'and is found');

# Cancellation after the last page is too late.
for (my $try = 0; $try < 6; $try++)
{
	$vacuum = start_looking('it is cancelled');
	kill 'INT', $vacuum->{pid};
	kill 'CONT', $vacuum->{pid};
	$vacuum->{run}->finish;
	last if slurp($vacuum->{stderr}) =~ /canceling statement/;
}
is(is_looking(), 1, 'a VACUUM that is cancelled leaves its mark');
check_kind('cancelled', 0);
$node->restart;
$node->safe_psql('postgres', insert('char:5', 1, 1));
check_kind('a row came later', 0);
$node->safe_psql('postgres', 'DELETE FROM docs; VACUUM (INDEX_CLEANUP ON) docs');
check_kind('the next VACUUM', 1);

$node->stop;
done_testing();

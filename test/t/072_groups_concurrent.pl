# Refreshes of groups next to each other, and to writers of the table and of the groups.
#
# Of tracked groups, a refresh clusters what has changed.
#
# A chain of 80 signatures: rows that come and go split and join its groups.  Without the
# update of the definition, or with a lock that is not an update, refreshes that do not see
# each other leave wrong groups; so do writes by TID without a lock of the table of groups.
#
# LSHSIM_ROUNDS=n runs n transactions in each session instead of 150, LSHSIM_SEED=n
# draws others.

use LshsimTest;

my $rounds = $ENV{LSHSIM_ROUNDS} // 150;
my $node = start_node('concurrent', 'jit = off');

seed(1);
$node->safe_psql('postgres', group_functions() . q{;
	CREATE TABLE docs (id int PRIMARY KEY, sig minhash);
	CREATE TABLE seen (refreshes int, wrong bigint);
	INSERT INTO docs SELECT i, link(i) FROM generate_series(1, 80) i;
	CREATE INDEX ON docs USING lsh (sig)});

# Return random statements that change a row or a few.
sub change
{
	my $row = 1 + int(rand(80));

	return (
		"INSERT INTO docs VALUES ($row, link($row)) ON CONFLICT DO NOTHING",
		"INSERT INTO docs SELECT i, link(i) FROM generate_series($row, $row + 3) i WHERE i <= 80 ON CONFLICT DO NOTHING",
		"DELETE FROM docs WHERE id = $row",
		"DELETE FROM docs WHERE id BETWEEN $row AND $row + 1",
		"UPDATE docs SET sig = link($row) WHERE id = @{[1 + int(rand(80))]}",
		"WITH d AS (DELETE FROM docs WHERE id = $row) UPDATE docs SET sig = NULL WHERE id = $row + 1")[ rand 6 ];
}

# Start a session that runs a script of transactions and goes on after errors.
sub start_script
{
	my ($name, $count, $transaction) = @_;
	return start_session($node, $name, '-v', 'ON_ERROR_STOP=0', '-o', '/dev/null',
		'-f', write_file($node->basedir . "/$name.sql", map { $transaction->() } 1 .. $count));
}

# Return a transaction of a writer at an isolation level.
sub writing
{
	my ($level) = @_;
	return sub {
		"BEGIN ISOLATION LEVEL $level;\n"
		  . change() . ";\n"
		  . (rand() < 0.5 ? change() . ";\n" : '')
		  . 'SELECT pg_sleep(' . rand(0.004) . ");\nCOMMIT;\n";
	};
}

# Count the errors of sessions; any but those of serialization and deadlock are a failure.
sub count_errors
{
	my ($name, @sessions) = @_;
	my @errors = map { grep { /ERROR:/ } split /^/, slurp($_->{stderr}) } @sessions;
	my @others = grep { !/could not serialize|deadlock detected|current transaction is aborted/ } @errors;

	is(join('', @others), '', "$name: no other errors than those of serialization");
	return scalar @errors;
}

# Refreshes next to writers of the table and of the groups.  Each looks in its own snapshot.
my $refresh = sub {
	"BEGIN ISOLATION LEVEL REPEATABLE READ;\n"
	  . "SELECT minhash_groups_refresh('kept');\n"
	  . "INSERT INTO seen SELECT refreshes, wrong_groups('docs', 'kept') FROM kept_definition;\nCOMMIT;\n";
};
my $meddle = sub {
	my $row = 1 + int(rand(80));

	return "UPDATE kept SET grp = grp WHERE id BETWEEN $row AND $row + 9;\n";
};
# Tracked groups run without the meddler, whose edits lead to full refreshes.
foreach my $track ('false', 'true')
{
	my $name = $track eq 'true' ? 'tracked refreshes next to writers' : 'refreshes next to writers';

	$node->safe_psql('postgres', "SELECT minhash_groups_create('docs', 'sig', 0.6, 0.99, groups => 'kept', track => $track); TRUNCATE seen");
	my @sessions = (
		start_script('writer1', 2 * $rounds, writing('READ COMMITTED')),
		start_script('writer2', 2 * $rounds, writing('REPEATABLE READ')),
		$track eq 'true' ? () : start_script('meddler', 2 * $rounds, $meddle),
		start_script('refresh1', $rounds, $refresh),
		start_script('refresh2', $rounds, $refresh),
		start_script('refresh3', $rounds, sub { "SELECT minhash_groups_refresh('kept');\n" }));

	end_sessions($name, @sessions);
	count_errors($name, @sessions);
	my ($count, $wrong) = split /\|/, $node->safe_psql('postgres', 'SELECT count(*), count(*) FILTER (WHERE wrong > 0) FROM seen');
	note("compared in $count snapshots");
	cmp_ok($count, '>', 0, "$name: snapshots have been compared");
	is($wrong, 0, "$name: groups are right in every snapshot");
	is($node->safe_psql('postgres', q{SELECT method FROM minhash_groups_refresh('kept'); SELECT wrong_groups('docs', 'kept')}),
		$track eq 'true' ? "changes\n0" : "full\n0", "$name: and at the end");
	$node->safe_psql('postgres', q{SELECT minhash_groups_drop('kept')});
}

$node->stop;
done_testing();

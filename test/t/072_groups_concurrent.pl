# Groups that are kept current, under concurrent sessions.
#
# A chain of 80 signatures: rows that come and go split and join its groups.  Without the
# lock of the definition, or with one that is not an update, transactions that do not see
# each other leave wrong groups.
#
# LSHSIM_ROUNDS=n runs n transactions in each session instead of 150, LSHSIM_SEED=n
# draws others.

use strict;
use warnings;

use LshsimTest;
use Test::More;

my $rounds = $ENV{LSHSIM_ROUNDS} // 150;
my $seed = $ENV{LSHSIM_SEED} // 1;
my $node = start_node('concurrent', 'jit = off');

srand($seed);
note("LSHSIM_SEED=$seed");

$node->safe_psql('postgres', group_functions() . q{;
	CREATE TABLE docs (id int PRIMARY KEY, sig minhash);
	CREATE TABLE seen (refreshes int, wrong bigint);
	CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.002); RETURN NULL; END';
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

# Write a script of transactions.
sub write_script
{
	my ($name, $count, $transaction) = @_;
	my $path = $node->basedir . "/$name.sql";

	open my $file, '>', $path or die "$path: $!";
	print $file $transaction->() foreach 1 .. $count;
	close $file or die "$path: $!";
	return $path;
}

# Start a session that runs a script and goes on after errors.
sub start_script
{
	my ($name, $count, $transaction) = @_;
	return start_session($node, $name, '-v', 'ON_ERROR_STOP=0', '-o', '/dev/null',
		'-f', write_script($name, $count, $transaction));
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

# Compare the groups in one snapshot, and note the result.
my $look = sub {
	my ($groups) = @_;
	return "INSERT INTO seen SELECT refreshes, wrong_groups('docs', '$groups') FROM ${groups}_definition;\n";
};

# Check what was noted.
sub check_seen
{
	my ($name) = @_;
	my ($count, $wrong) = split /\|/, $node->safe_psql('postgres', 'SELECT count(*), count(*) FILTER (WHERE wrong > 0) FROM seen; TRUNCATE seen');

	note("$name: compared in $count snapshots");
	cmp_ok($count, '>', 0, "$name: snapshots have been compared");
	is($wrong, 0, "$name: groups are right in every snapshot");
	return;
}

# At the end of each transaction, at three isolation levels.  A pause in the middle of
# each update of the groups leaves time for others.
$node->safe_psql('postgres', q{
	SELECT minhash_groups_create('docs', 'sig', 0.6, 0.99, groups => 'each', maintain => 'commit');
	CREATE TRIGGER pause AFTER INSERT ON each_log EXECUTE FUNCTION pause()});
foreach my $level ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
{
	my $name = lc($level =~ s/ .*//r);
	my $before = $node->safe_psql('postgres', 'SELECT refreshes FROM each_definition');
	my @sessions = map { start_script("$name$_", $rounds, writing($level)) } 1 .. 4;
	push @sessions, start_script("$name-look", $rounds, sub { $look->('each') });

	end_sessions($level, @sessions);
	my $errors = count_errors($level, @sessions);
	my $refreshes = $node->safe_psql('postgres', 'SELECT refreshes FROM each_definition') - $before;
	note("$level: $refreshes transactions have committed changes, $errors errors of serialization");
	check_seen($level);
	is($node->safe_psql('postgres', q{SELECT wrong_groups('docs', 'each')}), '0', "$level: and at the end");
	is($node->safe_psql('postgres', 'SELECT count(*) FROM each_queue'), '0', "$level: the queue is empty");
	cmp_ok($refreshes, '>', 0, "$level: transactions have committed");
}
$node->safe_psql('postgres', q{SELECT minhash_groups_drop('each')});

# Refreshes next to writers.  Each looks in its own snapshot.
{
	my $refresh = sub {
		"BEGIN ISOLATION LEVEL REPEATABLE READ;\n"
		  . "SELECT minhash_groups_refresh('later');\n"
		  . $look->('later') . "COMMIT;\n";
	};
	$node->safe_psql('postgres', q{SELECT minhash_groups_create('docs', 'sig', 0.6, 0.99, groups => 'later', maintain => 'queue')});
	my @sessions = (
		start_script('writer1', 2 * $rounds, writing('READ COMMITTED')),
		start_script('writer2', 2 * $rounds, writing('REPEATABLE READ')),
		start_script('refresh1', $rounds, $refresh),
		start_script('refresh2', $rounds, $refresh),
		start_script('refresh3', $rounds, sub { "SELECT minhash_groups_refresh('later');\n" }));

	end_sessions('refreshes next to writers', @sessions);
	count_errors('refreshes next to writers', @sessions);
	check_seen('refreshes next to writers');
	$node->safe_psql('postgres', q{SELECT minhash_groups_refresh('later')});
	is($node->safe_psql('postgres', q{SELECT wrong_groups('docs', 'later')}), '0', 'and at the end');
}

$node->stop;
done_testing();

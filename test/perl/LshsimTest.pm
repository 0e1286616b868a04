# Functions for the TAP tests: servers, and databases with the extension.
#
# A test that uses this module has strict, warnings and the functions of Test::More, too.
# They need PostgreSQL's test modules; if these are missing, a test that uses this one
# is skipped.

package LshsimTest;

use strict;
use warnings;

use parent 'Exporter';

use IPC::Run;
use Test::More;
use Time::HiRes qw(sleep);

our @EXPORT = (@Test::More::EXPORT, qw(
  start_node start_standby without_checksums add_database error_of query_with seq_scan
  index_scan search by_both_plans start_session wait_for_sessions end_sessions restore_dump
  make_objects objects_of copy_file copy_tuples can_read_proc peak_memory slurp write_file
  seed draw crash_of kill_server lost_server wait_for_server run_report
  member_function group_functions));

# Export all functions, and turn on strict and warnings for the test.
sub import
{
	strict->import;
	warnings->import;
	__PACKAGE__->export_to_level(1);
	return;
}

BEGIN
{
	foreach my $module (qw(PostgreSQL::Test::Utils PostgreSQL::Test::Cluster))
	{
		plan skip_all => "needs $module"
		  unless eval "require $module; 1";
	}
}

# Names of checks, notes and diagnostics may contain any character.  PostgreSQL's
# modules write them to several files each, and from 17 on die of a wide one.
INIT
{
	my $builder = Test::More->builder;

	binmode $_, ':utf8'
	  foreach map { @{ tied *$_ || [] } } $builder->output, $builder->failure_output;
}

# Seconds to wait for what follows a crash at once, however slow the machine is.
my $PATIENCE = 120;

# Call a function until it returns true; die with a reason if it never does.
sub wait_until
{
	my ($reason, $done) = @_;
	my $deadline = time + $PATIENCE;

	until ($done->())
	{
		die "$reason within $PATIENCE s" if time > $deadline;
		sleep 0.01;
	}
	return;
}

# Initialize a server in the C locale.  A copy of what initdb made for test/run takes
# an eighth of its time.
sub init_node
{
	my ($node) = @_;
	my $run = \&PostgreSQL::Test::Utils::system_or_bail;

	no warnings 'redefine';
	local *PostgreSQL::Test::Utils::system_or_bail = sub {
		my @command = $_[0] eq 'initdb' ? ('cp', '-RPp', $ENV{LSHSIM_TEMPLATE}, $node->data_dir) : @_;

		$run->(@command);
	  }
	  if $ENV{LSHSIM_TEMPLATE};
	$node->init(extra => [ '--no-locale', '--encoding=UTF8' ]);
	return;
}

# Start a server in the C locale, with settings as lines of postgresql.conf, and the
# extension in its database postgres.  Autovacuum would change plans and the order of
# rows at any time, and a standby would cancel searches that wait for a processor.
sub start_node
{
	my ($name, @settings) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	init_node($node);
	$node->append_conf('postgresql.conf',
		join("\n", 'autovacuum = off', 'max_standby_streaming_delay = -1', @settings));
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION lshsim');
	return $node;
}

# Start a streaming standby of a server, with settings as lines of postgresql.conf.
sub start_standby
{
	my ($primary, $name, @settings) = @_;
	my $standby = PostgreSQL::Test::Cluster->new($name);

	$primary->backup($name);
	$standby->init_from_backup($primary, $name, has_streaming => 1);
	$standby->append_conf('postgresql.conf', join("\n", @settings, ''));
	$standby->start;
	return $standby;
}

# Turn checksums off, the default since PostgreSQL 18, in a server whose pages are edited.
sub without_checksums
{
	my ($node) = @_;

	if ($node->safe_psql('postgres', 'SHOW data_checksums') eq 'on')
	{
		$node->stop;
		PostgreSQL::Test::Utils::system_or_bail('pg_checksums', '--disable', '-D', $node->data_dir);
		$node->start;
	}
	return $node;
}

# Create a database with the extension.  Return false if the server cannot.
sub add_database
{
	my ($node, $name, $options) = @_;
	my $status = $node->psql('postgres',
		"CREATE DATABASE $name TEMPLATE template0 $options",
		stderr => \my $stderr);

	return 0 if $status != 0;
	$node->safe_psql($name, 'CREATE EXTENSION lshsim');
	return 1;
}

# Run statements that should fail; return psql's standard error.
sub error_of
{
	my ($node, $database, $sql) = @_;
	my ($status, $stdout, $stderr) = $node->psql($database, $sql);

	return $stderr;
}

# Run a query under settings, given as SET lists.
sub query_with
{
	my ($node, $settings, $sql) = @_;

	return $node->safe_psql('postgres',
		join('', map { "SET $_;\n" } @$settings) . $sql);
}

# Return the settings that leave only sequential scans of signatures.
sub seq_scan
{
	return ('enable_seqscan = on', 'enable_indexscan = off',
		'enable_bitmapscan = off');
}

# Return the settings that prefer an index over a sequential scan.
sub index_scan
{
	return ('enable_seqscan = off', 'enable_indexscan = on',
		'enable_bitmapscan = on');
}

# Return the setting for a search with %.
sub search
{
	my ($threshold) = @_;
	return "lshsim.similarity_threshold = $threshold";
}

# Run a query in one snapshot by sequential scan and through indexes, under
# settings; return both results.
sub by_both_plans
{
	my ($node, $settings, $query) = @_;
	my $set = sub { join '', map { "SET LOCAL $_;\n" } @_ };
	my $output = $node->safe_psql('postgres',
		"BEGIN ISOLATION LEVEL REPEATABLE READ;\n"
		  . $set->(@$settings, seq_scan())
		  . "$query;\n\\echo ----\n"
		  . $set->(index_scan())
		  . "$query;\nCOMMIT");

	return split /\n?----\n/, $output, 2;
}

# Start psql in the background with the given arguments; its output is in files in
# the directory of the server.  The caller finishes {run}.
sub start_session
{
	my ($node, $name, @args) = @_;
	my $base = $node->basedir . "/$name";
	my %session = (stdout => "$base.out", stderr => "$base.err");

	$session{run} = IPC::Run::start(
		[
			'psql', '-Xq', '-v', 'ON_ERROR_STOP=1',
			'-d', $node->connstr('postgres'), @args
		],
		'<', '/dev/null', '>', $session{stdout}, '2>', $session{stderr});
	return \%session;
}

# Wait until sessions have connected, before a crash: one that comes after it would
# not end.
sub wait_for_sessions
{
	my ($node, @sessions) = @_;
	my $others = scalar @sessions;

	$node->poll_query_until('postgres', qq{
		SELECT count(*) = $others FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()}) or die 'no sessions';
	return;
}

# Wait until sessions have ended; each is a test.
sub end_sessions
{
	my ($name, @sessions) = @_;

	foreach my $session (@sessions)
	{
		ok($session->{run}->finish, "$name came to its end")
		  or diag(slurp($session->{stderr}));
	}
	return;
}

# Wait until a session has ended because its server was killed.  Return true if it
# noticed that, or false if it had ended before.
sub lost_server
{
	my ($session) = @_;

	wait_until("the session that writes to $session->{stdout} did not end after the crash",
		sub { !$session->{run}->pumpable });
	$session->{run}->finish;
	return slurp($session->{stderr}) =~
	  /server closed the connection|terminating connection|connection to server was lost/;
}

# Return the process ids of the children of a process.
sub children_of
{
	my ($parent) = @_;
	my @children;

	foreach my $file (glob '/proc/[0-9]*/stat')
	{
		push @children, $1
		  if slurp($file) =~ /^(\d+) \(.*\) \S (\d+) /s && $2 == $parent;
	}
	return @children;
}

# Kill all processes of a server at once.  The postmaster is stopped first, so that it
# starts no other process and notices nothing.  A server does not start while one of
# them still has the shared memory, or if a postmaster was killed between creating the
# lock file of its socket and writing its process id into it.
sub kill_server
{
	my ($node) = @_;
	my ($pid, @pids);

	# A starting server may not have replaced an old file yet.
	wait_until('no postmaster could be stopped', sub {
		($pid) = slurp($node->data_dir . '/postmaster.pid') =~ /^(\d+)\n/;
		$pid && kill 'STOP', $pid });
	@pids = (children_of($pid), $pid);
	kill 'KILL', @pids;
	$node->kill9;
	wait_until('the killed processes have not ended', sub { !grep { kill 0, $_ } @pids });
	unlink grep { -z } glob $node->host . '/.s.PGSQL.*.lock';
	return;
}

# Start a server, and kill it soon, usually during recovery.
sub kill_in_recovery
{
	my ($node) = @_;

	system 'pg_ctl', '-W', '-s', '-D', $node->data_dir, '-l', $node->logfile, 'start';
	sleep rand(0.2);
	kill_server($node);
	note(grep { /cluster state/ } split /^/, `pg_controldata -D @{[ $node->data_dir ]}`);
	return;
}

# Kill one session that writes, vacuums or builds an index, as soon as there is one.
# The server terminates the others and recovers.  A session may end before the signal
# comes, as the workers of a VACUUM do most often; the server's log shows a hit.
sub kill_backend
{
	my ($node) = @_;
	my $hits = sub { scalar(() = slurp($node->logfile) =~ /was terminated by signal 9/g) };
	my $before = $hits->();

	wait_until('no session that works was killed', sub {
		my (undef, $pids) = eval { $node->psql('postgres', q{
			SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND state = 'active'
				AND query ~ '^\s*(CALL|DO|VACUUM|INSERT|CREATE INDEX)' AND pid <> pg_backend_pid()
			ORDER BY random() LIMIT 1}) };
		kill 'KILL', $pids if $pids;
		$hits->() > $before });
	return;
}

# Return the n-th kind of crash: its name, and a function that crashes the server and
# leaves it running or recovering.
sub crash_of
{
	my ($node, $n) = @_;
	my @ways = (
		[ 'all processes' => sub { kill_server($node); $node->start } ],
		[ 'one backend' => sub { kill_backend($node) } ],
		[ 'all processes, again in recovery' => sub { kill_server($node); kill_in_recovery($node); $node->start } ]);

	return @{ $ways[ $n % @ways ] };
}

# Wait for a recovering server.  A refused psql may end before it has read its query,
# which IPC::Run reports as an error of its own.
sub wait_for_server
{
	my ($node) = @_;
	my $deadline = time + $PostgreSQL::Test::Utils::timeout_default;

	until (eval { ($node->psql('postgres', 'SELECT 1'))[0] == 0 })
	{
		die 'no server' if time > $deadline;
		sleep 0.1;
	}
	return;
}

# Run lshsim_report; return its status, page and standard error.
sub run_report
{
	my ($node, @arguments) = @_;
	my ($out, $err);

	IPC::Run::run(['lshsim_report', '-h', $node->host, '-p', $node->port, '-d', 'postgres', @arguments],
		'<', \'', '>', \$out, '2>', \$err);
	my $status = $?;
	utf8::decode($out);
	return ($status, $out, $err);
}

# Return the SQL of a function that makes signatures of families: those of one family
# have 49 to 60 of 60 elements in common with its member 0.
sub member_function
{
	return q{
	CREATE FUNCTION member(family int, i int) RETURNS minhash LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
		SELECT array_to_minhash(ARRAY(
			SELECT CASE WHEN j <= i % 12 THEN -1000::bigint * i - j ELSE 1000 * family + j END
			FROM generate_series(1, 60) j))
	$$;};
}

# Return the SQL of three functions: link() makes signatures of which each is similar to
# its neighbours; any_sig() draws one of a few families, in which about half of the pairs are
# similar at .4, at random; and wrong_groups() counts the rows that are not in the group
# of minhash_cluster() at their agreement.  The smallest id names a group.
sub group_functions
{
	return q{
	CREATE FUNCTION link(i bigint) RETURNS minhash IMMUTABLE LANGUAGE sql AS
		'SELECT array_to_minhash(ARRAY(SELECT generate_series(i, i + 11)), 64)';
	CREATE FUNCTION any_sig(families int) RETURNS minhash LANGUAGE sql VOLATILE AS $$
		SELECT array_to_minhash(ARRAY(SELECT family * 1000 + i FROM generate_series(1, 40) i WHERE random() < share)
			|| ARRAY(SELECT floor(random() * 1e9)::int FROM generate_series(1, (random() * 12)::int)), 64)
		FROM floor(random() * families) AS family, LATERAL (SELECT .7 + .2 * random() AS share) AS s $$;
	CREATE FUNCTION wrong_groups(docs regclass, groups regclass, threshold float8 DEFAULT 0.6)
		RETURNS bigint LANGUAGE plpgsql AS $$
	DECLARE
		wrong bigint;
	BEGIN
		EXECUTE format('SELECT count(*) FROM (
			SELECT id, min(id) OVER (PARTITION BY c) AS first FROM (
				SELECT id, minhash_cluster(sig, %s, 0.99, (SELECT agreement FROM %s_definition)) OVER (ORDER BY id) AS c FROM %s) AS s) AS a
			FULL JOIN (SELECT id, min(id) OVER (PARTITION BY grp) AS first FROM %s) AS b USING (id, first)
			WHERE a.id IS NULL OR b.id IS NULL', threshold, groups, docs, groups) INTO wrong;
		RETURN wrong;
	END $$};
}

# Create a database with the extension in a schema, and the objects of
# test/data/objects.sql, which depend on it.
sub make_objects
{
	my ($node, $database, $schema) = @_;

	$node->safe_psql('postgres',
		"CREATE DATABASE $database TEMPLATE template0 ENCODING UTF8 LOCALE 'C'");
	$node->safe_psql($database, "CREATE SCHEMA IF NOT EXISTS $schema");
	$node->safe_psql($database, "CREATE EXTENSION lshsim SCHEMA $schema");
	$node->safe_psql($database, slurp('test/data/objects.sql'));
	return;
}

# Return the contents of a database of make_objects: signatures, the results of
# searches by sequential scan and through indexes, and the lsh indexes without a
# fault.
sub objects_of
{
	my ($node, $database) = @_;
	my $digest = q{SELECT count(*), md5(string_agg(x::text, ',' ORDER BY x::text)) FROM app};
	my $with = sub { join '', map { "SET $_;\n" } search(.6), @_ };

	return (
		signatures => $node->safe_psql($database, "$digest.signatures x"),
		'sequential scan' =>
		  $node->safe_psql($database, $with->(seq_scan()) . "$digest.answers x"),
		'index scan' =>
		  $node->safe_psql($database, $with->(index_scan()) . "$digest.answers x"),
		lsh => $node->safe_psql($database, q{
			SET search_path = near, public;
			SELECT string_agg(i.oid::regclass::text, ' ' ORDER BY relname) FROM pg_class i, lsh_index_check(i.oid, true)
			WHERE relam = (SELECT oid FROM pg_am WHERE amname = 'lsh') AND relkind = 'i'}));
}

# Dump a database with options of pg_dump, and restore it to another; both are tests.
sub restore_dump
{
	my ($node, $from, $to, @options) = @_;
	my $path = $node->basedir . "/$to.sql";

	$node->command_ok([ 'pg_dump', @options, '-f', $path, '-d', $node->connstr($from) ], "pg_dump of $from @options");
	$node->command_ok([ 'psql', '-Xqv', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-f', $path, '-d', $node->connstr($to) ],
		"restored as $to");
	return;
}

# Write tuples of fields (undef is null) as a file for COPY in binary format.
sub copy_file
{
	my ($path, @tuples) = @_;
	my $bytes = "PGCOPY\n\xFF\r\n\0" . pack('NN', 0, 0);

	foreach my $fields (@tuples)
	{
		$bytes .= pack('n', scalar @$fields);
		$bytes .= defined $_ ? pack('N/a', $_) : pack('N', 0xFFFFFFFF)
		  foreach @$fields;
	}
	open my $file, '>:raw', $path or die "$path: $!";
	print $file $bytes . pack('n', 0xFFFF);
	close $file or die "$path: $!";
	return;
}

# Read the tuples of a file that COPY wrote in binary format.
sub copy_tuples
{
	my ($path) = @_;
	my @tuples;
	my $place = 19;

	open my $file, '<:raw', $path or die "$path: $!";
	local $/;
	my $bytes = <$file>;
	while ((my $count = unpack("\@$place n", $bytes)) != 0xFFFF)
	{
		my @fields;
		$place += 2;
		foreach (1 .. $count)
		{
			my $len = unpack("\@$place l>", $bytes);
			push @fields, $len < 0 ? undef : substr($bytes, $place + 4, $len);
			$place += 4 + ($len < 0 ? 0 : $len);
		}
		push @tuples, \@fields;
	}
	return @tuples;
}

# Return true if a server process can read its memory statistics in /proc.
sub can_read_proc
{
	return -r '/proc/self/status'
	  && slurp('/proc/self/status') =~ /^VmHWM:\s+\d+ kB$/m;
}

# Read a file as a string.
sub slurp
{
	my ($path) = @_;

	open my $file, '<', $path or return '';
	local $/;
	return <$file>;
}

# Write a file.
sub write_file
{
	my ($path, @text) = @_;

	open my $file, '>', $path or die "$path: $!";
	print $file @text;
	close $file or die "$path: $!";
	return $path;
}

# Seed random numbers by LSHSIM_SEED, or by a default, which is the time if it is 0.
sub seed
{
	my ($default) = @_;
	my $seed = $ENV{LSHSIM_SEED} || $default || time;

	srand($seed);
	note("LSHSIM_SEED=$seed");
	return $seed;
}

# Return one of a list.
sub draw
{
	return $_[ int(rand(@_)) ];
}

# Return the peak memory, in bytes, of a new session after a query.
sub peak_memory
{
	my ($node, $database, $sql) = @_;
	my $status = $node->safe_psql($database,
		"$sql; SELECT pg_read_file('/proc/self/status')");

	$status =~ /^VmHWM:\s+(\d+) kB$/m or die "no VmHWM in $status";
	return 1024 * $1;
}

1;

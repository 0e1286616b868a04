# What the TAP tests share: servers, and databases with the extension.
#
# PostgreSQL 15 and later; where its test modules are missing, the test that
# uses this one is skipped.

package LshsimTest;

use strict;
use warnings;

use Exporter 'import';
use Test::More;

our @EXPORT = qw(
  start_node add_database error_of query_with copy_file copy_tuples hex_of
  can_read_proc peak_memory slurp
);

BEGIN
{
	foreach my $module (qw(PostgreSQL::Test::Utils PostgreSQL::Test::Cluster))
	{
		plan skip_all => "needs $module, of PostgreSQL 15 or later"
		  unless eval "require $module; 1";
	}
}

# Start a server in the C locale, with settings as lines of postgresql.conf,
# and the extension in its database postgres.
sub start_node
{
	my ($name, @settings) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(extra => [ '--no-locale', '--encoding=UTF8' ]);
	$node->append_conf('postgresql.conf', join("\n", @settings));
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION lshsim');
	return $node;
}

# Make a database with the extension; false if the server cannot.
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

# Run statements that should fail; return what psql says on standard error.
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

# Write bytes as PostgreSQL writes a bytea.
sub hex_of
{
	my ($bytes) = @_;
	return '\\x' . unpack('H*', $bytes);
}

# Tell whether a server process can read its own figures.
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

# Return the most memory, in bytes, that a new session has used after a query.
sub peak_memory
{
	my ($node, $database, $sql) = @_;
	my $status = $node->safe_psql($database,
		"$sql; SELECT pg_read_file('/proc/self/status')");

	$status =~ /^VmHWM:\s+(\d+) kB$/m or die "no VmHWM in $status";
	return 1024 * $1;
}

1;

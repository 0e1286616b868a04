# Programs for common clients: each inserts with parameters, searches with a bound
# text and a threshold, passes an array, sets a setting, reads and writes signatures
# as text and as bytes, copies, and lets its driver prepare the search, whose
# generic plan must keep the index.  The programs are test/clients/*; a client that
# is not installed is skipped.
#
# The catalog queries of a BI tool are tested here, too.  And DEPLOYMENT.md must show
# the lines that the programs run between their comments "README" and "end".

use Cwd 'abs_path';
use File::Basename;
use FindBin;
use LshsimTest;

my $top = abs_path("$FindBin::Bin/../..");
my $clients = "$top/test/clients";
my $python = '/usr/bin/python3';
my $jar = '/usr/share/java/postgresql.jar';
my $go = '/usr/share/gocode';

# Client, its program, the command that runs it, and one that succeeds if it is
# installed.
my @programs = (
	[ 'psycopg 3', 'psycopg3.py', [$python], [ $python, '-c', 'import psycopg' ] ],
	[ 'psycopg2', 'psycopg_2.py', [$python], [ $python, '-c', 'import psycopg2' ] ],
	[ 'SQLAlchemy', 'sqlalchemy_orm.py', [$python], [ $python, '-c',
		'import sqlalchemy; __import__("psycopg" if sqlalchemy.__version__ >= "2" else "psycopg2")' ] ],
	[ 'Django', 'django_orm.py', [$python], [ $python, '-c',
		'import django; __import__("psycopg2" if django.VERSION < (4, 2) else "psycopg")' ] ],
	[ 'node-postgres', 'node_postgres.js', ['node'], [ 'node', '-e', 'require("pg")' ] ],
	[ 'JDBC', 'Jdbc.java', [ 'java', '-cp', $jar ], [ 'sh', '-c', "javac -version && test -e $jar" ] ],
	[ 'lib/pq', 'lib_pq.go', [ 'go', 'run' ], [ 'sh', '-c', "go version && test -d $go/src/github.com/lib/pq" ] ],
	[ 'DBD::Pg', 'dbd_pg.pl', ['perl'], [ 'perl', '-MDBD::Pg', '-e', '1' ] ],
	[ 'ODBC', 'odbc.py', [$python], [ 'sh', '-c',
		"$python -c 'import pyodbc' && odbcinst -q -d | grep -q 'PostgreSQL Unicode'" ] ]);

# Run a command; return its output, including standard error.
sub output_of
{
	my (@command) = @_;
	my $output = '';
	my $passed = eval { IPC::Run::run(\@command, '<', \'', '>&', \$output) };
	return ($passed, $@ ? "$output$@" : $output);
}

# Run the program of a client and report its checks.
sub run_program
{
	my ($client, $file, $how) = @_;
	my ($passed, $output) = output_of(@$how, "$clients/$file");
	my $checks = 0;

	while ($output =~ /^(not )?ok \d+ - (.*)$/mg)
	{
		ok(!$1, "$client: $2");
		$checks++;
	}
	ok($passed && $output =~ /^1\.\.$checks$/m, "$client: all $checks checks") or diag($output);
}

# Return the lines of a text without their common indentation and empty ones.
sub plain_lines
{
	my @lines = grep { /\S/ } split /\n/, $_[0];
	my ($least) = sort { length $a <=> length $b } map { /^(\s*)/ } @lines;

	return join "\n", map { substr($_, length $least) } @lines;
}

# Return the parts of a program between its comments "README" and "end".
sub shown_parts
{
	my ($file) = @_;
	return map { plain_lines($_) } slurp("$clients/$file") =~ m{^\s*(?:#|//) README\n(.*?)^\s*(?:#|//) end$}msg;
}

# Check that DEPLOYMENT.md shows the lines of the programs, if it has a part on clients.
sub check_readme
{
	my ($section) = slurp("$top/DEPLOYMENT.md") =~ /^## Clients\n(.*?)(?=^## |\z)/ms;
	my @blocks = ($section // '') =~ /^```(?:python|java|js|go|perl)\n(.*?)^```$/msg;
	my %parts = map { my $file = $_->[1]; map { $_ => $file } shown_parts($file) } @programs;

  SKIP:
	{
		skip 'DEPLOYMENT.md has no section "Clients"', 1 unless defined $section;
		ok(@blocks > 0, 'DEPLOYMENT.md shows programs');
		foreach my $block (@blocks)
		{
			my $file = $parts{ plain_lines($block) };
			ok($file, 'DEPLOYMENT.md shows ' . ($file // "what no program runs:\n$block"));
		}
	}
}

my $node = start_node('clients', "listen_addresses = '127.0.0.1'");

# Check queries of BI tools: types, aggregates, filters.
sub check_tools
{
	is($node->safe_psql('postgres', q{SELECT data_type, udt_name, is_generated, generation_expression
		FROM information_schema.columns WHERE table_name = 'articles' AND column_name = 'sig'}),
		'USER-DEFINED|minhash|ALWAYS|to_minhash(body)', 'information_schema');
	like(error_of($node, 'postgres', 'SELECT min(sig) FROM articles'),
		qr/function min\(minhash\) does not exist/, 'min of a signature: an error');
	is($node->safe_psql('postgres', 'SELECT min(sig::text) <= max(sig::text) FROM articles'), 't', 'min of its text');
	is($node->safe_psql('postgres', q{SELECT count(DISTINCT sig) = count(*), count(sig) FROM articles
		WHERE sig IS NOT NULL AND sig <> to_minhash('') AND sig::text LIKE 'char:5/%'}), 't|3000', 'filters');
	is($node->safe_psql('postgres', 'SELECT id FROM articles WHERE sig IN (SELECT sig FROM articles WHERE id = 1)
		GROUP BY id, sig ORDER BY sig LIMIT 1'), '1', 'GROUP BY and ORDER BY');
}

local $ENV{PGHOST} = '127.0.0.1';
local $ENV{PGPORT} = $node->port;
local $ENV{PGDATABASE} = 'postgres';
local $ENV{PGUSER} = $node->safe_psql('postgres', 'SELECT current_user');
local $ENV{PYTHONDONTWRITEBYTECODE} = 1;
local $ENV{GO111MODULE} = 'off';
local $ENV{GOPATH} = $go;
local $ENV{GOCACHE} = PostgreSQL::Test::Utils::tempdir();
# The directories of node's modules in Debian and npm.
my $global = (output_of('npm', 'root', '-g'))[1] =~ s/\n.*//sr;
local $ENV{NODE_PATH} = join ':', grep { defined && length }
  ($ENV{NODE_PATH}, $global, '/usr/share/nodejs', '/usr/lib/nodejs');

foreach my $program (@programs)
{
	my ($client, $file, $how, $installed) = @$program;

	$node->safe_psql('postgres', slurp("$clients/setup.sql"));
  SKIP:
	{
		skip "$client is not installed", 1 unless (output_of(@$installed))[0];
		run_program($client, $file, $how);
	}
}
$node->safe_psql('postgres', slurp("$clients/setup.sql"));
check_tools();
check_readme();
done_testing();

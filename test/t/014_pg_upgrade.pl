# pg_upgrade preserves definitions, signatures, and indexes page by page.
#
# OLD_PG_CONFIG names the pg_config of the old server, of any version, with lshsim
# installed.  Without it, the old server is the new one.

use File::Basename;
use LshsimTest;
use PostgreSQL::Test::Utils;

# Return the directory of the programs of a server, by its pg_config.
sub programs_of
{
	my ($pg_config) = @_;
	my ($directory) = run_command([ $pg_config, '--bindir' ]);

	return $directory || die "$pg_config: no pg_config";
}

my $old_programs = programs_of($ENV{OLD_PG_CONFIG} || 'pg_config');
my $new_programs = programs_of('pg_config');

# Return the major version of a server, by the directory of its programs.
sub version_of
{
	my ($programs) = @_;
	my ($version) = run_command([ "$programs/postgres", '--version' ]);

	return $version =~ /(\d+)/ ? $1 : die "$programs: no version";
}

# Make a server with an empty database cluster, by the directory of its programs.
sub make_node
{
	my ($name, $programs, %params) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name, %params);
	my @extra = ('--no-locale', '--encoding=UTF8');

	# The default has changed with PostgreSQL 18.
	push @extra, '--no-data-checksums' if version_of($programs) >= 18;
	$node->init(extra => \@extra);
	$node->append_conf('postgresql.conf', 'autovacuum = off');
	return $node;
}

# Return the results that must not change, with names.
sub facts_of
{
	my ($node) = @_;

	return (
		objects_of($node, 'near'),
		indexes => $node->safe_psql('near', q{
			SET search_path = near, public;
			SELECT indexrelid::regclass, indisvalid, pg_relation_size(indexrelid)
			FROM pg_index WHERE indexrelid::regclass::text ~ '^app.'
			ORDER BY indexrelid::regclass::text}),
		entries => $node->safe_psql('near', q{
			SELECT c.oid::regclass, s.*
			FROM pg_class c JOIN pg_am a ON a.oid = relam AND amname = 'lsh', near.lsh_index_stats(c.oid) s
			ORDER BY c.oid::regclass::text}),
		settings => $node->safe_psql('near', q{
			SHOW lshsim.similarity_threshold; SHOW lshsim.progress}),
		extension => $node->safe_psql('near', q{
			SELECT extversion, extnamespace::regnamespace FROM pg_extension WHERE extname = 'lshsim'}));
}

my $old = make_node('old', $old_programs, install_path => dirname($old_programs));
my $new = make_node('new', $new_programs);

$old->start;
make_objects($old, 'near', 'near');
$old->safe_psql('near', q{
	SET search_path = app, near, public;
	INSERT INTO docs (id, body) SELECT 1000 + id, body || '!' FROM docs WHERE id % 4 = 0;
	DELETE FROM docs WHERE id % 9 = 0;
	ALTER DATABASE near SET lshsim.similarity_threshold = 0.7;
	ALTER ROLE CURRENT_USER IN DATABASE near SET lshsim.progress = on});
my %before = facts_of($old);
is($old->safe_psql('near', q{CREATE EXTENSION pgstattuple;
	SELECT pending_tuples > 0 FROM pgstatginindex('app.docs_words');
	DROP EXTENSION pgstattuple}), 't', 'there is a pending list');
$old->stop;

chdir $new->basedir or die $new->basedir . ": $!";
command_ok(
	[
		'pg_upgrade', '--no-sync',
		'-b', $old_programs, '-B', $new_programs,
		'-d', $old->data_dir, '-D', $new->data_dir,
		'-p', $old->port, '-P', $new->port, '-s', $new->host
	],
	sprintf 'pg_upgrade from %s to %s', version_of($old_programs), version_of($new_programs));
$new->start;

my %after = facts_of($new);
is($after{$_}, $before{$_}, "$_: as before") foreach sort keys %before;
is($after{'index scan'}, $after{'sequential scan'}, 'the same by both plans');
is($new->safe_psql('near', q{
		VACUUM ANALYZE;
		SET search_path = app, near, public;
		REINDEX TABLE docs;
		SELECT count(*) FROM docs WHERE sig <> to_minhash(body)}),
	'0', 'signatures can be made again, bit for bit');
my %again = objects_of($new, 'near');
is($again{'index scan'}, $before{'sequential scan'}, 'and indexes');

$new->stop;
done_testing();

# Four clients insert near-duplicates of the same texts at the same time.
# minhash_check_trigger lets one row of each text through, in every action; with a
# scope, one of each text and tenant.  It loses no upsert of a row that other clients
# update.  It also works in a session that has used it before the extension is created
# again.
#
# LSHSIM_SEED chooses the texts.

use LshsimTest;

my $node = start_node('check_trigger', 'jit = off', 'deadlock_timeout = 50ms');
my ($families, $clients, $rows) = (40, 4, 150);
my $seed = seed(1);

# Texts of a family differ in one of 30 words, those of different families in all.
$node->safe_psql('postgres', q{
	CREATE FUNCTION member(family int, i int) RETURNS text LANGUAGE sql AS $$
		SELECT string_agg(md5(format('%s %s', family, j)), ' ') || ' ' || i FROM generate_series(1, 30) j $$;
	CREATE TABLE docs (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, family int, tenant int DEFAULT 3 * random(), body text, copy_of int, hits int,
		sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED);
	CREATE INDEX ON docs USING lsh (sig)});

# Check that clients run a script for random families without an error.
sub run_clients
{
	my ($name, $statements) = @_;
	my $script = write_file(PostgreSQL::Test::Utils::tempdir() . '/script.sql',
		"\\set family random(1, $families)\n\\set i random(1, 1000000)\n$statements\n");
	return $node->command_ok([ 'pgbench', '-n', "--random-seed=$seed", '-c', $clients, '-t', $rows, '-f', $script, '-h', $node->host, '-p', $node->port, 'postgres' ], $name);
}

# Between the check and the commit others have time to come.
my $insert = "BEGIN;\nINSERT INTO docs (family, body) VALUES (:family, member(:family, :i));\nSELECT pg_sleep(0.002);\nEND;";

foreach my $action (q{'skip', 'scope', 'tenant'}, q{'skip'}, q{'flag', 'copy_of'})
{
	my $distinct = $action =~ /scope/ ? '(family, tenant)' : 'family';

	$node->safe_psql('postgres', qq{TRUNCATE docs; DROP TRIGGER IF EXISTS check_docs ON docs;
		CREATE TRIGGER check_docs BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, $action)});
	run_clients("$action: no client fails", $insert);
	is($node->safe_psql('postgres', "SELECT count(*) - count(DISTINCT $distinct) FROM docs WHERE copy_of IS NULL"), '0',
		"$action: one row of each text");
	cmp_ok($node->safe_psql('postgres', 'SELECT count(DISTINCT family) FROM docs'), '>', $families / 2, "$action: rows of many texts");
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM docs'), $clients * $rows, 'flag: all rows are there');
is($node->safe_psql('postgres', 'SELECT count(*) FROM docs a LEFT JOIN docs b ON b.id = a.copy_of WHERE a.copy_of IS NOT NULL
	AND a.family IS DISTINCT FROM b.family'), '0', 'flag: a flag names a row of the same text');

# Each upsert returns its row, or pgbench fails.
$node->safe_psql('postgres', q{TRUNCATE docs; DROP TRIGGER check_docs ON docs;
	CREATE TRIGGER check_docs BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'skip')});
run_clients('skip: no upsert is lost', q{UPDATE docs SET hits = hits + 1 WHERE id = :family % 4;
	INSERT INTO docs (id, body) OVERRIDING SYSTEM VALUE VALUES (:family % 4, member(:family % 4, :i))
		ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body RETURNING id \\gset});
is($node->safe_psql('postgres', 'SELECT count(*) FROM docs'), '4', 'skip: they are of four rows');

# The type minhash has another OID in an extension that is created again.  The plan
# that this session has saved is of no use then.
my $fill = q{
	CREATE TABLE again (id int PRIMARY KEY, body text, copy_of int, sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED);
	CREATE TRIGGER check_again BEFORE INSERT ON again FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of');
	INSERT INTO again VALUES (1, 'red'), (2, 'red');
	SELECT copy_of FROM again WHERE id = 2;
	DROP TABLE again;};
is($node->safe_psql('postgres', "SET client_min_messages = warning; $fill DROP EXTENSION lshsim CASCADE; CREATE EXTENSION lshsim; $fill"),
	"1\n1", 'the extension is created again');
done_testing();

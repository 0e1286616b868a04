# An lsh index takes the kind of the first signature that it meets, and keeps it until
# it is built again: after a rollback, VACUUM and a crash, and while a snapshot sees
# rows of that kind.  A table is signed again by three ways.

use LshsimTest;

my $node = start_node('kind', q{log_statement = 'none'});
my $old = 'char:5';
my $new = 'word:2';

$node->safe_psql('postgres', q{
	CREATE TABLE docs (id int, body text, sig minhash);
	CREATE INDEX docs_lsh ON docs USING lsh (sig);
	CREATE TABLE other (id int, body text, sig minhash)});

# Return a statement that adds rows of a shingling.
sub insert
{
	my ($shingling, $rows) = @_;
	return "INSERT INTO docs SELECT i, t, to_minhash(t, '$shingling') FROM generate_series(1, $rows) i, LATERAL (SELECT 'this is text number ' || i) s(t)";
}

# Check that the index has the rows of the table, and takes only rows of a shingling.
sub holds
{
	my ($held, $name) = @_;

	is(error_of($node, 'postgres', q{SELECT lsh_index_check('docs_lsh', true)}), '', "$name: no fault is found");
	foreach my $shingling ($old, $new)
	{
		my $error = error_of($node, 'postgres', 'BEGIN; ' . insert($shingling, 1) . '; ROLLBACK');

		like($error, $held eq $shingling ? qr/^$/ :
			qr/cannot hold signatures of different kinds.*It holds $held.*new signature is $shingling.*run REINDEX INDEX/s,
			"$name: $shingling is " . ($held eq $shingling ? 'taken' : 'refused'));
	}
	return;
}

# Count the rows that a search by the index finds.
sub found
{
	my ($shingling) = @_;
	return query_with($node, [ index_scan() ], "SELECT count(*) FROM docs WHERE sig % to_minhash('this is text number 7', '$shingling')");
}

# Start a session whose snapshot sees the rows of the table.  Return its commands.
sub old_reader
{
	my $session = $node->background_psql('postgres');

	$session->query_safe('SET enable_seqscan = off');
	$session->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
	$session->query_safe('SELECT count(*) FROM other');
	return $session;
}

# The first insert decides, also in a transaction that is not complete.
is(found($old), 0, 'a search without a kind finds nothing');
is(found($new), 0, 'for no kind');
$node->safe_psql('postgres', 'INSERT INTO docs VALUES (0, NULL, NULL); BEGIN; ' . insert($old, 1) . '; ROLLBACK');
holds($old, 'rolled back');
$node->safe_psql('postgres', 'VACUUM (INDEX_CLEANUP ON) docs');
holds($old, 'vacuumed');
kill_server($node);
$node->start;
holds($old, 'after a crash');
$node->safe_psql('postgres', 'REINDEX INDEX docs_lsh; ' . insert($new, 20));
holds($new, 'built again');
cmp_ok(found($new), '>', 0, 'its rows are found');

# TRUNCATE makes another index.
$node->safe_psql('postgres', 'BEGIN; TRUNCATE docs; ' . insert($old, 1) . '; ROLLBACK');
holds($new, 'TRUNCATE rolled back');
$node->safe_psql('postgres', 'TRUNCATE docs; ' . insert($old, 300));
holds($old, 'TRUNCATE');

# All rows are removed: the kind stays until no snapshot sees them and the index is
# built again.
my $before = found($old);
my $reader = old_reader();
$node->safe_psql('postgres', 'DELETE FROM docs; VACUUM (INDEX_CLEANUP ON) docs; REINDEX INDEX docs_lsh');
my $search = "SELECT count(*) FROM docs WHERE sig % to_minhash('this is text number 7', '$old')";
like($reader->query_safe("EXPLAIN $search"), qr/Scan (on|using) docs_lsh/, 'an old snapshot uses the index');
is($reader->query_safe($search), $before, 'and finds the rows that it sees');
holds($old, 'removed, built again, but seen');
$reader->query_safe('COMMIT');
$reader->quit;
$node->safe_psql('postgres', 'VACUUM (INDEX_CLEANUP ON) docs');
holds($old, 'removed and vacuumed');
$node->safe_psql('postgres', 'REINDEX INDEX docs_lsh; ' . insert($new, 20));
holds($new, 'removed and built again');

# Signing again in place: the index refuses it.
like(error_of($node, 'postgres', "UPDATE docs SET sig = to_minhash(body, '$old')"),
	qr/cannot hold signatures of different kinds/, 'another signature for each row is refused');
holds($new, 'after the refusal');

# Signing again without the index, while a snapshot sees the old signatures.
$before = found($new);
$reader = old_reader();
$node->safe_psql('postgres', "BEGIN; DROP INDEX docs_lsh; UPDATE docs SET sig = to_minhash(body, '$old');
	CREATE INDEX docs_lsh ON docs USING lsh (sig); COMMIT; REINDEX INDEX docs_lsh");
$search = "SELECT count(*) FROM docs WHERE sig % to_minhash('this is text number 7', '$new')";
unlike($reader->query_safe("EXPLAIN $search"), qr/docs_lsh/, 'an old snapshot does not use the new index');
is($reader->query_safe($search), $before, 'and finds the old signatures');
holds($old, 'index dropped, created, and built again');
cmp_ok(found($old), '>', 0, 'the new signatures are found');
$reader->query_safe('COMMIT');
$reader->quit;

# Signing again through NULL.
$node->safe_psql('postgres', 'UPDATE docs SET sig = NULL');
$node->safe_psql('postgres', 'VACUUM docs');
$node->safe_psql('postgres', "REINDEX INDEX docs_lsh; UPDATE docs SET sig = to_minhash(body, '$new')");
holds($new, 'signed again through NULL');
cmp_ok(found($new), '>', 0, 'the signatures are found');

# Two sessions with different kinds: the first sets the kind before it commits.
$node->safe_psql('postgres', 'TRUNCATE docs');
my $first = $node->background_psql('postgres');
$first->query_safe('BEGIN; ' . insert($new, 1));
like(error_of($node, 'postgres', insert($old, 1)), qr/cannot hold signatures of different kinds/, 'the second of two kinds is refused at once');
$first->query_safe('ROLLBACK');
$first->quit;
holds($new, 'the first of two kinds, rolled back');

# An unlogged index is empty after a crash.
$node->safe_psql('postgres', 'TRUNCATE docs; ALTER TABLE docs SET UNLOGGED; ' . insert($new, 5));
holds($new, 'unlogged');
kill_server($node);
$node->start;
$node->safe_psql('postgres', insert($old, 5));
holds($old, 'unlogged, after a crash');

$node->stop;
done_testing();

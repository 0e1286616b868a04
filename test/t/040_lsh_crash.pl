# Crashes lose nothing in an lsh index, and in a GIN index: clients insert, update,
# delete and vacuum until all server processes or one of them are killed.  After
# recovery lsh_index_check finds no fault in index and table, and searches return the
# same rows as a sequential scan.
#
# LSHSIM_CRASHES is the number of crashes, LSHSIM_SEED chooses their moments.

use LshsimTest;
use Time::HiRes qw(sleep);

my $crashes = $ENV{LSHSIM_CRASHES} || 10;
seed();
my $node = start_node('lsh_crash', 'full_page_writes = on',
	'shared_buffers = 16MB', 'restart_after_crash = on');

$node->safe_psql('postgres', member_function() . q{
	CREATE TABLE docs (id int, sig minhash, twin minhash GENERATED ALWAYS AS (sig) STORED);
	CREATE INDEX docs_lsh ON docs USING lsh (sig);
	CREATE INDEX docs_gin ON docs USING gin (twin) WITH (gin_pending_list_limit = 64);
	CREATE UNLOGGED TABLE fast (id int, sig minhash);
	CREATE INDEX fast_lsh ON fast USING lsh (sig);
	INSERT INTO docs SELECT i, member(i % 100, i) FROM generate_series(1, 3000) i});

# Start the sessions that run until the crash: clients that write, and one that
# vacuums.
sub start_load
{
	my @load = map {
		start_session($node, "writer$_", '-c', qq{
			DO \$\$
			BEGIN
				FOR i IN 1 .. 1000000 LOOP
					INSERT INTO docs SELECT $_, CASE WHEN j % 20 > 0 THEN member((i + j) % 100, i * 7 + j) END
						FROM generate_series(1, 20) j;
					INSERT INTO fast VALUES (i, member(i % 100, i));
					UPDATE docs SET sig = member(i % 100, i) WHERE ctid IN (SELECT ctid FROM docs WHERE id = $_ LIMIT 3);
					DELETE FROM docs WHERE ctid IN (SELECT ctid FROM docs WHERE id = $_ LIMIT 10);
					IF i % 5 = 0 THEN ROLLBACK; ELSE COMMIT; END IF;
				END LOOP;
			END \$\$})
	} 1 .. 3;

	return (@load, start_session($node, 'vacuum', '-f', write_file($node->basedir . '/vacuum.sql',
		"VACUUM docs;\nCHECKPOINT;\nSELECT pg_sleep(0.1);\n" x 2000)));
}

# Return a query for the pairs of some rows and all similar rows, by a column.
sub pairs_by
{
	my ($column) = @_;
	return qq{
		SELECT count(*), md5(string_agg(p.ctid || ' ' || d.ctid, ',' ORDER BY p.ctid, d.ctid))
		FROM (SELECT ctid, sig FROM docs WHERE id % 37 = 0 UNION ALL
				(SELECT ctid, sig FROM docs WHERE sig IS NULL LIMIT 1)) p,
			LATERAL (SELECT ctid FROM docs WHERE docs.$column % p.sig OFFSET 0) d};
}

# Check that the lsh index has no fault, and that each index returns the same rows as
# a scan.
sub check_indexes
{
	my ($name, $threshold) = @_;

	is(error_of($node, 'postgres', q{SELECT lsh_index_check('docs_lsh', true)}), '',
		"$name: no fault is found");
	foreach my $column ('sig', 'twin')
	{
		my ($expected, $found) = by_both_plans($node, [ search($threshold) ], pairs_by($column));

		ok($expected =~ /^[1-9]/ && $found eq $expected, "$name: $column at $threshold, the same by both plans")
		  or diag("sequential scan $expected, index $found");
	}
	return;
}

# Searches, of which one follows each crash.
my @searches = (.1, .4, .8);

like(query_with($node, [ index_scan() ], 'EXPLAIN ' . pairs_by($_->[0])), qr/Scan (on|using) $_->[1]/,
	"$_->[1] is used") foreach [ 'sig', 'docs_lsh' ], [ 'twin', 'docs_gin' ];
foreach my $crash (1 .. $crashes)
{
	my ($way, $do) = crash_of($node, $crash);
	my $delay = rand(2);
	my $name = sprintf 'crash %d (%s, after %.2f s)', $crash, $way, $delay;
	my $next = 'pg_snapshot_xmax(pg_current_snapshot())::text::bigint';
	my $before = $node->safe_psql('postgres', "SELECT $next");
	my @load = start_load();

	wait_for_sessions($node, @load);
	$node->poll_query_until('postgres', "SELECT $next > $before + 20") or die 'no client works';
	sleep $delay;
	$do->();
	lost_server($_) foreach @load;
	wait_for_server($node);
	check_indexes($name, $searches[ $crash / 3 % 3 ]);
	$node->safe_psql('postgres', q{
		INSERT INTO fast SELECT i, member(i, i) FROM generate_series(1, 50) i;
		DELETE FROM docs WHERE id < 4 AND random() < 0.9;
		VACUUM docs});
	is(error_of($node, 'postgres', q{SELECT lsh_index_check('docs_lsh', true), lsh_index_check('fast_lsh', true)}), '',
		"$name: nor after a VACUUM, nor with that of an unlogged table");
}

$node->stop;
done_testing();

# A standby replays an lsh index so that each page equals that of the primary, which
# wal_consistency_checking verifies, and returns the same rows.

use strict;
use warnings;

use LshsimTest;
use Test::More;

my $primary = start_node('lsh_primary', 'wal_level = replica', 'max_wal_senders = 4', 'wal_keep_size = 2GB',
	'hot_standby = on', 'shared_buffers = 32MB',
	'wal_consistency_checking = generic');
my $standby = PostgreSQL::Test::Cluster->new('lsh_standby');

$primary->backup('base');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', 'hot_standby_feedback = on');
$standby->start;

$primary->safe_psql('postgres', member_function() . q{
	CREATE TABLE docs (id int, sig minhash);
	INSERT INTO docs SELECT i, member(i % 100, i) FROM generate_series(1, 1000) i;
	CREATE INDEX docs_lsh ON docs USING lsh (sig)});

my $pairs = q{
	SELECT count(*), md5(string_agg(p.ctid || ' ' || d.ctid, ',' ORDER BY p.ctid, d.ctid))
	FROM (SELECT ctid, sig FROM docs WHERE id % 41 = 0 AND id < 100000) p,
		LATERAL (SELECT ctid FROM docs WHERE docs.sig % p.sig OFFSET 0) d};
my $nearest = q{
	SELECT string_agg(id || ' ' || distance, ',') FROM (
		SELECT id, sig <-> member(7, 0) AS distance FROM docs ORDER BY sig <-> member(7, 0), id LIMIT 30) near};

# Changes on the primary: pages split, records and NULLs are added and removed.
my @steps = (
	INSERT => q{INSERT INTO docs SELECT i, member(i % 100, i) FROM generate_series(1001, 5000) i},
	NULL => q{INSERT INTO docs SELECT 100000 + i, NULL FROM generate_series(1, 3000) i},
	copies => q{INSERT INTO docs SELECT 200000 + i, member(1, 1) FROM generate_series(1, 2500) i},
	UPDATE => q{UPDATE docs SET sig = member(id % 77, id) WHERE id % 7 = 1},
	DELETE => q{DELETE FROM docs WHERE id % 3 = 1},
	VACUUM => q{VACUUM docs},
	again => q{INSERT INTO docs SELECT i, member(i % 100, i) FROM generate_series(5001, 7000) i},
	REINDEX => q{REINDEX INDEX CONCURRENTLY docs_lsh},
	'crash of the standby' => q{REINDEX INDEX docs_lsh; UPDATE docs SET sig = member(id % 55, id) WHERE id % 7 = 3},
	'all go' => q{DELETE FROM docs; VACUUM docs},
	'others come' => q{INSERT INTO docs SELECT i, member(i % 100, i) FROM generate_series(1, 2000) i});

while (my ($step, $sql) = splice @steps, 0, 2)
{
	$standby->stop('immediate') if $step =~ /crash/;
	$primary->safe_psql('postgres', $sql);
	$standby->start if $step =~ /crash/;
	$primary->wait_for_catchup($standby);
	foreach my $node ($primary, $standby)
	{
		my $name = "$step, " . $node->name;

		is(error_of($node, 'postgres', q{SELECT lsh_index_check('docs_lsh', true)}), '',
			"$name: no fault is found");
		foreach my $query ($pairs, $nearest)
		{
			my ($expected, $found) = by_both_plans($node, [ search(.6) ], $query);
			is($found, $expected, "$name: the same by both plans");
		}
	}
	is($standby->safe_psql('postgres', $pairs), $primary->safe_psql('postgres', $pairs),
		"$step: the same on both servers");
}

# Searches on the standby while it replays.
my $writer = start_session($primary, 'writer', '-c', q{
	DO $$
	BEGIN
		FOR i IN 1 .. 1000000 LOOP
			INSERT INTO docs SELECT 300000 + i, member(j, i) FROM generate_series(1, 100, 7) j;
			DELETE FROM docs WHERE id = 300000 + i - 50;
			COMMIT;
		END LOOP;
	END $$});
my %seen;
foreach my $time (1 .. 4)
{
	foreach my $query ($pairs, $nearest)
	{
		my ($expected, $found) = by_both_plans($standby, [ search(.6) ], $query);

		is($found, $expected, "while the standby replays, time $time: the same by both plans");
		$seen{$expected} = 1;
	}
	# the next searches see more rows than these
	my $last = $standby->safe_psql('postgres', 'SELECT max(id) FROM docs');
	$standby->poll_query_until('postgres', "SELECT max(id) > $last FROM docs") or die 'no replay';
	$primary->safe_psql('postgres', 'VACUUM docs');
}
cmp_ok(scalar keys %seen, '>', 3, 'and there is more to find with time');

# A search on a standby locks a page of the tree and then its child, and replay locks
# the pages of a record in their order.  A split must name the parent first, which
# is the one of three pages that is not new.
$primary->safe_psql('postgres', 'ALTER SYSTEM SET full_page_writes = off; SELECT pg_reload_conf()');
$primary->poll_query_until('postgres', q{SELECT current_setting('full_page_writes') = 'off'}) or die 'not set';
my ($from, $to, $file) = split /\|/, $primary->safe_psql('postgres', q{
	CHECKPOINT;
	SELECT pg_current_wal_lsn() AS first \gset
	CREATE TABLE growing (sig minhash);
	CREATE INDEX ON growing USING lsh (sig);
	INSERT INTO growing SELECT CASE WHEN i % 2 = 0 THEN member(i, i) END FROM generate_series(1, 6000) i;
	SELECT :'first' || '|' || pg_current_wal_insert_lsn() || '|' || pg_relation_filenode('growing_sig_idx')});
IPC::Run::run([ 'pg_waldump', '-p', $primary->data_dir . '/pg_wal', '-r', 'Generic', '-s', $from, '-e', $to ],
	'>', \my $log, '2>', \my $complaint);
my @splits = grep { 2 == (() = /FPW(?! for)/g) } grep { 3 == (() = /blkref/g) } split /\n/, $log;
my @upwards = grep { /blkref #0: [^,]* FPW(?! for)/ } @splits;
cmp_ok(scalar @splits, '>', 50, 'splits were logged') or diag($complaint, substr($log, 0, 1000));
is("@upwards", '', 'all with the parent first');

# A new page is in the same record as the page that refers to it.  The build logs the
# first four in another way.
my %known = map { $_ => 1 } 0 .. 3;
my @alone;
foreach my $record (split /\n/, $log)
{
	my @blocks = $record =~ m{/$file (?:fork main )?blk (\d+)}g;

	push @alone, $record if @blocks == 1 && !$known{ $blocks[0] };
	@known{@blocks} = (1) x @blocks;
}
cmp_ok(scalar keys %known, '>', 200, 'pages were added');
is("@alone", '', 'all together with a reference to them');

$primary->stop('immediate');
$writer->{run}->finish;
$standby->promote;
$standby->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'not promoted';
$standby->safe_psql('postgres', q{
	INSERT INTO docs SELECT i, member(i % 100, i) FROM generate_series(2001, 4000) i; VACUUM docs});
is(error_of($standby, 'postgres', q{SELECT lsh_index_check('docs_lsh', true)}), '',
	'after promotion and writes no fault is found');
unlike(slurp($standby->logfile), qr/inconsistent page found/, 'no page was inconsistent');

$standby->stop;
done_testing();

# A streaming standby returns the same rows as its primary, by every plan through GIN
# and lsh indexes, after changes, during replay, and after promotion.  Each replayed
# page of an lsh index equals that of the primary, which wal_consistency_checking
# verifies.

use LshsimTest;

my $primary = without_checksums(start_node('primary', 'wal_level = replica', 'max_wal_senders = 4', 'wal_keep_size = 2GB',
	'hot_standby = on', 'shared_buffers = 32MB', 'wal_consistency_checking = generic'));
my $standby = start_standby($primary, 'standby', 'hot_standby_feedback = on', 'wal_receiver_status_interval = 1', 'lshsim.progress = on');

# Return statements for the tables of both kinds, with their names in place of docs,
# and with the kind in place of KIND.
sub for_kinds
{
	my ($sql) = @_;
	return join ";\n", map { $sql =~ s/\bdocs/docs_$_/gr =~ s/KIND/$_/gr } 'gin', 'lsh';
}

# Documents are similar in groups of ten.
$primary->safe_psql('postgres', q{
	CREATE FUNCTION body_of(id int) RETURNS text LANGUAGE sql AS $$
		SELECT string_agg(CASE WHEN (i * 7 + id) % 80 < id % 10 * 3 THEN id + i ELSE id / 10 * 50 + i END::text, ' ')
		FROM generate_series(1, 50) i
	$$;
	CREATE TABLE probes AS SELECT id, to_minhash(body_of(id)) AS sig, to_minhash(body_of(id), 'word:2', 64) AS words
		FROM generate_series(0, 2500, 61) id;} . for_kinds(q{
	CREATE TABLE docs (id int, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED, words minhash(64));
	CREATE TRIGGER keep_words BEFORE INSERT OR UPDATE ON docs
		FOR EACH ROW EXECUTE FUNCTION minhash_trigger('words', 'word:2', 64, 'body');
	CREATE INDEX docs_sig ON docs USING KIND (sig);
	CREATE INDEX docs_words ON docs USING KIND (words)}) . q{;
	ALTER INDEX docs_gin_sig SET (gin_pending_list_limit = 64);
	ALTER INDEX docs_gin_words SET (fastupdate = off)});

# A query whose answers are compared: numbers of rows and digests.
my $digest = q{SELECT 'KIND', '%s', count(*), md5(string_agg(x::text, ',' ORDER BY x::text)) FROM (%s) x};
my $probe = 'SELECT p.id, d.id FROM probes p, LATERAL (SELECT id FROM docs WHERE docs.%s OFFSET 0) d';
my $query = for_kinds(join ' UNION ALL ', sprintf($digest, 'search', sprintf $probe, 'sig % p.sig'),
	sprintf($digest, 'search by words', sprintf $probe, 'words @@ minhash_query(p.words, 0.5)'),
	sprintf($digest, 'join', 'SELECT a.id, b.id, a.sig <-> b.sig FROM docs a JOIN docs b ON a.sig % b.sig WHERE a.id % 60 = 0'),
	sprintf($digest, 'nearest', 'SELECT d.sig <-> p.sig FROM probes p, LATERAL (SELECT sig FROM docs ORDER BY sig <-> p.sig LIMIT 15) d WHERE p.id < 500'),
	sprintf($digest, 'clusters', 'SELECT id, minhash_cluster(sig, 0.6) OVER (ORDER BY id, body) FROM docs'));

# Check that the first server returns the same rows by both plans, and the others
# through indexes, and find no fault in their lsh indexes.  Return the answers.
sub check_answers
{
	my ($when, $first, @others) = @_;
	my ($expected, $found) = by_both_plans($first, [ search(.6) ], $query);

	is($found, $expected, "$when: the same on " . $first->name . ' by both plans');
	is(query_with($_, [ search(.6), index_scan() ], $query), $expected, "$when: the same on " . $_->name . ' through indexes')
	  foreach @others;
	foreach my $node ($first, @others)
	{
		is(error_of($node, 'postgres', q{SELECT lsh_index_check(i, true) FROM unnest('{docs_lsh_sig,docs_lsh_words}'::regclass[]) i}),
			'', "$when: no fault on " . $node->name);
	}
	return $expected;
}

# Changes on the primary: pages split; rows, copies and NULLs come and go.
my @steps = (
	INSERT => q{INSERT INTO docs SELECT id, body_of(id) FROM generate_series(1, 2500) id},
	NULL => q{INSERT INTO docs SELECT 100000 + id FROM generate_series(1, 3000) id},
	copies => q{INSERT INTO docs SELECT 200000 + id, body_of(11) FROM generate_series(1, 1200) id},
	UPDATE => q{UPDATE docs SET body = body_of(id % 2500 + 1) WHERE id % 7 = 1},
	DELETE => q{DELETE FROM docs WHERE id % 3 = 1},
	VACUUM => q{VACUUM docs},
	again => q{INSERT INTO docs SELECT id, body_of(id) FROM generate_series(1, 2500, 11) id},
	merge => q{SELECT gin_clean_pending_list('docs_gin_sig')},
	REINDEX => q{REINDEX INDEX CONCURRENTLY docs_sig},
	'crash of the standby' => q{REINDEX INDEX docs_words; UPDATE docs SET body = body_of(id % 2500) WHERE id % 7 = 3},
	'all go' => q{DELETE FROM docs; VACUUM docs},
	'others come' => q{INSERT INTO docs SELECT id, body_of(id) FROM generate_series(1, 2000) id});

while (my ($step, $sql) = splice @steps, 0, 2)
{
	$standby->stop('immediate') if $step =~ /crash/;
	$primary->safe_psql('postgres', $step eq 'merge' ? $sql : for_kinds($sql));
	$standby->start if $step =~ /crash/;
	$primary->wait_for_catchup($standby);
	my $answers = check_answers($step, $primary, $standby);
	is(scalar(() = $answers =~ /^(?:gin|lsh)\|[^|]+\|\d{3}/mg), 10, "$step: and there are answers") or diag($answers)
	  if $step ne 'all go';
}

# Settings come from the configuration of each server, from the database, and from
# the session.
$primary->safe_psql('postgres', 'ALTER DATABASE postgres SET lshsim.similarity_threshold = 0.7');
$primary->wait_for_catchup($standby);
my $show = q{LOAD 'lshsim'; SHOW lshsim.similarity_threshold; SHOW lshsim.progress};
is($primary->safe_psql('postgres', $show), "0.7\noff", 'settings on the primary');
is($standby->safe_psql('postgres', $show), "0.7\non", 'settings on the standby');
is(query_with($standby, [ search(.5) ], $show), "0.5\non", 'settings of a session on the standby');

# More store pages than a page of the directory lists: each signature takes over half
# of one.  The last ones are inserted.
$primary->safe_psql('postgres', q{
	CREATE TABLE wide AS SELECT array_to_minhash(ARRAY[i], 2048) AS sig FROM generate_series(1, 1900) i;
	CREATE INDEX ON wide USING lsh (sig);
	INSERT INTO wide SELECT array_to_minhash(ARRAY[i], 2048) FROM generate_series(1901, 2100) i});
$primary->wait_for_catchup($standby);
is(error_of($_, 'postgres', q{SELECT lsh_index_check('wide_sig_idx', true)}), '', 'a directory of two pages: no fault on ' . $_->name)
  foreach $primary, $standby;

# A search on a standby locks a page of the tree and then its child, and replay locks
# the pages of a record in their order.  A split must name the parent first, which
# is the one of three pages that is not new.
$primary->safe_psql('postgres', 'ALTER SYSTEM SET full_page_writes = off; SELECT pg_reload_conf()');
$primary->poll_query_until('postgres', q{SELECT current_setting('full_page_writes') = 'off'}) or die 'not set';
my ($from, $to, $file) = split /\|/, $primary->safe_psql('postgres', member_function() . q{
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
$primary->safe_psql('postgres', 'ALTER SYSTEM RESET full_page_writes; SELECT pg_reload_conf()');

# An index on the standby whose metapage lists a leaf of the tree as free, as VACUUM might
# for a moment.
my $damaged = $primary->safe_psql('postgres', q{
	CREATE TABLE damaged AS SELECT member(i, i) AS sig FROM generate_series(1, 50) i;
	CREATE INDEX ON damaged USING lsh (sig);
	CHECKPOINT;
	SELECT pg_relation_filepath('damaged_sig_idx')});
$primary->wait_for_catchup($standby);
$standby->stop;
my $bytes = slurp($standby->data_dir . "/$damaged");
my ($leaf) = grep { unpack('v', substr($bytes, 8192 * $_ + 26, 2)) == 2 && ord(substr $bytes, 8192 * $_ + 50, 1) == 0 } 0 .. length($bytes) / 8192 - 1;
substr($bytes, 52, 4) = pack('V', $leaf);
write_file($standby->data_dir . "/$damaged", $bytes);
$standby->start;

# Searches on the standby while it replays.
my @writers = map {
	start_session($primary, "writer$_", '-c', qq{
		DO \$\$
		BEGIN
			FOR i IN 1 .. 1000000 LOOP
				INSERT INTO docs_$_ VALUES (1000000 + i, body_of(i % 2500));
				UPDATE docs_$_ SET body = body_of(i % 2500) WHERE id = 1000000 + i - 10;
				DELETE FROM docs_$_ WHERE id = 1000000 + i - 300;
				COMMIT;
				PERFORM pg_sleep(0.002);	-- on a slow machine, less than gigabytes of WAL
			END LOOP;
		END \$\$})
} 'gin', 'lsh';
my %seen;
foreach my $time (1 .. 4)
{
	my ($expected, $found) = by_both_plans($standby, [ search(.6) ], $query);

	$seen{$expected} = 1;
	is($found, $expected, "while the standby replays, time $time: the same by both plans");
	# the next searches see more rows than these
	foreach my $table ('docs_gin', 'docs_lsh')
	{
		my $last = $standby->safe_psql('postgres', "SELECT max(id) FROM $table");
		$standby->poll_query_until('postgres', "SELECT max(id) > $last + 20 FROM $table") or die 'no replay';
	}
	$primary->safe_psql('postgres', for_kinds('VACUUM docs'));
}
cmp_ok(scalar keys %seen, '>', 1, 'and there is more to find with time');

# A check that begins on a standby, and waits for a lock of the primary until the promotion,
# does not keep VACUUM away.
my $check = q{SELECT lsh_index_check('damaged_sig_idx')};
my $locks = q{SELECT count(*) > 0 FROM pg_locks WHERE relation = 'damaged'::regclass AND};
my $locker = start_session($primary, 'locker', '-c', 'BEGIN; LOCK TABLE damaged; SELECT pg_sleep(600)');
$standby->poll_query_until('postgres', "$locks granted") or die 'no lock on the standby';
my $checker = start_session($standby, 'checker', '-c', $check);
$standby->poll_query_until('postgres', "$locks NOT granted") or die 'no check waits';

# Promotion after the loss of the primary.  The standby has replayed all WAL that it
# received as soon as it waits for more.
$primary->stop('immediate');
$_->{run}->finish foreach @writers, $locker;
$standby->poll_query_until('postgres', q{
	SELECT count(*) > 0 FROM pg_stat_activity
	WHERE backend_type = 'startup' AND wait_event = 'RecoveryRetrieveRetryInterval'}) or die 'no end of replay';
my $before = check_answers('after the loss of the primary', $standby);
$standby->promote;
$standby->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'not promoted';
is(check_answers('after promotion', $standby), $before, 'after promotion: as before');
end_sessions('the check that began before the promotion', $checker);
like(error_of($standby, 'postgres', $check), qr/listed as a free leaf/, 'one that begins later reports free leaves');
$standby->safe_psql('postgres', for_kinds(q{DELETE FROM docs WHERE id % 5 = 3;
	INSERT INTO docs SELECT id, body_of(id) FROM generate_series(2001, 3000) id; VACUUM docs}));
check_answers('writes after promotion', $standby);
is($standby->safe_psql('postgres', for_kinds(q{
		SELECT count(*) FROM docs WHERE sig <> to_minhash(body) OR words <> to_minhash(body, 'word:2', 64)})),
	"0\n0", 'all signatures are those of their texts');
unlike(slurp($standby->logfile), qr/inconsistent page found/, 'no page was inconsistent');

$standby->stop;
done_testing();

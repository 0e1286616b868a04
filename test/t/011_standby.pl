# A streaming standby returns the same rows as its primary, by every plan, after
# inserts, updates, deletes and VACUUM, during replay, and after promotion.

use strict;
use warnings;

use LshsimTest;
use Test::More;

my $primary = start_node('primary', 'wal_level = replica', 'max_wal_senders = 4', 'wal_keep_size = 2GB',
	'hot_standby = on', 'shared_buffers = 32MB');
my $standby = PostgreSQL::Test::Cluster->new('standby');

$primary->backup('base');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', q{
	hot_standby_feedback = on
	wal_receiver_status_interval = 1
	lshsim.progress = on
});
$standby->start;

# Documents are similar in groups of ten.
$primary->safe_psql('postgres', q{
	CREATE FUNCTION body_of(id int) RETURNS text LANGUAGE sql AS $$
		SELECT string_agg(CASE WHEN (i * 7 + id) % 80 < id % 10 * 3 THEN id + i ELSE id / 10 * 50 + i END::text, ' ')
		FROM generate_series(1, 50) i
	$$;
	CREATE TABLE docs (id int PRIMARY KEY, body text,
		sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED, words minhash(64));
	CREATE TRIGGER keep_words BEFORE INSERT OR UPDATE ON docs
		FOR EACH ROW EXECUTE FUNCTION minhash_trigger('words', 'word:2', 64, 'body');
	CREATE INDEX docs_sig ON docs USING gin (sig) WITH (gin_pending_list_limit = 64);
	CREATE INDEX docs_words ON docs USING gin (words) WITH (fastupdate = off);
	CREATE TABLE probes AS SELECT id, to_minhash(body_of(id)) AS sig, to_minhash(body_of(id), 'word:2', 64) AS words
		FROM generate_series(0, 4000, 37) id});

# Queries whose results are compared; each returns a number and a digest.
my $digest = q{SELECT count(*), md5(string_agg(x::text, ',' ORDER BY x::text)) FROM};
my $probe = qq{$digest (SELECT p.id, d.id FROM probes p,
	LATERAL (SELECT id FROM docs WHERE %s OFFSET 0) d) x};
my %queries = (
	search => sprintf($probe, 'docs.sig % p.sig'),
	'search by words' => sprintf($probe, 'docs.words @@ minhash_query(p.words, 0.5)'),
	join => qq{$digest (SELECT a.id, b.id, a.sig <-> b.sig
		FROM docs a JOIN docs b ON a.sig % b.sig WHERE a.id % 20 = 0) x},
	clusters => qq{$digest (SELECT id, minhash_cluster(sig, 0.6) OVER (ORDER BY id) FROM docs) x});

# Run a query by both plans on servers, at one threshold and recall.
sub answers_of
{
	my ($query, @nodes) = @_;
	return map { by_both_plans($_, [ search(.6) ], $query) } @nodes;
}

# Check that servers return the same rows for all queries, by both plans.
sub check_answers
{
	my ($when, @nodes) = @_;

	foreach my $name (sort keys %queries)
	{
		my @answers = answers_of($queries{$name}, @nodes);

		ok($answers[0] =~ /^\d{3}/ && !(grep { $_ ne $answers[0] } @answers),
			"$when: $name, the same " . @answers . " times ($answers[0])")
		  or diag(join "\n", @answers);
	}
	return;
}

# Changes on the primary, with the number of the round.
my @steps = (
	INSERT => q{INSERT INTO docs SELECT id, body_of(id)
		FROM generate_series(%1$d * 1000, %1$d * 1000 + 1199) id ON CONFLICT DO NOTHING},
	UPDATE => q{UPDATE docs SET body = body_of(id + 1) WHERE id %% 7 = %1$d},
	DELETE => q{DELETE FROM docs WHERE id %% 5 = %1$d},
	VACUUM => q{VACUUM docs},
	merge => q{INSERT INTO docs SELECT id, body_of(id)
		FROM generate_series(%1$d, 4000, 11) id ON CONFLICT DO NOTHING;
		SELECT gin_clean_pending_list('docs_sig')});

foreach my $round (1 .. 2)
{
	my @left = @steps;
	while (my ($step, $sql) = splice @left, 0, 2)
	{
		$primary->safe_psql('postgres', sprintf $sql, $round);
		$primary->wait_for_catchup($standby);
		check_answers("round $round, $step", $primary, $standby);
	}
}

# The rebuild of an index is replayed, too, also by a standby that crashes during
# replay.
$primary->safe_psql('postgres', 'REINDEX INDEX CONCURRENTLY docs_sig');
$standby->stop('immediate');
$primary->safe_psql('postgres', 'REINDEX INDEX docs_words; UPDATE docs SET body = body_of(id) WHERE id % 3 = 0');
$standby->start;
$primary->wait_for_catchup($standby);
check_answers('REINDEX, crash of the standby', $primary, $standby);

# Settings come from the configuration of each server, from the database, and from
# the session.
$primary->safe_psql('postgres', 'ALTER DATABASE postgres SET lshsim.similarity_threshold = 0.7');
$primary->wait_for_catchup($standby);
my $show = q{LOAD 'lshsim'; SHOW lshsim.similarity_threshold; SHOW lshsim.progress};
is($primary->safe_psql('postgres', $show), "0.7\noff", 'settings on the primary');
is($standby->safe_psql('postgres', $show), "0.7\non", 'settings on the standby');
is(query_with($standby, [ search(.5) ], $show), "0.5\non", 'settings of a session on the standby');

# Searches on the standby while it replays.
my @writers = map {
	start_session($primary, "writer$_", '-c', qq{
		DO \$\$
		BEGIN
			FOR i IN 1 .. 1000000 LOOP
				INSERT INTO docs VALUES (1000000 * $_ + i, body_of(i % 4000));
				UPDATE docs SET body = body_of(i % 4000) WHERE id = 1000000 * $_ + i - 10;
				DELETE FROM docs WHERE id = 1000000 * $_ + i - 300;
				COMMIT;
			END LOOP;
		END \$\$})
} 1, 2;
my %seen;
foreach my $time (1 .. 6)
{
	my ($expected, $found) = answers_of($queries{search}, $standby);

	$seen{$expected} = 1;
	is($found, $expected, "while the standby replays, time $time: the same by both plans ($expected)");
	# the next searches see more rows than these
	my $last = $standby->safe_psql('postgres', 'SELECT max(id) FROM docs');
	$standby->poll_query_until('postgres', "SELECT max(id) > $last + 20 FROM docs") or die 'no replay';
	$primary->safe_psql('postgres', 'VACUUM docs');
}

cmp_ok(scalar keys %seen, '>', 1, 'and there is more to find with time');

# Promotion after the loss of the primary.  The standby has replayed all WAL that it
# received as soon as it waits for more.
$primary->stop('immediate');
$_->{run}->finish foreach @writers;
$standby->poll_query_until('postgres', q{
	SELECT count(*) > 0 FROM pg_stat_activity
	WHERE backend_type = 'startup' AND wait_event = 'RecoveryRetrieveRetryInterval'}) or die 'no end of replay';
my %before = map { $_ => (answers_of($queries{$_}, $standby))[0] } keys %queries;
$standby->promote;
$standby->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'not promoted';
is((answers_of($queries{$_}, $standby))[1], $before{$_}, "promotion: $_, as before")
  foreach sort keys %queries;
check_answers('after promotion', $standby);
$standby->safe_psql('postgres', sprintf $steps[ 2 * $_ + 1 ], 3) foreach 0 .. $#steps / 2;
check_answers('writes after promotion', $standby);
is($standby->safe_psql('postgres', q{
		SELECT count(*) FROM docs WHERE sig <> to_minhash(body) OR words <> to_minhash(body, 'word:2', 64)}),
	'0', 'all signatures are those of their texts');

$standby->stop;
done_testing();

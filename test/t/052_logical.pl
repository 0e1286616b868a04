# Logical replication of signatures: a generated column is computed on each side, a
# plain one is sent; initial copy and stream, in text and binary.  Afterwards both
# sides have the same signatures and find the same rows.
#
# OTHER_PG_CONFIG names the pg_config of a server of another version with lshsim
# installed: then replication is tested to that server and back.

use LshsimTest;

# Start a server, of another version if its pg_config is given.
sub logical_node
{
	my ($name, $pg_config) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name, $pg_config ? (install_path => scalar `$pg_config --bindir | xargs dirname` =~ s/\n//r) : ());

	$node->init(extra => [ '--no-locale', '--encoding=UTF8' ]);
	$node->append_conf('postgresql.conf', join("\n", "wal_level = logical", "max_wal_senders = 10", "log_statement = 'none'"));
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION lshsim');
	return $node;
}

# The tables: the texts change; signatures are generated, or assigned.
my $tables = q{
	CREATE TABLE texts (id int PRIMARY KEY, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED);
	CREATE TABLE signed (id int PRIMARY KEY, sig minhash(128));
	CREATE INDEX ON texts USING KIND (sig);
	CREATE INDEX ON signed USING KIND (sig);};
my $body = q{(SELECT string_agg('w' || id / 10 * 1000 + id % 10 * 2 + i, ' ') FROM generate_series(1, 60) i)};
my $rows = qq{
	INSERT INTO texts SELECT id, $body FROM generate_series(FIRST, LAST) id;
	INSERT INTO signed SELECT id, sig FROM texts WHERE id BETWEEN FIRST AND LAST};
my $digest = q{SELECT count(*), md5(string_agg(id || ' ' || coalesce(sig::text, ''), ',' ORDER BY id)) FROM };
my $found = q{SELECT count(*), sum(a.id), sum(b.id) FROM TABLE a JOIN TABLE b ON minhash_similar(a.sig, b.sig, 0.7, 0.99) AND a.id < b.id};

# Replicate from one server to another, and compare.
sub replicate
{
	my ($from, $to, $binary, $kind) = @_;
	my $way = $from->name . ' to ' . $to->name . ', ' . ($binary eq 'true' ? 'binary' : 'text') . ", $kind";
	my $same = sub {
		my ($when) = @_;

		foreach my $table (qw(texts signed))
		{
			is($to->safe_psql('postgres', $digest . $table), $from->safe_psql('postgres', $digest . $table), "$way: $table after $when");
			is($to->safe_psql('postgres', 'SET enable_seqscan = off;' . $found =~ s/TABLE/$table/gr),
				$from->safe_psql('postgres', $found =~ s/TABLE/$table/gr), "$way: what is found in $table after $when");
		}
	};

	$_->safe_psql('postgres', $tables =~ s/KIND/$kind/gr) foreach $from, $to;
	$from->safe_psql('postgres', ($rows =~ s/FIRST/0/gr =~ s/LAST/499/gr) . ';CREATE PUBLICATION p FOR TABLE texts, signed');
	my $connection = $from->connstr('postgres') =~ s/'/''/gr;
	$to->safe_psql('postgres', "CREATE SUBSCRIPTION s CONNECTION '$connection' PUBLICATION p WITH (binary = $binary)");
	$to->wait_for_subscription_sync($from, 's');
	$same->('the initial copy');
	$from->safe_psql('postgres', $rows =~ s/FIRST/500/gr =~ s/LAST/799/gr);
	$from->safe_psql('postgres', q{
		UPDATE texts SET body = body || ' and more' WHERE id % 3 = 0;
		UPDATE signed SET sig = sig | to_minhash('and more', 'word:1') WHERE id % 3 = 0;
		DELETE FROM texts WHERE id % 7 = 0;
		DELETE FROM signed WHERE id % 7 = 0;
		UPDATE texts SET body = NULL WHERE id = 1;
		UPDATE signed SET sig = NULL WHERE id = 1;
		BEGIN; INSERT INTO texts VALUES (1000, 'gone'); ROLLBACK});
	$from->wait_for_catchup('s');
	$same->('changes');
	is($to->safe_psql('postgres', 'SELECT count(*) FROM texts t JOIN signed s USING (id) WHERE t.sig = s.sig'),
		$from->safe_psql('postgres', 'SELECT count(*) FROM texts t JOIN signed s USING (id) WHERE t.sig = s.sig'), "$way: both columns agree in as many rows");
	$to->safe_psql('postgres', 'DROP SUBSCRIPTION s; DROP TABLE texts, signed');
	$from->safe_psql('postgres', 'DROP PUBLICATION p; DROP TABLE texts, signed');
	return;
}

my $a = logical_node('one');
my $b = logical_node('other', $ENV{OTHER_PG_CONFIG});
note $_->safe_psql('postgres', 'SHOW server_version') foreach $a, $b;
my @kinds = split /\n/, $a->safe_psql('postgres', q{SELECT amname FROM pg_am WHERE amname IN ('gin', 'lsh') ORDER BY 1});
foreach my $kind (@kinds)
{
	foreach my $binary (0, 1)
	{
		# Both ways differ only between servers of different versions.
		my @ways = $binary == ($kind eq 'lsh') ? ([ $a, $b ], [ $b, $a ]) : ([ $b, $a ], [ $a, $b ]);

		pop @ways if !$ENV{OTHER_PG_CONFIG};
		replicate(@$_, $binary ? 'true' : 'false', $kind) foreach @ways;
	}
}

# A row that moves to another partition is deleted and inserted in the apply worker, without an update.
{
	my $shown = 'SELECT region, id, copy_of FROM moving ORDER BY id';
	my $trigger = sub {
		my ($action) = @_;
		$b->safe_psql('postgres', "DROP TRIGGER IF EXISTS check_rows ON moving;
			CREATE TRIGGER check_rows BEFORE INSERT ON moving FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, $action);
			ALTER TABLE moving_a ENABLE ALWAYS TRIGGER check_rows; ALTER TABLE moving_b ENABLE ALWAYS TRIGGER check_rows");
	};

	$_->safe_psql('postgres', q{
		CREATE TABLE moving (region text, id int, body text, copy_of text, sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED,
			PRIMARY KEY (region, id)) PARTITION BY LIST (region);
		CREATE TABLE moving_a PARTITION OF moving FOR VALUES IN ('a');
		CREATE TABLE moving_b PARTITION OF moving FOR VALUES IN ('b')}) foreach $a, $b;
	$a->safe_psql('postgres', 'CREATE PUBLICATION p FOR TABLE moving WITH (publish_via_partition_root = true)');
	$trigger->(q{'flag', 'copy_of'});
	my $connection = $a->connstr('postgres') =~ s/'/''/gr;
	$b->safe_psql('postgres', "CREATE SUBSCRIPTION s CONNECTION '$connection' PUBLICATION p");
	$b->wait_for_subscription_sync($a, 's');
	$a->safe_psql('postgres', q{INSERT INTO moving VALUES ('a', 1, 'one two three'), ('a', 2, 'Three two one'), ('a', 3, 'four five')});
	$a->wait_for_catchup('s');
	is($b->safe_psql('postgres', $shown), "a|1|\na|2|(a,1)\na|3|", 'replicated rows are flagged');
	$a->safe_psql('postgres', q{UPDATE moving SET region = 'b' WHERE id <> 2});
	$a->wait_for_catchup('s');
	is($b->safe_psql('postgres', $shown), "b|1|\na|2|(a,1)\nb|3|", 'a replicated move is an insert');

	# skip stops replication, and loses nothing.
	my $log = -s $b->logfile;
	$trigger->(q{'skip'});
	$a->safe_psql('postgres', q{UPDATE moving SET region = 'b' WHERE id = 2});
	ok($b->poll_query_until('postgres', "SELECT pg_read_file('" . $b->logfile . "', $log, 1000000) LIKE '%cannot skip rows of table \"moving_b\"%'"), 'skip is an error');
	is($b->safe_psql('postgres', $shown), "b|1|\na|2|(a,1)\nb|3|", 'which leaves the row');
	$b->safe_psql('postgres', 'DROP TRIGGER check_rows ON moving');
	$a->wait_for_catchup('s');
	is($b->safe_psql('postgres', $shown), "b|1|\nb|2|\nb|3|", 'until the trigger is dropped');
	$b->safe_psql('postgres', 'DROP SUBSCRIPTION s');
}

$_->stop foreach $a, $b;
done_testing();

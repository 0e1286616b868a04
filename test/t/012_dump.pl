# Dump and restore preserve definitions, every byte of every signature, and the
# results of searches.  pg_dump sets an empty search_path.

use LshsimTest;
use PostgreSQL::Test::Utils;

my $node = start_node('dump', 'shared_buffers = 64MB');
my $dir = $node->basedir;

# The way to restore a dump, by its format.
my %restore = (
	plain => [ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f' ],
	custom => [ 'pg_restore', '--exit-on-error' ],
	directory => [ 'pg_restore', '--exit-on-error', '-j2' ]);

# The name of a dump.
sub dump_path
{
	my ($database, $format) = @_;
	return "$dir/$database.$format";
}

# Dump a database.
sub dump_database
{
	my ($database, $format) = @_;

	command_ok([ 'pg_dump', "-F$format", '-f', dump_path($database, $format),
			'-d', $node->connstr($database) ], "pg_dump of $database, $format");
	return;
}

# Restore a dump into a new database with options.
sub restore_database
{
	my ($original, $format, $restored, $options) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $restored TEMPLATE template0 $options");
	command_ok([ @{ $restore{$format} }, dump_path($original, $format),
			$format eq 'plain' ? '-d' : '--dbname', $node->connstr($restored) ],
		"restore of $original, $format, as $restored");
	return;
}

# Compare a database with the one that was dumped: signatures, searches by both
# plans, and every line of a dump except those that pg_dump generates at random.
sub check_restored
{
	my ($original, $restored, @options) = @_;
	my %expected = objects_of($node, $original);
	my %found = objects_of($node, $restored);
	my @dumps = map {
		my ($dump) = run_command([ 'pg_dump', '-E', 'UTF8', @options, '-d', $node->connstr($_) ]);
		$dump =~ s/^\\(un)?restrict .*\n//mgr
	} $original, $restored;

	is($found{signatures}, $expected{signatures},
		"$restored: the same signatures (number, digest: $found{signatures})");
	is($found{$_}, $expected{'sequential scan'},
		"$restored: the same answers by $_ (number, digest: $found{$_})")
	  foreach 'sequential scan', 'index scan';
	ok($found{lsh} ne '' && $found{lsh} eq $expected{lsh}, "$restored: no fault in $found{lsh}");
	ok($dumps[0] eq $dumps[1], "$restored: the same dump of " . length($dumps[0]) . ' bytes')
	  or diag_difference(@dumps);
	return;
}

# Show some of the lines that only one of two dumps has.
sub diag_difference
{
	my @sets = map { +{ map { $_ => 1 } split /\n/ } } @_;

	foreach my $one (0, 1)
	{
		my @only = grep { !$sets[ 1 - $one ]{$_} } sort keys %{ $sets[$one] };

		diag('only in the ', $one ? 'second' : 'first', ": $_") foreach splice @only, 0, 10;
	}
	return;
}

# Copy rows through a file into a table of the same form in another database, and
# compare.
sub check_copy
{
	my ($format, $table, $columns, $to) = @_;
	my $digest = q{SELECT count(*),
		md5(convert_to(string_agg(x::text, ',' ORDER BY x::text), 'UTF8')) FROM};
	my $expected = $node->safe_psql('near', qq{
		SET client_encoding = 'UTF8';
		COPY (SELECT $columns FROM app.$table) TO '$dir/$table.$format' (FORMAT $format);
		$digest app.$table x});
	my $found = $node->safe_psql($to, qq{
		SET client_encoding = 'UTF8';
		CREATE TEMP TABLE copied (LIKE app.$table INCLUDING ALL);
		COPY copied ($columns) FROM '$dir/$table.$format' (FORMAT $format);
		$digest copied x});

	is($found, $expected, "COPY of $table to $to, $format: the same rows ($expected)");
	return;
}

# Store sets of values of every type in test/data/elements.sql with their
# signatures, dump and restore them, and compute the signatures again.
sub check_elements
{
	my $compare = q{
		CREATE FUNCTION differing(kind text) RETURNS int LANGUAGE plpgsql AS $$
		DECLARE
			rows int;
		BEGIN
			EXECUTE format('SELECT count(*) FROM sets_of.%I WHERE array_to_minhash(list) IS DISTINCT FROM sig', kind) INTO rows;
			RETURN rows;
		END $$;};

	$node->safe_psql('postgres', 'CREATE DATABASE elements');
	$node->safe_psql('elements', join "\n", 'CREATE EXTENSION lshsim; CREATE SCHEMA sets_of;',
		slurp('test/data/elements.sql'), $compare, q{
		DO $$
		DECLARE
			kind kinds;
		BEGIN
			FOR kind IN SELECT * FROM kinds LOOP
				EXECUTE format('CREATE TABLE sets_of.%I AS SELECT list, array_to_minhash(list) AS sig FROM generate_series(0, 9) j,
					LATERAL (SELECT ARRAY(SELECT %s FROM generate_series(1 + j, %s, 1 + j) i) AS list) l', kind.type, kind.value, kind.size);
			END LOOP;
		END $$;});
	dump_database('elements', 'custom');
	restore_database('elements', 'custom', 'elements_restored', q{ENCODING UTF8 LOCALE 'C'});
	restore_database('elements', 'custom', 'elements_latin9', q{ENCODING LATIN9 LOCALE 'C'});
	is($node->safe_psql($_, q{SELECT count(*) > 25, string_agg(type, ' ') FILTER (WHERE differing(type) > 0) FROM kinds}),
		't|', "$_: signatures of elements of every type, computed again, are those stored")
	  foreach 'elements_restored', 'elements_latin9';
	return;
}

make_objects($node, 'near', 'near');
make_objects($node, 'open', 'public');
foreach my $format (sort keys %restore)
{
	dump_database('near', $format);
	restore_database('near', $format, "near_$format", q{ENCODING UTF8 LOCALE 'C'});
	check_restored('near', "near_$format");
}
dump_database('open', 'custom');
restore_database('open', 'custom', 'open_custom', q{ENCODING UTF8 LOCALE 'C'});
check_restored('open', 'open_custom');

# Into a database of another encoding.
restore_database('near', 'plain', 'latin1', q{ENCODING LATIN1 LOCALE 'C'});
check_restored('near', 'latin1');

foreach my $format ('text', 'csv', 'binary')
{
	check_copy($format, 'docs', 'id, body, origin, how, tags', $_) foreach 'near_plain', 'latin1';
	check_copy($format, 'odd', 'sig, name', 'latin1');
	check_copy($format, 'uses', 'sig, how, both_of, list', 'latin1');
	check_copy($format, 'searches', 'id, search', 'latin1');
}

# Elements of every type, also of types whose OIDs differ after a restore.
check_elements();

# Everything works under the empty search_path of a restore, triggers too.
is($node->safe_psql('near_plain', q{
		SET search_path = '';
		CREATE TEMP TABLE old_pages AS TABLE app.pages;
		CREATE TEMP TABLE old_docs AS SELECT id, body, sig, words FROM app.docs;
		TRUNCATE app.pages;
		INSERT INTO app.pages (id, title, body, tags) SELECT id, title, body, tags FROM old_pages;
		UPDATE app.docs SET body = 'another';
		UPDATE app.docs SET body = o.body FROM old_docs o WHERE o.id = docs.id;
		REFRESH MATERIALIZED VIEW app.totals;
		REINDEX TABLE app.docs;
		SELECT count(*) FROM app.pages p JOIN old_pages o USING (id)
			WHERE (p.sig OPERATOR(near.=) o.sig OR id > 290) AND p.tag_sig OPERATOR(near.=) o.tag_sig
		UNION ALL SELECT count(*) FROM app.docs d JOIN old_docs o USING (id)
			WHERE d.sig OPERATOR(near.=) o.sig AND d.words OPERATOR(near.=) o.words}),
	"300\n500", 'triggers, generated columns, checks and indexes under an empty search_path');

# Groups are those of the dump, and go on from there.
is($node->safe_psql('near_plain', q{
		SELECT changed_rows FROM near.minhash_groups_refresh('app.docs_groups');
		DELETE FROM app.docs WHERE id = 7;
		SELECT changed_rows FROM near.minhash_groups_refresh('app.docs_groups')}),
	"0\n1", 'groups are restored with their ids and definition, and can be refreshed');

# A restore of data alone fires the triggers, unless they are disabled.
my $kept = 'CREATE EXTENSION lshsim;
	CREATE TABLE kept (id int, body text, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED)';
$node->safe_psql('postgres', 'CREATE DATABASE data_only');
$node->safe_psql('data_only', "$kept;
	INSERT INTO kept SELECT i, 'The ferry to the islands leaves at eight.' FROM generate_series(1, 4) i");
command_ok([ 'pg_dump', '-Fc', '-a', '-t', 'kept', '-f', dump_path('data_only', 'custom'), '-d', $node->connstr('data_only') ],
	'pg_dump of data alone');
foreach my $try ([ 'triggers_on', 1 ], [ 'triggers_off', 4, '--disable-triggers' ])
{
	my ($name, $rows, @options) = @$try;

	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, "$kept; CREATE TRIGGER skip BEFORE INSERT ON kept
		FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'skip')");
	command_ok([ 'pg_restore', '-a', @options, '-d', $node->connstr($name), dump_path('data_only', 'custom') ],
		"pg_restore of data alone, $name");
	is($node->safe_psql($name, 'SELECT count(*) FROM kept'), $rows, "rows after it, $name");
}

$node->stop;
done_testing();

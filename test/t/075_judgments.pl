# Judgments of groups under random changes, for keys of several types and in scopes,
# compared with a program in Python (test/judgments.py) that builds links and groups from
# all similar pairs.  Also: privileges, renamed keys, keys of other types, dumps.
#
# LSHSIM_HISTORIES=n runs n histories for each kind of key instead of 5.

use strict;
use warnings;

use LshsimTest;
use Test::More;

my $histories = $ENV{LSHSIM_HISTORIES} // 5;
my $node = start_node('judgments', 'jit = off');

# Each signature has some elements of one of a few families; with a recall of 1 the rows
# that are similar are those with an estimate of at least the threshold.
$node->safe_psql('postgres', q{
	CREATE FUNCTION any_sig() RETURNS minhash LANGUAGE sql VOLATILE AS $$
		SELECT array_to_minhash(ARRAY(SELECT family * 1000 + i FROM generate_series(1, 40) i WHERE random() < .8)
			|| ARRAY(SELECT floor(random() * 1e9)::int FROM generate_series(1, (random() * 12)::int)), 64)
		FROM floor(random() * 5) AS family $$});

# The columns of the key, and the values for a number i.
my %keys = (
	int => [ 'id int', 'i' ],
	text => [ 'id text', q{'row ' || i || ', "x"'} ],
	uuid => [ 'id uuid', 'md5(i::text)::uuid' ],
	two => [ 'shop name, id numeric', q{'shop ' || i % 3, i / 10.0} ]);

# Create a table with groups: name, key, scope, agreement.
sub create
{
	my ($table, $key, $scope, $agreement) = @_;
	my ($columns, $values) = @$key;
	my $names = join ', ', map { (split)[0] } split /, /, $columns;

	$node->safe_psql('postgres', qq{
		CREATE TABLE $table ($columns, n int, tenant int, sig minhash, PRIMARY KEY ($names));
		CREATE FUNCTION change_$table() RETURNS void LANGUAGE sql AS \$\$
			DELETE FROM $table WHERE random() < .2;
			UPDATE $table SET sig = any_sig() WHERE random() < .2;
			INSERT INTO $table SELECT $values, i, i % 2, CASE WHEN random() < .95 THEN any_sig() END
				FROM generate_series(1, 50) i WHERE random() < .3 ON CONFLICT DO NOTHING;
		\$\$;
		SELECT change_$table();
		SELECT minhash_groups_create('$table', 'sig', .4, 1, scope => '$scope', agreement => $agreement)});
	return $names;
}

# Judge random pairs, some of them again, some of rows that do not exist.
sub judge
{
	my ($table, $values) = @_;
	my ($a, $b) = map { $values =~ s/\bi\b/$_/gr } 'a', 'b';

	$node->safe_psql('postgres', qq{
		INSERT INTO ${table}_groups_judged SELECT $a, $b, random() < .3, now()
		FROM (SELECT ceil(random() * 52)::int AS a, ceil(random() * 52)::int AS b FROM generate_series(1, 12)) AS pairs});
}

# Refresh the groups, and return the case in JSON: table, columns of the key, scope.
sub refreshed_case
{
	my ($table, $names, $scope, $agreement) = @_;
	my ($out, $err);
	my $key = sub { my ($alias, $suffix) = @_; "concat_ws('|', " . (join ', ', map { "$alias.$_$suffix" } split /, /, $names) . ')' };
	my $tenant = $scope eq '{}' ? '1' : 'rank() OVER (ORDER BY tenant)';

	$node->psql('postgres', "SELECT minhash_groups_refresh('${table}_groups')", stderr => \$err);
	my $warned = $err =~ /WARNING:  (\d+) pair/ ? $1 : 0;
	return $node->safe_psql('postgres', qq{
		WITH numbered AS MATERIALIZED (SELECT @{[ $key->('t', '') ]} AS key, num, scope, sig, grp
			FROM (SELECT *, row_number() OVER () AS num, $tenant AS scope FROM $table) t JOIN (SELECT @{[ $key->('g', '') ]} AS g_key, grp FROM ${table}_groups g) g ON g_key = @{[ $key->('t', '') ]}),
		linked AS (SELECT *, minhash_link(sig, .4, key, 1) OVER (PARTITION BY scope ORDER BY num) AS link FROM numbered)
		SELECT json_build_object('threshold', .4, 'agreement', $agreement, 'warned', $warned,
			'rows', (SELECT json_agg(json_build_array(key, scope, link, grp) ORDER BY num) FROM linked),
			'similar', (SELECT coalesce(json_agg(json_build_array(a.key, b.key, jaccard(a.sig, b.sig))), '[]') FROM numbered a JOIN numbered b
				ON a.num < b.num AND a.scope = b.scope AND jaccard(a.sig, b.sig) >= .4),
			'judged', (SELECT coalesce(json_agg(json_build_array(@{[ $key->('j', '_a') ]}, @{[ $key->('j', '_b') ]}, same) ORDER BY judged_at, judgment), '[]')
				FROM ${table}_groups_judged j))});
}

my @cases;
my $made = 0;
foreach my $name (sort keys %keys)
{
	foreach my $scope ('{}', '{tenant}')
	{
		my $table = "docs_$name" . ($scope eq '{}' ? '' : '_scoped');
		my $agreement = (0, .3, .5, 1)[$made++ % 4];
		my $names = create($table, $keys{$name}, $scope, $agreement);

		foreach my $history (1 .. $histories)
		{
			foreach my $step (1 .. 4)
			{
				$node->safe_psql('postgres', "SELECT change_$table()");
				judge($table, $keys{$name}[1]) if $step > 1;
				push @cases, refreshed_case($table, $names, $scope, $agreement);
			}
			$node->safe_psql('postgres', "DELETE FROM ${table}_groups_judged");
		}
	}
}
my $file = "$ENV{TESTDIR}/cases.json";
open my $out, '>', $file or die "$file: $!";
print $out map { "$_\n" } @cases;
close $out;
is(`/usr/bin/python3 test/judgments.py <$file`, scalar(@cases) . " cases\n", 'links and groups keep the promises, by a program in Python');

# The owner grants INSERT; who judged is recorded.
is($node->safe_psql('postgres', q{
	CREATE ROLE judge; GRANT INSERT ON docs_int_groups_judged TO judge; SET ROLE judge;
	INSERT INTO docs_int_groups_judged (id_a, id_b, same) VALUES (1, 2, false); RESET ROLE;
	SELECT judged_by, judged_at <= clock_timestamp() FROM docs_int_groups_judged}), 'judge|t', 'another role judges');
like(error_of($node, 'postgres', 'SET ROLE judge; TABLE docs_int_groups_judged'), qr/permission denied/, 'and does not read');

# Changes of the key.
like(error_of($node, 'postgres', q{ALTER TABLE docs_int_groups_judged ALTER id_b TYPE bigint; SELECT minhash_groups_refresh('docs_int_groups')}),
	qr/key column "id_b" has another type or collation in "docs_int_groups_judged" than in "docs_int"/, 'another type of one key');
like(error_of($node, 'postgres', q{ALTER TABLE docs_text RENAME id TO name; UPDATE docs_text_groups_definition SET key = '{name}';
	ALTER TABLE docs_text_groups RENAME id TO name; ALTER TABLE docs_text_groups_log RENAME id TO name; SELECT minhash_groups_refresh('docs_text_groups')}),
	qr/column "name_a" of relation "docs_text_groups_judged" does not exist/, 'a key renamed in the other tables');

# Judgments survive a dump.
judge('docs_uuid', $keys{uuid}[1]);
$node->safe_psql('postgres', q{SELECT minhash_groups_refresh('docs_uuid_groups')});
my $groups = q{SELECT md5(string_agg(id || ' ' || grp, ',' ORDER BY id)) FROM docs_uuid_groups};
my $before = $node->safe_psql('postgres', $groups);
add_database($node, 'restored', '');
my $dump = "$ENV{TESTDIR}/dump.sql";
$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('postgres'), '-t', 'docs_uuid*' ], 'dump');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-d', $node->connstr('restored') ], 'restore');
is($node->safe_psql('restored', q{SELECT changed_rows FROM minhash_groups_refresh('docs_uuid_groups')}), '0', 'a refresh of restored groups changes nothing');
is($node->safe_psql('restored', $groups), $before, 'and they are the same');
done_testing();

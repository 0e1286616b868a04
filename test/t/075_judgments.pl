# Groups against their rule in REFERENCE: the share of similar pairs, judgments, links.
#
# A program in Python (test/judgments.py) checks random graphs, which minhash_cluster
# and minhash_link divide, and groups under random changes and judgments, for keys of
# several types and in scopes.  Also: what other storage, privileges and renamed keys do
# to judged groups.  012_dump has a dump of them.
#
# LSHSIM_GRAPHS=n draws n graphs for each agreement instead of 50, LSHSIM_HISTORIES=n runs
# n histories for each kind of key and agreement instead of 1, LSHSIM_SEED=n draws others.

use LshsimTest;

my $graphs = $ENV{LSHSIM_GRAPHS} // 50;
my $histories = $ENV{LSHSIM_HISTORIES} // 1;
my $node = start_node('judgments', 'jit = off');

seed(1);

$node->safe_psql('postgres', group_functions());

# Write cases to a file, and compare what the program in Python prints.
sub check_cases
{
	my ($name, @cases) = @_;
	my $file = write_file("$ENV{TESTDIR}/cases.json", map { "$_\n" } @cases);

	is(`/usr/bin/python3 test/judgments.py <$file`, scalar(@cases) . " cases\n", $name);
	return;
}

# Divide partitions of one table, with copies, NULLs and empty sets in them: number of graphs, their sizes, families,
# tolerance, agreement.
sub check_graphs
{
	my ($name, $count, $size, $families, $tolerance, $agreement) = @_;
	my $cases = $node->safe_psql('postgres', qq{
		SELECT setseed(@{[ rand() ]}) \\g /dev/null
		CREATE TEMP TABLE drawn AS SELECT g, row_number() OVER () AS id, any_sig($families) AS sig
			FROM generate_series(1, $count) g, LATERAL generate_series(1, $size) n;
		INSERT INTO drawn SELECT g, id + 1000000, sig FROM drawn WHERE random() < .2;
		UPDATE drawn SET sig = CASE WHEN random() < .5 THEN array_to_minhash('{}'::float8[], 64) END WHERE random() < .03;
		WITH divided AS MATERIALIZED (SELECT g, id, sig, minhash_cluster(sig, .4, 1, $agreement) OVER w AS grp,
				minhash_link(sig, .4, id, 1, $agreement) OVER w AS link FROM drawn WINDOW w AS (PARTITION BY g ORDER BY id)),
		alike AS MATERIALIZED (SELECT a.g, json_agg(json_build_array(a.id, b.id, jaccard(a.sig, b.sig))) AS pairs
			FROM drawn a JOIN drawn b ON a.g = b.g AND a.id < b.id AND jaccard(a.sig, b.sig) >= .4 GROUP BY a.g)
		SELECT json_build_object('threshold', .4, 'agreement', $agreement, 'tolerance', $tolerance, 'warned', 0, 'judged', '{}'::int[],
			'rows', json_agg(json_build_array(id, g, grp, link)), 'similar', coalesce((SELECT pairs FROM alike s WHERE s.g = d.g), '[]'))
		FROM divided d GROUP BY g});
	check_cases("$name at agreement $agreement", split /\n/, $cases);
	return;
}

# Groups of one large component are compared by samples.
foreach my $agreement (0, .3, .5, 1)
{
	check_graphs('graphs', $graphs, '8 + g % 40', '1 + g % 4', 0, $agreement);
	check_graphs('a large graph', 1, 900, 2, .02, $agreement) if $agreement > 0;
}

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
			UPDATE $table SET sig = any_sig(3) WHERE random() < .2;
			UPDATE $table SET sig = (SELECT sig FROM $table ORDER BY random() LIMIT 1) WHERE random() < .1;
			INSERT INTO $table SELECT $values, i, i % 2, CASE WHEN random() < .95 THEN any_sig(3) END
				FROM generate_series(1, 60) i WHERE random() < .3 ON CONFLICT DO NOTHING;
		\$\$;
		SELECT setseed(@{[ rand() ]}), change_$table();
		SELECT minhash_groups_create('$table', 'sig', .4, 1, scope => '$scope', agreement => $agreement)});
	return $names;
}

# Judge random pairs, some of them again, some of rows that do not exist.
sub judge
{
	my ($table, $values) = @_;
	my ($a, $b) = map { $values =~ s/\bi\b/$_/gr } 'a', 'b';

	$node->safe_psql('postgres', qq{
		SELECT setseed(@{[ rand() ]});
		INSERT INTO ${table}_groups_judged SELECT $a, $b, random() < .3
		FROM (SELECT ceil(random() * 62)::int AS a, ceil(random() * 62)::int AS b FROM generate_series(1, 12)) AS pairs});
}

# Refresh the groups, and return the case in JSON: table, columns of the key, agreement, scope.
sub refreshed_case
{
	my ($table, $names, $agreement, $scope) = @_;
	my ($out, $err);
	my $key = sub { my ($alias, $suffix) = @_; "concat_ws('|', " . (join ', ', map { "$alias.$_$suffix" } split /, /, $names) . ')' };
	my $tenant = $scope eq '{}' ? '1' : 'rank() OVER (ORDER BY tenant)';

	$node->psql('postgres', "SELECT minhash_groups_refresh('${table}_groups')", stderr => \$err);
	my $warned = $err =~ /WARNING:  (\d+) pair/ ? $1 : 0;
	return $node->safe_psql('postgres', qq{
		WITH numbered AS MATERIALIZED (SELECT @{[ $key->('t', '') ]} AS key, $tenant AS scope, sig, grp
			FROM $table t JOIN ${table}_groups g USING ($names))
		SELECT json_build_object('threshold', .4, 'agreement', $agreement, 'tolerance', 0, 'warned', $warned,
			'rows', (SELECT json_agg(json_build_array(key, scope, grp)) FROM numbered),
			'similar', (SELECT coalesce(json_agg(json_build_array(a.key, b.key, jaccard(a.sig, b.sig))), '[]') FROM numbered a JOIN numbered b
				ON a.key < b.key AND a.scope = b.scope AND jaccard(a.sig, b.sig) >= .4),
			'judged', (SELECT coalesce(json_agg(json_build_array(@{[ $key->('j', '_a') ]}, @{[ $key->('j', '_b') ]}, same) ORDER BY judged_at, judgment), '[]')
				FROM ${table}_groups_judged j))});
}

# Store the rows of a table in another order, and refresh; return the number of changes.
sub changes_after_reordering
{
	my ($table, $names) = @_;
	my @ways = ("UPDATE $table SET n = n WHERE random() < .5", "CLUSTER $table USING ${table}_pkey",
		"CREATE TEMP TABLE old AS TABLE $table; TRUNCATE $table; INSERT INTO $table TABLE old ORDER BY md5(n::text || random())");

	$node->safe_psql('postgres', "SELECT setseed(@{[ rand() ]}); $ways[rand @ways]; VACUUM $table");
	return $node->safe_psql('postgres', "SELECT changed_rows FROM minhash_groups_refresh('${table}_groups')");
}

my @cases;
my @moved;
foreach my $name (sort keys %keys)
{
	foreach my $scope ('{}', '{tenant}')
	{
		foreach my $agreement (0, .3, .5, 1)
		{
			my $table = "docs_$name" . ($scope eq '{}' ? '' : '_scoped') . '_' . 100 * $agreement;
			my $names = create($table, $keys{$name}, $scope, $agreement);

			foreach my $history (1 .. $histories)
			{
				foreach my $step (1 .. 4)
				{
					$node->safe_psql('postgres', "SELECT setseed(@{[ rand() ]}), change_$table()");
					judge($table, $keys{$name}[1]) if $step > 1;
					push @cases, refreshed_case($table, $names, $agreement, $scope);
					my $changes = changes_after_reordering($table, $names);
					push @moved, "$table: $changes" if $changes ne '0';
				}
				$node->safe_psql('postgres', "DELETE FROM ${table}_groups_judged");
			}
		}
	}
}
check_cases('groups under changes and judgments', @cases);
is(join("\n", @moved), '', 'the same groups in other storage');

# The owner grants INSERT of three columns; who judged is recorded.
is($node->safe_psql('postgres', q{
	CREATE ROLE judge; GRANT INSERT (id_a, id_b, same) ON docs_int_50_groups_judged TO judge; SET ROLE judge;
	INSERT INTO docs_int_50_groups_judged (id_a, id_b, same) VALUES (1, 2, false); RESET ROLE;
	SELECT judged_by, judged_at <= clock_timestamp() FROM docs_int_50_groups_judged}), 'judge|t', 'another role judges');
like(error_of($node, 'postgres', 'SET ROLE judge; TABLE docs_int_50_groups_judged'), qr/permission denied/, 'and does not read');
like(error_of($node, 'postgres', q{SET ROLE judge; INSERT INTO docs_int_50_groups_judged (id_a, id_b, same, judged_by) VALUES (1, 2, true, 'x')}),
	qr/permission denied/, 'nor in the name of others');

# Changes of the key.
like(error_of($node, 'postgres', q{ALTER TABLE docs_int_50_groups_judged ALTER id_b TYPE bigint; SELECT minhash_groups_refresh('docs_int_50_groups')}),
	qr/key column "id_b" has another type or collation in "docs_int_50_groups_judged" than in "docs_int_50"/, 'another type of one key');
like(error_of($node, 'postgres', q{ALTER TABLE docs_text_50 RENAME id TO name; UPDATE docs_text_50_groups_definition SET key = '{name}';
	ALTER TABLE docs_text_50_groups RENAME id TO name; ALTER TABLE docs_text_50_groups_log RENAME id TO name; SELECT minhash_groups_refresh('docs_text_50_groups')}),
	qr/column "name_a" of relation "docs_text_50_groups_judged" does not exist/, 'a key renamed in the other tables');

done_testing();

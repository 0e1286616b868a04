# minhash_check_trigger against models that know which texts are similar, and which events
# the server fires: random statements, with outcome and rows compared after each; and rows
# that arrive, against minhash_representative.

use LshsimTest;

my $node = start_node('check_models', 'jit = off');

# A number below n, the same in every version of the server.
my $pick = q{
	CREATE FUNCTION pick(n int, seed text) RETURNS int LANGUAGE sql IMMUTABLE AS
		$$ SELECT ('x' || left(md5(seed), 7))::bit(28)::int % n $$;};

# Inserts, upserts, updates, moves to other partitions, MERGE and deletes, under each action,
# without a scope and with one.
$node->safe_psql('postgres', $pick . q{
	-- Texts of a family share 29 of 31 words, those of different families none.
	CREATE FUNCTION body(family int, variant int) RETURNS text LANGUAGE sql IMMUTABLE AS
		$$ SELECT string_agg('f' || family || CASE i WHEN 1 THEN 'v' || variant ELSE 'w' || i END, ' ') FROM generate_series(1, 30) i $$;
	-- Partitions: three of the root, one of which is divided again.  In one the columns have another order.
	CREATE TABLE parts (region text, id int, body text, tenant int, note int, copy_of text,
		sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED, PRIMARY KEY (region, id)) PARTITION BY LIST (region);
	CREATE TABLE parts_a PARTITION OF parts FOR VALUES IN ('a');
	CREATE TABLE parts_b (sig minhash GENERATED ALWAYS AS (to_minhash(body, 'word:1')) STORED, copy_of text, gone int, note int, tenant int, body text, id int NOT NULL, region text NOT NULL);
	ALTER TABLE parts_b DROP gone;
	ALTER TABLE parts ATTACH PARTITION parts_b FOR VALUES IN ('b');
	CREATE TABLE parts_c PARTITION OF parts FOR VALUES IN ('c') PARTITION BY RANGE (id);
	CREATE TABLE parts_c1 PARTITION OF parts_c FOR VALUES FROM (0) TO (6);
	CREATE TABLE parts_c2 PARTITION OF parts_c DEFAULT;
	CREATE INDEX ON parts USING lsh (sig);
	CREATE TABLE plain (LIKE parts INCLUDING ALL);
	-- One of the two tables is empty at any time.
	CREATE VIEW stored AS SELECT region, id, body, tenant, note, copy_of FROM parts UNION ALL SELECT region, id, body, tenant, note, copy_of FROM plain;

	-- The model: rows with the number of their text; the flag, or while it is not known the flags that it may be.
	CREATE TABLE model (region text, id int, family int, variant int, tenant int, note int, flag text, flags text[], PRIMARY KEY (region, id));
	CREATE TABLE setup (relation text, action text, scope bool);
	-- Outcomes, and differences of the rows afterwards.
	CREATE TABLE outcomes (action text, scope bool, kind text, outcome text, wrong bool, lost int, different int);

	CREATE FUNCTION key(region text, id int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT format('(%s,%s)', region, id) $$;
	CREATE FUNCTION leaf(m model) RETURNS text LANGUAGE sql IMMUTABLE AS
		$$ SELECT 'parts_' || m.region || CASE WHEN m.region = 'c' THEN CASE WHEN m.id BETWEEN 0 AND 5 THEN '1' ELSE '2' END ELSE '' END $$;

	-- Return the keys of the most similar rows without a flag, except one; refuse a row that has some.
	CREATE FUNCTION model_check(m model, except_key text) RETURNS text[] LANGUAGE plpgsql AS $$
	DECLARE
		keys text[];
		s setup;
	BEGIN
		SELECT * INTO s FROM setup;
		SELECT array_agg(k) INTO keys FROM (SELECT key(o.region, o.id) AS k, rank() OVER (ORDER BY o.variant <> m.variant) FROM model o
			WHERE o.family = m.family AND o.flag IS NULL AND coalesce(o.flags = '{}', true) AND (NOT s.scope OR o.tenant = m.tenant) AND key(o.region, o.id) <> except_key) r WHERE rank = 1;
		IF keys IS NOT NULL AND s.action = 'reject' THEN
			RAISE unique_violation USING CONSTRAINT = 'check_rows';
		END IF;
		RETURN coalesce(keys, '{}');
	END $$;

	CREATE FUNCTION model_update(old_region text, old_id int, m model) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		s setup;
		old model;
	BEGIN
		SELECT * INTO s FROM setup;
		DELETE FROM model WHERE region = old_region AND id = old_id RETURNING * INTO old;
		m.flag := old.flag;
		IF s.action <> 'skip' AND ((old.family, old.variant) IS DISTINCT FROM (m.family, m.variant) OR s.scope AND old.tenant <> m.tenant) THEN
			m.flags := model_check(m, '');
		END IF;
		-- a move: the row is checked again, as a new one
		IF s.relation = 'parts' AND leaf(old) <> leaf(m) THEN
			m.flags := model_check(m, key(m.region, m.id));
		END IF;
		INSERT INTO model SELECT (m).*;
	END $$;

	-- Insert a row; what to do if its key is there: raise an error, update, or nothing.
	CREATE FUNCTION model_insert(m model, conflict text) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		m.flags := model_check(m, key(m.region, m.id));
		IF (SELECT action = 'skip' FROM setup) AND m.flags <> '{}' THEN
			RETURN;
		ELSIF conflict = 'error' OR NOT EXISTS (SELECT FROM model o WHERE (o.region, o.id) = (m.region, m.id)) THEN
			INSERT INTO model SELECT (m).*;
		ELSIF conflict = 'update' THEN
			SELECT note, NULL INTO m.note, m.flags FROM model o WHERE (o.region, o.id) = (m.region, m.id);
			PERFORM model_update(m.region, m.id, m);
		END IF;
	END $$;

	-- Move rows; a flag may name another moved row by its old key or its new one.
	CREATE FUNCTION model_move(from_region text, to_region text, below int) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		m model;
	BEGIN
		FOR m IN SELECT * FROM model WHERE region = from_region AND id < below LOOP
			m.region := to_region;
			PERFORM model_update(from_region, m.id, m);
		END LOOP;
		UPDATE model SET flags = flags || (SELECT array_agg(translate(f, from_region || to_region, to_region || from_region)) FROM unnest(flags) f
			WHERE split_part(f, ',', 2)::text < below || ')') WHERE flags <> '{}';
	END $$;

	-- MERGE: update, move or delete the row with a key, or insert a row.
	CREATE FUNCTION model_merge(old_region text, m model) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		old model;
		what int := m.note % 5;
	BEGIN
		SELECT * INTO old FROM model WHERE region = old_region AND id = m.id;
		IF NOT FOUND THEN
			PERFORM model_insert(m, 'error');
		ELSIF what = 0 THEN
			DELETE FROM model WHERE region = old_region AND id = m.id;
		ELSE
			old.region := m.region;
			IF what < 3 THEN
				SELECT m.family, m.variant INTO old.family, old.variant;
			END IF;
			PERFORM model_update(old_region, m.id, old);
		END IF;
	END $$;

	-- Run a statement; return the constraint that it violates, or if it changes a row.
	CREATE FUNCTION outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		violated text;
		changed int;
	BEGIN
		EXECUTE statement;
		GET DIAGNOSTICS changed = ROW_COUNT;
		RETURN CASE WHEN changed > 0 THEN 'done' ELSE 'nothing' END;
	EXCEPTION WHEN unique_violation THEN
		GET STACKED DIAGNOSTICS violated = CONSTRAINT_NAME;
		RETURN regexp_replace(violated, '.*pkey', 'pkey');
	END $$;

	CREATE PROCEDURE compare(kind text, statement text, of_model text) LANGUAGE plpgsql AS $$
	DECLARE
		s setup;
		real_outcome text := outcome(statement);
		model_outcome text := outcome(of_model);
	BEGIN
		-- the order of the rows decides which error it is
		IF kind = 'move many' THEN
			real_outcome := regexp_replace(real_outcome, 'check_rows|pkey', 'either');
			model_outcome := regexp_replace(model_outcome, 'check_rows|pkey', 'either');
		END IF;
		SELECT * INTO s FROM setup;
		INSERT INTO outcomes SELECT s.action, s.scope, kind, real_outcome, replace(real_outcome, 'nothing', 'done') <> model_outcome,
			count(*) FILTER (WHERE r.id IS NULL), count(*) FILTER (WHERE m.id IS NULL
				OR split_part(r.body, ' ', 1) IS DISTINCT FROM 'f' || family || 'v' || variant OR (r.tenant, r.note) IS DISTINCT FROM (m.tenant, m.note)
				OR CASE WHEN s.action <> 'flag' THEN copy_of IS NOT NULL WHEN flags IS NULL THEN copy_of IS DISTINCT FROM flag
					WHEN flags = '{}' THEN copy_of IS NOT NULL ELSE (copy_of = ANY (flags)) IS NOT TRUE END)
			FROM model m FULL JOIN stored r USING (region, id);
		UPDATE model m SET flag = copy_of, flags = NULL FROM stored r WHERE (r.region, r.id) = (m.region, m.id) AND flags IS NOT NULL;
	END $$;

	-- A row that may be there already, by its key, or not.
	CREATE FUNCTION random_row(seed text) RETURNS model LANGUAGE sql AS $$
		SELECT substr('abc', 1 + pick(3, seed || 1), 1), pick(12, seed || 2), family, CASE WHEN family IS NOT NULL THEN 1 + pick(3, seed || 4) END,
			1 + pick(2, seed || 5), pick(100, seed || 6), NULL::text, NULL::text[]
		FROM nullif(pick(30, seed || 3), 0) AS family $$;
	CREATE FUNCTION fields(m model) RETURNS text LANGUAGE sql AS
		$$ SELECT format('(%L, %s, body(%L, %L), %s, %s)', m.region, m.id, m.family, m.variant, m.tenant, m.note) $$;

	CREATE PROCEDURE run(operations int) LANGUAGE plpgsql AS $$
	DECLARE
		kinds text[] := '{insert,unchecked,insert two,upsert,upsert nothing,update text,update text,update tenant,update note,move,move,move and change,move many,merge,merge,merge,delete}';
		s setup;
		kind text;
		seed text;
		target text;
		o model;	-- a row that is there
		m model;
		n model;
	BEGIN
		SELECT * INTO s FROM setup;
		FOR i IN 1..operations LOOP
			seed := concat_ws(' ', s.action, s.scope, i);
			kind := kinds[1 + pick(cardinality(kinds), seed)];
			SELECT * INTO o FROM model ORDER BY md5(seed || key(region, id)) LIMIT 1;
			m := random_row(seed);
			-- half of the new rows go to their partition itself
			target := CASE WHEN s.relation = 'parts' AND pick(2, seed || 'target') = 0 THEN leaf(m) ELSE s.relation END;
			IF kind = 'unchecked' OR o IS NULL THEN
				-- without the trigger, so that similar rows come about
				SET session_replication_role = replica;
				CALL compare(kind, format('INSERT INTO %I (region, id, body, tenant, note) VALUES %s', target, fields(m)),
					format('INSERT INTO model SELECT (%L::model).*', m));
				RESET session_replication_role;
			ELSIF kind LIKE 'insert%' OR kind LIKE 'upsert%' THEN
				n := random_row(seed || 'n');
				n.id := m.id + 12;
				CALL compare(kind, format('INSERT INTO %I (region, id, body, tenant, note) VALUES %s %s', CASE kind WHEN 'insert two' THEN s.relation ELSE target END, fields(m),
					CASE kind WHEN 'insert two' THEN ', ' || fields(n) WHEN 'upsert nothing' THEN 'ON CONFLICT DO NOTHING'
						WHEN 'upsert' THEN 'ON CONFLICT (region, id) DO UPDATE SET body = EXCLUDED.body, tenant = EXCLUDED.tenant' END),
					format(CASE kind WHEN 'insert two' THEN 'SELECT model_insert(%L, %L), model_insert(%L, ''error'')' ELSE 'SELECT model_insert(%L, %L)' END,
						m, CASE kind WHEN 'upsert' THEN 'update' WHEN 'upsert nothing' THEN 'nothing' ELSE 'error' END, n));
			ELSIF kind = 'move many' THEN
				CALL compare(kind, format('UPDATE %I SET region = %L WHERE region = %L AND id < 4', s.relation, m.region, o.region),
					format('SELECT model_move(%L, %L, 4)', o.region, m.region));
			ELSIF kind = 'merge' THEN
				IF pick(3, seed || 'merge') > 0 THEN
					m.id := o.id;
				END IF;
				CALL compare(kind, format('MERGE INTO %I t USING (VALUES %s) v (region, id, body, tenant, note) ON t.region = %L AND t.id = v.id
					WHEN MATCHED AND v.note %% 5 = 0 THEN DELETE
					WHEN MATCHED AND v.note %% 5 < 3 THEN UPDATE SET region = v.region, body = v.body
					WHEN MATCHED THEN UPDATE SET region = v.region
					WHEN NOT MATCHED THEN INSERT (region, id, body, tenant, note) VALUES (v.region, v.id, v.body, v.tenant, v.note)', s.relation, fields(m), o.region),
					format('SELECT model_merge(%L, %L)', o.region, m));
			ELSIF kind = 'delete' THEN
				CALL compare(kind, format('DELETE FROM %I WHERE (region, id) = (%L, %s)', s.relation, o.region, o.id),
					format('DELETE FROM model WHERE (region, id) = (%L, %s)', o.region, o.id));
			ELSE
				n := o;
				IF kind IN ('update text', 'move and change') THEN
					SELECT m.family, m.variant INTO n.family, n.variant;
				END IF;
				IF kind LIKE 'move%' THEN n.region := m.region; END IF;
				IF kind = 'move and change' THEN n.id := m.id; END IF;
				IF kind = 'update tenant' THEN n.tenant := m.tenant; END IF;
				IF kind = 'update note' THEN n.note := m.note; END IF;
				CALL compare(kind, format('UPDATE %I SET %s WHERE (region, id) = (%L, %s)', s.relation,
					CASE kind WHEN 'update tenant' THEN 'tenant = ' || n.tenant WHEN 'update note' THEN 'note = ' || n.note
						WHEN 'move' THEN format('region = %L', n.region) WHEN 'update text' THEN format('body = body(%L, %L)', n.family, n.variant)
						ELSE '(region, id, body, tenant, note) = ' || fields(n) END, o.region, o.id),
					format('SELECT model_update(%L, %s, %L)', o.region, o.id, n));
			END IF;
			-- the server removes old versions of rows
			IF i % 20 = 0 THEN
				COMMIT;
			END IF;
		END LOOP;
	END $$;});

# flag and reject with partitions, skip with the plain table
foreach my $case ('flag', 'reject', 'skip')
{
	my ($relation, $events, $column) = $case eq 'skip' ? ('plain', 'INSERT', '') : ('parts', 'INSERT OR UPDATE', $case eq 'flag' ? q{, 'copy_of'} : '');

	foreach my $scope ('', q{, 'scope', 'tenant'})
	{
		my $scoped = $scope ? 'true' : 'false';

		$node->safe_psql('postgres', qq{
			TRUNCATE model, setup, parts, plain;
			INSERT INTO setup VALUES ('$relation', '$case', $scoped);
			CREATE TRIGGER check_rows BEFORE $events ON $relation FOR EACH ROW
				EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, '$case'$column$scope);
			CALL run(1000);
			DROP TRIGGER check_rows ON $relation});
		is($node->safe_psql('postgres', qq{
			SELECT count(*) AS operations, count(*) FILTER (WHERE wrong) AS other_outcomes, sum(lost) AS lost, sum(different) AS different
			FROM outcomes WHERE (action, scope) = ('$case', $scoped)}), '1000|0|0|0', "$case$scope: the outcomes and rows of the model");
	}
}
is($node->safe_psql('postgres', q{
	SELECT action, count(DISTINCT kind) AS kinds, count(*) FILTER (WHERE outcome = 'done') AS done, count(*) FILTER (WHERE outcome = 'nothing') AS nothing,
		count(*) FILTER (WHERE outcome = 'check_rows') AS refused, count(*) FILTER (WHERE outcome = 'pkey') AS key_taken,
		count(*) FILTER (WHERE outcome = 'either') AS either
	FROM outcomes GROUP BY 1 ORDER BY 1}), "flag|13|1321|81|0|529|69\nreject|13|1113|51|475|316|45\nskip|13|1331|214|0|392|63", 'kinds of operations and their outcomes');

# Flags that name originals, also within a distance of a column: edits, changes of flags and
# deletions too, with chains of similar texts.
add_database($node, 'chains', '') or die;
# Seven days in March may have 167 hours.
$node->safe_psql('chains', q{ALTER DATABASE chains SET TimeZone = 'America/Los_Angeles'});
$node->safe_psql('chains', $pick . q{
	-- Texts of a chain: neighbours have a similarity of 25 / 35, others of at most 20 / 40.
	CREATE FUNCTION body(chain int, link int) RETURNS text LANGUAGE sql IMMUTABLE AS
		$$ SELECT string_agg('c' || chain || 'w' || i, ' ') FROM generate_series(5 * link, 5 * link + 29) i $$;
	CREATE TABLE docs (id int PRIMARY KEY, chain int, link int, at timestamptz, price numeric, copy_of int,
		sig minhash GENERATED ALWAYS AS (to_minhash(body(chain, link), 'word:1', 512)) STORED);
	CREATE TABLE model (id int PRIMARY KEY, chain int, link int, at timestamptz, price numeric, flag int);
	CREATE TABLE outcomes (windows bool, kind text, flagged bool, wrong bool, cycles int, different int);
	-- Return the most similar rows without a flag, within seven days and 10.5 if there are windows.
	CREATE FUNCTION originals(m model, windows bool) RETURNS int[] LANGUAGE sql AS $$
		SELECT coalesce(array_agg(id), '{}') FROM (SELECT id, rank() OVER (ORDER BY abs(o.link - m.link)) FROM model o
			WHERE o.id <> m.id AND o.flag IS NULL AND o.chain = m.chain AND abs(o.link - m.link) <= 1
				AND (NOT windows OR o.at BETWEEN m.at - interval '7 days' AND m.at + interval '7 days' AND abs(o.price - m.price) <= 10.5)) r WHERE rank = 1 $$;

	CREATE PROCEDURE run(operations int, windows bool) LANGUAGE plpgsql AS $$
	DECLARE
		kinds text[] := '{insert,insert,insert,upsert,edit,edit,edit,to copy,move,price,note,unflag,delete,delete}';
		kind text;
		seed text;
		o model;	-- a row that is there
		m model;
		names int[];
		flag int;
	BEGIN
		TRUNCATE docs, model;
		FOR i IN 1..operations LOOP
			seed := concat_ws(' ', windows, i);
			kind := kinds[1 + pick(cardinality(kinds), seed)];
			SELECT * INTO o FROM model ORDER BY md5(seed || id) LIMIT 1;
			IF o IS NULL THEN kind := 'insert'; END IF;
			m := o;
			-- one row in 20 has no text, price or time
			IF kind IN ('insert', 'upsert', 'edit') THEN SELECT nullif(pick(20, seed || 1), 0), 1 + pick(6, seed || 2) INTO m.chain, m.link; m.chain := 1 + m.chain % 8; END IF;
			IF kind IN ('insert', 'upsert', 'move') THEN m.at := CASE WHEN pick(20, seed || 3) > 0 THEN timestamptz '2026-03-01 00:00Z' + pick(1500, seed || 4) * interval '1 hour' END; END IF;
			IF kind IN ('insert', 'upsert', 'price') THEN m.price := CASE WHEN pick(20, seed || 5) > 0 THEN 0.5 * pick(100, seed || 6) END; END IF;
			IF kind = 'to copy' THEN SELECT chain, link, at, price INTO m.chain, m.link, m.at, m.price FROM model ORDER BY md5(seed || 'copy' || id) LIMIT 1; END IF;
			IF kind = 'insert' OR kind = 'upsert' AND pick(2, seed || 7) = 0 THEN m.id := i; m.flag := NULL; END IF;
			IF kind = 'delete' THEN
				DELETE FROM docs WHERE id = o.id;
				DELETE FROM model WHERE id = o.id;
				CONTINUE;
			END IF;
			names := originals(m, windows);
			-- an update that changes nothing that counts is not checked
			IF m.id = o.id AND kind NOT IN ('insert') AND (m.chain, m.link) IS NOT DISTINCT FROM (o.chain, o.link)
				AND (NOT windows OR (m.at, m.price) IS NOT DISTINCT FROM (o.at, o.price)) THEN
				names := CASE WHEN o.flag IS NULL THEN '{}' ELSE ARRAY[o.flag] END;
			END IF;
			IF kind = 'unflag' THEN
				names := '{}';
				UPDATE docs SET copy_of = NULL WHERE id = m.id RETURNING copy_of INTO flag;
			ELSIF kind = 'insert' THEN
				INSERT INTO docs (id, chain, link, at, price, copy_of) VALUES (m.id, m.chain, m.link, m.at, m.price, 0) RETURNING copy_of INTO flag;
			ELSIF kind = 'upsert' THEN
				INSERT INTO docs (id, chain, link, at, price) VALUES (m.id, m.chain, m.link, m.at, m.price)
					ON CONFLICT (id) DO UPDATE SET chain = EXCLUDED.chain, link = EXCLUDED.link, at = EXCLUDED.at, price = EXCLUDED.price RETURNING copy_of INTO flag;
			ELSE
				UPDATE docs SET chain = m.chain, link = m.link, at = m.at, price = m.price WHERE id = m.id RETURNING copy_of INTO flag;
			END IF;
			m.flag := flag;
			DELETE FROM model WHERE id = m.id;
			INSERT INTO model SELECT (m).*;
			INSERT INTO outcomes SELECT windows, kind, flag IS NOT NULL, CASE WHEN names = '{}' THEN flag IS NOT NULL ELSE (flag = ANY (names)) IS NOT TRUE END,
				CASE WHEN i % 50 = 0 THEN (WITH RECURSIVE up AS (SELECT id, copy_of FROM docs UNION ALL SELECT d.id, d.copy_of FROM up JOIN docs d ON d.id = up.copy_of)
					CYCLE id SET again USING path SELECT count(*) FILTER (WHERE again) FROM up) END,
				CASE WHEN i % 50 = 0 THEN (SELECT count(*) FROM docs d FULL JOIN model r USING (id) WHERE d.copy_of IS DISTINCT FROM r.flag OR d.id IS NULL OR r.id IS NULL) END;
			IF i % 20 = 0 THEN COMMIT; END IF;
		END LOOP;
	END $$;
	CREATE INDEX ON docs USING lsh (sig) WHERE copy_of IS NULL});
is($node->safe_psql('chains', q{
	SELECT bool_and(minhash_similar(to_minhash(body(chain, a), 'word:1', 512), to_minhash(body(chain, b), 'word:1', 512), 0.6, 0.99) = (b - a <= 1)) AS as_exact
	FROM generate_series(1, 8) chain, generate_series(1, 6) a, generate_series(a, 6) b}), 't', 'the estimates are on the side of the threshold on which the exact similarities are');

# Create the trigger with more arguments.
sub check_docs
{
	my ($events, $more) = @_;

	return qq{DROP TRIGGER IF EXISTS check_docs ON docs; CREATE TRIGGER check_docs BEFORE $events ON docs FOR EACH ROW
		EXECUTE FUNCTION minhash_check_trigger('sig', 0.6, 'flag', 'copy_of'$more);\n};
}

$node->safe_psql('chains', check_docs('INSERT OR UPDATE', '') . 'CALL run(3000, false)');
$node->safe_psql('chains', check_docs('INSERT OR UPDATE', q{, 'within', 'at', '7 days', 'within', 'price', '10.5'}) . 'CALL run(3000, true)');
is($node->safe_psql('chains', q{
	SELECT windows, count(*) AS operations, count(*) FILTER (WHERE flagged) AS flagged, count(*) FILTER (WHERE wrong) AS wrong, sum(cycles) AS in_cycles, sum(different) AS different
	FROM outcomes GROUP BY 1 ORDER BY 1}), "f|2556|1916|0|0|0\nt|2627|891|0|0|0", 'flags of the model');
is($node->safe_psql('chains', q{
	SELECT string_agg(concat_ws(' ', kind, flagged, not_flagged), ', ' ORDER BY kind)
	FROM (SELECT kind, count(*) FILTER (WHERE flagged) AS flagged, count(*) FILTER (WHERE NOT flagged) AS not_flagged FROM outcomes GROUP BY 1) AS kinds}),
	'edit 746 545, insert 777 561, move 231 192, note 235 204, price 218 188, to copy 354 85, unflag 0 417, upsert 246 184', 'operations with and without a flag');

# Rows that only arrive, in the order of the key: the originals are the representatives.
$node->safe_psql('chains', check_docs('INSERT', '') . q{TRUNCATE docs;
	INSERT INTO docs (id, chain, link, at) SELECT i, 1 + pick(8, 'chain' || i), 1 + pick(6, 'link' || i), timestamptz '2026-03-01 00:00Z' + i / 2 * interval '6 hours'
	FROM generate_series(1, 400) i});
is($node->safe_psql('chains', q{
	SELECT count(*) AS rows, count(*) FILTER (WHERE copy_of IS NULL) AS originals, count(*) FILTER (WHERE (copy_of IS NULL) <> (first = id)) AS different,
		count(*) FILTER (WHERE coalesce(copy_of, id) <> first) AS other_names
	FROM (SELECT *, minhash_representative(sig, 0.6, id) OVER (ORDER BY id) AS first FROM docs) r}), '400|24|0|15', 'originals of rows that arrive');
done_testing();

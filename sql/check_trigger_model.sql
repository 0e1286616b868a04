--
-- minhash_check_trigger against a model: random inserts, upserts, updates, moves to
-- other partitions, MERGE and deletes.  The model knows which texts are similar,
-- and which events the server fires.  It compares outcome and rows after each
-- operation.
--
\set ECHO none \i test/data/setup.sql \set ECHO all

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

-- A number below n, the same in every version of the server.
CREATE FUNCTION pick(n int, seed text) RETURNS int LANGUAGE sql IMMUTABLE AS
	$$ SELECT ('x' || left(md5(seed), 7))::bit(28)::int % n $$;
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
END $$;

-- 1,000 operations for each action, without a scope and with one; flag and reject with partitions, skip with the plain
-- table.
SELECT 'TRUNCATE model, setup, parts, plain', format('INSERT INTO setup VALUES (%L, %L, %L)', relation, action, scope),
	format('CREATE TRIGGER check_rows BEFORE INSERT %s ON %I FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger(''sig'', 0.8, %L %s %s)',
		CASE WHEN action <> 'skip' THEN 'OR UPDATE' END, relation, action, CASE action WHEN 'flag' THEN ', ''copy_of''' END, CASE WHEN scope THEN ', ''scope'', ''tenant''' END),
	'CALL run(1000)', format('DROP TRIGGER check_rows ON %I', relation)
FROM (VALUES ('parts', 'flag'), ('parts', 'reject'), ('plain', 'skip')) a (relation, action), (VALUES (false), (true)) s (scope) \set ECHO none \gexec \set ECHO all
SELECT action, scope, count(*) AS operations, count(*) FILTER (WHERE wrong) AS other_outcomes, sum(lost) AS lost, sum(different) AS different
FROM outcomes GROUP BY 1, 2 ORDER BY 1, 2;
-- kinds of operations that were tried, and their outcomes
SELECT action, count(DISTINCT kind) AS kinds, count(*) FILTER (WHERE outcome = 'done') AS done, count(*) FILTER (WHERE outcome = 'nothing') AS nothing,
	count(*) FILTER (WHERE outcome = 'check_rows') AS refused, count(*) FILTER (WHERE outcome = 'pkey') AS key_taken,
	count(*) FILTER (WHERE outcome = 'either') AS either
FROM outcomes GROUP BY 1 ORDER BY 1;

SET client_min_messages = warning;
DROP TABLE model, setup, outcomes, parts, plain CASCADE;
DROP FUNCTION body, outcome, pick, model_move, key;
DROP PROCEDURE run, compare;

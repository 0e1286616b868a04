--
-- Flags of minhash_check_trigger name originals, also within a distance of a column:
-- random operations against a model, and rows that arrive against
-- minhash_representative.
--
\set ECHO none \i test/data/setup.sql \set ECHO all

-- Texts of a chain: neighbours have a similarity of 25 / 35, others of at most 20 / 40.
CREATE FUNCTION body(chain int, link int) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$ SELECT string_agg('c' || chain || 'w' || i, ' ') FROM generate_series(5 * link, 5 * link + 29) i $$;
CREATE TABLE docs (id int PRIMARY KEY, chain int, link int, at timestamptz, price numeric, copy_of int,
	sig minhash GENERATED ALWAYS AS (to_minhash(body(chain, link), 'word:1', 512)) STORED);
-- The estimates are on the side of the threshold on which the exact similarities are.
SELECT bool_and(minhash_similar(to_minhash(body(chain, a), 'word:1', 512), to_minhash(body(chain, b), 'word:1', 512), 0.6, 0.99) = (b - a <= 1)) AS as_exact
FROM generate_series(1, 8) chain, generate_series(1, 6) a, generate_series(a, 6) b;

-- A number below n, the same in every version of the server.
CREATE FUNCTION pick(n int, seed text) RETURNS int LANGUAGE sql IMMUTABLE AS
	$$ SELECT ('x' || left(md5(seed), 7))::bit(28)::int % n $$;
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

CREATE INDEX ON docs USING lsh (sig) WHERE copy_of IS NULL;
CREATE TRIGGER check_docs BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.6, 'flag', 'copy_of');
CALL run(3000, false);
DROP TRIGGER check_docs ON docs;
CREATE TRIGGER check_docs BEFORE INSERT OR UPDATE ON docs FOR EACH ROW
	EXECUTE FUNCTION minhash_check_trigger('sig', 0.6, 'flag', 'copy_of', 'within', 'at', '7 days', 'within', 'price', '10.5');
CALL run(3000, true);
SELECT windows, count(*) AS operations, count(*) FILTER (WHERE flagged) AS flagged, count(*) FILTER (WHERE wrong) AS wrong, sum(cycles) AS in_cycles, sum(different) AS different
FROM outcomes GROUP BY 1 ORDER BY 1;
SELECT kind, count(*) FILTER (WHERE flagged) AS flagged, count(*) FILTER (WHERE NOT flagged) AS not_flagged FROM outcomes GROUP BY 1 ORDER BY 1;
DROP TRIGGER check_docs ON docs;

-- Rows that only arrive, in the order of the key: the originals are the representatives.
CREATE FUNCTION arrive(rows int) RETURNS void LANGUAGE sql AS $$
	TRUNCATE docs;
	INSERT INTO docs (id, chain, link, at) SELECT i, 1 + pick(8, 'chain' || i), 1 + pick(6, 'link' || i), timestamptz '2026-03-01 00:00Z' + i / 2 * interval '6 hours' FROM generate_series(1, rows) i $$;
CREATE TRIGGER check_docs BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.6, 'flag', 'copy_of');
SELECT arrive(400);
SELECT count(*) AS rows, count(*) FILTER (WHERE copy_of IS NULL) AS originals, count(*) FILTER (WHERE (copy_of IS NULL) <> (first = id)) AS different,
	count(*) FILTER (WHERE coalesce(copy_of, id) <> first) AS other_names
FROM (SELECT *, minhash_representative(sig, 0.6, id) OVER (ORDER BY id) AS first FROM docs) r;
DROP TRIGGER check_docs ON docs;

-- Distances: of each type, inclusive in both directions; NULL is within nothing.
CREATE DOMAIN "My day" AS date;
CREATE TABLE dated (id int PRIMARY KEY, day "My day", at timestamp, n smallint, big bigint, ratio float8, part real, cost numeric, clock time, zoned timetz, span interval, since date, name text, spot point, folded text, body text DEFAULT 'one text of several words',
	copy_of int, sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED);
CREATE FUNCTION near(field text, distance text, VARIADIC field_values text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
	detail text;
	context text;
BEGIN
	EXECUTE format('TRUNCATE dated; CREATE TRIGGER c BEFORE INSERT OR UPDATE ON dated FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger(''sig'', 0.8, ''flag'', ''copy_of'', ''within'', %L, %L)', field, distance);
	EXECUTE format('INSERT INTO dated (id, %I) SELECT n, v FROM unnest(%L::%s[]) WITH ORDINALITY AS u (v, n)', field, field_values, (SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'dated'::regclass AND attname = field));
	SELECT string_agg(coalesce(copy_of::text, '-'), ' ' ORDER BY id) INTO result FROM dated;
	DROP TRIGGER c ON dated;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, context = PG_EXCEPTION_CONTEXT;
	RETURN format('%s %s [%s]%s', sqlstate, sqlerrm, detail, ' ' || substring(context FROM 'distance [^\n]*'));
END $$;
SELECT near('day', '2 days', '2026-02-27', '2026-03-01', '2026-03-02', '2026-02-25', NULL, NULL, 'infinity', '2026-02-26');
SELECT near('at', '1 hour', '2026-02-27 12:00', '2026-02-27 13:00', '2026-02-27 13:00:00.000001', '2026-02-27 11:00', '2026-02-27 10:59:59.999999');
SELECT near('at', '0', '2026-02-27 12:00', '2026-02-27 12:00', '2026-02-27 12:01');
SELECT near('n', '5', '1', '6', '7', '-4', '-5', '32767', '-32768');
SELECT near('big', '9223372036854775807', '-9223372036854775808', '0', '9223372036854775807');
SELECT near('ratio', '0.5', '0.25', '0.75', '0.7500000001', 'Infinity', 'Infinity', 'NaN', 'NaN');
SELECT near('part', '0.5', '0.25', '0.75', '0.76');
SELECT near('cost', '0.1', '0.2', '0.3', '0.30000000000000000001', '0.1');
SELECT near('clock', '2 hours', '01:00', '03:00', '23:30', '03:01');
SELECT near('zoned', '24:00', '01:00+00', '23:00+00', '24:00+00');
SELECT near('span', '1 day', '1 hour', '25 hours', '26 hours');
-- Bounds at the ends of a type: numbers and infinite values have one, a value near the end of the timestamps is an error even if no row is similar.
SELECT near('at', '7 days', 'infinity', 'infinity', '-infinity', '294276-12-20', '294276-12-24 23:59', '4713-01-10 BC'), near('cost', '1', 'NaN', 'NaN', '1e1000', '0');
SELECT f, d, v, near(f, d, v) FROM (VALUES ('at', '7 days', '294276-12-25'), ('at', '7 days', '4714-11-30 BC'), ('at', '300000 years', '2026-02-01'), ('since', '0', '294277-01-01'), ('since', '7 days', '4714-11-24 BC'), ('since', '0', '294276-12-31')) v (f, d, v);
-- A date that was stored before the trigger is an error for other rows.
TRUNCATE dated;
INSERT INTO dated (id, since) VALUES (1, '300000-01-01');
CREATE TRIGGER c BEFORE INSERT OR UPDATE ON dated FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of', 'within', 'since', '7 days');
\set SHOW_CONTEXT never
INSERT INTO dated (id, since) VALUES (2, '2026-02-03');
\set SHOW_CONTEXT errors
DROP TRIGGER c ON dated;
SELECT f, d, near(f, d, v) FROM (VALUES ('n', '-1', '1'), ('n', 'some', '1'), ('n', '1 day', '1'), ('big', '1.5', '1'), ('ratio', 'NaN', '1'), ('cost', 'nan', '1'),
	('at', '-1 day', '2026-02-01'), ('at', '1 month -1 day', '2026-02-01'), ('clock', '1 day', '01:00'), ('clock', '1 month', '01:00'), ('clock', '1 day -2 hours', '01:00'), ('zoned', '1 day 2 hours', '01:00+00'), ('zoned', '-2 hours', '01:00+00'), ('span', '1 day -1 hour', '1 day'), ('at', '7 dais', '2026-02-01'), ('name', '1', '1'), ('spot', '1', '(1,2)')) v (f, d, v);
-- several distances, after a scope; the other actions; an update of the column is checked
TRUNCATE dated;
CREATE TRIGGER c BEFORE INSERT OR UPDATE ON dated FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of', 'scope', 'name', 'folded', 'within', 'at', '1 day', 'within', 'n', '2');
INSERT INTO dated (id, name, at, n) VALUES (1, 'a', '2026-02-01', 1), (2, 'a', '2026-02-02', 3), (3, 'a', '2026-02-02', 4), (4, 'a', '2026-02-04', 1), (5, 'b', '2026-02-02', 3) RETURNING id, copy_of;
UPDATE dated SET n = 3 WHERE id = 3 RETURNING copy_of;
UPDATE dated SET at = '2026-02-03' WHERE id = 4 RETURNING copy_of;
UPDATE dated SET at = '2026-02-02', n = 2 WHERE id = 4 RETURNING copy_of;
UPDATE dated SET body = body WHERE id = 4 RETURNING copy_of;
DROP TRIGGER c ON dated;
TRUNCATE dated;
CREATE TRIGGER c BEFORE INSERT ON dated FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'skip', 'within', 'at', '1 day');
INSERT INTO dated (id, at) VALUES (1, '2026-02-01'), (2, '2026-02-02'), (3, '2026-02-03') RETURNING id;
DROP TRIGGER c ON dated;
CREATE TRIGGER c BEFORE INSERT OR UPDATE ON dated FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'reject', 'within', 'at', '1 day');
INSERT INTO dated (id, at) VALUES (4, '2026-02-05');
INSERT INTO dated (id, at) VALUES (5, '2026-02-05');
UPDATE dated SET at = '2026-02-04' WHERE id = 1;
-- wrong arguments
DROP TRIGGER c ON dated;
CREATE TABLE bad (LIKE dated INCLUDING ALL);
ALTER TABLE bad ADD tags text[];
\set ECHO none \i test/data/triggers.sql \set ECHO all
SELECT arguments, regexp_replace(trigger_error('minhash_check_trigger', arguments, 'BEFORE INSERT'), ' \[[^]]*\]$', '') AS error FROM unnest(ARRAY[
	$$'sig', 0.8, 'reject', 'within'$$, $$'sig', 0.8, 'reject', 'within', 'at'$$, $$'sig', 0.8, 'reject', 'scope', 'within', 'at', '1 day'$$,
	$$'sig', 0.8, 'reject', 'within', 'at', '1 day', 'at', '2 days'$$, $$'sig', 0.8, 'reject', 'within', 'at', '1 day', 'scope', 'name'$$,
	$$'sig', 0.8, 'flag', 'copy_of', 'within', 'at', '1 day', 'within', 'n'$$]) arguments;
DROP PROCEDURE run;
DROP FUNCTION originals, pick, arrive, near, words, trigger_error;
DROP TABLE docs, model, outcomes, dated, bad;
DROP FUNCTION body;
DROP DOMAIN "My day";

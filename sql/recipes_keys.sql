--
-- minhash_check_trigger on tables with keys of several types: int, bigint, text,
-- uuid and two columns.
--
\set ECHO none \i test/data/setup.sql
SET client_min_messages = warning;

CREATE TABLE texts (n int PRIMARY KEY, body text);
INSERT INTO texts VALUES
	(1, 'Heavy rain closed the mountain pass on Friday night. Road crews expect to clear the mud by Sunday, the county said.'),
	(2, 'The library will stay open until midnight during the examination weeks, from Monday to Thursday.'),
	(3, 'Heavy rain closed the mountain pass on Friday night. Road crews expect to clear the mud by Sunday, the county says.'),
	(4, NULL),
	(5, 'The library will stay open until midnight during the examination weeks, from Monday to Thursday!'),
	(6, ''),
	(7, ''),
	(8, 'A goat that escaped from the zoo was found asleep in the waiting room of the town hall.');
-- The key of row n, by table: columns, values, key.
CREATE TABLE keys (relation text, columns text, value text, key text);
INSERT INTO keys VALUES
	('by_int', 'id int PRIMARY KEY', 'n', 'id'),
	('by_bigint', 'id bigint PRIMARY KEY', 'n + 4000000000', 'id'),
	('by_text', 'id text PRIMARY KEY', '''it''''s, "'' || n', 'id'),
	('by_uuid', 'id uuid PRIMARY KEY', 'lpad(n::text, 32, ''0'')::uuid', 'id'),
	('by_two', 'shop text, sku int, PRIMARY KEY (shop, sku)', '''shop '' || n % 2, n', '(shop, sku)');

-- Create the tables; the column of flags has the type of the key, or is a text for two columns.
SELECT format('CREATE TABLE %s (%s, body text, copy_of %s, sig minhash(128) GENERATED ALWAYS AS (to_minhash(body)) STORED)',
	relation, columns, CASE key WHEN 'id' THEN split_part(columns, ' ', 2) ELSE 'text' END) FROM keys \gexec
SELECT format('CREATE INDEX ON %s USING lsh (sig)', relation) FROM keys \gexec
-- Let the triggers take an action.
CREATE PROCEDURE set_action(action text, events text) LANGUAGE plpgsql AS $$
DECLARE
	k keys;
BEGIN
	FOR k IN TABLE keys LOOP
		EXECUTE format('DROP TRIGGER IF EXISTS check_rows ON %s', k.relation);
		EXECUTE format('CREATE TRIGGER check_rows BEFORE %s ON %s FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger(''sig'', 0.8, %s)',
			events, k.relation, action);
	END LOOP;
END $$;
-- Insert the texts; return their keys and flags.
CREATE FUNCTION fill(k keys) RETURNS TABLE (row_key text, copy_of text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('INSERT INTO %s SELECT %s, body FROM texts ORDER BY n RETURNING %s::text, copy_of::text',
		k.relation, k.value, k.key);
END $$;
\set ECHO all

-- flag: 3 is a copy of 1, and 5 of 2; texts that are NULL or empty are none
CALL set_action('''flag'', ''copy_of''', 'INSERT OR UPDATE');
SELECT relation, f.* FROM keys k, fill(k) f WHERE f.copy_of IS NOT NULL;
-- the flags are those of the exact similarities of the texts
SELECT a.n, b.n AS copy_of FROM texts a JOIN texts b ON b.n < a.n AND jaccard(a.body, b.body, 'char:5') >= 0.8 ORDER BY 1;
-- an update compares with the other rows, also if the key changes
UPDATE by_int SET id = 10, body = upper(body) WHERE id = 8 RETURNING id, copy_of;
UPDATE by_two SET sku = 10, body = body || ' ' WHERE sku = 3 RETURNING shop, sku, copy_of;
UPDATE by_uuid SET body = 'Something else.' WHERE copy_of IS NOT NULL RETURNING id, copy_of;

-- the flag of a key with a time is that of the key as text in UTC, in any session
CREATE TABLE by_time (shop text, at timestamptz, body text, copy_of text, PRIMARY KEY (shop, at), sig minhash(128) GENERATED ALWAYS AS (to_minhash(body)) STORED);
CREATE TRIGGER check_rows BEFORE INSERT OR UPDATE ON by_time FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of', 'scope', 'shop');
SET DateStyle = ISO;
SET TimeZone = 'Europe/Berlin';
INSERT INTO by_time SELECT 'north', timestamptz '2026-03-01 12:00+00' + n * interval '1 day', body FROM texts WHERE n IN (1, 3);
SELECT count(*) AS in_berlin FROM by_time copy JOIN by_time original ON copy.copy_of = (original.shop, original.at)::text;
SET TimeZone = 'UTC';
SELECT copy.at, original.at AS original_at FROM by_time copy JOIN by_time original ON copy.copy_of = (original.shop, original.at)::text;
RESET TimeZone;
RESET DateStyle;

-- skip: the copies do not arrive
TRUNCATE by_int, by_bigint, by_text, by_uuid, by_two;
CALL set_action('''skip''', 'INSERT');
SELECT relation, string_agg(right(row_key, 3), ' ' ORDER BY row_key) AS arrived FROM keys k, fill(k) GROUP BY relation ORDER BY 1;

-- an upsert that is similar to a third row is skipped, too; one that is similar to its own row is not
INSERT INTO by_int SELECT 1, body FROM texts WHERE n = 5 ON CONFLICT (id) DO UPDATE SET body = excluded.body RETURNING id;
INSERT INTO by_int SELECT 1, body FROM texts WHERE n = 3 ON CONFLICT (id) DO UPDATE SET body = excluded.body RETURNING id;

-- reject: a copy is an error, and the other row is named
CALL set_action('''reject''', 'INSERT OR UPDATE');
CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	EXECUTE statement;
	RETURN 'accepted';
EXCEPTION WHEN unique_violation OR feature_not_supported THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws(': ', SQLERRM, detail);
END $$;
SELECT relation, try(format('INSERT INTO %s SELECT %s, body FROM (SELECT 9 AS n, body FROM texts WHERE n = 3) t', relation, value))
FROM keys;
SELECT relation, try(format('INSERT INTO %s SELECT %s, %L FROM (SELECT 9 AS n) t', relation, value, 'Nothing of the kind.')) FROM keys;
SELECT relation, try(format('UPDATE %s SET body = (SELECT body FROM texts WHERE n = 3) WHERE body LIKE %L', relation, 'A goat%'))
FROM keys;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT try('INSERT INTO by_int VALUES (11, ''A text'')');
COMMIT;

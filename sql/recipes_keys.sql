--
-- Recipes of the README on tables with keys of several types: int, bigint, text,
-- uuid and two columns.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS lshsim;

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

-- Create a table whose column of flags has the type of the key, or is a text for two columns.
CREATE FUNCTION make_table(k keys) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE %s (%s, body text, copy_of %s,
		sig minhash(128) GENERATED ALWAYS AS (to_minhash(body)) STORED)', k.relation, k.columns,
		CASE k.key WHEN 'id' THEN split_part(k.columns, ' ', 2) ELSE 'text' END);
	EXECUTE format('CREATE INDEX ON %s USING lsh (sig)', k.relation);
END $$;
-- Let the trigger of a table take an action.
CREATE FUNCTION set_action(k keys, action text, events text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('DROP TRIGGER IF EXISTS check_rows ON %s', k.relation);
	EXECUTE format('CREATE TRIGGER check_rows BEFORE %s ON %s FOR EACH ROW EXECUTE FUNCTION minhash_check_trigger(''sig'', 0.8, %s)',
		events, k.relation, action);
END $$;
-- Insert the texts; return their keys and flags.
CREATE FUNCTION fill(k keys) RETURNS TABLE (row_key text, copy_of text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('INSERT INTO %s SELECT %s, body FROM texts ORDER BY n RETURNING %s::text, copy_of::text',
		k.relation, k.value, k.key);
END $$;
SELECT make_table(k) FROM keys k;

-- flag: 3 is a copy of 1, and 5 of 2; texts that are NULL or empty are none
SELECT set_action(k, '''flag'', ''copy_of''', 'INSERT OR UPDATE') FROM keys k;
SELECT relation, f.* FROM keys k, fill(k) f WHERE f.copy_of IS NOT NULL;
-- the flags are those of the exact similarities of the texts
SELECT a.n, b.n AS copy_of FROM texts a JOIN texts b ON b.n < a.n AND jaccard(a.body, b.body, 'char:5') >= 0.8 ORDER BY 1;
-- an update compares with the other rows, also if the key changes
UPDATE by_int SET id = 10, body = upper(body) WHERE id = 8 RETURNING id, copy_of;
UPDATE by_two SET sku = 10, body = body || ' ' WHERE sku = 3 RETURNING shop, sku, copy_of;
UPDATE by_uuid SET body = 'Something else.' WHERE copy_of IS NOT NULL RETURNING id, copy_of;

-- skip: the copies do not arrive
TRUNCATE by_int, by_bigint, by_text, by_uuid, by_two;
SELECT set_action(k, '''skip''', 'INSERT') FROM keys k;
SELECT relation, string_agg(right(row_key, 3), ' ' ORDER BY row_key) AS arrived FROM keys k, fill(k) GROUP BY relation ORDER BY 1;

-- reject: a copy is an error, and the other row is named
SELECT set_action(k, '''reject''', 'INSERT OR UPDATE') FROM keys k;
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

-- delete all rows with a similar one that stays
SELECT format('ALTER TABLE %s DISABLE TRIGGER check_rows', relation) FROM keys \gexec
TRUNCATE by_int, by_bigint, by_text, by_uuid, by_two;
SELECT count(*) FROM keys k, fill(k);
CREATE FUNCTION deduplicate(k keys) RETURNS TABLE (deleted text, stays text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('
		WITH c AS (
			SELECT *, row_number() OVER w AS ordinal, minhash_representative(sig, 0.7) OVER w AS representative
			FROM %1$s WINDOW w AS (ORDER BY %2$s)
		)
		DELETE FROM %1$s p USING c d JOIN c k ON k.ordinal = d.representative
		WHERE %3$s = %4$s AND d.representative <> d.ordinal
		RETURNING %4$s::text, %5$s::text', k.relation, k.key,
		CASE k.key WHEN 'id' THEN 'p.id' ELSE '(p.shop, p.sku)' END,
		CASE k.key WHEN 'id' THEN 'd.id' ELSE '(d.shop, d.sku)' END,
		CASE k.key WHEN 'id' THEN 'k.id' ELSE '(k.shop, k.sku)' END);
END $$;
SELECT relation, d.* FROM keys k, deduplicate(k) d ORDER BY relation, deleted;

-- mutual best matches, between keys of different types
TRUNCATE by_text, by_uuid;
INSERT INTO by_text SELECT 'a' || n, body FROM texts WHERE n IN (1, 2, 8);
INSERT INTO by_uuid SELECT lpad(n::text, 32, '0')::uuid, body FROM texts WHERE n IN (3, 5, 1);
SELECT ours, theirs, round(similarity::numeric, 2) AS similarity FROM (
	SELECT o.id AS ours, t.id AS theirs, s.similarity,
		row_number() OVER (PARTITION BY o.id ORDER BY similarity DESC, t.id) AS rank_in_theirs,
		row_number() OVER (PARTITION BY t.id ORDER BY similarity DESC, o.id) AS rank_in_ours
	FROM by_text o JOIN by_uuid t ON minhash_similar(t.sig, o.sig, 0.3), jaccard(o.sig, t.sig) AS s(similarity)) pairs
WHERE rank_in_theirs = 1 AND rank_in_ours = 1 ORDER BY 1;

-- groups in a table
TRUNCATE by_int, by_bigint, by_text, by_uuid, by_two;
SELECT count(*) FROM keys k, fill(k);
SELECT minhash_groups_create(relation, 'sig', 0.7) FROM keys;
SELECT id, first_value(id) OVER (PARTITION BY grp ORDER BY id) AS first FROM by_text JOIN by_text_groups USING (id) ORDER BY 1;
SELECT sku, first_value(sku) OVER (PARTITION BY grp ORDER BY sku) AS first FROM by_two JOIN by_two_groups USING (shop, sku) ORDER BY 1;
SELECT count(DISTINCT grp) FROM by_uuid_groups;
SELECT minhash_groups_drop((relation || '_groups')::regclass) FROM keys;

DROP TABLE by_int, by_bigint, by_text, by_uuid, by_two, texts;
DROP FUNCTION try, make_table, set_action, fill, deduplicate;
DROP TABLE keys;

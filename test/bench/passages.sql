-- Searches for shared passages, next to pg_trgm, which finds the whole query
-- verbatim only.  Each index is on a table of its own.
--
-- In: the table texts (id, body).  psql variables: name, of the texts; run; rows;
-- many, whether pg_trgm and inserts would take too long.
SELECT format('%s, %s: ', :'name', :'run') AS subject, sum(length(body)) AS characters, sum(octet_length(body)) / 1e6 AS megabytes
FROM texts \gset
DROP TABLE IF EXISTS kinds;
CREATE TABLE kinds AS
SELECT array_position(ARRAY['lsh', 'gin'], amname::text) AS n, 'lshsim, ' || CASE amname WHEN 'gin' THEN 'GIN' ELSE amname END AS who, 'texts_' || amname AS name,
	format('%s (body passage_ops (run = %L))', amname, :'run') AS index, format('shares_passage(body, probe.body, %L)', :'run') AS condition
FROM pg_opclass JOIN pg_am AS a ON a.oid = opcmethod WHERE opcname = 'passage_ops'
UNION ALL SELECT 3, 'pg_trgm, ILIKE', 'texts_trgm', 'gin (body gin_trgm_ops)',
	$$body ILIKE '%' || replace(replace(replace(probe.body, '\', '\\'), '%', '\%'), '_', '\_') || '%'$$ WHERE NOT :many;
SELECT format('DROP TABLE IF EXISTS %1$s; CREATE TABLE %1$s AS TABLE texts', name) FROM kinds \gexec

SET bench.clock = 'processor';
SELECT bench.race('passages', :'subject' || 'build', :rows, 'MB/s', :megabytes, :runs, VARIADIC array_agg(part ORDER BY n, place))
FROM kinds, unnest(ARRAY[who, format('DROP INDEX IF EXISTS %1$s_index --timed CREATE INDEX %1$s_index ON %1$s USING %2$s', name, index)])
	WITH ORDINALITY AS p (part, place);
SET bench.clock = 'clock';
SELECT bench.note('passages', :'subject' || 'size', :rows, who, 'bytes a character', ARRAY[pg_relation_size(name || '_index')::float8 / :characters])
FROM kinds ORDER BY n;
SELECT format('VACUUM ANALYZE %s', name) FROM kinds \gexec
VACUUM ANALYZE texts;

-- Search for a passage of 200 characters, and for whole texts.
CREATE FUNCTION pg_temp.search_for(subject text, what text, expression text, rows bigint, patience float8) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE bench.probes;
	EXECUTE format('INSERT INTO bench.probes SELECT row_number() OVER (ORDER BY hashint8(id), id), id, %s, to_minhash(body)
		FROM texts WHERE length(body) > 400 ORDER BY hashint8(id), id LIMIT 200', expression);
	PERFORM bench.probe_race('passages', subject || what, NULL, rows, patience, VARIADIC
		(SELECT array_agg(part ORDER BY n, place) FROM kinds, unnest(ARRAY[who, format('SELECT id FROM %s WHERE %s', name, condition)])
			WITH ORDINALITY AS p (part, place) WHERE who LIKE 'lshsim%' OR what = '200 characters')
		|| ARRAY['sequential scan', 'SELECT id FROM texts WHERE ' || (SELECT min(condition) FROM kinds WHERE who LIKE 'lshsim%')]);
	PERFORM bench.check_same(subject || what);
END $$;
SELECT pg_temp.search_for(:'subject', '200 characters', 'substr(body, length(body) / 3, 200)', :rows, :patience);
SELECT pg_temp.search_for(:'subject', 'whole texts', 'body', :rows, :patience);

-- Insert a tenth of the rows into tables that hold half of them.
SELECT bench.race('passages', :'subject' || 'insert', count(*), 'rows/s', count(*), :runs,
	VARIADIC (SELECT array_agg(part ORDER BY n, place) FROM kinds, unnest(ARRAY[who,
		format('DROP TABLE IF EXISTS target; CREATE TABLE target AS SELECT * FROM texts WHERE id %% 2 = 0; CREATE INDEX ON target USING %s
			--timed INSERT INTO target SELECT * FROM texts WHERE id %% 10 = 1', index)]) WITH ORDINALITY AS p (part, place)))
FROM texts WHERE id % 10 = 1 AND NOT :many HAVING count(*) > 0;
SELECT format('DROP TABLE IF EXISTS target, %s', string_agg(name, ', ')) FROM kinds \gexec

--
-- minhash_representative with frames: against the definition, with the rows that the
-- server finds in the same frames.
--
\set ECHO none \i test/data/setup.sql
-- The definition: in the window's order, each row joins the first earlier representative in its frame that it is similar to.
CREATE FUNCTION compare(definition text, OUT stay int, OUT different int) LANGUAGE plpgsql AS $$
DECLARE
	r record;
	stays int[] := '{}';	-- representative of each id
	places int[] := '{}';
	first int;
BEGIN
	stay := 0; different := 0;
	FOR r IN EXECUTE format('SELECT id, chain, link, sig IS NULL AS alone, row_number() OVER w AS place,
			array_agg(id) OVER w AS frame, minhash_representative(sig, 0.6, id) OVER w AS found
		FROM news WINDOW w AS (%s)', definition) LOOP
		SELECT n.id INTO first FROM unnest(r.frame) f (id) JOIN news n USING (id)
			WHERE stays[n.id] = n.id AND n.sig IS NOT NULL AND NOT r.alone AND n.chain = r.chain AND abs(n.link - r.link) <= 1
			ORDER BY places[n.id] LIMIT 1;
		stays[r.id] := coalesce(first, r.id);
		places[r.id] := r.place;
		stay := stay + (stays[r.id] = r.id)::int;
		different := different + (stays[r.id] <> r.found)::int;
	END LOOP;
END $$;

-- Texts of a chain: neighbours have a similarity of 25 / 35, others of at most 20 / 40; some rows have none.
CREATE TABLE news (id int PRIMARY KEY, source int, chain int, link int, at timestamp, day int,
	sig minhash(512));
INSERT INTO news SELECT i, h % 2, h / 2 % 3, h / 6 % 6,
	timestamp '2026-03-01' + h / 36 % 60 * interval '12 hours' + i * interval '1 second', h / 36 % 60 / 4,
	CASE WHEN h / 2160 % 15 > 0 THEN (SELECT to_minhash(string_agg(format('c%sw%s', h / 2 % 3, j), ' '), 'word:1', 512)
		FROM generate_series(5 * (h / 6 % 6), 5 * (h / 6 % 6) + 29) j) END
FROM generate_series(1, 400) i, LATERAL (SELECT ('x' || left(md5(i::text), 7))::bit(28)::int AS h) r;
\set ECHO all
SELECT bool_and(minhash_similar(a.sig, b.sig, 0.6, 0.99) = (a.chain = b.chain AND abs(a.link - b.link) <= 1)) AS as_exact FROM news a, news b WHERE a.sig IS NOT NULL AND b.sig IS NOT NULL;

CREATE TABLE windows (n int, definition text);
INSERT INTO windows SELECT row_number() OVER (), w FROM unnest(ARRAY[
	'ORDER BY at, id', 'ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING', 'ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 3 FOLLOWING',
	'ORDER BY id RANGE UNBOUNDED PRECEDING EXCLUDE CURRENT ROW',
	'ORDER BY at RANGE ''7 days'' PRECEDING', 'PARTITION BY source ORDER BY at RANGE ''7 days'' PRECEDING', 'ORDER BY at DESC RANGE BETWEEN ''7 days'' PRECEDING AND ''2 days'' PRECEDING',
	'ORDER BY at RANGE BETWEEN ''2 days'' PRECEDING AND ''2 days'' FOLLOWING', 'ORDER BY at RANGE BETWEEN ''2 days'' FOLLOWING AND ''9 days'' FOLLOWING',
	'ORDER BY id ROWS 20 PRECEDING', 'ORDER BY id ROWS BETWEEN 40 PRECEDING AND 10 PRECEDING', 'ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 30 PRECEDING', 'ORDER BY id ROWS CURRENT ROW',
	'ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING', 'ORDER BY day GROUPS 1 PRECEDING', 'PARTITION BY source ORDER BY day GROUPS BETWEEN 3 PRECEDING AND 1 PRECEDING',
	'ORDER BY day RANGE BETWEEN CURRENT ROW AND CURRENT ROW', 'ORDER BY day RANGE UNBOUNDED PRECEDING EXCLUDE GROUP', 'ORDER BY day RANGE UNBOUNDED PRECEDING EXCLUDE TIES',
	'ORDER BY day GROUPS 2 PRECEDING EXCLUDE GROUP', 'ORDER BY day GROUPS BETWEEN 2 PRECEDING AND 1 FOLLOWING EXCLUDE TIES', 'ORDER BY id ROWS BETWEEN 25 PRECEDING AND 25 FOLLOWING EXCLUDE CURRENT ROW',
	'ROWS 30 PRECEDING']) w;
-- the order of the rows of a day is not determined
SELECT count(*), count(*) FILTER (WHERE different = 0) AS same, min(stay) FILTER (WHERE definition ~ 'ORDER BY (id|at)'),
	max(stay) FILTER (WHERE definition ~ 'ORDER BY (id|at)') FROM windows, compare(definition);
SELECT definition, stay, different FROM windows, compare(definition) WHERE different > 0;
-- partitions of one row, of NULLs, none; values of another type; threshold and recall NULL
SELECT count(*) FILTER (WHERE r = id::text) FROM (SELECT id, minhash_representative(sig, 0.6, id::text) OVER (PARTITION BY id ORDER BY at RANGE '7 days' PRECEDING) AS r FROM news) o;
SELECT count(*) FILTER (WHERE r = id::text) FROM (SELECT id, minhash_representative(NULL::minhash, 0.6, id::text) OVER (ORDER BY at RANGE '7 days' PRECEDING) AS r FROM news) o;
SELECT count(*) FROM (SELECT minhash_representative(sig, 0.6, id) OVER (ORDER BY at RANGE '7 days' PRECEDING) FROM news WHERE false) r;
SELECT DISTINCT minhash_representative(sig, NULL, id) OVER (ORDER BY at RANGE '7 days' PRECEDING) FROM news;
-- several windows in one query, and the query of a join that is scanned again
SELECT count(*) FILTER (WHERE a < b) AS earlier, count(*) FILTER (WHERE a > b) AS later FROM (SELECT minhash_representative(sig, 0.6, id) OVER (ORDER BY id) AS a,
	minhash_representative(sig, 0.6, id) OVER (ORDER BY id ROWS 20 PRECEDING) AS b FROM news) r;
SELECT v, count(*) FILTER (WHERE stays = id) FROM (VALUES (0), (1)) v (v), LATERAL (SELECT id, minhash_representative(sig, 0.6, id) OVER (ORDER BY at RANGE '7 days' PRECEDING) AS stays
	FROM news WHERE source = v) r GROUP BY 1 ORDER BY 1;

-- Speed of making signatures, in CPU time, compared with a C loop that only
-- hashes every window of five bytes and updates minima (bare_loop.c).  The
-- input of the loop is already normalized.
SET bench.clock = 'processor';

SELECT bench.race('sketch', 'texts, ' || shingling || ', 128 hashes', count(*), 'MB/s',
	sum(octet_length(body)) / 1e6, :runs,
	VARIADIC ARRAY['lshsim', format('SELECT count(to_minhash(body, %L)) FROM docs', shingling)]
	|| CASE WHEN shingling = 'char:5' THEN ARRAY[
	'bare loop', format('!%s/bare_loop %1$s/normalised', :'world'),
	'bare loop without a branch', format('!%s/bare_loop %1$s/normalised no-branch', :'world')] ELSE '{}' END
	|| ARRAY['lshsim, k-permutation',
	format('SELECT count(to_minhash(body, %L, 128, 0, ''k-permutation'')) FROM docs', shingling)])
FROM docs, unnest(ARRAY['char:5', 'word:3']) AS shingling GROUP BY shingling ORDER BY shingling;

-- Other numbers of hashes.
SELECT bench.race('sketch', format('texts, %s, %s hashes', shingling, hashes), count(*), 'MB/s',
	sum(octet_length(body)) / 1e6, :runs,
	'lshsim', format('SELECT count(to_minhash(body, %L, %s)) FROM docs', shingling, hashes),
	'lshsim, k-permutation',
	format('SELECT count(to_minhash(body, %L, %s, 0, ''k-permutation'')) FROM docs', shingling, hashes))
FROM docs, unnest(ARRAY['char:5', 'word:3']) AS shingling, unnest(ARRAY[64, 256]) AS hashes
GROUP BY shingling, hashes ORDER BY shingling, hashes;

-- Convert MB/s to nanoseconds per shingle.
WITH counted AS (
	SELECT shingling, sum(octet_length(body)) / 1e6 AS megabytes,
		sum(cardinality(shingles(body, shingling::shingling))) AS shingles
	FROM docs, unnest(ARRAY['char:5', 'word:3']) AS shingling GROUP BY shingling
)
UPDATE bench.figures SET note = format('%s ns for a shingle',
	round((1e9 * megabytes / median / shingles)::numeric, 1))
FROM counted WHERE section = 'sketch' AND task LIKE '%' || shingling || '%' AND who NOT LIKE 'bare loop%';

-- Elements that need no shingling: random integers, words, and lexemes.
CREATE TABLE sets (integers int[], words text[], lexemes tsvector);
ALTER TABLE sets ALTER words SET STORAGE external, ALTER lexemes SET STORAGE external;
INSERT INTO sets
SELECT ARRAY(SELECT hashint4(1000 * id + i) FROM generate_series(1, 400) AS i),
	regexp_split_to_array(body, '\s+'), to_tsvector('english', body)
FROM docs ORDER BY id LIMIT 20000;
SELECT bench.race('sketch', 'int[] of 400 elements', count(*), 'million elements/s',
	sum(cardinality(integers)) / 1e6, :runs, 'lshsim', 'SELECT count(array_to_minhash(integers)) FROM sets')
FROM sets;
SELECT bench.race('sketch', 'text[] of words', count(*), 'million elements/s',
	sum(cardinality(words)) / 1e6, :runs, 'lshsim', 'SELECT count(array_to_minhash(words)) FROM sets')
FROM sets;
SELECT bench.race('sketch', 'tsvector', count(*), 'million elements/s',
	sum(length(lexemes)) / 1e6, :runs, 'lshsim', 'SELECT count(tsvector_to_minhash(lexemes)) FROM sets')
FROM sets;
DROP TABLE sets;

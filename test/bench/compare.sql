-- How fast signatures are compared: sequential scans of signatures, of the
-- same bytes as bytea in a table of the same width (get_byte fetches the value
-- and reads one byte of it), and of the texts.  Processor time.
SET bench.clock = 'processor';
SET bench.repeat = 40;
SET enable_bitmapscan = off;
SET enable_indexscan = off;

SELECT count(*) AS rows FROM sigs \gset
SELECT id AS some FROM docs ORDER BY hashint4(id) LIMIT 1 \gset
SELECT format('%L::minhash', sig) AS sig, format('%L::bytea', sig::bytea) AS byte, format('%L', body) AS body
FROM sigs JOIN docs USING (id) WHERE id = :some \gset
SET pg_trgm.similarity_threshold = 0.8;

SELECT bench.race('compare', 'scan with %', count(*), 'million rows/s', count(*) / 1e6, 2 * :runs + 1,
	'lshsim', 'SELECT count(*) FROM sigs WHERE sig % ' || :'sig',
	'bytea, get_byte(x, 0) = 255', 'SELECT count(*) FROM bytes WHERE get_byte(sig, 0) = 255',
	'bytea, x = constant', 'SELECT count(*) FROM bytes WHERE sig = ' || :'byte',
	'rows only', 'SELECT count(*) FROM sigs')
FROM sigs;
SELECT bench.race('compare', 'scan with <->', count(*), 'million rows/s', count(*) / 1e6, :runs,
	'lshsim', 'SELECT count(*) FROM sigs WHERE sig <-> ' || :'sig' || ' <= 0.2')
FROM sigs;
SELECT bench.race('compare', 'the ten nearest of all rows', count(*), 'million rows/s', count(*) / 1e6, :runs,
	'lshsim', 'SELECT id FROM sigs ORDER BY sig <-> ' || :'sig' || ' LIMIT 10',
	'bytea, ORDER BY get_byte(x, 0)', 'SELECT id FROM bytes ORDER BY get_byte(sig, 0) LIMIT 10')
FROM sigs;

-- pg_trgm takes long enough to be timed once, and is given a tenth of the rows.
SET bench.repeat = 1;
CREATE TABLE tenth AS SELECT id, body FROM docs WHERE id % 10 = 1;
SELECT bench.race('compare', task, :rows, 'million rows/s', count(*) / 1e6, :runs, who, query)
FROM tenth, (VALUES (1, 'scan with %', 'pg_trgm %', 'SELECT count(*) FROM tenth WHERE body % ' || :'body'),
	(2, 'scan with <->', 'pg_trgm <->', 'SELECT count(*) FROM tenth WHERE body <-> ' || :'body' || ' <= 0.2'),
	(3, 'the ten nearest of all rows', 'pg_trgm <->', 'SELECT id FROM tenth ORDER BY body <-> ' || :'body' || ' LIMIT 10'))
	AS v (n, task, who, query)
GROUP BY n, task, who, query ORDER BY n;
DROP TABLE tenth;

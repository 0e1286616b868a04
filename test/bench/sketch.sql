-- How fast signatures are made and found; the table docs (id, body) is there.
-- In: psql variable bare, the speed of bare_loop in MB/s.

SET max_parallel_workers_per_gather = 0;
SET jit = off;

-- The CPU seconds that this session has used; where Linux does not tell them,
-- seconds on the clock.
CREATE FUNCTION pg_temp.cpu_seconds() RETURNS float8 LANGUAGE sql AS $$
    SELECT coalesce(split_part(pg_read_file('/proc/self/schedstat', 0, 100, true),
                               ' ', 1)::float8 / 1e9,
                    extract(epoch FROM clock_timestamp())::float8)
$$;

-- Median seconds of five runs of a query, less those of a query that only
-- reads the same column.
CREATE FUNCTION pg_temp.seconds(query text, base text) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
    began float8;
    medians float8[] := '{}';
    times float8[];
    q text;
BEGIN
    FOREACH q IN ARRAY array[query, base] LOOP
        times := '{}';
        FOR run IN 1 .. 5 LOOP
            began := pg_temp.cpu_seconds();
            EXECUTE q;
            times := times || pg_temp.cpu_seconds() - began;
        END LOOP;
        medians := medians || (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY t)
                                 FROM unnest(times) t);
    END LOOP;
    RETURN medians[1] - medians[2];
END $$;

-- A line of the report.
CREATE FUNCTION pg_temp.report(what text, figure float8, unit text) RETURNS text
LANGUAGE sql AS $$
    SELECT format('| %s | %s %s |', what, round(figure::numeric, 2), unit)
$$;

-- Integers that do not follow each other, words, and lexemes.
CREATE TEMP TABLE integers (a int[]);
ALTER TABLE integers ALTER a SET STORAGE EXTERNAL;
INSERT INTO integers
SELECT array(SELECT hashint4(1000 * i + j) FROM generate_series(1, 1000) j)
  FROM generate_series(1, 5000) i;
CREATE TEMP TABLE words (a text[], v tsvector);
ALTER TABLE words ALTER a SET STORAGE EXTERNAL, ALTER v SET STORAGE EXTERNAL;
INSERT INTO words SELECT regexp_split_to_array(body, '\s+'), to_tsvector('english', body) FROM docs;
ANALYZE docs, integers, words;

\echo '| what | figure |'
\echo '|---|---|'
SELECT format('| texts | %s, %s MB |', count(*), round(sum(octet_length(body)) / 1e6, 1))
  FROM docs;
SELECT pg_temp.report('bare loop', :bare, 'MB/s');

SELECT pg_temp.report(format('to_minhash(text), %s', shingling), speed, 'MB/s')
       || E'\n' || pg_temp.report('its ratio to the bare loop', speed / :bare, '')
  FROM unnest(array['char:5', 'word:3']) shingling,
       (SELECT sum(octet_length(body)) / 1e6 AS megabytes FROM docs) d,
       LATERAL (SELECT megabytes / pg_temp.seconds(
           format('SELECT count(to_minhash(body, %L)) FROM docs', shingling),
           'SELECT count(octet_length(body)) FROM docs') AS speed) s;

SELECT pg_temp.report('to_minhash(int[]), 1,000 elements each',
           sum(cardinality(a)) / 1e6 / pg_temp.seconds('SELECT count(to_minhash(a)) FROM integers',
                                                       'SELECT count(cardinality(a)) FROM integers'),
           'million elements/s')
  FROM integers;
SELECT pg_temp.report(format('to_minhash(text[]), %s elements each', round(avg(cardinality(a)))),
           sum(cardinality(a)) / 1e6 / pg_temp.seconds('SELECT count(to_minhash(a)) FROM words',
                                                       'SELECT count(cardinality(a)) FROM words'),
           'million elements/s')
  FROM words;
SELECT pg_temp.report(format('to_minhash(tsvector), %s lexemes each', round(avg(length(v)))),
           sum(length(v)) / 1e6 / pg_temp.seconds('SELECT count(to_minhash(v)) FROM words',
                                                  'SELECT count(length(v)) FROM words'),
           'million lexemes/s')
  FROM words;

-- Searches, one by one.
CREATE TEMP TABLE sigs AS
SELECT row_number() OVER ()::int AS n, to_minhash(body) AS sig FROM docs;
CREATE INDEX ON sigs USING gin (sig);
VACUUM ANALYZE sigs;
SET enable_seqscan = off;
SET lshsim.similarity_threshold = 0.8;

CREATE FUNCTION pg_temp.probe_times() RETURNS SETOF float8
LANGUAGE plpgsql AS $$
DECLARE
    probe minhash;
    began timestamptz;
BEGIN
    FOR probe IN SELECT sig FROM sigs ORDER BY hashint4(n) LIMIT 200 LOOP
        began := clock_timestamp();
        PERFORM n FROM sigs WHERE sig % probe;
        RETURN NEXT 1000 * extract(epoch FROM clock_timestamp() - began)::float8;
    END LOOP;
END $$;

SELECT pg_temp.report('search at 0.8 by the index, median of 200',
           percentile_cont(0.5) WITHIN GROUP (ORDER BY t), 'ms')
       || E'\n' || pg_temp.report('95th percentile',
           percentile_cont(0.95) WITHIN GROUP (ORDER BY t), 'ms')
  FROM pg_temp.probe_times() t;

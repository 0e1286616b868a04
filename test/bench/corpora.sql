-- One corpus under one shingling: what % finds, against the exact pairs.
--
-- In: tables docs (id, body) and truth (id1, id2, inter, uni, j); psql
-- variables corpus, shingling, and floor, the percentage from which on truth
-- has all pairs.  Out: a row of a Markdown table for every threshold.

SET lshsim.recall = 0.99;
SET enable_seqscan = off;	-- small corpora would do without the index
SET max_parallel_workers_per_gather = 0;
SET work_mem = '256MB';

-- Left out are texts that the truth cuts into other words, since it takes a
-- run of Chinese or Japanese as one word, and ends words at marks.
CREATE TEMP TABLE sigs AS
SELECT row_number() OVER (ORDER BY id)::int AS n, id,
       to_minhash(body, :'shingling') AS sig
  FROM docs
 WHERE :'shingling' NOT LIKE 'word:%'
    OR body !~ ('[\u0300-\u036F\u0590-\u10FF\u1780-\u17FF\u2E80-\u9FFF\uF900-\uFAFF'
                '\uFF66-\uFF9F\U00020000-\U0003FFFF]');
CREATE INDEX ON sigs USING gin (sig);
VACUUM ANALYZE sigs;

-- Pairs as ordered pairs of numbers.
CREATE TEMP TABLE exact AS
SELECT least(a.n, b.n) AS a, greatest(a.n, b.n) AS b, inter, uni
  FROM truth JOIN sigs a ON a.id = id1 JOIN sigs b ON b.id = id2;
CREATE TEMP TABLE found (a int, b int, estimate float8);

-- All pairs of 2,000 documents with any other that have an estimate of at
-- least 0.5, by comparing all.
CREATE TEMP TABLE estimated AS
SELECT DISTINCT least(x.n, y.n) AS a, greatest(x.n, y.n) AS b, jaccard(x.sig, y.sig) AS estimate
  FROM (SELECT * FROM sigs ORDER BY hashint4(n) LIMIT 2000) x
  JOIN sigs y ON x.n <> y.n AND jaccard(x.sig, y.sig) >= 0.5;
ANALYZE exact, estimated;

CREATE TEMP TABLE probes AS
SELECT sig FROM sigs ORDER BY hashint4(n) LIMIT 1000;

-- Time the probes one by one: median and 95th percentile, in milliseconds.
CREATE FUNCTION pg_temp.probe_times(OUT median float8, OUT p95 float8)
LANGUAGE plpgsql AS $$
DECLARE
    probe minhash;
    began timestamptz;
    times float8[] := '{}';
BEGIN
    FOR probe IN SELECT sig FROM probes LOOP
        began := clock_timestamp();
        PERFORM n FROM sigs WHERE sig % probe;
        times := times || 1000 * extract(epoch FROM clock_timestamp() - began)::float8;
    END LOOP;
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY t),
           percentile_cont(0.95) WITHIN GROUP (ORDER BY t)
      INTO median, p95 FROM unnest(times) t;
END $$;

-- A share, or a dash of nothing.
CREATE FUNCTION pg_temp.share(part bigint, whole bigint) RETURNS text
LANGUAGE sql AS $$
    SELECT CASE WHEN whole = 0 THEN '–' ELSE to_char(part::numeric / whole, 'FM0.0000') END
$$;

-- Search at a threshold, given in percent, and describe what was found.
CREATE FUNCTION pg_temp.measure(corpus text, shingling text, percent int, floor int)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    threshold float8 := percent / 100.0;
    cells text[];
BEGIN
    PERFORM set_config('lshsim.similarity_threshold', threshold::text, false);
    TRUNCATE found;
    INSERT INTO found
    SELECT x.n, y.n, jaccard(x.sig, y.sig)
      FROM sigs x JOIN sigs y ON y.sig % x.sig AND x.n < y.n;
    SELECT array[corpus, shingling, threshold::text,
                 count(*) FILTER (WHERE yes)::text,
                 count(*) FILTER (WHERE hit)::text,
                 pg_temp.share(count(*) FILTER (WHERE hit AND yes), count(*) FILTER (WHERE yes)),
                 pg_temp.share(count(*) FILTER (WHERE hit AND yes), count(*) FILTER (WHERE hit)),
                 pg_temp.share(count(*) FILTER (WHERE hit AND above), count(*) FILTER (WHERE above)),
                 CASE WHEN percent - 5 < floor THEN 'unknown'
                      ELSE pg_temp.share(count(*) FILTER (WHERE hit AND near),
                                         count(*) FILTER (WHERE hit)) END]
      INTO cells
      FROM (SELECT estimate IS NOT NULL AS hit,
                   100 * inter >= percent * uni AS yes,
                   100 * inter >= (percent + 5) * uni AS above,
                   100 * inter >= (percent - 5) * uni AS near
              FROM exact FULL JOIN found USING (a, b)) pairs;
    SELECT cells || pg_temp.share(count(f.a), count(*)) INTO cells
      FROM estimated e LEFT JOIN found f USING (a, b)
     WHERE e.estimate >= threshold;
    SELECT cells || array[to_char(median, 'FM9990.000'), to_char(p95, 'FM9990.000')]
      INTO cells FROM pg_temp.probe_times();
    RETURN '| ' || array_to_string(cells, ' | ') || ' |';
END $$;

SELECT pg_temp.measure(:'corpus', :'shingling', percent, :floor)
  FROM unnest(array[50, 60, 70, 80, 90, 95]) percent;

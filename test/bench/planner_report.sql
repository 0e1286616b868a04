-- Print the timings of test/bench/planner as a Markdown table.
CREATE TABLE sums AS
SELECT corpus, t, form, count(*) FILTER (WHERE chosen AND plan = 'index') AS by_index, count(*) / 2 AS searches,
	sum(ms) FILTER (WHERE chosen) AS chosen, sum(ms) FILTER (WHERE NOT chosen) AS other
FROM timed GROUP BY corpus, t, form;

\echo 'Rows | Threshold | Form | Through the index | Chosen plans, ms | Other plans, ms | Chosen / other'
\echo '--- | --- | --- | --- | --- | --- | ---'
SELECT format('%s | %s | `%s` | %s of %s | %s | %s | %s', corpus, t, form, by_index, searches,
	round(chosen::numeric, 1), round(other::numeric, 1), round((chosen / other)::numeric, 2))
FROM sums ORDER BY corpus, t, form;
\echo
SELECT format('%s of %s forms within 1.5 times of the other plan, at worst %s times: %s%s, %s.',
	count(*) FILTER (WHERE chosen <= 1.5 * other), count(*), round(max(chosen / other)::numeric, 2),
	(array_agg(corpus ORDER BY chosen / other DESC))[1], (array_agg(' at ' || t ORDER BY chosen / other DESC))[1],
	(array_agg(form ORDER BY chosen / other DESC))[1])
FROM sums;

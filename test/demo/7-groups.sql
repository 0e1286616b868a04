-- A group is a connected component: all rows that chains of similar pairs connect.
-- It is named by its first row.
CREATE TABLE groups AS
SELECT package, first_value(package) OVER (PARTITION BY cluster ORDER BY package) AS first
  FROM clustered;

SELECT count(*) AS rows, first,
       left(string_agg(package, ', ' ORDER BY package)
            FILTER (WHERE package <> first), 44) || ' ...' AS "the others"
  FROM groups GROUP BY first ORDER BY rows DESC, first LIMIT 10;

-- Not all of them are copies: the packages of a family share a description and
-- differ in a word or two.  Exact copies have equal texts.
SELECT count(*) AS groups, sum(rows) AS "rows in groups",
       sum(rows - texts) AS "exact copies of another"
  FROM (SELECT count(*) AS rows, count(DISTINCT body) AS texts
          FROM groups JOIN docs USING (package)
         GROUP BY first HAVING count(*) > 1) AS large;

-- Why do two of them match?  The passages that both have.
SELECT start_a, length_a, start_b, length_b, left(passage, 50) AS passage
  FROM (SELECT a.body AS a, b.body AS b FROM pairs
          JOIN docs a ON a.package = pairs.a JOIN docs b ON b.package = pairs.b
         WHERE a.body <> b.body ORDER BY similarity, pairs.a, pairs.b LIMIT 1) AS pair,
       common_passages(a, b, 'char:5');

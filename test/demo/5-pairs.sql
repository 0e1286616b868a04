CREATE TABLE pairs AS
SELECT a.package AS a, b.package AS b, jaccard(a.sig, b.sig) AS similarity
  FROM docs a JOIN docs b ON a.sig % b.sig AND a.package < b.package;

SELECT (SELECT to_char(count(*) * (count(*) - 1) / 2, 'FM999,999,999,999')
          FROM docs) AS "possible pairs",
       to_char(count(*), 'FM999,999,999') AS "similar pairs",
       to_char(count(*) FILTER (WHERE similarity = 1), 'FM999,999,999')
         AS "of equal signature"
  FROM pairs;

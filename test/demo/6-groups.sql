-- What is similar to something similar is in the same group; a group is named
-- by the first of its members.
CREATE TABLE groups AS
SELECT package, first_value(package) OVER (PARTITION BY cluster ORDER BY package) AS keeper
  FROM (SELECT package, minhash_cluster(sig, 0.8) OVER (ORDER BY package) AS cluster
          FROM docs) AS clustered;

SELECT count(*) AS members, keeper,
       left(string_agg(package, ', ' ORDER BY package)
            FILTER (WHERE package <> keeper), 44) || ' ...' AS "the others"
  FROM groups GROUP BY keeper ORDER BY members DESC, keeper LIMIT 10;

SELECT count(*) AS groups, sum(members) AS "packages in them",
       sum(members - 1) AS "could go"
  FROM (SELECT count(*) AS members FROM groups
         GROUP BY keeper HAVING count(*) > 1) AS large;

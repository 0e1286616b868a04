-- What is similar to something similar is in the same group: pass on the
-- first name along the pairs until nothing changes.
CREATE TABLE groups AS
SELECT package, package AS keeper
  FROM (SELECT a FROM pairs UNION SELECT b FROM pairs) AS p (package);

DO $$
BEGIN
    LOOP
        UPDATE groups g SET keeper = best.keeper
          FROM (SELECT p.package, min(n.keeper) AS keeper
                  FROM (SELECT a, b FROM pairs UNION ALL
                        SELECT b, a FROM pairs) AS p (package, neighbour)
                  JOIN groups n ON n.package = p.neighbour
                 GROUP BY p.package) AS best
         WHERE best.package = g.package AND best.keeper < g.keeper;
        EXIT WHEN NOT FOUND;
    END LOOP;
END $$;

SELECT count(*) AS members, keeper,
       left(string_agg(package, ', ' ORDER BY package)
            FILTER (WHERE package <> keeper), 44) || ' ...' AS "the others"
  FROM groups GROUP BY keeper ORDER BY members DESC, keeper LIMIT 10;

SELECT count(DISTINCT keeper) AS groups, count(*) AS "packages in them",
       count(*) - count(DISTINCT keeper) AS "could go"
  FROM groups;

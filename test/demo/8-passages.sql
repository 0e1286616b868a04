-- Which descriptions share 12 words in a row?  An index of passages finds all of
-- them, even where the whole texts are not alike.
CREATE INDEX docs_passages ON docs USING lsh (body passage_ops);

SELECT a, b, similarity, left(passage, 60) AS "longest passage"
  FROM (SELECT a.package AS a, b.package AS b, a.body AS a_body, b.body AS b_body,
               round(jaccard(a.sig, b.sig)::numeric, 2) AS similarity
          FROM docs a JOIN docs b ON shares_passage(a.body, b.body)
         WHERE a.package < 'g' AND a.package < b.package
         ORDER BY similarity, a.package, b.package LIMIT 5) AS pair,
       LATERAL (SELECT passage FROM common_passages(a_body, b_body, 'word:12')
                 ORDER BY length(passage) DESC LIMIT 1) AS p
 ORDER BY similarity, a, b;

-- Mails made of the generated documents, psql variable n of them, in threads of
-- five: 900 characters, the first 500 of the mail before in the thread, wrapped
-- and marked as mail programs do, and the signature of one of 300 senders.
CREATE TABLE mails AS
SELECT g.id, concat(left(g.body, 900), E'\n\n',
	'On Monday you wrote:' || E'\n' || regexp_replace(left(p.body, 500), '(.{1,70})( |$)', E'> \\1\n', 'g') || E'\n',
	E'-- \n', left(s.body, 120)) AS body
FROM generated AS g LEFT JOIN generated AS p ON p.id = g.id - 1 AND g.id % 5 <> 0
LEFT JOIN generated AS s ON s.id = least(300, :n) - abs(hashint4(g.id)) % least(300, :n)
WHERE g.id <= :n ORDER BY g.id;

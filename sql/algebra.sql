--
-- Union, cardinality, containment, intervals.
--
-- The union of two sets has the slot-wise minimum of their signatures.
\set ECHO none \i test/data/setup.sql \set ECHO all
SELECT array_to_minhash(ARRAY[1, 2, 3]) | array_to_minhash(ARRAY[3, 4]) = array_to_minhash(ARRAY[1, 2, 3, 4]) AS arrays,
	to_minhash('abcdef', 'char:3') | to_minhash('defgh', 'char:3') = to_minhash('abcdefgh', 'char:3') AS chars,
	tsvector_to_minhash(to_tsvector('simple', 'a b')) | tsvector_to_minhash(to_tsvector('simple', 'b c')) = tsvector_to_minhash(to_tsvector('simple', 'a b c')) AS lexemes,
	to_minhash('one two three', 'word:1') | to_minhash('four', 'word:1') = to_minhash('four three two one', 'word:1') AS words;
SELECT count(*), bool_and(a | b = ab), bool_and(b | a = ab), bool_and(a | a = a), bool_and(a | e = a), bool_and(minhash_union(a, b) = ab)
FROM (
	SELECT array_to_minhash(x, k, 5, method) AS a, array_to_minhash(y, k, 5, method) AS b, array_to_minhash(x || y, k, 5, method) AS ab,
		array_to_minhash('{}'::int[], k, 5, method) AS e
	FROM (SELECT ARRAY(SELECT i * 7 FROM generate_series(1, n) i) AS x, ARRAY(SELECT i * 11 FROM generate_series(1, m) i) AS y
		FROM unnest(ARRAY[0, 1, 10, 100, 1000]) n, unnest(ARRAY[0, 1, 50, 2000]) m) s,
		unnest(ARRAY[16, 100, 128]) k, unnest(ARRAY['one-permutation', 'k-permutation']) method) s;
SELECT minhash_slots(a | b) = ARRAY(SELECT least(x, y) FROM unnest(minhash_slots(a), minhash_slots(b)) u(x, y)) AS minima
FROM (SELECT to_minhash('a first text', 'char:2', 16) AS a, to_minhash('a second text', 'char:2', 16) AS b) s;
SELECT to_minhash('a') | NULL AS is_null;
SELECT * FROM pg_temp.errors_of(
	$$to_minhash('a', 'char:3') | to_minhash('a', 'char:4')$$,
	$$to_minhash('a', 'char:3', 64) | to_minhash('a', 'char:3', 65)$$,
	$$to_minhash('a', 'char:3', 64, 1) | to_minhash('a', 'char:3', 64, 2)$$,
	$$to_minhash('a', 'char:3', 64, 1) | to_minhash('a', 'char:3', 64, 1, 'k-permutation')$$);

-- Cardinality: near the truth.
SELECT count(*), bool_and(abs(cardinality(sig) - n) <= greatest(2, 4 * n / sqrt(k))) AS near
FROM (SELECT method, n, k, array_to_minhash(ARRAY(SELECT generate_series(1, n)), k, seed, method) AS sig
	FROM unnest(ARRAY[0, 1, 3, 10, 100, 1000, 50000]) n, unnest(ARRAY[128, 1000]) k, generate_series(1, 5) seed,
		unnest(ARRAY['one-permutation', 'k-permutation']) method) s;
SELECT cardinality(NULL::minhash) AS is_null, cardinality(to_minhash('')) AS empty;
-- One element fills one slot, at time 0 to 1: k / (k - 1 + time).
SELECT cardinality(array_to_minhash(ARRAY[i])) BETWEEN 1 AND 128.0 / 127 AS one, count(*) FROM generate_series(1, 1000) i GROUP BY 1;
-- The formula of the documentation, in SQL: k * full slots / sum of the slots as fractions, empty ones 1.
CREATE FUNCTION middle(code int) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE WHEN code IS NULL THEN 1 WHEN code < 4096 THEN code + 0.5
		ELSE (2048 + code % 2048 + 0.5) * power(2, code / 2048 - 1) END / CASE WHEN code IS NULL THEN 1 ELSE power(2.0, 32) END
$$;
SELECT count(*), bool_and(same) AS same FROM (SELECT abs(k * count(code) / sum(middle(code)) / max(estimate) - 1) < 1e-9 AS same
FROM (SELECT n, 128 AS k, cardinality(sig) AS estimate, unnest(minhash_slots(sig)) AS code
	FROM (SELECT n, array_to_minhash(ARRAY(SELECT generate_series(1, n))) AS sig FROM unnest(ARRAY[1, 7, 100, 3000, 300000]) n) s) s
GROUP BY n, k) s;
SELECT count(*), bool_and(same) AS same FROM (SELECT abs((k - 1) / sum(-ln(1 - middle(code))) / max(estimate) - 1) < 1e-9 AS same
FROM (SELECT n, 64 AS k, cardinality(sig) AS estimate, unnest(minhash_slots(sig)) AS code
	FROM (SELECT n, array_to_minhash(ARRAY(SELECT generate_series(1, n)), 64, 0, 'k-permutation') AS sig FROM unnest(ARRAY[1, 7, 100, 3000]) n) s) s
GROUP BY n, k) s;

-- Containment, exact: the share of the first set that is in the second.
SELECT containment(ARRAY[1, 2, 3, 4], ARRAY[4, 5, 2, 2]) AS half, containment(ARRAY[4, 5, 2, 2], ARRAY[1, 2, 3, 4]) AS two_thirds,
	containment(ARRAY[1, NULL], ARRAY[1]) AS all_of_it, containment(ARRAY[1], '{}') AS nothing, containment('{}'::int[], ARRAY[1]) AS unknown;
SELECT containment(ARRAY['a', 'B'], ARRAY['b', 'a']) AS texts, containment(ARRAY[1, 2], ARRAY[2.0, 3.5]) AS mixed;
SELECT containment('one two three four', 'two three four five six', 'word:2') AS words,
	containment('a a a b', 'a a b', 'char:1 raw bag') AS bag, containment('', 'a', 'char:3') AS unknown;
SELECT containment('fat cat'::tsvector, 'a fat dog'::tsvector) AS lexemes, containment(''::tsvector, 'a'::tsvector) AS unknown;
SELECT containment('a', 'b', 'integer');
SELECT containment(ARRAY[1], NULL) AS is_null, containment(NULL, 'b', 'char:3') AS is_null, containment(NULL::tsvector, 'b') AS is_null;

-- Containment, estimated: 1 of a subset, 0 of disjoint sets, near the truth between.
SELECT method, containment(small, large) AS subset, containment(apart, large) AS disjoint,
	abs(containment(large, small) - 0.2) < 0.05 AS superset, abs(containment(large, shifted) - 0.7) < 0.05 AS overlapping,
	containment(none, large) AS of_empty, containment(large, none) AS in_empty
FROM (SELECT method, array_to_minhash(ARRAY(SELECT generate_series(1, 200)), 512, 0, method) AS small,
	array_to_minhash(ARRAY(SELECT generate_series(1, 1000)), 512, 0, method) AS large,
	array_to_minhash(ARRAY(SELECT generate_series(301, 1300)), 512, 0, method) AS shifted,
	array_to_minhash(ARRAY(SELECT generate_series(5001, 5010)), 512, 0, method) AS apart,
	array_to_minhash('{}'::int[], 512, 0, method) AS none
	FROM unnest(ARRAY['one-permutation', 'k-permutation']) method) s;
SELECT containment(to_minhash('a'), NULL) AS is_null;
SELECT containment(to_minhash('a', 'char:3'), to_minhash('a', 'char:4'));

-- Language identification: the profile of a language is the union of the 3-gram signatures of texts in it,
-- here articles 1, 4, 5 and 6 of the Universal Declaration of Human Rights; a text, article 3, is of the language that contains most of it.
\set ECHO none
CREATE TABLE articles (language text, article int, body text);
INSERT INTO articles VALUES
	('de', 1, 'Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.'),
	('de', 3, 'Jeder hat das Recht auf Leben, Freiheit und Sicherheit der Person.'),
	('de', 4, 'Niemand darf in Sklaverei oder Leibeigenschaft gehalten werden; Sklaverei und Sklavenhandel in allen ihren Formen sind verboten.'),
	('de', 5, 'Niemand darf der Folter oder grausamer, unmenschlicher oder erniedrigender Behandlung oder Strafe unterworfen werden.'),
	('de', 6, 'Jeder hat das Recht, überall als rechtsfähig anerkannt zu werden.'),
	('en', 1, 'All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.'),
	('en', 3, 'Everyone has the right to life, liberty and security of person.'),
	('en', 4, 'No one shall be held in slavery or servitude; slavery and the slave trade shall be prohibited in all their forms.'),
	('en', 5, 'No one shall be subjected to torture or to cruel, inhuman or degrading treatment or punishment.'),
	('en', 6, 'Everyone has the right to recognition everywhere as a person before the law.'),
	('es', 1, 'Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.'),
	('es', 3, 'Todo individuo tiene derecho a la vida, a la libertad y a la seguridad de su persona.'),
	('es', 4, 'Nadie estará sometido a esclavitud ni a servidumbre, la esclavitud y la trata de esclavos están prohibidas en todas sus formas.'),
	('es', 5, 'Nadie será sometido a torturas ni a penas o tratos crueles, inhumanos o degradantes.'),
	('es', 6, 'Todo ser humano tiene derecho, en todas partes, al reconocimiento de su personalidad jurídica.'),
	('fr', 1, 'Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.'),
	('fr', 3, 'Tout individu a droit à la vie, à la liberté et à la sûreté de sa personne.'),
	('fr', 4, 'Nul ne sera tenu en esclavage ni en servitude; l''esclavage et la traite des esclaves sont interdits sous toutes leurs formes.'),
	('fr', 5, 'Nul ne sera soumis à la torture, ni à des peines ou traitements cruels, inhumains ou dégradants.'),
	('fr', 6, 'Chacun a le droit à la reconnaissance en tous lieux de sa personnalité juridique.'),
	('it', 1, 'Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.'),
	('it', 3, 'Ogni individuo ha diritto alla vita, alla libertà ed alla sicurezza della propria persona.'),
	('it', 4, 'Nessun individuo potrà essere tenuto in stato di schiavitù o di servitù; la schiavitù e la tratta degli schiavi saranno proibite sotto qualsiasi forma.'),
	('it', 5, 'Nessun individuo potrà essere sottoposto a tortura o a trattamento o a punizioni crudeli, inumani o degradanti.'),
	('it', 6, 'Ogni individuo ha diritto, in ogni luogo, al riconoscimento della sua personalità giuridica.'),
	('nl', 1, 'Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.'),
	('nl', 3, 'Een ieder heeft het recht op leven, vrijheid en onschendbaarheid van zijn persoon.'),
	('nl', 4, 'Niemand zal in slavernij of horigheid gehouden worden. Slavernij en slavenhandel in iedere vorm zijn verboden.'),
	('nl', 5, 'Niemand zal onderworpen worden aan folteringen, noch aan wrede, onmenselijke of onterende behandeling of bestraffing.'),
	('nl', 6, 'Een ieder heeft, waar hij zich ook bevindt, het recht als persoon erkend te worden voor de wet.'),
	('pt', 1, 'Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.'),
	('pt', 3, 'Todo o indivíduo tem direito à vida, à liberdade e à segurança pessoal.'),
	('pt', 4, 'Ninguém será mantido em escravatura ou em servidão; a escravatura e o trato dos escravos, sob todas as formas, são proibidos.'),
	('pt', 5, 'Ninguém será submetido a tortura nem a penas ou tratamentos cruéis, desumanos ou degradantes.'),
	('pt', 6, 'Todos os indivíduos têm direito ao reconhecimento, em todos os lugares, da sua personalidade jurídica.'),
	('sv', 1, 'Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.'),
	('sv', 3, 'Envar har rätt till liv, frihet och personlig säkerhet.'),
	('sv', 4, 'Ingen får hållas i slaveri eller träldom. Slaveri och slavhandel i alla dess former är förbjudna.'),
	('sv', 5, 'Ingen får utsättas för tortyr eller grym, omänsklig eller förnedrande behandling eller bestraffning.'),
	('sv', 6, 'Envar har rätt att allestädes erkännas som person i lagens mening.');
\set ECHO all
CREATE TABLE profiles AS
	SELECT language, minhash_union_agg(to_minhash(body, 'char:3', 4096)) AS profile FROM articles WHERE article <> 3 GROUP BY language;
SELECT count(*), count(*) FILTER (WHERE language = (SELECT language FROM profiles ORDER BY containment(to_minhash(body, 'char:3', 4096), profile) DESC LIMIT 1)) AS guessed
FROM articles WHERE article = 3;
-- The estimates are near the exact shares.
SELECT count(*), max(abs(containment(to_minhash(a.body, 'char:3', 4096), profile) - containment(a.body, b.body, 'char:3'))) < 0.05 AS near
FROM articles a JOIN (SELECT language, string_agg(body, ' ') AS body FROM articles WHERE article <> 3 GROUP BY language) b ON article = 3
	JOIN profiles p ON p.language = b.language;

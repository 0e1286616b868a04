-- What users make of lshsim: every kind of object that depends on it, in the
-- schema app.  The tests of dump and restore and of pg_upgrade load this, with
-- the schema of the extension in the search_path, and compare what
-- app.signatures and app.answers return before and after.

CREATE SCHEMA app;
SET search_path = app, near, public;

CREATE DOMAIN sig64 AS minhash(64) CHECK (cardinality(VALUE) >= 0);
CREATE DOMAIN unit AS shingling DEFAULT 'word:2' CHECK (VALUE <> 'char:1'::shingling);
CREATE TYPE signed AS (sig minhash, how shingling);

-- Texts that are similar by tens, with characters of Latin-1.
CREATE FUNCTION body_of(id int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT 'Größe Nº' || string_agg((CASE WHEN i <= id % 10 THEN 'é' || id ELSE 'ß' || id / 10 END) || i, ' ')
	FROM generate_series(1, 40) i
$$;

-- generated columns, defaults, checks, all kinds of indexes
CREATE TABLE docs (
	id int PRIMARY KEY,
	body text NOT NULL,
	sig minhash GENERATED ALWAYS AS (to_minhash(body)) STORED,
	words sig64 GENERATED ALWAYS AS (to_minhash(body, 'word:2', 64, 7, 'k-permutation')) STORED,
	origin minhash(128) NOT NULL DEFAULT to_minhash('Größe Nº 1'),
	how unit,
	tags text[],
	CONSTRAINT near CHECK (origin <-> sig <= 1 AND minhash_similar(sig, sig, 0.9)),
	CONSTRAINT itself CHECK (sig % sig)
);
CREATE INDEX docs_sig ON docs USING gin (sig) WITH (fastupdate = off);
CREATE INDEX docs_words ON docs USING gin (words) WITH (gin_pending_list_limit = 64);
CREATE INDEX docs_body ON docs USING gin (to_minhash(body, 'char:3'::shingling)) WHERE id % 2 = 0;
CREATE INDEX docs_lsh ON docs USING lsh (to_minhash(body, 'word:1'));
CREATE INDEX docs_matches ON docs (id) WHERE sig @@ minhash_query(origin, 0.01, 1);
CREATE UNIQUE INDEX docs_order ON docs (sig, id);
CREATE INDEX docs_hash ON docs USING hash (sig);
CREATE STATISTICS docs_size ON cardinality(sig), cardinality(words::minhash) FROM docs;
CREATE INDEX docs_passages ON docs USING gin (body passage_ops (run = 'char:60'));
CREATE INDEX docs_both ON docs USING gin (tags, body passage_ops) WHERE shares_passage(body, body);
INSERT INTO docs (id, body, tags)
	SELECT id, body_of(id), ARRAY['x' || id, 'y' || id / 3, 'z'] FROM generate_series(1, 500) id;
UPDATE docs SET origin = sig WHERE id % 7 = 0;

-- triggers
CREATE TABLE pages (id int PRIMARY KEY, title text, body text, tags int[],
	sig minhash(100), tag_sig minhash);
CREATE TRIGGER keep_sig BEFORE INSERT OR UPDATE ON pages
	FOR EACH ROW EXECUTE FUNCTION minhash_trigger('sig', 'word:1 bag', 100, 'title', 'body');
CREATE TRIGGER keep_tag_sig BEFORE INSERT OR UPDATE ON pages
	FOR EACH ROW EXECUTE FUNCTION minhash_trigger('tag_sig', 'integer', 16, 'tags');
CREATE INDEX pages_sig ON pages USING gin (sig, tag_sig minhash_ops);
INSERT INTO pages SELECT id, 'Seite ' || id, body_of(id), ARRAY(SELECT generate_series(id / 5, id / 5 + 20))
	FROM generate_series(1, 300) id;
CREATE INDEX pages_passages ON pages USING lsh (body passage_ops (run = 'word:9')) WITH (fillfactor = 60);
ALTER TABLE pages DISABLE TRIGGER keep_sig;
UPDATE pages SET sig = minhash_from_values(ARRAY(SELECT generate_series(id, id + 99))) WHERE id > 290;
ALTER TABLE pages ENABLE TRIGGER keep_sig;

-- keys and partitions by signatures; all methods; what is odd
CREATE TABLE odd (sig minhash PRIMARY KEY, name text) PARTITION BY HASH (sig);
CREATE TABLE odd_0 PARTITION OF odd FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE odd_1 PARTITION OF odd FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO odd VALUES (to_minhash(''), 'empty'),
	(array_to_minhash('{}'::int[], 16), 'empty, 16'),
	(to_minhash('one', 'char:9 raw', 1024, -5), '1024'),
	(weighted_to_minhash(ARRAY[1, 2, 3], ARRAY[1, 0.5, 7]), 'weighted'),
	(minhash_from_values(ARRAY(SELECT 3 * i - 1000 FROM generate_series(1, 200) i), 3), 'imported'),
	(tsvector_to_minhash('a b c'::tsvector), 'lexemes'),
	(array_to_minhash(ARRAY['a', 'é']::name[]), 'names'),
	(array_to_minhash(ARRAY['2020-01-01'::date]), 'other');
CREATE TABLE uses (sig minhash REFERENCES odd, how shingling, both_of signed, list minhash[]);
CREATE INDEX uses_how ON uses USING hash (how);
INSERT INTO uses SELECT sig, (minhash_info(sig)).shingling, (sig, 'word:3')::signed, ARRAY[sig, NULL, sig] FROM odd;

-- searches as values, functions, views, rules of access
CREATE TABLE searches AS SELECT id, minhash_query(sig, 0.3 + id % 6 / 10.0, 0.95) AS search FROM docs WHERE id % 50 = 0;
CREATE TABLE quotes AS SELECT id, passage_query(substr(body, 30, 70), 'char:60') AS quote, passage_keys(body) AS keys FROM docs WHERE id % 50 = 0;
CREATE FUNCTION copies_of(document minhash, threshold float8 DEFAULT 0.6) RETURNS SETOF int LANGUAGE sql STABLE
	BEGIN ATOMIC SELECT d.id FROM docs d WHERE d.sig @@ minhash_query(document, threshold); END;
CREATE VIEW pairs AS SELECT a.id, b.id AS other, jaccard(a.sig, b.sig) AS similarity
	FROM docs a JOIN docs b ON a.sig % b.sig AND a.id < b.id;
CREATE MATERIALIZED VIEW groups AS
	SELECT id, minhash_cluster(sig, 0.6) OVER (ORDER BY id) AS cluster, sig | words = sig AS whole
	FROM (SELECT id, words AS sig, words FROM docs) d;
CREATE MATERIALIZED VIEW totals AS
	SELECT id / 100 AS hundred, minhash_union_agg(sig) AS sig, minhash_agg(id, 64) AS ids FROM docs GROUP BY 1;
CREATE INDEX totals_sig ON totals USING gin (sig);
CREATE INDEX totals_lsh ON totals USING lsh (ids) WITH (fillfactor = 70);
SELECT minhash_groups_create('docs', 'sig', 0.6);
INSERT INTO docs_groups_judged (id_a, id_b, same) VALUES (101, 102, false), (201, 301, true);
SELECT minhash_groups_refresh('docs_groups');
ALTER TABLE searches ENABLE ROW LEVEL SECURITY;
CREATE POLICY those_of_docs ON searches USING (EXISTS (SELECT FROM docs d WHERE d.sig @@ searches.search));
ANALYZE;

-- Every signature that is stored, in its binary form.
CREATE VIEW signatures AS
	SELECT 'docs ' || id AS place, ARRAY[sig, words, origin]::bytea[] AS bytes FROM docs
	UNION ALL SELECT 'pages ' || id, ARRAY[sig, tag_sig]::bytea[] FROM pages
	UNION ALL SELECT 'odd ' || name, ARRAY[sig]::bytea[] FROM odd
	UNION ALL SELECT 'uses ' || how, (list || sig || (both_of).sig)::bytea[] FROM uses
	UNION ALL SELECT 'searches ' || id, ARRAY[minhash_query_send(search)] FROM searches
	UNION ALL SELECT 'totals ' || hundred, ARRAY[sig, ids]::bytea[] FROM totals;

-- What searches find.
CREATE VIEW answers AS
	SELECT 'pairs' AS what, format('%s %s %s', id, other, similarity) AS answer FROM pairs
	UNION ALL SELECT 'words', a.id || ' ' || b.id FROM docs a, docs b WHERE a.id % 10 = 0 AND b.words % a.words
	UNION ALL SELECT 'expression', a.id || ' ' || b.id FROM docs a, docs b
		WHERE a.id % 50 = 0 AND to_minhash(b.body, 'char:3') % to_minhash(a.body, 'char:3') AND b.id % 2 = 0
	UNION ALL SELECT 'lsh', a.id || ' ' || b.id FROM docs a, docs b
		WHERE a.id % 50 = 0 AND to_minhash(b.body, 'word:1') % to_minhash(a.body, 'word:1')
	UNION ALL SELECT 'pages', a.id || ' ' || b.id FROM pages a, pages b WHERE a.id % 10 = 0 AND minhash_similar(b.tag_sig, a.tag_sig, 0.5)
	UNION ALL SELECT 'searches', s.id || ' ' || d.id FROM searches s, docs d WHERE d.sig @@ s.search
	UNION ALL SELECT 'copies', id || ' ' || copies_of(sig) FROM docs WHERE id % 50 = 0
	UNION ALL SELECT 'quotes', q.id || ' ' || d.id FROM quotes q, docs d WHERE d.body &&~ q.quote
	UNION ALL SELECT 'passages', a.id || ' ' || b.id FROM docs a, docs b WHERE a.id % 50 = 0 AND shares_passage(b.body, a.body, 'char:60')
	UNION ALL SELECT 'pages passages', a.id || ' ' || b.id FROM pages a, pages b WHERE a.id % 10 = 0 AND shares_passage(b.body, a.body, 'word:10')
	UNION ALL SELECT 'keys', keys::text FROM quotes
	UNION ALL SELECT 'groups', id || ' ' || cluster FROM groups
	UNION ALL SELECT 'kept groups', format('%s %s', id, grp) FROM docs_groups
	UNION ALL SELECT 'partition', name || ' ' || tableoid::regclass FROM odd
	UNION ALL SELECT 'insert', (SELECT count(*) FROM docs WHERE sig = to_minhash(body))::text;

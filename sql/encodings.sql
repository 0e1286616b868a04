--
-- Signatures do not depend on the encoding of the database.
--
\set ECHO none \i test/data/setup.sql \set ECHO all
SET client_min_messages = warning;
DROP DATABASE IF EXISTS regress_lshsim_latin1;
RESET client_min_messages;
CREATE DATABASE regress_lshsim_latin1 TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C';

-- Made in this database, which has the encoding UTF8:
SET client_encoding = 'UTF8';
SELECT getdatabaseencoding(), current_database() AS database \gset
\echo :getdatabaseencoding
\set latin 'Crème BRÛLÉE, ÷ 10 µm ½'
SELECT to_minhash(:'latin', 'char:3') AS latin_char, to_minhash(:'latin', 'word:1') AS latin_word, to_minhash(:'latin', 'char:2 raw bag') AS latin_raw,
	array_to_minhash(ARRAY[:'latin', 'é']) AS latin_array, tsvector_to_minhash('crème:1 brûlée:2'::tsvector) AS latin_tsvector \gset

-- The same in LATIN1: all true.  Other encodings and locales are in 002_encodings.
\c regress_lshsim_latin1
SET client_encoding = 'UTF8';
CREATE EXTENSION lshsim;
CREATE TYPE dessert AS ENUM ('é', 'crème');
SELECT getdatabaseencoding(), octet_length('é');
SELECT to_minhash(:'latin', 'char:3') = :'latin_char', to_minhash(:'latin', 'word:1') = :'latin_word', to_minhash(:'latin', 'char:2 raw bag') = :'latin_raw',
	array_to_minhash(ARRAY[:'latin', 'é']) = :'latin_array', tsvector_to_minhash('crème:1 brûlée:2'::tsvector) = :'latin_tsvector',
	array_to_minhash('{é}'::name[]) = array_to_minhash('{é}'::text[]), array_to_minhash('{é}'::dessert[]) = array_to_minhash('{é}'::text[]),
	array_to_minhash('{é}'::char(3)[]) = array_to_minhash('{é}'::text[]);
-- Output is in the database encoding.
SELECT array_to_string(shingles('ÉTÉ é', 'word:1'), '|') = 'été|é' AS same, octet_length((shingles('ÉTÉ', 'word:1'))[1]) AS bytes;
SELECT jaccard('ÉTÉ', 'été', 'char:2'), jaccard('10 µm', '10 ' || 'µM', 'char:2'), jaccard('{é,è}'::text[], '{é}');

\c :database
DROP DATABASE regress_lshsim_latin1;

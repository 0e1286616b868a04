--
-- Signatures do not depend on the encoding of the database.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS lshsim;
\pset format unaligned \pset footer off
DROP DATABASE IF EXISTS regress_lshsim_latin1;
DROP DATABASE IF EXISTS regress_lshsim_euc_jp;
DROP DATABASE IF EXISTS regress_lshsim_sql_ascii;
RESET client_min_messages;
CREATE DATABASE regress_lshsim_latin1 TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C';
CREATE DATABASE regress_lshsim_euc_jp TEMPLATE template0 ENCODING 'EUC_JP' LC_COLLATE 'C' LC_CTYPE 'C';
CREATE DATABASE regress_lshsim_sql_ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C';

-- Made in this database, which has the encoding UTF8:
SET client_encoding = 'UTF8';
SELECT getdatabaseencoding(), current_database() AS database \gset
\echo :getdatabaseencoding
\set latin 'Crème BRÛLÉE, ÷ 10 µm ½'
\set japanese '日本語のテキスト、かな　カナ'
SELECT to_minhash(:'latin', 'char:3') AS latin_char, to_minhash(:'latin', 'word:1') AS latin_word, to_minhash(:'latin', 'char:2 raw bag') AS latin_raw,
	array_to_minhash(ARRAY[:'latin', 'é']) AS latin_array, tsvector_to_minhash('crème:1 brûlée:2'::tsvector) AS latin_tsvector,
	to_minhash(:'japanese', 'char:3') AS japanese_char, to_minhash(:'japanese', 'word:2') AS japanese_word,
	array_to_minhash(ARRAY[:'japanese']::varchar[]) AS japanese_array \gset

-- The same in others: all true.
\c regress_lshsim_latin1
SET client_encoding = 'UTF8';
CREATE EXTENSION lshsim;
CREATE TYPE dessert AS ENUM ('é', 'crème');
SELECT getdatabaseencoding(), octet_length('é');
SELECT to_minhash(:'latin', 'char:3') = :'latin_char', to_minhash(:'latin', 'word:1') = :'latin_word', to_minhash(:'latin', 'char:2 raw bag') = :'latin_raw',
	array_to_minhash(ARRAY[:'latin', 'é']) = :'latin_array', tsvector_to_minhash('crème:1 brûlée:2'::tsvector) = :'latin_tsvector',
	array_to_minhash('{é}'::name[]) = array_to_minhash('{é}'::text[]), array_to_minhash('{é}'::dessert[]) = array_to_minhash('{é}'::text[]),
	array_to_minhash('{é}'::char(3)[]) = array_to_minhash('{é}'::text[]);
-- what is shown is in the encoding of the database
SELECT array_to_string(shingles('ÉTÉ é', 'word:1'), '|') = 'été|é' AS same, octet_length((shingles('ÉTÉ', 'word:1'))[1]) AS bytes;
SELECT jaccard('ÉTÉ', 'été', 'char:2'), jaccard('10 µm', '10 ' || 'µM', 'char:2'), jaccard('{é,è}'::text[], '{é}');

\c regress_lshsim_euc_jp
SET client_encoding = 'UTF8';
CREATE EXTENSION lshsim;
SELECT getdatabaseencoding(), octet_length('日本');
SELECT to_minhash(:'japanese', 'char:3') = :'japanese_char', to_minhash(:'japanese', 'word:2') = :'japanese_word',
	array_to_minhash(ARRAY[:'japanese']::varchar[]) = :'japanese_array';
SELECT cardinality(shingles(:'japanese', 'word:1')), octet_length((shingles(:'japanese', 'word:1'))[1]) AS bytes;

-- Where the server does not know the encoding, the bytes must be UTF-8.
\c regress_lshsim_sql_ascii
SET client_encoding = 'SQL_ASCII';
CREATE EXTENSION lshsim;
SELECT getdatabaseencoding(), octet_length('é');
SELECT to_minhash(:'latin', 'char:3') = :'latin_char', array_to_minhash(ARRAY[:'latin', 'é']) = :'latin_array', to_minhash(:'japanese', 'word:2') = :'japanese_word';
SELECT to_minhash(convert_from('\x61ff', 'SQL_ASCII'));
SELECT shingles(convert_from('\xc3', 'SQL_ASCII'), 'char:1 raw');
SELECT jaccard('a', convert_from('\xeda080', 'SQL_ASCII'), 'char:1');
SELECT array_to_minhash(ARRAY[convert_from('\xc0af', 'SQL_ASCII')]);

\c :database
DROP DATABASE regress_lshsim_latin1;
DROP DATABASE regress_lshsim_euc_jp;
DROP DATABASE regress_lshsim_sql_ascii;

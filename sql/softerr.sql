--
-- Soft errors: bad input of the types can be asked for without an error (PostgreSQL 16 and later).
--
\set ECHO none \i test/data/setup.sql \set ECHO all

SELECT pg_input_is_valid('word:3 raw', 'shingling') AS right, pg_input_is_valid('word:0', 'shingling') AS size;
SELECT input, e.* FROM unnest('{char:5,sentence:3,word:300,char:5 cooked}'::text[]) input, pg_input_error_info(input, 'shingling') e;

-- 16 slots that are all 0, and 17
SELECT encode(decode(repeat('0000', 16), 'hex'), 'base64') AS zeros, encode(decode(repeat('0000', 17), 'hex'), 'base64') AS more \gset
SELECT pg_input_is_valid('char:5/one-permutation/16/0/' || :'zeros', 'minhash') AS right, pg_input_is_valid('char:5/one-permutation/16/0/' || :'zeros', 'minhash(16)') AS right,
	pg_input_is_valid('char:5/one-permutation/17/0/' || :'more', 'minhash(16)') AS modifier, pg_input_is_valid('char:5/one-permutation/17/0/' || :'zeros', 'minhash') AS slots;
SELECT e.* FROM (VALUES
	('char:5/one-permutation/16/0/' || :'zeros'),
	('x'),
	('sentence:5/one-permutation/16/0/' || :'zeros'),
	('char:5/minwise/16/0/' || :'zeros'),
	('char:5/one-permutation/15/0/' || :'zeros'),
	('char:5/one-permutation/17/0/' || :'zeros'),
	('char:5/one-permutation/17/0/' || :'more'),
	('char:5/one-permutation/16/0/' || encode(decode('b000' || repeat('ffff', 15), 'hex'), 'base64')),
	('char:5/one-permutation/16/+1/' || :'zeros')) v(input), pg_input_error_info(input, 'minhash(16)') e;

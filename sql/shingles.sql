--
-- shingles(): the set that a text becomes.
--
\set ECHO none \i test/data/setup.sql \set ECHO all

-- Examples from the literature: the 2-shingles of abcab (004_exact compares random texts with an independent program) ...
SELECT shingles('abcab', 'char:2'), shingles('abcab', 'char:2 bag');
-- ... "a rose is a rose is a rose" by four words ...
SELECT shingles('a rose is a rose is a rose', 'word:4'), shingles('a rose is a rose is a rose', 'word:4 bag');
-- ... and white space counts: "touch down" is not "touchdown".
SELECT array_agg(s) FROM unnest(shingles('ready for touch down', 'char:9')) s WHERE s LIKE '%uch%';
SELECT array_agg(s) FROM unnest(shingles('scored a touchdown', 'char:9')) s WHERE s LIKE '%uch%';

-- Without a shingling: char:5.
SELECT shingles('abcdefg');

-- Order is that of first occurrence.
SELECT shingles('banana', 'char:1'), shingles('banana', 'char:2');

-- A text that is too short is one shingle; one of nothing has none.
SELECT d, shingles(d, 'char:3') AS "char:3", shingles(d, 'char:3 raw') AS "char:3 raw",
	shingles(d, 'word:2') AS "word:2", shingles(d, 'word:2 raw bag') AS "word:2 raw bag"
FROM unnest(ARRAY['abcd', 'abc', 'ab', 'a', '', ' ', '    ', ' a ', 'one two three', 'one two', 'one', ' one ', '...', '. .']) d;
SELECT shingles('abc', 'char:255'), shingles('abc def', 'word:255'), shingles('', 'word:255');

-- NULL gives NULL.
SELECT shingles(NULL, 'char:2'), shingles('abc', NULL), shingles(NULL);

-- Words are runs of letters, marks, numbers and underscores.
SELECT shingles('Don''t panic -- it''s only_1 test, v2.0 (e.g. <b>bold</b>)!', 'word:1');
SELECT shingles('a b c d', 'word:3'), shingles('a,b;c...d', 'word:3'), shingles('a-b_c d', 'word:3');

-- Case and white space: folded, collapsed, trimmed.  Raw: as it is.
SELECT shingles(E'\n  One\t\r\n TWO \f\x0B', 'char:4');
SELECT to_json(shingles(E'\n One\t TWO', 'char:4 raw'));
SELECT shingles(E'  One\t TWO one', 'word:1'), shingles(E'  One\t TWO one', 'word:1 raw');

-- From here on the output holds characters whose width is a matter of opinion.
\pset tuples_only on

-- Every White_Space character of Unicode is one, not only those of ASCII.
SELECT to_json(shingles(concat('a', chr(c), 'b'), 'char:3'))::text AS shingles, count(*), array_agg(to_hex(c) ORDER BY c)
FROM unnest(ARRAY[9, 10, 11, 12, 13, 32, 133, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202,
	8232, 8233, 8239, 8287, 12288]) c GROUP BY 1;
SELECT shingles(E'\u3000\u2003a\u2028\u00A0 \u1680b\u0085\u2029', 'char:9');
SELECT shingles(E'a\u00A0b', 'char:9 raw') = ARRAY[E'a\u00A0b'];
-- Default-ignorable characters are dropped, unless the text is raw: zero-width space, non-joiner, joiner, BOM, soft hyphen, variation selector, Hangul filler, ...
SELECT to_hex(c), shingles(concat('a', chr(c), 'b'), 'char:3') = ARRAY['ab'] AS dropped, shingles(concat('a', chr(c), 'b'), 'word:1') AS words,
	shingles(concat('a', chr(c), 'b'), 'char:3 raw') = ARRAY[concat('a', chr(c), 'b')] AS raw, cardinality(shingles(concat('a', chr(c), 'b'), 'word:1 raw')) AS raw_words
FROM unnest(ARRAY[8203, 8204, 8205, 65279, 173, 65039, 12644, 917505]) c;
-- ... so that what is hidden between characters hides nothing: marks still join their letters, and white space its like.
SELECT shingles(E'e\u200B\u0301 \u2060 co\u00ADop\u200D', 'char:99') = ARRAY['é coop'] AS same, shingles(E'\u200B\uFEFF', 'char:1') = '{}' AS nothing,
	jaccard(regexp_replace('A text with a soft hyphen in every letter', '(.)', E'\\1\u00AD', 'g'), 'A text with a soft hyphen in every letter', 'word:2') AS same;

-- Full case folding, of every script and without regard to the locale.
SELECT shingles('STRASSE Straße', 'word:1');
SELECT shingles('ΣΊΣΥΦΟΣ σίσυφος', 'word:1');
SELECT shingles('ЁЖ ёж ՄԵԾ մեծ', 'word:1');
SELECT shingles('ΐ', 'char:9') = shingles(E'\u0399\u0308\u0301', 'char:9');
SELECT shingles('İI', 'char:1 bag') = ARRAY['i', E'\u0307', 'i'];
SELECT shingles('ı', 'char:1');
SELECT shingles('Straße', 'word:1 raw'), shingles('Straße', 'word:1');

-- Compatibility forms: ligatures, circled and wide letters, superscripts, fractions, halfwidth kana.
SELECT shingles('ﬁancée ① Ｗｉｄｅ x² ½', 'char:99');
SELECT shingles('ｶﾞｷﾞ', 'char:1'), shingles('㍿', 'char:9'), shingles('ﷺ', 'char:99');
SELECT shingles('ﬁ ①', 'char:9 raw'), shingles('x² ½', 'word:1'), shingles('x² ½', 'word:1 raw');

-- Composed and decomposed forms are the same, and so is every order of marks that looks the same.
SELECT shingles(E'cafe\u0301', 'char:9') = shingles(E'caf\u00E9', 'char:9') AS same,
	shingles(E'cafe\u0301', 'char:9') = ARRAY[E'caf\u00E9'] AS composed,
	shingles(E'cafe\u0301', 'char:9 raw') = ARRAY[E'cafe\u0301'] AS raw,
	cardinality(shingles(E'cafe\u0301', 'char:4 raw')) AS raw_shingles;
SELECT shingles(E's\u0323\u0307', 'char:9') = shingles(E's\u0307\u0323', 'char:9') AS same,
	shingles(E's\u0307\u0323', 'char:9') = ARRAY[E'\u1E69'] AS composed;
SELECT shingles(E'\u1112\u1161\u11AB\u1100\u1173\u11AF', 'char:1');
SELECT shingles(E'\u212B\u2126', 'char:1') = ARRAY[E'\u00E5', E'\u03C9'];
-- Marks are part of a word, wherever they stand.
SELECT shingles(E'x\u0301\u0302y z\u0301', 'word:1') = ARRAY[E'x\u0301\u0302y', E'\u017A'];
SELECT shingles(E'\u0301 \u0301a', 'word:1') = ARRAY[E'\u0301', E'\u0301a'];
-- A long run of marks is cut after 128 code points, but none is lost.
SELECT char_length(s) FROM unnest(shingles('a' || repeat(E'\u0316\u0317', 1000), 'word:1')) s;

-- In scripts without spaces every character is a word; in others it takes a space.
SELECT shingles('漢字かなカナ', 'word:1'), shingles('漢字かな', 'word:2');
SELECT shingles('abc漢def字', 'word:1'), shingles('東京2020年', 'word:1');
SELECT shingles('ลาว', 'word:1'), shingles('ລາວ', 'word:1'), shingles('ខ្មែរ', 'word:1'), shingles('မြန်', 'word:1');
SELECT shingles('한국어 단어', 'word:1'), shingles('हिन्दी शब्द', 'word:1'), shingles('שלום العربية', 'word:1');
-- Their punctuation separates, as anywhere; their prolonged sound mark is a character.
SELECT shingles('「東京」、ラーメン。', 'word:1');
-- Emoji are no words, but they are characters.
SELECT shingles('x 😀🎉 y', 'word:1'), shingles('x 😀🎉 y', 'char:2');

\pset tuples_only off

-- Only shinglings of texts apply.
SELECT * FROM pg_temp.errors_of(
	$$shingles('abc', 'integer')$$, $$shingles('abc', 'text')$$, $$shingles('abc', 'lexeme')$$,
	$$shingles('abc', 'other')$$);

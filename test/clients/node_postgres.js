// node-postgres: what a program does with signatures.  Reported as TAP.
const assert = require('assert');

// README
const { Client } = require('pg');
const client = new Client();            // PGHOST, PGDATABASE, ... say where

async function insert(title, body) {
	await client.query('INSERT INTO articles (title, body) VALUES ($1, $2)', [title, body]);
}

async function search(text, threshold) {
	const { rows } = await client.query({ name: 'search', values: [text, threshold], text: `
		SELECT id, title, jaccard(sig, q) FROM articles, to_minhash($1) AS q
		WHERE minhash_similar(sig, q, $2) ORDER BY 3 DESC, id` });
	return rows;
}
// end

const TEXT = 'The quick brown fox jumps over the lazy dog near the river bank on a sunny day';
let checks = 0;
let failed = 0;

// Check that two values are equal, or that a text matches a pattern.
function is(have, expected, name) {
	let passed = true;
	try {
		if (expected instanceof RegExp) assert.match(have, expected);
		else assert.deepStrictEqual(have, expected);
	} catch (error) {
		passed = false;
		console.log('# ' + error.message.replace(/\n/g, '\n# '));
	}
	failed += !passed;
	console.log(`${passed ? 'ok' : 'not ok'} ${++checks} - ${name}`);
}

// Return the first column of the first row of a query.
async function value(text, values) {
	const { rows } = await client.query({ text, values, rowMode: 'array' });
	return rows[0][0];
}

// Return generic plans of searches so far, and scans of the index and of the
// table that the session has not sent to the statistics yet.
async function plans() {
	const { rows } = await client.query({ rowMode: 'array', text: `
		SELECT (SELECT coalesce(sum(generic_plans), 0)::int FROM pg_prepared_statements
			WHERE statement ~ '^\\s*SELECT id'),
			pg_stat_get_xact_numscans('articles_sig'::regclass)::int,
			pg_stat_get_xact_numscans('articles'::regclass)::int` });
	return rows[0];
}

async function main() {
	await client.connect();
	is((await search(TEXT, 0.8))[0].title, 'Fox', 'search with a bound text');
	await insert('Vixen', TEXT + ' in May');
	is((await search(TEXT, 0.5)).map((row) => row.title), ['Fox', 'Vixen'], 'insert by parameters');
	is((await search(TEXT + ' in June or in July', 0.99)).length, 0, 'a threshold as parameter');
	is(await value('SELECT count(*)::int FROM articles WHERE sig % to_minhash($1)', [TEXT]), 2, 'the operator');

	const literal = await value("SELECT array_to_minhash('{red,green}'::text[])");
	is(await value('SELECT array_to_minhash($1::text[])', [['red', 'green']]), literal, 'an array as parameter');
	const error = await value('SELECT array_to_minhash($1)', [['red', 'green']]).catch((e) => e.message);
	is(error, /polymorphic/, 'without a type: an error, nothing else');
	is(await value('SELECT to_minhash($1, $2)', ['some text', 'word:2']),
		await value("SELECT to_minhash('some text', 'word:2')"), 'a shingling as parameter');

	await client.query("SELECT set_config('lshsim.similarity_threshold', $1, false)", ['1']);
	is(await value('SELECT count(*)::int FROM articles WHERE sig % to_minhash($1)', [TEXT]), 1,
		'a setting of the session');
	await client.query('RESET lshsim.similarity_threshold');

	const text = await value('SELECT sig FROM articles WHERE id = 1');
	is(text, /^char:5\/one-permutation\/128\/0\//, 'a signature as text');
	is(await value('SELECT id FROM articles WHERE sig = $1', [text]), '1', 'and back');
	// In binary it would come as a string, and damaged: the driver knows no
	// type of this name.  A cast makes bytes of it.
	const data = await value('SELECT sig::bytea FROM articles WHERE id = 1');
	is([Buffer.isBuffer(data), data.length], [true, 272], 'a signature as bytes');
	is(await value('SELECT id FROM articles WHERE sig = $1::bytea::minhash', [data]), '1', 'and back');

	await client.query("BEGIN; SET LOCAL plan_cache_mode = force_generic_plan");
	const before = await plans();
	for (let i = 0; i < 3; i++) await search(TEXT, 0.8);
	const after = await plans();
	is(after.map((number, i) => number - before[i]), [3, 3, 0], 'generic plans use the index');
	await client.query('ROLLBACK');

	const { rows, fields } = await client.query('SELECT * FROM articles WHERE id = 1');
	is(fields.map((field) => field.name), ['id', 'title', 'body', 'sig'], 'SELECT *');
	is(rows[0].sig, text, 'has the signature as text');
	await client.end();
	console.log(`1..${checks}`);
	process.exitCode = failed > 0 ? 1 : 0;
}

main();

#!/usr/bin/env bash
# Software: npm package simhash-js 1.0.0, SimHash.hash() and Comparator.
# Guess: Comparator takes what hash() returns; hashes that differ in one bit have distance 1.
# Seen: hash() returns a number, and Comparator parses its decimal digits as hexadecimal ones and doubles the distance: 9 and
#   10 are taken for 0x9 and 0x10. Of 100 texts of 60 words, 48 are rated at least as close to an unrelated text as to
#   themselves with one word replaced.
# Why it matters: pairs found by this library cannot serve as a truth to test near-duplicate search with, and its
#   similarities cannot be compared with estimates of the Jaccard index. Count bits of the numbers yourself.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" simhash-js@1.0.0
node - >seen <<'END'
const { SimHash: Hash, Comparator: compare } = require("simhash-js");
console.log("type of a hash: " + typeof new Hash().hash("some text"));
const bits = (x) => x.toString(2).replaceAll("0", "").length;
for (const [a, b] of [[1, 2], [7, 8], [9, 10], [15, 16], [99, 100]])
	console.log(a + " and " + b + ": " + bits(a ^ b) + " bits, reported " + compare.hammingDistance(a, b));
let state = 1;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
const words = (n) => Array.from({ length: n }, () => random().toString(36).slice(2, 9));
const hash = (text) => new Hash().hash(text.join(" "));
let wrong = 0;
for (let i = 0; i < 100; i++) {
	const text = words(60), near = Object.assign([...text], { 30: "other" }), far = words(60);
	if (compare.similarity(hash(text), hash(near)) <= compare.similarity(hash(text), hash(far))) wrong++;
}
console.log("unrelated rated at least as close as one word replaced: " + wrong + " of 100");
END
cat seen
diff seen - <<'END'
type of a hash: number
1 and 2: 2 bits, reported 4
7 and 8: 4 bits, reported 8
9 and 10: 2 bits, reported 6
15 and 16: 5 bits, reported 4
99 and 100: 3 bits, reported 10
unrelated rated at least as close as one word replaced: 48 of 100
END

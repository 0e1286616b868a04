#!/usr/bin/env bash
# Software: npm package jaccard 0.4.0.
# Guess: index(a, b) is a Jaccard similarity, so at most 1, and counts an element that is given twice once, or rejects it.
# Seen: repeated elements of the first array count in the intersection but not in the union: 1.5 for {a, a, b} and
#   {a, b}, and 1 / 1 turns to 2 / 1 as soon as a word is said twice. Two empty arrays are NaN.
# Why it matters: words of a text repeat. Signatures checked against this function seem to underestimate, and a threshold
#   of .8 lets unrelated long texts pass. Deduplicate the arrays first.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" jaccard@0.4.0
node - >seen <<'END'
const { index } = require("jaccard");
for (const [a, b] of [["aab", "ab"], ["ab", "aab"], ["aaaaxyz", "abc"], ["axyz", "abc"], ["", ""]])
	console.log(a + " " + b + " " + index([...a], [...b]));
END
cat seen
diff seen - <<'END'
aab ab 1.5
ab aab 1
aaaaxyz abc 0.6666666666666666
axyz abc 0.16666666666666666
  NaN
END

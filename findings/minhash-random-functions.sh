#!/usr/bin/env bash
# Software: npm package bloom-filters 3.0.4, class MinHashFactory.
# Guess: two factories with the same arguments make signatures that can be compared, or compareWith() raises an error.
# Seen: every factory draws its hash functions at random. The estimate for the same set from two factories is about 0
#   instead of 1, without an error; a signature that was saved as JSON finds no partner after a restart.
# Why it matters: signatures kept in a table by one process are useless to the next. A signature is only worth storing
#   if its hash functions are fixed by a seed that is stored with it.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" bloom-filters@3.0.4
node - >seen <<'END'
const { MinHashFactory } = require("bloom-filters");
const set = Array.from({ length: 100 }, (_, i) => 7919 * i);
const sign = (factory) => { const m = factory.create(); m.bulkLoad(set); return m; };
const one = new MinHashFactory(256, 1000003), other = new MinHashFactory(256, 1000003);
console.log("one factory: " + sign(one).compareWith(sign(one)));
console.log("two factories: " + (sign(one).compareWith(sign(other)) < 0.1 ? "below 0.1" : "above"));
END
cat seen
diff seen - <<'END'
one factory: 1
two factories: below 0.1
END

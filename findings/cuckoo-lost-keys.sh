#!/usr/bin/env bash
# Software: npm package bloom-filters 3.0.4, class CuckooFilter.
# Guess: a filter made for 10,000 keys and an error rate of .01 may take a key for known that is not, but never the reverse; if it
#   is full, add() returns false.
# Seen: add() returns true for all 10,000 keys, and has() denies about 3,000 of them. Half full it has lost some already. The
#   package's BloomFilter of the same size knows all.
# Why it matters: "have we seen this text?" is what such filters are asked before a search for near-duplicates. Here copies
#   pass for new rows, in silence. Use a filter of four times the capacity, or a table of hashes.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" bloom-filters@3.0.4
node - >seen <<'END'
const { BloomFilter, CuckooFilter } = require("bloom-filters");
for (const [filters, keys] of [[BloomFilter, 10000], [CuckooFilter, 2500], [CuckooFilter, 10000]]) {
	const filter = filters.create(10000, 0.01);
	let refused = 0, lost = 0;
	for (let i = 0; i < keys; i++) refused += filter.add("key " + i) === false;
	for (let i = 0; i < keys; i++) lost += !filter.has("key " + i);
	console.log(`${filters.name}, ${keys} of 10000 keys: ${refused} refused, ` + (lost > 2000 ? "more than 2000" : lost) + " lost");
}
END
cat seen
diff seen - <<'END'
BloomFilter, 10000 of 10000 keys: 0 refused, 0 lost
CuckooFilter, 2500 of 10000 keys: 0 refused, 0 lost
CuckooFilter, 10000 of 10000 keys: 0 refused, more than 2000 lost
END

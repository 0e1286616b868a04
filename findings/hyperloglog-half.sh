#!/usr/bin/env bash
# Software: npm package bloom-filters 3.0.4, class HyperLogLog.
# Expected (not written down before the run): HyperLogLog is nearly exact for small sets, because it counts empty registers there (linear counting); with
#   1,024 registers 1,000 distinct values are counted within 10 %.
# Seen: half of them. Estimates are near half the truth from 10 values up to the number of registers.
# Why it matters: the number of distinct shingles of a text, or of rows in a group, is such a small set. Similarities
#   derived from sizes of unions and intersections are wrong with it.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" bloom-filters@3.0.4
node - >seen <<'END'
const { HyperLogLog } = require("bloom-filters");
for (const n of [10, 100, 1000, 10000]) {
	const sketch = new HyperLogLog(1024);
	for (let i = 0; i < n; i++) sketch.update("value " + i);
	console.log(n + " values: " + (sketch.count() / n).toFixed(1) + " of the truth");
}
END
cat seen
diff seen - <<'END'
10 values: 0.5 of the truth
100 values: 0.5 of the truth
1000 values: 0.5 of the truth
10000 values: 0.9 of the truth
END

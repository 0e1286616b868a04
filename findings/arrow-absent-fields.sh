#!/usr/bin/env bash
# Software: npm package apache-arrow 21.2.0, tableFromJSON() and vectorFromArray().
# Expected (written down: null stays null; not the absent field): a field that a row does not have is null.
# Seen: it is an empty text, NaN or false, and the column has no null. A field that is null stays null.
# Why it matters: JSON from APIs and logs leaves out what is empty. Rows without a text become copies of each other, rows
#   without a group get the group NaN, and rows without a judgment are judged "false". Fill absent fields with null before.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" apache-arrow@21.2.0
node - >seen <<'END'
const { tableFromJSON, vectorFromArray } = require("apache-arrow");
for (const value of ["a text", 7, true])
	for (const row of [{ id: 2, value: null }, { id: 2 }]) {
		const column = tableFromJSON([{ id: 1, value }, row]).getChild("value");
		console.log(JSON.stringify(row) + " after " + JSON.stringify(value) + ": " + column.nullCount + " nulls, " +
			(Number.isNaN(column.get(1)) ? "NaN" : JSON.stringify(column.get(1))));
	}
console.log("vector: " + JSON.stringify([...vectorFromArray(["a text", undefined, null])]));
END
cat seen
diff seen - <<'END'
{"id":2,"value":null} after "a text": 1 nulls, null
{"id":2} after "a text": 0 nulls, ""
{"id":2,"value":null} after 7: 1 nulls, null
{"id":2} after 7: 0 nulls, NaN
{"id":2,"value":null} after true: 1 nulls, null
{"id":2} after true: 0 nulls, false
vector: ["a text","",null]
END

#!/usr/bin/env bash
# Software: npm package sql-formatter 15.9.0, language "postgresql".
# Guess: an operator that the formatter does not know stays as it is, because PostgreSQL's rule for the end of an operator is simple.
# Seen: operators of pg_trgm and pgvector stay. Those of other extensions, such as ltree's ?@> and RUM's <=|, are cut in two by a
#   space, so that the formatted statement is an error, or calls other operators.
# Why it matters: similarity searches are written with operators of extensions, and formatters run before each commit. Write
#   OPERATOR(public.?@>), which stays, or call the function of the operator.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" sql-formatter@15.9.0
node - >seen <<'END'
const { format } = require("sql-formatter");
for (const operator of ["<->", "<%>", "%>>", "?@>", "^<@", "<=|", "&&~", "OPERATOR(public.?@>)"])
	console.log(operator, "becomes", format(`SELECT a ${operator} b`, { language: "postgresql" }).replaceAll(/\s+/g, " ").slice(9, -2));
END
cat seen
diff seen - <<'END'
<-> becomes <->
<%> becomes <%>
%>> becomes %>>
?@> becomes ? @>
^<@ becomes ^ <@
<=| becomes <= |
&&~ becomes && ~
OPERATOR(public.?@>) becomes OPERATOR(public.?@>)
END

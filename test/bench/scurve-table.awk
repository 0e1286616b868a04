# The points of scurve.sql as a Markdown table: a row for each class, measured
# (expected) for each banding.
{
	plan = $1 " x " $2
	if (!(plan in known)) {
		known[plan] = 1
		plans[++n] = plan
	}
	off = $6 > $7 ? $6 - $7 : $7 - $6
	cell[plan, $3] = sprintf("%.3f (%.3f)%s", $6, $7, off > 4 * $8 + 2 / $4 ? " !" : "")
	pairs[$3] = $4
	similarity[$3] = $5
	last = $3 > last ? $3 : last
}
END {
	head = "Similarity | Pairs"
	rule = "--- | ---"
	for (i = 1; i <= n; i++) {
		head = head " | " plans[i]
		rule = rule " | ---"
	}
	print head
	print rule
	for (class = 0; class <= last; class++) {
		if (!(class in pairs))
			continue
		row = sprintf("%.3f | %d", similarity[class], pairs[class])
		for (i = 1; i <= n; i++)
			row = row " | " cell[plans[i], class]
		print row
	}
}

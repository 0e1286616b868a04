# The points of scurve.sql as a chart: a line for the formula, dots for what was
# measured.

# Place on the chart.
function x(s) { return 60 + 560 * s }
function y(p) { return 330 - 300 * p }

BEGIN {
	split("#1b6ca8 #2a9d8f #c1666b #8d6cab #d08c2f", colour, " ")
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 400\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">"
	print "<rect width=\"640\" height=\"400\" fill=\"#fff\"/>"
	for (i = 0; i <= 10; i += 2) {
		printf "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>", x(0), y(i / 10), x(1)
		printf "<text x=\"52\" y=\"%.1f\" text-anchor=\"end\">%.1f</text>", y(i / 10) + 4, i / 10
		printf "<text x=\"%.1f\" y=\"348\" text-anchor=\"middle\">%.1f</text>\n", x(i / 10), i / 10
	}
	print "<text x=\"340\" y=\"368\" text-anchor=\"middle\">Jaccard similarity</text>"
	print "<text x=\"16\" y=\"180\" text-anchor=\"middle\" transform=\"rotate(-90 16 180)\">share that agrees in a band</text>"
}
{
	plan = $1 " " $2
	if (!(plan in known)) {
		known[plan] = ++n
		path = ""
		for (i = 0; i <= 100; i++)
			path = path sprintf("%s%.1f %.1f", i ? "L" : "M", x(i / 100), y(1 - (1 - (i / 100) ^ $2) ^ $1))
		printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\"/>\n", path, colour[n]
		printf "<circle cx=\"%d\" cy=\"386\" r=\"4\" fill=\"%s\"/><text x=\"%d\" y=\"390\">%s bands of %s</text>\n",
			72 + (n - 1) * 114, colour[n], 80 + (n - 1) * 114, $1, $2
	}
	printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x($5), y($6), colour[known[plan]]
}
END { print "</svg>" }

# A chart of lines, both axes logarithmic unless linear=1 makes x linear.
# In: series, x, y, separated by tabs; variables title, xlabel, ylabel.

# Return the logarithm to the base of ten.
function log10(v) { return log(v) / log(10) }

# Place on the chart.
function place_x(v) { return 70 + 400 * ((linear ? v : log10(v)) - left) / (right - left) }
function place_y(v) { return 330 - 280 * (log10(v) - bottom) / (top - bottom) }

# Return the greatest whole number that is not above.
function floor(v) { return int(v) - (int(v) > v) }

# Write a power of ten, or another number.
function label(v) { return v >= 1e6 ? v / 1e6 "M" : v >= 1e3 ? v / 1e3 "k" : v }

BEGIN { FS = "\t" }

$3 > 0 {
	if (!($1 in known)) {
		known[$1] = ++series
		name[series] = $1
	}
	n = ++count[known[$1]]
	xs[known[$1], n] = $2
	ys[known[$1], n] = $3
	x = linear ? $2 : log10($2)
	y = log10($3)
	if (left == "" || x < left) left = x
	if (right == "" || x > right) right = x
	if (bottom == "" || y < bottom) bottom = y
	if (top == "" || y > top) top = y
	if (!($2 in ticks)) tick[++tick_count] = $2
	ticks[$2]
}

END {
	split("#1b6ca8 #c1666b #2a9d8f #d08c2f #8d6cab #555555 #7a9e3a #b04f9d", colour, " ")
	if (right <= left) right = left + 1
	bottom = floor(bottom)
	top = top > floor(top) ? floor(top) + 1 : top
	if (top <= bottom) top = bottom + 1
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 700 390\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">"
	print "<rect width=\"700\" height=\"390\" fill=\"#fff\"/>"
	printf "<text x=\"70\" y=\"28\" font-size=\"14\">%s</text>\n", title
	for (y = bottom; y <= top; y++) {
		printf "<path d=\"M70 %.1fH470\" stroke=\"#ddd\"/>", place_y(10 ^ y)
		printf "<text x=\"62\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", place_y(10 ^ y) + 4, label(10 ^ y)
	}
	for (i = 1; i <= tick_count; i++)
		printf "<text x=\"%.1f\" y=\"348\" text-anchor=\"middle\">%s</text>\n", place_x(tick[i]), label(tick[i])
	printf "<text x=\"270\" y=\"374\" text-anchor=\"middle\">%s</text>\n", xlabel
	printf "<text x=\"16\" y=\"190\" text-anchor=\"middle\" transform=\"rotate(-90 16 190)\">%s</text>\n", ylabel
	for (s = 1; s <= series; s++) {
		path = ""
		for (i = 1; i <= count[s]; i++) {
			path = path sprintf("%s%.1f %.1f", i > 1 ? "L" : "M", place_x(xs[s, i]), place_y(ys[s, i]))
			printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", place_x(xs[s, i]), place_y(ys[s, i]), colour[s]
		}
		printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\"/>\n", path, colour[s]
		printf "<circle cx=\"490\" cy=\"%d\" r=\"4\" fill=\"%s\"/><text x=\"500\" y=\"%d\">%s</text>\n", 56 + 20 * s, colour[s], 60 + 20 * s, name[s]
	}
	print "</svg>"
}

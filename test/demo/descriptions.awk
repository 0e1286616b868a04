# From apt's translations (stanzas of Package, Description-md5, Description-en)
# to rows in COPY format: package and description, the first of each package.

# Print the description that has been read.
function finish() {
	if (text != "" && !(package in seen))
		print package "\t" text
	seen[package]
	text = ""
}

# Escape what has a meaning in COPY.
function escape(line) {
	gsub(/\\/, "&&", line)
	gsub(/\t/, "\\t", line)
	return line
}

/^Package: / { finish(); package = $2 }
/^Description-en: / { text = escape(substr($0, 17)) }
/^ / && text != "" { text = text "\\n" ($0 == " ." ? "" : escape(substr($0, 2))) }
END { finish() }

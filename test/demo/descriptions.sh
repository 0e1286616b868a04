# shellcheck shell=bash
#
# Package descriptions as texts for the demo and the benchmarks: those that
# apt knows, or those in sample.tsv.

FEWEST=1000					# descriptions that apt must know

# Print the files in which apt has the long descriptions: options of apt-get.
translations() {
	# shellcheck disable=SC2016
	apt-get "$@" indextargets --format '$(FILENAME)' \
		'Created-By: Translations' 'Language: en'
}

# Write the descriptions that apt knows to a file: options of apt-get.  False
# if they are too few.
read_apt() {
	local files
	mapfile -t files < <(translations "$@" 2>/dev/null)
	[ ${#files[@]} -gt 0 ] || return
	/usr/lib/apt/apt-helper cat-file "${files[@]}" 2>/dev/null |
		awk -f src/test/demo/descriptions.awk | as_owner tee descriptions.tsv |
		wc -l >rows
	[ "$(cat rows)" -ge "$FEWEST" ]
}

# Let apt fetch the long descriptions alone into the world, with a message that
# is indented by $1: images for containers leave them out.
fetch_apt() {
	local options=(-o Dir::State::Lists="$WORLD/lists" -o Dir::Cache="$WORLD/cache"
		-o Acquire::Languages=en)
	echo "$1apt has no long descriptions here; fetching them (about 7 MB)"
	as_owner mkdir -p lists/partial cache/archives/partial
	run as_owner timeout 60 apt-get "${options[@]}" -o Acquire::Retries=0 \
		-o Acquire::IndexTargets::deb::Packages::DefaultEnabled=false \
		update >log/apt 2>&1 || true
	read_apt "${options[@]}"
}

# Write descriptions to descriptions.tsv in the world: indent of a message.
# False if it is but the sample.
get_descriptions() {
	if command -v apt-get >/dev/null && { read_apt || fetch_apt "$1"; }; then
		return
	fi
	as_owner cp src/test/demo/sample.tsv descriptions.tsv
	return 1
}

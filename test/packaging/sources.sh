# shellcheck shell=bash
#
# The sources of packages, which are the committed files, and their version,
# from META.json.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
VERSION=$(sed -n 's/^\t"version": "\(.*\)",$/\1/p' "$TOP/META.json")

# Return true if the sources are a git checkout and no unpacked archive.
in_checkout() {
	[ -e "$TOP/.git" ] && command -v git >/dev/null &&
		git -C "$TOP" rev-parse HEAD >/dev/null
}

# Warn about changes that will not be in the package.
warn_uncommitted() {
	if in_checkout && [ -n "$(git -C "$TOP" status --porcelain)" ]; then
		echo 'Changes that are not committed are not in the package:'
		git -C "$TOP" status --short
	fi
}

# Write the sources as an archive for tar to standard output.
sources() {
	if in_checkout; then
		git -C "$TOP" archive --format=tar HEAD
	else
		tar -C "$TOP" -cf - --exclude=./build --exclude='*.o' --exclude='*.so' \
			--exclude='*.bc' .
	fi
}

# Print the time of the sources, in seconds since 1970.
sources_time() {
	if in_checkout; then
		git -C "$TOP" log -1 --format=%ct
	else
		stat -c %Y "$TOP/CHANGELOG.md"
	fi
}

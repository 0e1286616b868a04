# shellcheck shell=bash
#
# What packages are made of: the sources as they were committed, and their
# version, which META.json says.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
VERSION=$(sed -n 's/^\t"version": "\(.*\)",$/\1/p' "$TOP/META.json")

# Tell whether the sources are a checkout, and not what was unpacked.
in_checkout() {
	[ -e "$TOP/.git" ] && command -v git >/dev/null &&
		git -C "$TOP" rev-parse HEAD >/dev/null
}

# Say so if something will not be in the package.
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

# shellcheck shell=bash
#
# Functions that install a minimal Debian in the directory ROOT, and run commands
# in it.  They need root or sudo, and the network.

# Find the items that installing Debian lacks.
check_debian() {
	MISSING=() PACKAGES=()
	need 'the program debootstrap' debootstrap test -x /usr/sbin/debootstrap
}

# Install a release in ROOT unless it is installed: release, options of debootstrap,
# which uses the script of sid for a release newer than itself.
install_debian() {
	local log scripts=/usr/share/debootstrap/scripts
	if as_root test -e "$ROOT/.complete"; then return; fi
	echo "Installing $1 in $ROOT"
	log=$(mktemp)
	[ -e "$scripts/$1" ] || as_root ln -s sid "$scripts/$1"
	as_root rm -rf --one-file-system "$ROOT"
	as_root mkdir -p "$ROOT"
	as_root debootstrap --variant=minbase "${@:2}" "$1" "$ROOT" >"$log" 2>&1 || { tail "$log" >&2 && return 1; }
	as_root touch "$ROOT/.complete"
	rm -f "$log"
}

# Run a line of bash as root in ROOT, in a namespace of its own, with these sources
# read-only in /mnt: the line, variables.
in_debian() {
	# shellcheck disable=SC2016
	as_root env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C ROOT="$ROOT" TOP="$TOP" \
		DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} "${@:2}" \
		unshare --mount --pid --fork --kill-child sh -ec '
			mount --bind "$TOP" "$ROOT/mnt"
			mount -o remount,bind,ro "$ROOT/mnt"
			mount -t proc proc "$ROOT/proc"
			mount --rbind /dev "$ROOT/dev"
			cp /etc/resolv.conf "$ROOT/etc/resolv.conf"
			exec chroot "$ROOT" bash -c "$0"' "$1"
}

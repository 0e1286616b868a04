# shellcheck shell=bash
#
# Functions that test/run, test/demo/run, .ci/run and others share.  They
# install the packages that a build needs, and create a temporary directory,
# the world, with a copy of the sources, a copy of the server with the extension
# installed, and a running server.  Nothing is written outside of it, and it is
# removed at the end, also after an error or a signal.
#
# Variables: PG_CONFIG= chooses a PostgreSQL, KEEP=1 keeps the world, and
# LSHSIM_INSTALL=no prevents the installation of packages.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
KEEP=${KEEP:-}
WORLD=						# the temporary directory of this run
OWNER=						# its owner, if not the caller
BIN=						# directory of the private server's programs
JOB=						# process group of the command that runs now
WITHIN_RUN=					# set in the processes of that group
SERVER_ENVIRONMENT=()		# variables for the private server

# Settings of the caller's shell or an outer make are not for the programs here.
unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS
for variable in "${!PG@}"; do
	[[ $variable = PG_CONFIG || $variable = PGINDENT_DIR ]] || unset "$variable"
done
export LC_ALL=C PSQL_PAGER=	# a pager would wait for a key on a terminal of unknown size
# Seconds to wait for a server: for pg_ctl, and for the test programs of PostgreSQL.
export PGCTLTIMEOUT=900 PG_TEST_TIMEOUT_DEFAULT=900

# Print lines as an error message and exit.
die() {
	printf '%s\n' "$@" >&2
	exit 1
}

# Copy lines, and print a dot for every $1 seconds without a line.  The dots have
# a line of their own.
add_dots() {
	local line part='' dots=''
	while true; do
		if IFS= read -r -t "$1" line; then
			[ -z "$dots" ] || echo
			printf '%s\n' "$part$line"
			part='' dots=''
		elif [ $? -gt 128 ]; then
			part+=$line
			[ -n "$dots" ] || printf '   '
			printf .
			dots=yes
		else
			break
		fi
	done
	[ -z "$dots" ] || echo
}

# Run a command, and print a dot for every $1 seconds in which it prints nothing.
with_dots() {
	local dots out status=0
	exec {out}> >(add_dots "$1")
	dots=$!
	"${@:2}" >&"$out" 2>&1 {out}>&- || status=$?
	exec {out}>&-
	wait "$dots"
	return "$status"
}

### Requirements of a build

# Run a command as root, through sudo for an ordinary user.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Return true if packages can be installed here: by root or with sudo, which
# needs a terminal if it asks for a password.
can_install() {
	[ "${LSHSIM_INSTALL:-yes}" != no ] && command -v apt-get >/dev/null || return
	[ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null ||
		{ command -v sudo >/dev/null && [ -t 2 ]; }
}

# Return true if a pg_config belongs to a server with headers.
has_server() {
	[ -x "$("$1" --bindir)/postgres" ] && [ -e "$("$1" --pgxs)" ] &&
		[ -e "$("$1" --includedir-server)/postgres.h" ]
} 2>/dev/null

# Print the directories of Debian's PostgreSQL servers, the newest first.
debian_servers() {
	local program
	for program in /usr/lib/postgresql/*/bin/postgres; do
		[ ! -x "$program" ] || dirname "$program"
	done | sort -rV
}

# Set PG_CONFIG to the newest server with headers, unless it is given.
find_server() {
	local candidate
	if [ -n "${PG_CONFIG:-}" ]; then
		has_server "$PG_CONFIG" ||
			die "PG_CONFIG=$PG_CONFIG: no PostgreSQL server with headers there."
		[[ $PG_CONFIG != [!/]*/* ]] || PG_CONFIG=$PWD/$PG_CONFIG
		return
	fi
	for candidate in pg_config $(debian_servers | sed 's,$,/pg_config,'); do
		if has_server "$candidate"; then
			PG_CONFIG=$(command -v "$candidate")
			return
		fi
	done
	return 1
}

# Print the version to install: that of the newest server here, or else the
# newest that apt knows.
server_version() {
	local version
	version=$(debian_servers | sed -n '1s,.*/\([0-9]*\)/bin,\1,p')
	echo "${version:-$(apt-cache pkgnames postgresql-server-dev- |
		sed -n 's/^postgresql-server-dev-\([0-9]*\)$/\1/p' | sort -n | tail -1)}"
}

# Return true if the compiler finds a header.
has_header() {
	echo "#include <$1>" | "${COMPILER[@]}" -E -x c -
}

# Note a missing item unless a test succeeds: item, its package, the test.
need() {
	local what=$1 package=$2
	shift 2
	"$@" >/dev/null 2>&1 && return
	MISSING+=("$what")
	PACKAGES+=("$package")
}

# Find the items that a build lacks.  Sets MISSING, PACKAGES and COMPILER.
check_build() {
	MISSING=() PACKAGES=() COMPILER=(gcc)
	if find_server; then
		read -ra COMPILER < <("$PG_CONFIG" --cc)
	else
		MISSING+=('a PostgreSQL server with its headers, 15 or later')
		PACKAGES+=(postgresql-VERSION postgresql-server-dev-VERSION)
	fi
	need 'make' make command -v make
	need 'a C compiler' gcc has_header stddef.h
	need 'the headers of the C library' libc6-dev has_header stdio.h
	need 'the header xxhash.h' libxxhash-dev has_header xxhash.h
	need 'the header utf8proc.h' libutf8proc-dev has_header utf8proc.h
}

# Find the items that the TAP tests lack.
check_perl() {
	MISSING=() PACKAGES=()
	need 'the program prove' perl command -v prove
	need 'the Perl module IPC::Run' libipc-run-perl perl -MIPC::Run -e 1
}

# Find the items that the check of the golden vectors lacks.
check_python() {
	MISSING=() PACKAGES=()
	need 'the Python module xxhash' python3-xxhash \
		/usr/bin/python3 -c 'import xxhash'
}

# Find the items that the test of CLIENT lacks.
check_client() {
	MISSING=() PACKAGES=()
	case $CLIENT in
		psycopg) need 'psycopg 3' python3-psycopg /usr/bin/python3 -c 'import psycopg' ;;
		dbd-pg) need 'DBD::Pg' libdbd-pg-perl perl -MDBD::Pg -e 1 ;;
		jdbc)
			need 'a compiler for Java' default-jdk-headless command -v javac
			need 'the JDBC driver' libpostgresql-jdbc-java test -e /usr/share/java/postgresql.jar
			;;
		node-postgres)
			need 'node-postgres' node-pg env NODE_PATH="/usr/share/nodejs:$(npm root -g 2>/dev/null)" \
				node -e 'require("pg")'
			;;
	esac
}

# Print PACKAGES with the version of the server in place of VERSION.
package_names() {
	local version
	[[ ${PACKAGES[*]} != *VERSION* ]] || version=$(server_version)
	echo "${PACKAGES[*]//VERSION/${version:-15}}"
}

# Print the command that installs PACKAGES.
install_line() {
	echo "$([ "$(id -u)" -eq 0 ] || echo 'sudo ')apt-get install $(package_names)"
}

# Install PACKAGES.  Debian creates and starts a cluster with the first
# PostgreSQL server that is installed; a temporary setting prevents that.
install_missing() {
	local conf=/etc/postgresql-common/createcluster.d/lshsim.conf status=0
	as_root mkdir -p "${conf%/*}"
	echo 'create_main_cluster = false' | as_root tee "$conf"
	# shellcheck disable=SC2046
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
		-o DPkg::Lock::Timeout=120 --no-install-recommends \
		install $(package_names) || status=$?
	as_root rm -f "$conf"
	return "$status"
}

# Update the lists of packages, say what is installed and why, and install it;
# all else that apt prints goes to a file.
install_showing() {
	as_root apt-get -q update </dev/null >"$1" 2>&1 || true
	echo 'Installing:'
	printf '  %s\n' "${MISSING[@]}"
	echo "by: $(install_line)"
	install_missing </dev/null >>"$1" 2>&1
}

# Run a check, and install the missing items if that is possible here.
provide() {
	local log
	"$1"
	[ ${#PACKAGES[@]} -gt 0 ] && can_install || return 0
	log=$(mktemp)
	with_dots 5 install_showing "$log" || grep -E '^(E:|sudo:)' "$log" >&2 || true
	rm -f "$log"
	"$1"
}

# Print MISSING, separated by commas.
missing() {
	local list
	printf -v list '%s, ' "${MISSING[@]}"
	echo "${list%, }"
}

# Install everything that a build needs, or exit and say what is missing.
set_up_build() {
	provide check_build
	[ ${#MISSING[@]} -eq 0 ] ||
		die 'To build lshsim, this is missing:' "${MISSING[@]/#/  }" \
			'On Debian and Ubuntu, install it with' "  $(install_line)"
	export PG_CONFIG
}

# Install what some tests need; they are skipped if it stays missing: checks.
set_up_test() {
	local check
	for check; do
		provide "$check"
		[ ${#MISSING[@]} -eq 0 ] || echo "Missing: $(missing) ($(install_line))"
	done
}

### The world

# Run a command as the owner of the world.
as_owner() {
	if [ -n "$OWNER" ]; then
		setpriv --reuid="$OWNER" --regid="$(id -g "$OWNER")" --init-groups "$@"
	else
		"$@"
	fi
}

# Run a long command in a process group of its own, so that a signal
# to this script ends it at once, and kill what is left of the group.  Within
# such a command, run another one directly.
run() {
	local status=0
	if [ -n "$WITHIN_RUN" ]; then "$@"; return; fi
	set -m
	{ WITHIN_RUN=1 && "$@"; } <&0 &
	set +m
	JOB=$!
	wait "$JOB" || status=$?
	kill -TERM -- "-$JOB" 2>/dev/null || true
	JOB=
	return "$status"
}

# Create the world.  PostgreSQL refuses to run as root, so that root leaves the
# world to another user.
open_world() {
	local base
	trap close_world EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	if [ "$(id -u)" -eq 0 ]; then
		OWNER=postgres
		id "$OWNER" >/dev/null 2>&1 || OWNER=nobody
	fi
	# The path of a socket must be short, and make does not support spaces.
	base=${TMPDIR:-/tmp}
	[[ $base =~ ^[^[:space:]]{1,50}$ ]] && as_owner test -w "$base" || base=/tmp
	WORLD=$(mktemp -d "$base/lshsim.XXXXXX")
	[ -z "$OWNER" ] || chown "$OWNER" "$WORLD"
	cd "$WORLD" || exit
	as_owner mkdir log
	if [ -z "${OBJECTS:-}" ]; then
		OBJECTS=$TOP/build/objects
		mkdir -p "$OBJECTS" 2>/dev/null && [ -w "$OBJECTS" ] || OBJECTS=$WORLD/objects
	fi
	export HOME=$WORLD TMPDIR=$WORLD
}

# Kill the running command, stop the servers and remove the world, unless KEEP
# is set.
close_world() {
	trap '' HUP INT TERM
	set +e
	[ -z "$JOB" ] || kill -TERM -- "-$JOB"
	[ -n "$WORLD" ] && [ "$KEEP" != 1 ] || return 0
	cd /
	find "$WORLD" -name postmaster.pid -printf '%h\n' | while read -r data; do
		as_owner "$BIN/pg_ctl" stop -s -m immediate -D "$data"
	done
	# Killed processes may still be writing.
	rm -rf "$WORLD" || { sleep 1 && rm -rf "$WORLD"; }
} 2>/dev/null

# Copy files of a directory to the world: from, to, options and files for tar.
copy() {
	local from=$1 to=$WORLD/$2
	shift 2
	as_owner mkdir -p "$to"
	tar -C "$from" -cf - "$@" | as_owner tar -C "$to" -xf -
}

# Copy the sources to src, without build products.
copy_sources() {
	BEGUN=$(date +%s)
	copy "$TOP" src --exclude=./.git --exclude=./build --exclude='*.o' --exclude='*.so' \
		--exclude='*.bc' --exclude=./results --exclude=./tmp_check .
}

# Run make in a directory of the world, with the objects that the last run with the
# same arguments, server and compiler kept: the directory, arguments.  Objects are as
# old as the copy of the sources, so that make compiles a file that was edited since.
# They are in OBJECTS: build/objects of the checkout, or of the world if that cannot be
# written.  Objects do not depend on -Werror.
make_kept() {
	local dir=$1 file key="${*//"$WORLD"/}"
	file=$OBJECTS/$({ xargs <<<"${key%COPT=-Werror  }" && "$PG_CONFIG" && "${COMPILER[@]}" --version &&
		cat "$TOP"/{Makefile,test/unit/pure.mk}; } | cksum | tr ' ' -).tar
	[ ! -e "$file" ] || as_owner tar -C "$dir" -xf - <"$file"
	run as_owner make -s -j"$(nproc)" -C "$@" || return
	{ mkdir -p "$OBJECTS" && find "$dir" -name '*.o' -printf '%P\n' |
		tar -C "$dir" --mtime="@$BEGUN" -cf "$file.$$" -T - && mv "$file.$$" "$file" &&
		find "$OBJECTS" -mtime +7 -delete; } 2>/dev/null || true
}

# Copy the server to pg, with the same paths below pg as below /.  PostgreSQL
# finds its files relative to its program, so that the copy uses its own.
copy_server() {
	local bin lib share programs
	bin=$("$PG_CONFIG" --bindir)
	lib=$("$PG_CONFIG" --pkglibdir)
	share=$("$PG_CONFIG" --sharedir)
	BIN=$WORLD/pg$bin
	# The directory of the programs may be /usr/bin.
	mapfile -t programs < <(cd "$bin" && ls -d pg_* postgres initdb psql \
		{create,drop,vacuum,reindex,cluster}db {create,drop}user)
	copy "$bin" "pg$bin" -h "${programs[@]}"
	copy "$lib" "pg$lib" --exclude=./bitcode --exclude=./pgxs .
	copy "$share" "pg$share" --exclude=./man --exclude=./doc .
}

# Build the extension in the world and install it into the private server,
# without bitcode, which only JIT uses.
build() {
	local options=(PG_CONFIG="$PG_CONFIG" with_llvm=no "$@")
	copy_sources
	copy_server
	make_kept src "${options[@]}" &&
		run as_owner make -s -C src "${options[@]}" DESTDIR="$WORLD/pg" install
}

# Start the private server, after stopping an earlier one: lines of
# postgresql.conf.  Sets the environment so that clients find it.
start_server() {
	export PGHOST=$WORLD PGUSER=postgres PGDATABASE=postgres PATH=$BIN:$PATH
	if [ -e data ]; then
		as_owner pg_ctl stop -s -m immediate -D "$WORLD/data"
		rm -rf data
	fi
	run as_owner initdb -D "$WORLD/data" -U postgres -A trust -E UTF8 \
		--locale=C --no-sync >log/initdb 2>&1 || { cat log/initdb && return 1; }
	printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$WORLD'" \
		"fsync = off" "$@" | as_owner tee -a data/postgresql.conf >/dev/null
	as_owner env "${SERVER_ENVIRONMENT[@]}" pg_ctl start -s -D "$WORLD/data" -l "$WORLD/log/server" ||
		{ cat log/server && return 1; }
	[ "$(sql "SELECT setting FROM pg_config WHERE name = 'PKGLIBDIR'")" = \
		"$WORLD/pg$("$PG_CONFIG" --pkglibdir)" ] ||
		{ echo 'The copy of the server does not use its own files.' && return 1; }
}

# Print the result of a statement.
sql() {
	as_owner psql -XAtq -v ON_ERROR_STOP=1 -c "$1"
}

# Print a file, decompressed if its name ends in .gz.
contents() {
	if [[ $1 = *.gz ]]; then gzip -dc "$1"; else cat "$1"; fi
}

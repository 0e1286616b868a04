# shellcheck shell=bash
#
# Functions for the programs of this directory: a private server with lshsim, files of
# texts, and two versions of lshsim next to each other.
# shellcheck source=test/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# Start a server with lshsim: lines of postgresql.conf.
open_server() {
	set_up_build
	open_world
	# shellcheck disable=SC2119
	build >log/build 2>&1 || { cat log/build && exit 1; }
	start_server "$@"
	sql 'CREATE EXTENSION lshsim'
}

# Copy a file, which may be compressed, to a table, or to some of its columns.
copy_to() {
	contents "$1" | run as_owner psql -Xq -v ON_ERROR_STOP=1 -c "COPY $2 FROM STDIN"
}

# Copy the first two columns of a file of the directory CORPUS to a table.
copy_corpus() {
	local file=$CORPUS/$2
	[ -e "$file" ] || file+=.gz
	contents "$file" | cut -f1,2 | as_owner psql -Xq -v ON_ERROR_STOP=1 -c "COPY $1 FROM STDIN"
}

# Start a server with a database for each of two versions, old and new: the source tree
# of the old one, with its library built, that the owner of the server can read; lines of
# postgresql.conf.
open_versions() {
	open_server "${@:2}"
	make_old_database "$1"
	sql 'CREATE DATABASE new'
	in_version new -c 'CREATE EXTENSION lshsim'
}

# Run statements in the database of a version.
in_version() {
	run as_owner psql -XAtq -v ON_ERROR_STOP=1 -d "$1" "${@:2}"
}

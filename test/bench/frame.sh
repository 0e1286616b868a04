# shellcheck shell=bash
#
# Functions for the programs of this directory: a private server with lshsim, and files of
# texts.
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

# shellcheck shell=bash
#
# The parts of test/run for other builds: compilers, sanitizers, valgrind, other
# processors, a build in another directory, and fuzzing.  A part is skipped if
# its tools cannot be installed.

BUILDS=(compilers sanitizers valgrind 32bit big-endian vpath fuzz)
FUZZ_TIME=${FUZZ_TIME:-}	# seconds that a fuzz target runs, in place of its inputs
FUZZ_SEED=${FUZZ_SEED:-1}	# seed of its inputs; 0: another in every run
# Inputs of each fuzz target, which take about 3 seconds; others have 1000.
declare -A FUZZ_RUNS=([bands]=25000 [cluster]=20000 [minhash_io]=400000
	[shingling]=800000 [sketch]=30000 [text]=50000 [weighted]=15000 [winnow]=10000)
FEWER=50					# divides the number of cases under slow conditions
# Programs of test/unit that run on any machine.
PORTABLE=(golden canonical hash_table radix_sort platform merge reader planes comb inverted_index winnow)

### Requirements

# Find the items that the part compilers lacks.
check_clang() {
	MISSING=() PACKAGES=()
	need 'the compiler clang' clang command -v clang
}

# Find the items that fuzzing lacks.
check_fuzz() {
	check_clang
	need 'the libraries of clang' "libclang-rt-$(clang_version)dev" fuzzer_links
}

# Find the items that gcc's sanitizers lack.  The library package of gcc's
# version depends on theirs.
check_sanitizers() {
	local package
	package=libgcc-$("${COMPILER[@]}" -dumpversion)-dev
	MISSING=() PACKAGES=()
	need 'the address sanitizer' "$package" test -e "$(library libasan.so)"
	need 'the sanitizer of undefined behaviour' "$package" \
		test -e "$(library libubsan.so)"
}

# Find the items that valgrind lacks.
check_valgrind() {
	MISSING=() PACKAGES=()
	need 'the program valgrind' valgrind command -v valgrind
	need 'the symbols of the C library' libc6-dbg test -d /usr/lib/debug/.build-id
}

# Find the items that a build for PLATFORM lacks.
check_platform() {
	TRIPLET=${PLATFORM/i386/i686}-linux-gnu GCC=$(gcc -dumpversion 2>/dev/null) || true
	MISSING=() PACKAGES=()
	need 'the compiler gcc' gcc test -n "$GCC"
	need "a compiler for $PLATFORM" "gcc-$GCC-${TRIPLET//_/-}" \
		command -v "$TRIPLET-gcc-$GCC"
	need "the C library of $PLATFORM" "libc6-dev-$PLATFORM-cross" \
		test -e "/usr/$TRIPLET/lib/libc.a"
	[ "$PLATFORM" = i386 ] ||
		need "the program qemu-$PLATFORM-static" qemu-user-static \
			command -v "qemu-$PLATFORM-static"
}

# Print the version of clang as part of a package name, or nothing if clang is
# missing: the name of Debian's default package has no version.
clang_version() {
	clang -dumpversion 2>/dev/null | sed 's/[^0-9].*//; s/$/-/'
}

# Print the path of a library of the compiler.
library() {
	"${COMPILER[@]}" -print-file-name="$1"
}

# Return true if clang can link a fuzz target.
fuzzer_links() {
	echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
		clang -x c -fsanitize=fuzzer,address,undefined -o /dev/null -
}

# Install the items that a part needs, or skip it: part, check.
part_needs() {
	provide "$2"
	[ ${#MISSING[@]} -gt 0 ] || return 0
	count skipped "$1: missing: $(missing) ($(install_line))"
	return 1
}

# Install the items that all parts need.
set_up_parts() {
	local check
	for check in check_clang check_fuzz check_sanitizers check_valgrind; do
		provide "$check"
	done
	for PLATFORM in i386 s390x; do provide check_platform; done
}

### Compilers

# Compile the extension and the tests with all warnings as errors: compiler.
run_compiler() {
	local file include flags
	include=$("$PG_CONFIG" --includedir-server)
	flags=(-O2 -Wall -Wextra -Werror -Wno-unused-parameter -isystem "$include")
	make -s -C "src-$1" PG_CONFIG="$PG_CONFIG" CC="$1" with_llvm=no \
		CFLAGS="${flags[*]}" -j"$(nproc)" all || return
	for file in src/test/{unit,fuzz,fuzz/server}/*.c; do
		"$1" "${flags[@]}" -fsyntax-only -Wno-unused-function -Isrc/src \
			-Isrc/src/type -Isrc/test/unit -Isrc/test/fuzz/server "$file" || return
	done
	echo "ok 1 - no warnings of $("$1" --version | head -1)"
}

# Compile with gcc and with clang.
part_compilers() {
	local compiler
	copy_sources || return
	part_needs compilers check_clang || return 0
	for compiler in gcc clang; do
		as_owner cp -r src "src-$compiler"
		suite "$compiler" as_owner bash -c "$(declare -f run_compiler); run_compiler $compiler" || true
	done
}

### A build in another directory

# Build and install in another directory, as Debian does for each version of
# PostgreSQL; then install from the directory of the sources, with the same objects,
# and compare the files.
run_vpath() {
	local make=(make -s PG_CONFIG="$PG_CONFIG" with_llvm=no -j"$(nproc)")
	mkdir vpath && (cd vpath && "${make[@]}" -f ../src/Makefile) &&
		(cd vpath && "${make[@]}" -f ../src/Makefile DESTDIR="$PWD/to" install) &&
		echo 'ok 1 - built and installed from another directory' &&
		[ -z "$(find src -name '*.o' -o -name '*.so')" ] &&
		echo 'ok 2 - no object files among the sources' &&
		(cd vpath && find src -name '*.o' -exec cp --parents -t ../src {} +) &&
		"${make[@]}" -C src DESTDIR="$PWD/from" install >/dev/null &&
		diff <(cd vpath/to && find . | sort) <(cd from && find . | sort) &&
		echo 'ok 3 - the same files as from the directory of the sources' &&
		"${make[@]}" -C src DESTDIR="$PWD/from" uninstall >/dev/null &&
		[ -z "$(find from -type f)" ] &&
		echo 'ok 4 - uninstalled completely'
}

# Build in another directory, then run some tests from there.
part_vpath() {
	SERVER_ENVIRONMENT=()
	rm -rf src && copy_sources || return
	suite vpath as_owner bash -c "$(declare -f run_vpath); run_vpath" || return 0
	copy_server && copy vpath/to pg . && start_test_server || return
	suite vpath-regress as_owner make -C vpath -f ../src/Makefile installcheck \
		PG_CONFIG="$PG_CONFIG" REGRESS='init golden elements lsh' ISOLATION=reject || true
	suite vpath-prove as_owner make -C vpath -f ../src/Makefile prove_installcheck \
		PG_CONFIG="$PG_CONFIG" bindir="$BIN" PROVE_TESTS=test/t/002_encodings.pl \
		PROVE_FLAGS=-v || true
}

### Sanitizers

# Build a library that allocates memory before any other library when the server
# starts, so that the address sanitizer is initialized first.  Otherwise
# libgpg-error is, and the sanitizer calls gettext within gettext, which hangs.
build_first() {
	echo '#include <stdlib.h>
		__attribute__((constructor)) static void first(void) { free(malloc(1)); }' |
		as_owner "${COMPILER[@]}" -O0 -fPIC -shared -Wl,-z,initfirst -o first.so -x c -
}

# Run regression and isolation tests and the portable programs with the address
# sanitizer and that of undefined behaviour, and with the assertions of the
# server's headers.  The server itself is built without all of these.  Leaks are
# not reported, because the server exits without freeing memory.  Slow files that
# execute no line of C that others do not are left out: so gcov says.
part_sanitizers() {
	local SLOW='regress/recipes_equal regress/recipes_fields regress/recipes_passages'
	local flags='-O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined'
	part_needs sanitizers check_sanitizers || return 0
	build_first || return
	SERVER_ENVIRONMENT=(LD_PRELOAD="$(library libasan.so) $(library libubsan.so) $WORLD/first.so"
		ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1)
	copy_sources || return
	# shellcheck disable=SC2086
	test_programs sanitized "" $flags
	build_strictly "$flags -DUSE_ASSERT_CHECKING" && start_test_server || return
	test_regress || true
	test_isolation
}

### Programs of test/unit under other conditions

# Run a program with 1/FEWER of its cases: name, emulator, compiler and options.
run_program() {
	local name=$1 emulator=$2
	shift 2
	# shellcheck disable=SC2086
	compile_pure "log/$name-$PART.bin" "src/test/unit/$name.c" "$@" &&
		limited env UNIT_FEWER="$FEWER" $emulator "$WORLD/log/$name-$PART.bin"
}

# Run the portable programs: part, emulator, options of the compiler.
test_programs() {
	local name emulator=$2
	PART=$1
	shift 2
	for name in "${PORTABLE[@]}"; do
		wanted "$name" || continue
		suite "$PART-$name" run_program "$name" "$emulator" "${CROSS_COMPILER[@]:-${COMPILER[@]}}" "$@" || true
	done
}

# Run the portable programs under valgrind, without SSE2 and AVX2.
part_valgrind() {
	part_needs valgrind check_valgrind || return 0
	copy_sources || return
	test_programs valgrind 'valgrind -q --error-exitcode=1 --leak-check=no' -O1 -DLSHSIM_PLAIN_C
}

# Fetch utf8proc for PLATFORM with separate package lists.
fetch_utf8proc() {
	local dir=$WORLD/$PLATFORM
	local apt=(apt-get -q -o APT::Architecture="$PLATFORM" -o Dir::State::lists="$dir/lists"
		-o APT::Architectures::="$PLATFORM" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
		-o Acquire::Languages=none -o APT::Sandbox::User=)
	mkdir -p "$dir/lists/partial"
	"${apt[@]}" update
	(cd "$dir" && "${apt[@]}" download libutf8proc-dev) &&
		dpkg-deb -x "$dir"/libutf8proc-dev_*.deb "$dir/root"
}

# Run the portable programs on another processor: Debian's name of it.
on_platform() {
	local emulator=
	PLATFORM=$1
	part_needs "$PLATFORM" check_platform || return 0
	if ! fetch_utf8proc >"log/$PLATFORM" 2>&1; then
		count skipped "$PLATFORM: no libutf8proc-dev for it"
		return 0
	fi
	copy_sources || return
	# The headers of utf8proc and xxHash do not depend on the processor.
	as_owner mkdir -p include
	as_owner cp /usr/include/{utf8proc,xxhash,xxh3}.h include
	[ "$PLATFORM" = i386 ] || emulator=qemu-$PLATFORM-static
	CROSS_COMPILER=("$TRIPLET-gcc-$GCC")
	test_programs "$PLATFORM" "$emulator" -O2 -static "-I$WORLD/include" \
		-L"$PLATFORM/root/usr/lib/$PLATFORM-linux-gnu"
	CROSS_COMPILER=()
}

# Run the portable programs on a 32-bit processor.
part_32bit() {
	on_platform i386
}

# Run the portable programs on a big-endian processor.
part_big-endian() {
	on_platform s390x
}

### Fuzzing

# Compile and run a fuzz target on its corpus, then on new inputs: name, how many or
# how long.  The functions of server.c replace those of the server's library.
run_fuzz() {
	local flags=(-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -Wall -Werror
		-Wno-unused-function -Isrc/src -Isrc/src/type -Isrc/test/unit -Isrc/test/fuzz/server
		-isystem "$("$PG_CONFIG" --includedir-server)")
	compile_library clang "${flags[@]/#-Isrc/-I"$WORLD"/src}" -fsanitize=fuzzer-no-link &&
		as_owner mkdir -p "fuzz/new/$1" &&
		as_owner clang "${flags[@]}" -fsanitize=fuzzer -o "fuzz/$1" "src/test/fuzz/$1.c" \
			src/src/{type/minhash_io,type/minhash,support/arguments}.c src/test/fuzz/server/server.c \
			"$PURE" -Wl,--allow-multiple-definition \
			"$("$PG_CONFIG" --pkglibdir)"/libpg{common,port}.a -lutf8proc -lm || return
	as_owner "fuzz/$1" -runs=0 "src/test/fuzz/corpus/$1" &&
		echo "ok 1 - $1: corpus" &&
		as_owner "fuzz/$1" "$2" -seed="$FUZZ_SEED" -timeout=20 -print_final_stats=1 \
			-artifact_prefix="fuzz/new/crash-$1-" "fuzz/new/$1" "src/test/fuzz/corpus/$1" &&
		echo "ok 2 - $1: new inputs"
}

# Fuzz each target.  As many inputs are tried on a slow machine as on a fast one.
part_fuzz() {
	local amount target
	part_needs fuzz check_fuzz || return 0
	copy_sources || return
	for target in $(wanted_of src/test/fuzz/*.c); do
		amount=-runs=${FUZZ_RUNS[$target]:-1000}
		[ -z "$FUZZ_TIME" ] || amount=-max_total_time=$FUZZ_TIME
		suite "fuzz-$target" run_fuzz "$target" "$amount" || true
		grep -hE '^#.*DONE' "log/fuzz-$target" | sed 's/^#\([0-9]*\).*\(cov: [0-9]*\).*/    \1 inputs, \2/' || true
	done
}

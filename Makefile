# lshsim: near-duplicate search in PostgreSQL
#
#	make, make install, make installcheck
#		as for any extension, also from another directory:
#		make -f ../lshsim/Makefile
#	make prove_installcheck
#		TAP tests of the installed extension; PROVE_TESTS= chooses files
#	make check-quick
#		regression, isolation and unit tests on a private copy of the server,
#		in less than two minutes
#	make test
#		all tests on a private copy of the server, in about 15 minutes;
#		TESTS="name ..." chooses some
#	make test-builds
#		other compilers and processors, sanitizers, a little fuzzing; one of
#		them: test-compilers test-sanitizers test-valgrind test-32bit
#		test-big-endian test-vpath test-fuzz
#	make test-pg17
#		all tests on Debian 13, with PostgreSQL 17
#	make fuzz
#		each fuzz target for FUZZ_TIME=600 seconds
#	make demo
#		a tour on real data; KEEP=1 leaves its server running
#	make bench
#		lshsim compared with other tools; SIZE=, CORPORA=
#	make format
#		the changes that pgindent would make; FIX=1 makes them
#	make deb, make dist
#		packages for Debian and Ubuntu, the archive for PGXN, in DESTINATION=
#		(build)
#	make release-check
#		the checks before a release

MODULE_big = lshsim
# The directory of this file, which need not be the current one.
HERE := $(dir $(abspath $(firstword $(MAKEFILE_LIST))))

# All C files of all rooms, which src/README.md describes.
OBJS = $(sort $(patsubst $(HERE)%.c,%.o,$(wildcard $(addprefix $(HERE)src/,*.c */*.c */*/*.c))))

EXTENSION = lshsim
DATA = $(patsubst $(HERE)%,%,$(wildcard $(HERE)src/lshsim--*.sql))
SCRIPTS = src/lshsim_report
DOCS = README.md REFERENCE.md COOKBOOK.md DEPLOYMENT.md
PGFILEDESC = "lshsim - near-duplicate search"

# All files of sql/, init first.  Those that need PostgreSQL 16 are named here.
REGRESS_16 = softerr
REGRESS = init $(filter-out init $(REGRESS_16), \
	$(sort $(notdir $(basename $(wildcard $(HERE)sql/*.sql)))))
REGRESS_OPTS = --encoding=UTF8 --no-locale
ISOLATION = $(sort $(notdir $(basename $(wildcard $(HERE)test/specs/*.spec))))
ISOLATION_OPTS = --inputdir=$(HERE)test

SHLIB_LINK += -lutf8proc
PG_CPPFLAGS = -I$(srcdir)/src

# A library that the server loaded earlier must not replace functions of lshsim.
ifeq ($(shell uname),Linux)
SHLIB_LINK += -Wl,-Bsymbolic
endif

# These goals install the packages that they need, PostgreSQL among them.
SELF_CONTAINED = test check-quick test-pg17 fuzz demo bench format deb dist \
	release-check

ifneq ($(filter-out $(SELF_CONTAINED) test-%,$(or $(MAKECMDGOALS),all)),)
PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
ifeq ($(PGXS),)
$(error install PostgreSQL's server headers, or use PG_CONFIG=/path/to/pg_config)
endif
include $(PGXS)

# Other extensions install a README.md, too.
docmoduledir = extension/$(EXTENSION)

# PGXS looks for installed scripts below the directory that they come from.
uninstall: uninstall-scripts
.PHONY: uninstall-scripts
uninstall-scripts:
	rm -f $(addprefix '$(DESTDIR)$(bindir)'/, $(notdir $(SCRIPTS)))

# Tests of features of later versions.
ifneq ($(MAJORVERSION),15)
REGRESS += $(REGRESS_16)
endif

# A build in another directory needs directories for the objects, and its
# regression tests read test/data.
$(shell mkdir -p $(sort $(dir $(OBJS))))
ifneq ($(CURDIR)/,$(HERE))
EXTRA_CLEAN += test
installcheck: link_test
.PHONY: link_test
link_test:
	@ln -sfn $(HERE)test test
endif

$(OBJS): $(wildcard $(addprefix $(srcdir)/src/,*.h */*.h */*/*.h))

# The loops over bytes, hashes and slots.
$(addprefix src/core/,bands/bands.o base/inverted_index.o base/hash.o sketch/comb.o sketch/planes.o sketch/sketch.o sketch/slots.o text/normalize.o): CFLAGS += $(CFLAGS_VECTORIZE)

# No result may depend on fused multiply-add instructions.
$(OBJS) $(OBJS:.o=.bc): CPPFLAGS += -ffp-contract=off

# The x87 unit of 32-bit x86 computes with more digits than a double has, so
# that 9 equal slots of 10 would not reach a threshold of 0.9.
ifneq ($(filter i%86,$(host_cpu)),)
$(OBJS) $(OBJS:.o=.bc): CPPFLAGS += -msse2 -mfpmath=sse
endif

# The TAP tests of the installed extension.  Root may not start a server; the
# user postgres does, in a directory that it may write to.
PROVE_TESTS ?= test/t/*.pl
PG_PROVE_FLAGS += -I test/perl

.PHONY: prove_installcheck
prove_installcheck:
ifeq ($(shell id -u),0)
	@dir=$$(mktemp -d) && chown postgres $$dir && \
	runuser -u postgres -- $(MAKE) --no-print-directory -C $$dir -f $(HERE)Makefile $@ && \
	rm -rf $$dir || { echo "See the logs in $$dir."; false; }
else
	@$(prove_installcheck)
endif
endif

.PHONY: $(SELF_CONTAINED)

test:
	@$(HERE)test/run

check-quick:
	@$(HERE)test/run quick

test-pg17:
	@$(HERE)test/release trixie

# test-builds, or a part of it.
test-%:
	@$(HERE)test/run $*

fuzz: export FUZZ_TIME ?= 600
fuzz: export FUZZ_SEED ?= 0
fuzz:
	@$(HERE)test/run fuzz

demo:
	@$(HERE)test/demo/run

bench:
	@$(HERE)test/bench/run

format:
	@$(HERE)test/format $(if $(FIX),--fix)

deb dist:
	@$(HERE)test/packaging/$@ $(DESTINATION)

release-check:
	@$(HERE)test/packaging/release-check

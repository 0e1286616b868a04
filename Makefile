# lshsim: near-duplicate search in PostgreSQL
#
#	make, make install, make installcheck	as for any extension, also from
#		another folder: make -f ../lshsim/Makefile
#	make prove_installcheck	the TAP tests on what is installed; PROVE_TESTS=
#	make test	everything, on a private copy of the server
#	make check-quick	the regression tests and those of the pure files on a
#		private copy of the server: what to run while at work
#	make test-builds	other compilers and processors, sanitizers, a little fuzzing;
#		one of them: test-compilers test-sanitizers test-valgrind test-32bit
#		test-big-endian test-vpath
#	make test-pg17	the tests on Debian 13, with PostgreSQL 17
#	make fuzz	for long; FUZZ_TIME= seconds for each target
#	make demo	a tour on real data; KEEP=1 leaves its server running
#	make bench	lshsim beside what else there is; SIZE=, CORPORA=, PEERS=
#	make format	what pgindent would change; FIX=1 lets it
#	make deb	packages for Debian and Ubuntu, in DESTINATION= (build)
#	make dist	the archive for PGXN, in the same place
#	make release-check	whether all is ready for a release

MODULE_big = lshsim
# Where this file is, which need not be the current directory.
HERE := $(dir $(abspath $(firstword $(MAKEFILE_LIST))))

# Every file of every room; src/README.md tells which is which.
OBJS = $(sort $(patsubst $(HERE)%.c,%.o,$(wildcard $(HERE)src/*.c $(HERE)src/*/*.c)))

EXTENSION = lshsim
DATA = $(patsubst $(HERE)%,%,$(wildcard $(HERE)src/lshsim--*.sql))
SCRIPTS = src/lshsim_report
DOCS = README.md REFERENCE.md
PGFILEDESC = "lshsim - near-duplicate search"

REGRESS = init \
	shingling shingles passages encodings \
	minhash_type golden to_minhash elements weighted import trigger aggregate algebra parameters \
	jaccard estimator shares_passage passage_ops passage_lsh \
	lsh lsh_params settings search query planner lsh_index \
	lsh_am lsh_pairs \
	cluster check_trigger check_trigger_plans recipes_cluster groups advise
REGRESS_16 = softerr
REGRESS_OPTS = --encoding=UTF8 --no-locale
ISOLATION = change_kind cursor groups pairs pairs_skew passages rebuild reject revoke snapshot write_skew
ISOLATION_OPTS = --inputdir=$(HERE)test

SHLIB_LINK += -lutf8proc
PG_CPPFLAGS = -I$(srcdir)/src

# A library that the server loaded before must not replace functions of ours.
ifeq ($(shell uname),Linux)
SHLIB_LINK += -Wl,-Bsymbolic
endif

# These goals set up what they need, so PostgreSQL may still be missing.
PARTS = compilers sanitizers valgrind 32bit big-endian vpath
SELF_CONTAINED = test check-quick demo bench test-builds $(PARTS:%=test-%) \
	test-pg17 fuzz format deb dist release-check

ifneq ($(filter-out $(SELF_CONTAINED),$(or $(MAKECMDGOALS),all)),)
PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
ifeq ($(PGXS),)
$(error install PostgreSQL's server headers, or use PG_CONFIG=/path/to/pg_config)
endif
include $(PGXS)

# README.md is what the documentation of others is called, too.
docmoduledir = extension/$(EXTENSION)

# PGXS looks for installed scripts below the folder that they come from.
uninstall: uninstall-scripts
.PHONY: uninstall-scripts
uninstall-scripts:
	rm -f $(addprefix '$(DESTDIR)$(bindir)'/, $(notdir $(SCRIPTS)))

# Tests of what came with a later version.
ifeq ($(filter 14 15,$(MAJORVERSION)),)
REGRESS += $(REGRESS_16)
endif

# A build in another folder needs folders for the objects, and its regression
# tests read test/data.
$(shell mkdir -p $(sort $(dir $(OBJS))))
ifneq ($(CURDIR)/,$(HERE))
EXTRA_CLEAN += test
installcheck: link_test
.PHONY: link_test
link_test:
	@ln -sfn $(HERE)test test
endif

$(OBJS): $(wildcard $(srcdir)/src/*.h $(srcdir)/src/*/*.h)

# The loops over hashes and slots.
src/core/bands.o src/core/normalize.o src/core/planes.o src/core/sketch.o src/core/slots.o src/core/windows.o: CFLAGS += $(CFLAGS_VECTORIZE)

# No result depends on whether the processor can multiply and add at once.
$(OBJS) $(OBJS:.o=.bc): CPPFLAGS += -ffp-contract=off

# The old floating-point unit of 32-bit x86 computes with more digits than a
# double has, so that 9 equal slots of 10 would not reach a threshold of 0.9.
ifneq ($(filter i%86,$(host_cpu)),)
$(OBJS) $(OBJS:.o=.bc): CPPFLAGS += -msse2 -mfpmath=sse
endif

# The TAP tests on the installed extension.  Root may not start a server, so
# that postgres does, who needs a directory to write to.
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

test-builds:
	@$(HERE)test/run $(PARTS) fuzz

$(PARTS:%=test-%): test-%:
	@$(HERE)test/run $*

test-pg17:
	@$(HERE)test/release trixie

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

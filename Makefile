# lshsim: near-duplicate search in PostgreSQL
#
#	make, make install, make installcheck	as for any extension
#	make test	everything, on a private copy of the server
#	make test-builds	other compilers and processors, sanitizers, a little fuzzing;
#		one of them: test-compilers test-sanitizers test-valgrind test-32bit
#		test-big-endian
#	make test-pg17	the tests on Debian 13, with PostgreSQL 17
#	make fuzz	for long; FUZZ_TIME= seconds for each target
#	make demo	a tour on real data; KEEP=1 leaves its server running
#	make bench	lshsim beside what else there is; SIZE=, CORPORA=, PEERS=

MODULE_big = lshsim
OBJS = \
	src/algebra.o \
	src/arguments.o \
	src/bands.o \
	src/bucket.o \
	src/cluster.o \
	src/darts.o \
	src/elements.o \
	src/estimate.o \
	src/exact.o \
	src/import.o \
	src/inspect.o \
	src/lsh.o \
	src/lsh_index.o \
	src/lsh_index_plans.o \
	src/lsh_optimum.o \
	src/lshsim.o \
	src/minhash.o \
	src/minhash_agg.o \
	src/minhash_cluster.o \
	src/minhash_gin.o \
	src/minhash_io.o \
	src/minhash_query.o \
	src/minhash_sel.o \
	src/minhash_support.o \
	src/normalize.o \
	src/occurrences.o \
	src/row.o \
	src/shingle.o \
	src/shingle_list.o \
	src/shingles.o \
	src/shingling.o \
	src/shingling_io.o \
	src/similar.o \
	src/sizes.o \
	src/sketch.o \
	src/to_minhash.o \
	src/trigger.o \
	src/utf8.o \
	src/weighted.o

EXTENSION = lshsim
DATA = $(wildcard src/lshsim--*.sql)
PGFILEDESC = "lshsim - near-duplicate search"

REGRESS = init shingling shingles minhash_type golden to_minhash jaccard \
	estimator lsh lsh_params settings search query planner lsh_index encodings \
	cluster recipes_cluster aggregate algebra trigger weighted import
REGRESS_16 = softerr
REGRESS_OPTS = --encoding=UTF8 --no-locale
ISOLATION = rebuild reject snapshot write_skew
ISOLATION_OPTS = --inputdir=test

SHLIB_LINK += -lutf8proc

# A library that the server loaded before must not replace functions of ours.
ifeq ($(shell uname),Linux)
SHLIB_LINK += -Wl,-Bsymbolic
endif

# These goals set up what they need, so PostgreSQL may still be missing.
PARTS = compilers sanitizers valgrind 32bit big-endian
SELF_CONTAINED = test demo bench test-builds $(PARTS:%=test-%) test-pg17 fuzz

ifneq ($(filter-out $(SELF_CONTAINED),$(or $(MAKECMDGOALS),all)),)
PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
ifeq ($(PGXS),)
$(error install PostgreSQL's server headers, or use PG_CONFIG=/path/to/pg_config)
endif
include $(PGXS)

# Tests of what came with a later version.
ifeq ($(filter 14 15,$(MAJORVERSION)),)
REGRESS += $(REGRESS_16)
endif

$(OBJS): $(wildcard src/*.h)

# The loops over hashes and slots.
src/sketch.o: CFLAGS += $(CFLAGS_VECTORIZE)

# A plan must not depend on whether the processor can multiply and add at once.
src/bands.o src/bands.bc: CPPFLAGS += -ffp-contract=off

# The old floating-point unit of 32-bit x86 computes with more digits than a
# double has, so that 9 equal slots of 10 would not reach a threshold of 0.9.
ifneq ($(filter i%86,$(host_cpu)),)
$(OBJS) $(OBJS:.o=.bc): CPPFLAGS += -msse2 -mfpmath=sse
endif
endif

.PHONY: $(SELF_CONTAINED)

test:
	@test/run

test-builds:
	@test/run $(PARTS) fuzz

$(PARTS:%=test-%): test-%:
	@test/run $*

test-pg17:
	@test/release trixie

fuzz: export FUZZ_TIME ?= 600
fuzz:
	@test/run fuzz

demo:
	@test/demo/run

bench:
	@test/bench/run

# lshsim: near-duplicate search in PostgreSQL
#
#	make, make install, make installcheck	as for any extension
#	make test	everything, on a private copy of the server
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
DATA = src/lshsim--1.0.sql
PGFILEDESC = "lshsim - near-duplicate search"

REGRESS = init shingling shingles minhash_type golden to_minhash jaccard \
	estimator lsh lsh_params settings search query planner lsh_index encodings \
	cluster recipes_cluster aggregate algebra trigger weighted import
REGRESS_16 = softerr
REGRESS_OPTS = --encoding=UTF8 --no-locale
ISOLATION = reject
ISOLATION_OPTS = --inputdir=test

SHLIB_LINK += -lutf8proc

# These goals set up what they need, so PostgreSQL may still be missing.
SELF_CONTAINED = test demo bench

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
src/bands.o: CFLAGS += -ffp-contract=off
endif

.PHONY: $(SELF_CONTAINED)

test:
	@test/run

demo:
	@test/demo/run

bench:
	@test/bench/run

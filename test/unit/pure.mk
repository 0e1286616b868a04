# src/core as a library for the programs of test/unit; CC= has the options.
src := $(dir $(lastword $(MAKEFILE_LIST)))../../src/core/
core := $(wildcard $(src)*/*.c)
vpath %.c $(sort $(dir $(core)))

pure.a: $(notdir $(core:.c=.o))
	$(AR) rc $@ $^

%.o: %.c $(wildcard $(src)*/*.h)
	$(CC) -c -o $@ $<

/*-------------------------------------------------------------------------
 *
 * processor.h
 *	  Vectorized loops for several kinds of processors, and prefetching.
 *
 * A function with VECTOR_CLONES in front is compiled several times, and the
 * dynamic linker picks the copy for the processor (target_clones of gcc, with
 * glibc on x86-64).  Elsewhere the macros are empty.  All copies give the same
 * results, since they do the same integer arithmetic.
 *
 *	VECTOR_CLONES		copies for SSE2 and AVX2
 *	VECTOR_CLONES_WIDE	the same, and with gcc 12 or later a copy for AVX-512
 *	VECTORS_ARE_WIDE	true if the processor has AVX2; only defined where
 *						there are copies
 *	VECTOR_PART			a part of such a function, inlined into each copy
 *
 * A file with such loops must be compiled with CFLAGS_VECTORIZE (see Makefile).
 * LSHSIM_PLAIN_C turns all this off, for tests under valgrind.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PROCESSOR_H
#define PROCESSOR_H

/* Clang 14 renames cloned functions, so that other files cannot find them. */
#if defined(__x86_64__) && defined(__gnu_linux__) && \
	!defined(__clang__) && defined(__has_attribute) && \
	!defined(LSHSIM_PLAIN_C)
#if __has_attribute(target_clones)
#define VECTOR_CLONES __attribute__((target_clones("default", "avx2")))
#define VECTORS_ARE_WIDE __builtin_cpu_supports("avx2")
#if __GNUC__ >= 12
#define VECTOR_CLONES_WIDE \
	__attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#endif
#endif
#endif
#ifndef VECTOR_CLONES
#define VECTOR_CLONES
#endif
#ifndef VECTOR_CLONES_WIDE
#define VECTOR_CLONES_WIDE VECTOR_CLONES
#endif

#if defined(__GNUC__)
#define VECTOR_PART static inline __attribute__((always_inline))
#else
#define VECTOR_PART static inline
#endif

#define CACHE_LINE 64			/* bytes; a wrong guess costs only time */

/* Prefetch the cache line of an address; a no-op for other compilers. */
static inline void
prefetch_line(const void *address)
{
#if defined(__GNUC__)
	__builtin_prefetch(address);
#endif
}

#endif							/* PROCESSOR_H */

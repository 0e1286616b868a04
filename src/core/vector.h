/*-------------------------------------------------------------------------
 *
 * vector.h
 *	  Loops that the compiler may write for several processors.
 *
 *-------------------------------------------------------------------------
 */
#ifndef VECTOR_H
#define VECTOR_H

/* Clang 14 renames cloned functions, so that other files do not find them. */
#if defined(__x86_64__) && defined(__gnu_linux__) && \
	!defined(__clang__) && defined(__has_attribute) && \
	!defined(LSHSIM_PLAIN_C)
#if __has_attribute(target_clones)
#define VECTOR_CLONES __attribute__((target_clones("default", "avx2")))
#endif
#endif
#ifndef VECTOR_CLONES
#define VECTOR_CLONES
#endif

/* A part of such a loop, which must become part of every version of it. */
#if defined(__GNUC__)
#define VECTOR_PART static inline __attribute__((always_inline))
#else
#define VECTOR_PART static inline
#endif

#endif							/* VECTOR_H */

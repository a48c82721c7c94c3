/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Defines the loops that move memory, as STREAM does (McCalpin, Memory Bandwidth and Machine
 * Balance, 1995), once for each width of registers. The compiler's builtins ask CPUID which widths
 * the processor has, and XGETBV whether the kernel keeps them.
 */
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "machine/memory/internal.h"

/* triad: a = b + TRIAD_FACTOR * c */
#define TRIAD_FACTOR 3.0

/* NOLINTBEGIN(bugprone-macro-parentheses,readability-non-const-parameter): types, attributes and
   names cannot stand in parentheses; all loops have one type. */

/* One set of loops. `stream` stores a pair of registers past the caches. */
#define KERNELS(isa, instructions, bytes, stream)                                                  \
    typedef double vector_##isa __attribute__((vector_size(bytes), may_alias));                    \
    enum { LANES_##isa = (bytes) / sizeof(double) };                                               \
    instructions static double read_##isa(double *a, const double *b, const double *c, size_t n)   \
    {                                                                                              \
        const vector_##isa *v = (const vector_##isa *)a, *end = v + n / LANES_##isa;               \
        vector_##isa s0 = {0}, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;      \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        for (; v < end; v += 8)                                                                    \
            s0 += v[0], s1 += v[1], s2 += v[2], s3 += v[3], s4 += v[4], s5 += v[5], s6 += v[6],    \
                s7 += v[7];                                                                        \
        s0 = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));                                    \
        double total = 0;                                                                          \
        for (size_t k = 0; k < LANES_##isa; k++)                                                   \
            total += s0[k];                                                                        \
        return total;                                                                              \
    }                                                                                              \
    KERNEL(isa, instructions, write, plain_store, FACTOR_AT)                                       \
    KERNEL(isa, instructions, write_past, stream, FACTOR_AT)                                       \
    KERNEL(isa, instructions, copy, plain_store, COPY_AT)                                          \
    KERNEL(isa, instructions, copy_past, stream, COPY_AT)                                          \
    KERNEL(isa, instructions, triad, plain_store, TRIAD_AT)                                        \
    KERNEL(isa, instructions, triad_past, stream, TRIAD_AT)

#define FACTOR_AT(i) factor
#define COPY_AT(i)   b_at[i]
#define TRIAD_AT(i)  b_at[i] + factor *c_at[i]

/* A loop that stores value(i), four registers at a time. */
#define KERNEL(isa, instructions, name, store, value)                                              \
    instructions static double name##_##isa(double *a, const double *b, const double *c, size_t n) \
    {                                                                                              \
        const vector_##isa *b_at = (const vector_##isa *)b, *c_at = (const vector_##isa *)c;       \
        vector_##isa *to = (vector_##isa *)a, factor = (vector_##isa){0} + TRIAD_FACTOR;           \
        (void)b_at;                                                                                \
        (void)c_at;                                                                                \
        (void)factor;                                                                              \
        for (size_t i = 0; i < n / LANES_##isa; i += 4) {                                          \
            store(&to[i], value(i), value(i + 1));                                                 \
            store(&to[i + 2], value(i + 2), value(i + 3));                                         \
        }                                                                                          \
        store_fence();                                                                             \
        return 0;                                                                                  \
    }

#define ROW(isa, words)                                                                            \
    {                                                                                              \
        words,                                                                                     \
        {                                                                                          \
            [MEMORY_READ] = read_##isa, [MEMORY_WRITE] = write_##isa,                              \
            [MEMORY_WRITE_PAST] = write_past_##isa, [MEMORY_COPY] = copy_##isa,                    \
            [MEMORY_COPY_PAST] = copy_past_##isa, [MEMORY_TRIAD] = triad_##isa,                    \
            [MEMORY_TRIAD_PAST] = triad_past_##isa                                                 \
        }                                                                                          \
    }

#define plain_store(to, v0, v1) ((to)[0] = (v0), (to)[1] = (v1))

#if defined(__x86_64__)

#define store_fence() _mm_sfence() /* orders stores that bypass the caches, which are unordered */

#define stream_16(to, v0, v1)                                                                      \
    (_mm_stream_pd((double *)(to), v0), _mm_stream_pd((double *)((to) + 1), v1))
#define stream_32(to, v0, v1)                                                                      \
    (_mm256_stream_pd((double *)(to), v0), _mm256_stream_pd((double *)((to) + 1), v1))
#define stream_64(to, v0, v1)                                                                      \
    (_mm512_stream_pd((double *)(to), v0), _mm512_stream_pd((double *)((to) + 1), v1))

KERNELS(sse2, , 16, stream_16)
KERNELS(avx2, __attribute__((target("avx2,fma"))), 32, stream_32)
KERNELS(avx512, __attribute__((target("avx512f"))), 64, stream_64)

static const struct memory_kernels all[] = {ROW(sse2, "SSE2"), ROW(avx2, "AVX2"),
                                            ROW(avx512, "AVX-512")};

static bool is_supported(const char *name)
{
    __builtin_cpu_init();
    if (!strcmp(name, "AVX-512"))
        return __builtin_cpu_supports("avx512f");
    return strcmp(name, "AVX2") != 0 ||
           (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
}

#else

#define store_fence() __atomic_thread_fence(__ATOMIC_SEQ_CST)

#if defined(__aarch64__)
#define VECTOR_NAME "NEON"
#define stream_pair(to, v0, v1)                                                                    \
    __asm__ volatile("stnp %q1, %q2, [%0]" : : "r"(to), "w"(v0), "w"(v1) : "memory")
#else
#define VECTOR_NAME             "vectors of the compiler"
#define stream_pair(to, v0, v1) plain_store(to, v0, v1)
#endif

KERNELS(wide, , 16, stream_pair)

static const struct memory_kernels all[] = {ROW(wide, VECTOR_NAME)};

static bool is_supported(const char *name)
{
    (void)name;
    return true;
}

#endif

/* NOLINTEND(bugprone-macro-parentheses,readability-non-const-parameter) */

const struct memory_kernels *memory_kernels_at(size_t i)
{
    return i < sizeof all / sizeof *all && is_supported(all[i].name) ? &all[i] : NULL;
}

const struct memory_kernels *memory_kernels_widest(void)
{
    const struct memory_kernels *widest = memory_kernels_at(0);
    for (size_t i = 1; memory_kernels_at(i); i++)
        widest = memory_kernels_at(i);
    return widest;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defines the work of processors while their clock is measured: multiplications and additions in
   the widest registers, which take the most power, and a chain of additions of one cycle each. */
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "machine/processors/internal.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): types and attributes cannot stand in parentheses. */

enum { LOAD_ROUNDS = 4000, LOAD_CHAINS = 10 };

/* Ten chains keep two units with four or five stages busy. `fused` multiplies and adds. */
#define LOAD(isa, instructions, bytes, fused)                                                      \
    typedef double vector_##isa __attribute__((vector_size(bytes)));                               \
    instructions static double load_##isa(double *sum)                                             \
    {                                                                                              \
        const vector_##isa factor = (vector_##isa){0} + 0.999999, term = factor * 1e-6;            \
        vector_##isa v0 = factor, v1 = v0, v2 = v0, v3 = v0, v4 = v0, v5 = v0, v6 = v0, v7 = v0,   \
                     v8 = v0, v9 = v0;                                                             \
        for (int i = 0; i < LOAD_ROUNDS; i++) {                                                    \
            v0 = fused(v0, factor, term), v1 = fused(v1, factor, term);                            \
            v2 = fused(v2, factor, term), v3 = fused(v3, factor, term);                            \
            v4 = fused(v4, factor, term), v5 = fused(v5, factor, term);                            \
            v6 = fused(v6, factor, term), v7 = fused(v7, factor, term);                            \
            v8 = fused(v8, factor, term), v9 = fused(v9, factor, term);                            \
            __asm__ volatile(""                                                                    \
                             : OPERAND(v0), OPERAND(v1), OPERAND(v2), OPERAND(v3), OPERAND(v4),    \
                               OPERAND(v5), OPERAND(v6), OPERAND(v7), OPERAND(v8), OPERAND(v9));   \
        }                                                                                          \
        v0 = ((v0 + v1) + (v2 + v3)) + ((v4 + v5) + (v6 + v7)) + (v8 + v9);                        \
        *sum = 0;                                                                                  \
        for (size_t k = 0; k < (bytes) / sizeof(double); k++)                                      \
            *sum += v0[k];                                                                         \
        const size_t numbers = (bytes) / sizeof(double);                                           \
        return (double)LOAD_ROUNDS * LOAD_CHAINS * 2 * (double)numbers;                            \
    }

#define unfused(v, factor, term) ((v) * (factor) + (term))

#if defined(__x86_64__)
#define OPERAND(v) "+x"(v)
LOAD(sse2, , 16, unfused)
LOAD(avx2, __attribute__((target("avx2,fma"))), 32, _mm256_fmadd_pd)
#undef OPERAND
#define OPERAND(v) "+v"(v)
LOAD(avx512, __attribute__((target("avx512f"))), 64, _mm512_fmadd_pd)
#elif defined(__aarch64__)
#define OPERAND(v)                  "+w"(v)
#define fused_wide(v, factor, term) vfmaq_f64(term, v, factor)
LOAD(wide, , 16, fused_wide)
#else
#define OPERAND(v) "+m"(v)
LOAD(wide, , 16, unfused)
#endif

/* NOLINTEND(bugprone-macro-parentheses) */

static const struct load {
    const char *words;
    load_function *piece;
} * load_widest(void)
{
#if defined(__x86_64__)
    static const struct load loads[] = {
        {"SSE2", load_sse2}, {"AVX2", load_avx2}, {"AVX-512", load_avx512}};
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        return &loads[2];
    return &loads[__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")];
#else
    static const struct load loads[] = {{"vectors of 16 bytes", load_wide}};
    return loads;
#endif
}

double load_piece(double *sum)
{
    return load_widest()->piece(sum);
}

const char *load_words(void)
{
    return load_widest()->words;
}

/* The sum of two registers takes one cycle on every processor. Some processors add a constant while
   they rename registers, which takes no cycle. */
void load_chain(void)
{
    uint64_t sum = 0, one = 1;
    for (int i = 0; i < LOAD_CHAIN; i += 100)
#if defined(__x86_64__)
        __asm__ volatile(".rept 100\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(one) : "cc");
#elif defined(__aarch64__)
        __asm__ volatile(".rept 100\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(one));
#else
        for (int k = 0; k < 100; k++) {
            sum += one;
            __asm__ volatile("" : "+r"(sum));
        }
#endif
}

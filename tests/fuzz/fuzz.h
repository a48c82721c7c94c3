/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A harness: tests/fuzz/fuzz_NAME.c gives one reader the fuzzer's bytes and checks what comes out
 * of it. libFuzzer calls it (./build.sh fuzz NAME); so does corpus_main.c, once for every file of
 * tests/fuzz/corpus/NAME. The first byte of an input may choose how the rest is read.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* libFuzzer's name. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A condition that must hold for any input; if it does not, that is a finding like a crash. */
#define FUZZ_CHECK(holds, words)                                                                   \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, words);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif

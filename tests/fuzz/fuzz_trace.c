/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes the readers of traces for some time:  fuzz_trace SECONDS SEED [ROUND]
 * With a ROUND only that one is done again.
 */
#include "tests/fuzz/fuzz_trace.h"

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: fuzz_trace SECONDS SEED [ROUND]\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[2], NULL, 10);
    int result = argc == 4 ? fuzz_trace(0, seed, strtoull(argv[3], NULL, 10))
                           : fuzz_trace(strtod(argv[1], NULL), seed, 0);
    return result == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes everything that reads a machine for some time:  fuzz_probe SECONDS SEED [ROUND]
 * With a ROUND only that one is done again. Run it in the project's folder.
 */
#include "tests/fuzz/fuzz_machine.h"

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: fuzz_probe SECONDS SEED [ROUND]\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[2], NULL, 10);
    int result = argc == 4 ? fuzz(0, seed, strtoull(argv[3], NULL, 10))
                           : fuzz(strtod(argv[1], NULL), seed, 0);
    return result == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

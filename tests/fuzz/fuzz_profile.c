/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes the reader of profiles for some time:  fuzz_profile SECONDS SEED [ROUND]
 * With a ROUND only that one is done again.
 */
#include "tests/fuzz/fuzz_profile.h"

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: fuzz_profile SECONDS SEED [ROUND]\n");
        return 2;
    }
    return fuzz_profiles(strtod(argv[1], NULL), strtoull(argv[2], NULL, 10),
                         argc == 4 ? strtoull(argv[3], NULL, 10) : 0);
}

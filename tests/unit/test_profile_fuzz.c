/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Damaged profiles, at random. CUPEL_FUZZ_SECONDS gives it longer than the usual 2 seconds,
 * CUPEL_FUZZ_SEED another start.
 */
#include "tests/fuzz/fuzz_profile.h"
#include "tests/unit/check.h"

int main(void)
{
    const char *seconds = getenv("CUPEL_FUZZ_SECONDS"), *seed = getenv("CUPEL_FUZZ_SEED");
    CHECK(fuzz_profiles(seconds ? strtod(seconds, NULL) / 4 : 2,
                        seed ? strtoull(seed, NULL, 10) : 1, 0) == 0);
    return check_result();
}

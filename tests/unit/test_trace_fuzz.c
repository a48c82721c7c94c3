/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Damaged traces, at random: the readers must not crash, hang or leak, and what they count must add
 * up. CUPEL_FUZZ_SECONDS gives them longer than the usual 8 seconds, CUPEL_FUZZ_SEED another start.
 */
#include "tests/fuzz/fuzz_trace.h"
#include "tests/unit/check.h"

int main(void)
{
    const char *seconds = getenv("CUPEL_FUZZ_SECONDS"), *seed = getenv("CUPEL_FUZZ_SEED");
    CHECK(fuzz_trace(seconds ? strtod(seconds, NULL) : 8, seed ? strtoull(seed, NULL, 10) : 1, 0) ==
          0);
    return check_result();
}

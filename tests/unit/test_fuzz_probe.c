/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Randomly damaged machines and dumps: the probers must not crash, hang or leak. CUPEL_FUZZ_SECONDS
 * sets the time (default 8 seconds), CUPEL_FUZZ_SEED the seed; CUPEL_FUZZ_ROUND repeats the one
 * round that a failure prints.
 *
 * Slow: as long as it is given.
 */
#include "tests/fuzz/fuzz_machine.h"
#include "tests/unit/check.h"

static uint64_t number_of(const char *variable, uint64_t usual)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : usual;
}

int main(void)
{
    const char *seconds = getenv("CUPEL_FUZZ_SECONDS");
    uint64_t round = number_of("CUPEL_FUZZ_ROUND", 0);
    double usual = seconds ? strtod(seconds, NULL) : 8;
    CHECK(fuzz(round ? 0 : usual, number_of("CUPEL_FUZZ_SEED", 1), round) == 0);
    return check_result();
}

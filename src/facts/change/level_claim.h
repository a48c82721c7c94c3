/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What may be claimed of a level beyond the time in which it was measured. The mean of a stretch of
 * time is a fact about that time; whether it speaks for the target depends on whether the level
 * holds (level_state.h), and on how much more time would make the mean more certain.
 */
#ifndef CUPEL_FACTS_CHANGE_LEVEL_CLAIM_H
#define CUPEL_FACTS_CHANGE_LEVEL_CLAIM_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/change/level_state.h"

struct level_claim {
    enum level_state state;
    enum level_doubt doubt;
    size_t readings_before; /* number of readings before the stretch that was judged */
    double memory;          /* parameter d of long memory, 0 to 1/2; 0: no long memory */
    double reading_seconds; /* time of a reading; NaN: readings have no time */
    size_t readings;        /* number of readings in the stretch that was judged */
    double low, high;       /* lowest and highest mean of its tenths; NaN: fewer than 10 readings */
    /* The last movement: the change of the mean relative to where it was before (-0.3 is a fall by
       30 %), over change_readings. NaN: not known. */
    double change;
    size_t change_readings;
    double cycle_readings;  /* length of its slowest cycle; NaN: not known, or none was seen */
    double needed_readings; /* readings that the precision asked for would take; infinite where no
                               number would do; NaN: not known */
    double limit_width;     /* full width over the mean that is expected at the limit; NaN: not
                               known, or there is no limit */
};

/* Returns the claim for a level of which nothing is known. */
struct level_claim level_claim_unknown(void);

enum { LEVEL_CLAIM_WORDS = 96 };

/* "about 9 h", "about 40 million readings", "more than a year". Returns `to`. */
const char *level_claim_span(char *to, size_t size, const struct level_claim *c, double readings);

/*
 * Why the level does not hold: "its level wanders over 10 min", "it still rises by 2 % a
 * minute", "its slowest cycle of 10 s was seen 3 times"; "" where it holds. A rate is given only
 * over times that were seen. Returns `to`.
 */
const char *level_claim_words(char *to, size_t size, const struct level_claim *c);

/* Why it is not known whether the level holds: "its level began only after 9 s of 38 s"; "" where
   nothing leaves it open. Returns `to`. */
const char *level_doubt_words(char *to, size_t size, const struct level_claim *c);

/* The same as the first words of a report on a precise mean: "FOR THESE 38 s ONLY". Returns
   `to`. */
const char *level_doubt_lead(char *to, size_t size, const struct level_claim *c);

/* The same as the first words of a report: "LEVEL WANDERS over 10 min", "STILL RISING by 2 % a
   minute", "TOO FEW CYCLES", "NO LEVEL YET over 10 min"; "" where it holds. Returns `to`. */
const char *level_claim_lead(char *to, size_t size, const struct level_claim *c);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What may be claimed of a level beyond the time in which it was measured. The mean over a time is
 * a fact about that time only. Whether the same mean can be expected later depends on whether the
 * level holds (level_state.h), and on how much longer a measurement would need to be for a more
 * certain mean.
 */
#ifndef CUPEL_FACTS_CHANGE_LEVEL_CLAIM_H
#define CUPEL_FACTS_CHANGE_LEVEL_CLAIM_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/change/level_state.h"

struct level_claim {
    enum level_state state;
    enum level_doubt doubt;
    size_t readings_before; /* number of readings before the segment that was judged */
    /* memory parameter d of a long-memory process, 0 to 1/2; 0: no long memory */
    double memory;
    double reading_seconds; /* duration of a reading; NaN: readings have no duration */
    size_t readings;        /* number of readings in the segment that was judged */
    /* lowest and highest of the means of the segment's tenths; NaN: fewer than 10 readings */
    double low, high;
    /* The last movement of the level: the relative change of the mean over change_readings (-0.3:
       it fell by 30 %). NaN: not known. */
    double change;
    size_t change_readings;
    double cycle_readings; /* period of the slowest cycle; NaN: not known, or no cycle was seen */
    /* total number of readings that the requested precision would take; infinite: no number is
       enough; NaN: not known */
    double needed_readings;
    /* relative full width of the interval that is expected when the limit is reached; NaN: not
       known, or there is no limit */
    double limit_width;
};

/* Returns the claim for a level of which nothing is known. */
struct level_claim level_claim_unknown(void);

enum { LEVEL_CLAIM_WORDS = 96 };

/* Writes a number of readings as a duration, or as a number when they have no duration: "about 9
   h", "about 40 million readings", "more than a year". Returns `to`. */
const char *level_claim_span(char *to, size_t size, const struct level_claim *c, double readings);

/*
 * Writes why the level does not hold: "its level wanders over 10 min", "it still rises by 2 % a
 * minute", "its slowest cycle of 10 s was seen 3 times"; "" when it holds. A rate is never given
 * over a time longer than was seen. Returns `to`.
 */
const char *level_claim_words(char *to, size_t size, const struct level_claim *c);

/* Writes why it is open whether the level holds: "its level began only after 9 s of 38 s"; "" when
   there is no doubt. Returns `to`. */
const char *level_doubt_words(char *to, size_t size, const struct level_claim *c);

/* Like level_doubt_words, but writes the first words of a report on a precise mean: "FOR THESE 38 s
   ONLY". Returns `to`. */
const char *level_doubt_lead(char *to, size_t size, const struct level_claim *c);

/* Like level_claim_words, but writes the first words of a report: "LEVEL WANDERS over 10 min",
   "STILL RISING by 2 % a minute", "TOO FEW CYCLES", "NO LEVEL YET over 10 min"; "" when the level
   holds. Returns `to`. */
const char *level_claim_lead(char *to, size_t size, const struct level_claim *c);

#endif

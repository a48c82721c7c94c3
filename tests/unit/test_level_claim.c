/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The claim about a level in words, and the verdicts that follow from it. */
#include "facts/change/level_claim.h"

#include <math.h>
#include <string.h>

#include "facts/result.h"
#include "tests/unit/check.h"

static void check_words(const struct level_claim *c, const char *words, const char *lead)
{
    char text[LEVEL_CLAIM_WORDS];
    CHECK_STR(level_claim_words(text, sizeof text, c), words);
    CHECK_STR(level_claim_lead(text, sizeof text, c), lead);
}

static void check_span(const struct level_claim *c, double readings, const char *words)
{
    char text[LEVEL_CLAIM_WORDS];
    CHECK_STR(level_claim_span(text, sizeof text, c, readings), words);
}

static void check_states(void)
{
    struct level_claim c = level_claim_unknown();
    c.reading_seconds = 0.01;
    c.readings = 60000;
    check_words(&c, "", "");
    c.state = LEVEL_WANDERS;
    check_words(&c, "its level wanders over 10 min", "LEVEL WANDERS over 10 min");
    c.state = LEVEL_MOVES;
    check_words(&c, "it still moves", "STILL MOVING");
    c.change = 0.04;
    c.change_readings = 12000;
    check_words(&c, "it still rises by 2 % a minute", "STILL RISING by 2 % a minute");
    c.change = -0.12;
    c.change_readings = 4000; /* never extrapolated to a minute that was not observed */
    check_words(&c, "it still falls by 12 % within 40 s", "STILL FALLING by 12 % within 40 s");
    c.state = LEVEL_CYCLES;
    c.readings = 3900;
    check_words(&c, "it moves too slowly for 39 s to show a level", "NO LEVEL YET over 39 s");
    c.cycle_readings = 1000;
    check_words(&c, "its slowest cycle of 10 s was seen 3 times", "TOO FEW CYCLES");
    c.cycle_readings = 2500;
    check_words(&c, "its slowest cycle of 25 s was seen once", "TOO FEW CYCLES");
    c.reading_seconds = NAN; /* a column has no time */
    check_words(&c, "its slowest cycle of 2500 readings was seen once", "TOO FEW CYCLES");
    c.state = LEVEL_MOVES;
    check_words(&c, "it still falls by 12 % within 4000 readings",
                "STILL FALLING by 12 % within 4000 readings");
}

/* Reasons why it is undecided whether a level lasts. */
static void check_doubts(void)
{
    struct level_claim c = level_claim_unknown();
    char text[LEVEL_CLAIM_WORDS];
    c.reading_seconds = 0.01;
    c.readings = 2900;
    c.readings_before = 900;
    CHECK_STR(level_doubt_words(text, sizeof text, &c), "");
    c.doubt = LEVEL_DOUBT_LATE;
    CHECK_STR(level_doubt_words(text, sizeof text, &c), "its level began only after 9 s of 38 s");
    CHECK_STR(level_doubt_lead(text, sizeof text, &c), "FOR THESE 29 s ONLY");
    c.doubt = LEVEL_DOUBT_SLOW_END;
    CHECK_STR(level_doubt_words(text, sizeof text, &c),
              "its slow movements in 29 s leave open whether its level holds");
    c.reading_seconds = NAN;
    CHECK_STR(level_doubt_lead(text, sizeof text, &c), "FOR THESE 2900 readings ONLY");
    check_words(&c, "", ""); /* not a verdict about the level */
}

static void check_spans(void)
{
    struct level_claim c = level_claim_unknown();
    c.reading_seconds = 1;
    check_span(&c, 5, "about 5 s");
    check_span(&c, 42, "about 42 s");
    check_span(&c, 600, "about 10 min");
    check_span(&c, 9 * 3600, "about 9 h");
    check_span(&c, 6 * 86400.0, "about 6 days");
    check_span(&c, 1e9, "more than a year");
    check_span(&c, INFINITY, "for ever");
    c.reading_seconds = NAN;
    check_span(&c, 40000, "about 40000 readings");
    check_span(&c, 4e7, "about 40 million readings");
    check_span(&c, 1e12, "more than 1000 million readings");
}

/* Every verdict has its own name; none of the newer ones is taken for a precise one. */
static void check_verdicts(void)
{
    for (int a = 0; a < VERDICTS; a++)
        for (int b = 0; b < a; b++)
            CHECK(strcmp(verdict_name((enum verdict)a), verdict_name((enum verdict)b)) != 0);
    CHECK(!verdict_is_imprecise(VERDICT_PRECISE));
    CHECK(verdict_is_imprecise(VERDICT_BEST_POSSIBLE));
    CHECK(verdict_is_imprecise(VERDICT_UNSETTLED) && !verdict_is_of_level(VERDICT_UNSETTLED));
    for (int level = 0; level < LEVEL_STATES; level++) {
        const enum level_state state = (enum level_state)level;
        CHECK_INT(verdict_of_level(VERDICT_PRECISE, state, true), VERDICT_PRECISE);
        CHECK_INT(verdict_of_level(VERDICT_FAILED, state, true), VERDICT_FAILED);
        CHECK_INT(verdict_of_level(VERDICT_INTERRUPTED, state, true), VERDICT_INTERRUPTED);
    }
    CHECK_INT(verdict_of_level(VERDICT_LIMIT, LEVEL_HOLDS, false), VERDICT_LIMIT);
    CHECK_INT(verdict_of_level(VERDICT_LIMIT, LEVEL_HOLDS, true), VERDICT_UNSETTLED);
    CHECK_INT(verdict_of_level(VERDICT_LIMIT, LEVEL_MOVES, true), VERDICT_MOVES);
    CHECK_INT(verdict_of_level(VERDICT_LIMIT, LEVEL_CYCLES, false), VERDICT_CYCLES);
    CHECK_INT(verdict_of_level(VERDICT_BEST_POSSIBLE, LEVEL_WANDERS, false), VERDICT_NO_LEVEL);
    CHECK_INT(verdict_of_level(VERDICT_BEST_POSSIBLE, LEVEL_HOLDS, true), VERDICT_BEST_POSSIBLE);
}

int main(void)
{
    check_states();
    check_doubts();
    check_spans();
    check_verdicts();
    return check_result();
}

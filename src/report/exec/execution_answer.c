/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the first sentence of a report of a program's rounds: the verdict, the first index, its
   interval. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/exec/internal.h"

struct verdict_words {
    const char *words;
    enum tone tone;
    /* words that replace `words` if other programs changed the result; NULL: never replaced */
    const char *busy;
};

static const struct verdict_words *verdict_words_of(const struct execution *x)
{
    static const struct verdict_words verdicts[] = {
        [VERDICT_PRECISE] = {"PRECISE: ", TONE_GREEN, "PRECISE ON A BUSY MACHINE: "},
        [VERDICT_MEASURED] = {"MEASURED: ", TONE_GREEN, "MEASURED ON A BUSY MACHINE: "},
        [VERDICT_LIMIT] = {"NOT DECIDED: ", TONE_YELLOW},
        [VERDICT_INTERRUPTED] = {"INTERRUPTED: ", TONE_YELLOW},
        [VERDICT_FAILED] = {"FAILED: ", TONE_RED},
        [VERDICT_CUT_SHORT] = {"CUT SHORT: ", TONE_YELLOW},
        [VERDICT_DAMAGED] = {"DAMAGED: ", TONE_RED},
        [VERDICT_UNCONFIRMED] = {"NOT CONFIRMED: ", TONE_RED},
        [VERDICT_BOTTLENECK] = {"NOT DECIDED: ", TONE_YELLOW},
        [VERDICT_BEST_POSSIBLE] = {"AS PRECISE AS THIS MACHINE ALLOWS: ", TONE_YELLOW},
        [VERDICT_UNSETTLED] = {"FOR THESE ROUNDS ONLY: ", TONE_YELLOW},
        [VERDICT_NO_LEVEL] = {"LEVEL WANDERS: ", TONE_YELLOW},
        [VERDICT_MOVES] = {"STILL MOVING: ", TONE_YELLOW},
        [VERDICT_CYCLES] = {"TOO FEW CYCLES: ", TONE_YELLOW},
    };
    static const struct verdict_words none = {"", TONE_PLAIN, NULL};
    bool known = (size_t)x->verdict < sizeof verdicts / sizeof *verdicts;
    return known && verdicts[x->verdict].words ? &verdicts[x->verdict] : &none;
}

const char *execution_lead(const struct execution *x, enum tone *tone)
{
    const struct verdict_words *words = verdict_words_of(x);
    const bool busy = x->busy[0] && words->busy;
    *tone = busy ? TONE_YELLOW : words->tone;
    if (x->verdict == VERDICT_CYCLES && isnan(execution_slowest(x)->claim.cycle_readings))
        return "NO LEVEL YET: ";
    return busy ? words->busy : words->words;
}

/* For a level that does not hold, adds how much its means differ, or why it does not hold. */
static void add_level(const struct execution *x, struct text *out)
{
    const struct execution_index *index = execution_slowest(x);
    const struct level_claim *c = &index->claim;
    struct execution_shown shown = execution_shown_of(index);
    char words[LEVEL_CLAIM_WORDS];
    if (isfinite(c->low) && isfinite(c->high)) {
        text_add(out, ", the means of the tenths are ");
        execution_add_value(out, &shown, c->low);
        text_add(out, " to ");
        execution_add_value(out, &shown, c->high);
    }
    if (x->verdict == VERDICT_CYCLES)
        text_addf(out, "; %s", level_claim_words(words, sizeof words, c));
}

#define LEAD_WORDS (LEVEL_CLAIM_WORDS + 2)

/* Returns the first words, which say what the level did if it did not hold. */
static const char *answer_lead(const struct execution *x, enum tone *tone, char to[LEAD_WORDS])
{
    const char *lead = execution_lead(x, tone);
    char level[LEVEL_CLAIM_WORDS];
    if (!x->index_count || !verdict_is_of_level(x->verdict) ||
        !*level_claim_lead(level, sizeof level, &execution_slowest(x)->claim))
        return lead;
    snprintf(to, LEAD_WORDS, "%s: ", level);
    return to;
}

/* Adds the first index and its interval. */
static void add_answer(const struct execution *x, struct text *words)
{
    const struct execution_index *index = x->indices;
    char title[64];
    if (x->verdict == VERDICT_FAILED)
        text_addf(words, "%s%s", x->failure, x->index_count ? ". Before: " : "");
    if (x->index_count) {
        struct execution_shown shown = execution_shown_of(index);
        char arm[NUMBER_BUFFER];
        text_addf(words, "%s ", execution_title(index, title, sizeof title));
        execution_add_value(words, &shown, index->value);
        if (verdict_is_of_level(x->verdict)) { /* without a level, there is no interval */
            text_add(words, " on average");
            add_level(x, words);
        } else if (isfinite(index->low) && isfinite(index->high)) {
            text_addf(words, ", %g %% interval ", index->confidence * 100);
            execution_add_value(words, &shown, index->low);
            text_add(words, " to ");
            execution_add_value(words, &shown, index->high);
            text_addf(words, " (%s)%s",
                      number_plus_minus(arm, sizeof arm, index->value, index->low, index->high),
                      index->cut ? ", cut at 0" : "");
            if (index->of_units && x->good_count == 1)
                text_add(words, ", in one run of the program");
        } else if (isfinite(index->low) && index->used > 2) {
            text_addf(words, ", %g %% interval from ", index->confidence * 100);
            execution_add_value(words, &shown, index->low);
            text_addf(words, " on%s", isfinite(index->value) ? ", unbounded" : "");
        } else {
            text_add(words, ", too few rounds for an interval");
        }
    } else if (x->verdict != VERDICT_FAILED) {
        text_add(words, "no round that counts was measured");
    }
}

void execution_answer(const struct execution *x, struct document *out)
{
    enum tone tone;
    char lead[LEAD_WORDS];
    struct text words = {0};
    const char *first = answer_lead(x, &tone, lead);
    add_answer(x, &words);
    document_paragraph_from(out, first, tone, &words);
}

void execution_line(const struct execution *x, struct text *out)
{
    enum tone tone;
    char lead[LEAD_WORDS];
    text_add(out, answer_lead(x, &tone, lead));
    add_answer(x, out);
}

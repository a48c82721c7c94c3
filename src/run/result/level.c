/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a result says of the headline's level: its claim, its verdict, its slow shift. */
#include <stdio.h>

#include "base/units.h"
#include "run/result/internal.h"

/* Returns what keeps the headline from being precise, beside its limit. */
const char *level_note(const struct result *r, char *to, size_t size)
{
    level_claim_words(to, size, &r->claim);
    if (r->verdict == VERDICT_BEST_POSSIBLE)
        snprintf(to, size, "as precise as the %s allows", result_target_word(r));
    return to;
}

/* Keeps what may be claimed of the level, which may be why the width was not reached. */
void level_take_claim(struct result *r, struct judged *j)
{
    r->claim = level_claim_unknown();
    if (!j->any)
        return;
    if (r->goal == GOAL_WIDTHS)
        judged_claim_widths(j, r->clauses, r->clause_count);
    r->claim = j->claim;
    if (r->goal == GOAL_PRECISION || r->goal == GOAL_WIDTHS)
        r->verdict = verdict_of_level(r->verdict, r->claim.state);
}

/* Notes a shift: the mean of a moving level is valid only for this time. */
void level_add_shift(struct result *r, const struct judged *j)
{
    const struct slow_shift *s = &j->headline.shift;
    struct level_shift share = slow_shift_share(s);
    char words[LEVEL_SHIFT_WORDS], time[UNITS_BUFFER];
    if (s->found)
        result_note(
            r, true,
            "slow shift: %s %s within %s: the number is of this time alone; measure "
            "longer, or find what moves it",
            result_title(r, r->headline), level_shift_words(words, sizeof words, &share),
            format_time(time, sizeof time, (double)share.readings * j->slice_seconds * 1e9));
}

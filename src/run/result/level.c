/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a result says of the headline's level: its claim, its verdict, its slow shift. */
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "run/result/internal.h"

/* A movement to one side of the median by this factor more than to the other is a dip or a peak. */
#define CLEAR_SIDE 2

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

/* Notes what repeats itself, by how much, and how often it was seen. */
static void add_period(struct result *r, const struct judged *j)
{
    const struct period *p = &j->headline.period;
    const double down = (p->middle - p->low) / p->middle, up = (p->high - p->middle) / p->middle;
    char time[UNITS_BUFFER];
    if (!p->found || !(p->middle > 0))
        return;
    const bool falls = down > CLEAR_SIDE * up, rises = up > CLEAR_SIDE * down;
    result_note(r, false, "a %s of %s by %s%.2g %% every %s (seen %.0f times)",
                falls   ? "dip"
                : rises ? "rise"
                        : "swing",
                result_title(r, r->headline), falls || rises ? "" : "+-",
                100 * (falls   ? down
                       : rises ? up
                               : (down + up) / 2),
                format_time(time, sizeof time, p->readings * j->slice_seconds * 1e9),
                floor(p->cycles));
}

/* Notes a period and a shift: the mean of a moving level is valid only for this time. */
void level_add_movement(struct result *r, const struct judged *j)
{
    const struct slow_shift *s = &j->headline.shift;
    struct level_shift share = slow_shift_share(s);
    char words[LEVEL_SHIFT_WORDS], time[UNITS_BUFFER];
    add_period(r, j);
    if (s->found)
        result_note(
            r, true,
            "slow shift: %s %s within %s: the number is of this time alone; measure "
            "longer, or find what moves it",
            result_title(r, r->headline), level_shift_words(words, sizeof words, &share),
            format_time(time, sizeof time, (double)share.readings * j->slice_seconds * 1e9));
}

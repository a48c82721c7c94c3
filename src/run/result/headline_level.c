/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports the level of the headline: what may be claimed of it, the verdict, and its slow shift. */
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "run/result/internal.h"

/* If the headline moves to one side of its median by this factor more than to the other side, the
   movement is called a dip or a rise. */
#define CLEAR_SIDE 2

/* Writes what prevents the headline from being precise, apart from the limit of the session; "":
   nothing does. Returns `to`. */
const char *level_note(const struct result *r, char *to, size_t size)
{
    level_claim_words(to, size, &r->claim);
    if (r->verdict == VERDICT_BEST_POSSIBLE)
        snprintf(to, size, "as precise as the %s allows", result_target_word(r));
    else if (r->verdict == VERDICT_UNSETTLED)
        level_doubt_words(to, size, &r->claim);
    return to;
}

/* Stores why the stop rule does not fire for the estimate. Returns false if it fires. */
static bool take_shortfall(const struct estimate *e, const struct stop_rule *rule,
                           struct result_lack *to)
{
    const struct estimate wide = stop_widened(e, rule);
    if (stop_now(e, rule))
        return false;
    to->width = relative_width(&wide);
    to->effective_n = e->effective_n;
    to->minimum_independent = (double)rule->minimum_subsessions;
    to->kind = !stop_long_enough(e, rule)          ? LACK_READINGS
               : !stop_independent_enough(e, rule) ? LACK_INDEPENDENT_READINGS
                                                   : LACK_WIDTH;
    return true;
}

/* Returns what is missing in a session that was to end with a precise headline, or with every width
   of --precise (session_is_precise). */
static struct result_lack lack_of(const struct contents *c, const struct judged *j,
                                  const struct result *r)
{
    const struct plan *plan = &c->plan;
    const struct measurement *m = &c->measurement;
    const struct judge_config config = plan_judge_config(plan, true);
    const struct stop_rule rule = judge_stop_rule(&config);
    const bool several = operation_set_moving(plan_operations(plan)) > 1;
    struct result_lack lack = {.kind = LACK_NOTHING};
    if ((double)m->original_slices * m->slice_seconds < plan->ending.minimum_seconds)
        lack.kind = LACK_TIME;
    else if (r->goal == GOAL_WIDTHS && judged_widths_wait(j, r->clauses, r->clause_count))
        lack.kind = LACK_SETTLED_LEVEL;
    if (r->goal == GOAL_WIDTHS) /* in this case a clause says which width was not reached */
        return lack;
    if (!lack.kind && !j->headline.enough && !j->headline.held_back)
        take_shortfall(&j->headline.estimate, &rule, &lack);
    for (int op = 0; op < OPERATIONS && !lack.kind && !judged_is_widened(j); op++)
        if (judged_op_used(plan, op) && take_shortfall(&j->response_time[op], &rule, &lack))
            snprintf(lack.of, sizeof lack.of, "the %s%sresponse time",
                     several ? operation_names[op] : "", several ? " " : "");
    if (!lack.kind && j->headline.stable_end != m->slice_count)
        lack.kind = LACK_LASTING_LEVEL;
    if (!lack.kind && j->held_back)
        lack.kind = LACK_SETTLED_LEVEL;
    return lack;
}

/* Stores the claim that may be made about the level. Sets the verdict, too, if the level is the
   reason why the width was not reached. */
void level_take_claim(const struct contents *c, struct judged *j, struct result *r)
{
    r->claim = level_claim_unknown();
    if (!j->any)
        return;
    if (r->goal == GOAL_WIDTHS)
        judged_claim_widths(j, r->clauses, r->clause_count);
    r->claim = j->claim;
    r->lack = lack_of(c, j, r);
    if (r->goal == GOAL_PRECISION || r->goal == GOAL_WIDTHS)
        r->verdict =
            verdict_of_level(r->verdict, r->claim.state, r->lack.kind == LACK_SETTLED_LEVEL);
}

/* Notes a movement of the headline that repeats itself: its size, its period, and how often it
   came. */
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

/* Notes a movement that repeats itself, and warns of a shift: the mean of a moving level is valid
   only for this time. */
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

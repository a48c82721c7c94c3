/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the result of a search for a rate, over all of its probes. */
#include <math.h>
#include <stdio.h>

#include "many/repeat/find_rate.h"
#include "many/repeat/internal.h"
#include "tables/metrics.h"

static enum verdict verdict_over(const struct find_rate *f, const struct rate_answer *a)
{
    switch (f->ending) {
    case FIND_RATE_FAILED:
        return VERDICT_FAILED;
    case FIND_RATE_INTERRUPTED:
        return VERDICT_INTERRUPTED;
    case FIND_RATE_CUT_SHORT:
        return VERDICT_CUT_SHORT;
    default:
        return a->narrow || a->none || a->machine ? VERDICT_DECIDED : VERDICT_LIMIT;
    }
}

void find_rate_result(struct find_rate *f, struct result *r)
{
    struct rate_answer a = rate_search_answer(&f->search);
    f->view = (struct result_rates){.probes = f->probes,
                                    .count = f->search.count,
                                    .holds = a.holds,
                                    .fails = a.fails,
                                    .ceiling = a.ceiling,
                                    .estimate = rate_search_estimate(&f->search),
                                    .width = a.width,
                                    .asked = f->search.width,
                                    .confidence = 1 - f->search.alpha,
                                    .saturation = f->search.saturation,
                                    .narrow = a.narrow,
                                    .none = a.none,
                                    .machine = a.machine};
    snprintf(f->view.clauses, sizeof f->view.clauses, "%s", f->plan.ending.find_rate);
    *r = *f->common;
    r->hardware = &f->hardware;
    r->rates = &f->view;
    r->verdict = verdict_over(f, &a);
    snprintf(r->failure, sizeof r->failure, "%s", f->message);
    if (f->warning[0])
        result_note(r, true, "%s", f->warning);
    bool between = f->view.estimate > a.holds && f->view.estimate < a.fails;
    /* A search that is not decided gives an interval for the answer, but no answer. */
    const bool decided = a.narrow || a.none || a.machine;
    struct result_row *row = result_add(r, METRIC_HIGHEST_RATE, "all",
                                        !decided  ? (double)NAN
                                        : between ? f->view.estimate
                                                  : a.holds);
    row->low = a.holds;
    row->high = a.fails;
    row->confidence = f->view.confidence;
    row->n = f->search.count;
    snprintf(row->note, sizeof row->note, "%s%.80s", decided ? "" : "undecided: ", f->view.clauses);
}

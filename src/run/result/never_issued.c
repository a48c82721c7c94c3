/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts requests that were due and never issued. */
#include "run/result/never_issued.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "run/result/internal.h"

struct due_requests due_requests_of(const struct contents *c)
{
    const struct measurement *m = &c->measurement;
    struct due_requests d = {.never_issued = (double)c->timing.never_issued,
                             .at_least = c->timing.never_issued_at_least};
    for (size_t i = 0; i < m->round_count; i++)
        for (int op = 0; op < OPERATIONS && !m->rounds[i].trial; op++)
            if (operation_has_bytes(op))
                d.due += (double)(m->rounds[i].total.op[op].ios + m->rounds[i].total.op[op].errors);
    d.due += d.never_issued;
    return d;
}

double due_share_of_completed(const struct due_requests *d, double of)
{
    const double completed = d->due - d->never_issued;
    return !(d->never_issued > 0) ? of : completed > 0 ? of * d->due / completed : INFINITY;
}

bool due_is_backlog(const struct contents *c)
{
    const struct due_requests d = due_requests_of(c);
    /* A pass is valid with its backlog, as long as all of it was issued. */
    const bool grows = c->timing.saturated && !plan_is_one_pass(&c->plan);
    return grows || d.never_issued > DUE_BACKLOG_SHARE * d.due;
}

const char *due_words(const struct due_requests *d, char *to, size_t size)
{
    char never[UNITS_BUFFER], due[UNITS_BUFFER];
    snprintf(to, size, "%s%s of %s requests that were due were never issued",
             d->at_least ? "at least " : "", format_count(never, sizeof never, d->never_issued),
             format_count(due, sizeof due, d->due));
    return to;
}

double due_backlog(const struct plan *plan, const struct phases *phases, double known,
                   double at_seconds, double late_ns)
{
    double due = plan->rate_iops * late_ns * 1e-9;
    if (phases->count) {
        double from = fmax(at_seconds * 1e9 - late_ns, 0);
        due = phases_requests(phases, (uint64_t)from, (uint64_t)(at_seconds * 1e9));
    }
    return fmax(known, due);
}

void due_rows(const struct contents *c, struct result *r)
{
    const struct due_requests due = due_requests_of(c);
    char words[100];
    r->backlog = due_is_backlog(c);
    r->saturated |= r->backlog;
    if (!(due.never_issued > 0))
        return;
    struct result_row *row = result_add(r, METRIC_NEVER_ISSUED, "all", due.never_issued);
    row->n = (uint64_t)due.due;
    snprintf(row->note, sizeof row->note, "%sof %.0f that were due",
             due.at_least ? "at least; " : "", due.due);
    if (r->backlog || due.never_issued > DUE_NOTED_SHARE * due.due)
        result_note(r, true, "%s: they count as later than everything measured",
                    due_words(&due, words, sizeof words));
}

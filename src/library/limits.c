/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets the limits of a metric, and reports whether its readings keep them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "library/internal.h"
#include "stat/column_verdict.h"

int cupel_set_limits(struct cupel_session *session, int metric, const char *limits,
                     struct cupel_error *error)
{
    struct err e;
    struct library_metric *m = library_metric_of(session, metric, &e);
    if (!m)
        return library_fail(error, &e);
    struct library_limits *to = NULL;
    if (limits && limits[0]) {
        to = calloc(1, sizeof *to);
        if (!to)
            err_no_memory(&e, "limits");
        if (!to || column_clauses_parse(&to->clauses, limits, m->kind, &e)) {
            free(to);
            err_context(&e, "limits of \"%s\"", m->name);
            return library_fail(error, &e);
        }
    }
    free(m->limits);
    m->limits = to;
    /* All limits of a session share the probability of a wrong verdict, so a new limit changes
       every judgement. */
    for (size_t i = 0; i < session->metric_count; i++)
        metric_forget(&session->metrics[i]);
    return 0;
}

int cupel_limits(struct cupel_session *session, int metric, struct cupel_limit to[],
                 size_t capacity, struct cupel_error *error)
{
    static const enum cupel_verdict verdicts[] = {[SEQUENTIAL_UNDECIDED] = CUPEL_LIMIT_OPEN,
                                                  [SEQUENTIAL_PASS] = CUPEL_LIMIT_KEPT,
                                                  [SEQUENTIAL_FAIL] = CUPEL_LIMIT_BROKEN};
    static const struct column_verdict nothing = {
        .value = NAN, .more_readings = INFINITY, .note = "no readings"};
    struct err e;
    struct library_metric *m = library_metric_of(session, metric, &e);
    if (!m || (m->count && library_judge(session, m, &e)))
        return library_fail(error, &e);
    const struct library_limits *l = m->limits;
    for (size_t i = 0; l && i < l->clauses.count && i < capacity; i++) {
        const struct column_verdict *v = m->count ? &l->verdicts[i] : &nothing;
        to[i] = (struct cupel_limit){.verdict = verdicts[v->verdict],
                                     .value = v->value,
                                     .limit = l->clauses.clause[i].limit,
                                     .more = v->more_readings};
        snprintf(to[i].text, sizeof to[i].text, "%s", l->clauses.clause[i].text);
        snprintf(to[i].note, sizeof to[i].note, "%s", v->note);
    }
    return l ? (int)l->clauses.count : 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes what a full screen shows of a running session. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/result/internal.h"
#include "run/result/session_judgement.h"

/* The current rate is that of the slices in the last NOW_SECONDS, at least one. */
#define NOW_SECONDS 0.5

/* ---- throughput, and what is in flight ---- */

static void take_rates(const struct measurement *m, double slice_seconds, struct live *to)
{
    to->seconds = (double)m->slice_count * slice_seconds;
    to->points = m->slice_count < LIVE_POINTS ? m->slice_count : LIVE_POINTS;
    for (size_t i = 0; i < to->points; i++) {
        size_t begin = i * m->slice_count / to->points, end = (i + 1) * m->slice_count / to->points;
        uint64_t ios = 0;
        for (size_t k = begin; k < end; k++)
            ios += slice_data(&m->slices[k]).ios;
        to->rate[i] = (double)ios / measurement_measured_seconds(m, begin, end);
    }
}

static void take_now(const struct measurement *m, double slice_seconds, struct live *to)
{
    size_t wanted = (size_t)ceil(NOW_SECONDS / slice_seconds), n = m->slice_count;
    struct slice sum = {0};
    to->backlog = m->timings ? 0 : NAN;
    for (size_t i = wanted < n ? n - wanted : 0; i < n; i++) {
        slice_add(&sum, &m->slices[i]);
        if (m->timings)
            to->backlog = fmax(to->backlog, (double)m->timings[i].backlog_max);
    }
    /* Mean number in flight by Little's law, for closed and open loops: sum of latencies divided by
       elapsed time. */
    const double seconds = measurement_measured_seconds(m, wanted < n ? n - wanted : 0, n);
    const struct slice_op data = slice_data(&sum);
    double spent = 0;
    for (int op = 0; op < OPERATIONS; op++)
        spent += (double)sum.op[op].latency_ns;
    to->rate_now = (double)data.ios / seconds;
    to->bytes_now = (double)data.bytes / seconds;
    to->in_flight = spent * 1e-9 / seconds;
}

/* ---- latencies ---- */

static void add_period(struct histogram *to, const struct latency_period *p)
{
    for (int op = 0; op < OPERATIONS; op++)
        if (operation_has_bytes(op))
            latency_add_interval(to, p->latency[op]);
}

/* Fills latencies over time. Points are equal parts of the time since the first period began,
   including breaks between rounds. */
static void take_latencies(struct contents *c, struct live *to)
{
    static const double shares[LIVE_SHARES] = {0.5, 0.9, 0.99, 0.999};
    const struct latency_history *h = &c->measurement.history;
    struct histogram *point = &c->latency[0], *all = &c->latency[1];
    histogram_clear(all);
    for (size_t i = 0; i < LIVE_POINTS; i++)
        to->p50[i] = to->p99[i] = NAN;
    for (size_t i = 0; i < LIVE_SHARES; i++)
        to->quantile[i] = NAN;
    if (!h->count || !to->points)
        return;
    const uint64_t first = h->periods[0].number, span = h->periods[h->count - 1].number - first + 1;
    for (size_t i = 0, at; i < h->count;) {
        at = (size_t)((h->periods[i].number - first) * to->points / span);
        histogram_clear(point);
        while (i < h->count && (h->periods[i].number - first) * to->points / span == at)
            add_period(point, &h->periods[i++]);
        /* a period longer than a point is shown in all of its points */
        size_t end = (size_t)(((i < h->count ? h->periods[i].number : first + span) - first) *
                              to->points / span);
        for (size_t k = at; point->n && k < end && k < to->points; k++) {
            to->p50[k] = histogram_quantile(point, 0.5);
            to->p99[k] = histogram_quantile(point, 0.99);
        }
    }
    for (size_t i = 0; i < h->count; i++)
        add_period(all, &h->periods[i]);
    for (size_t i = 0; all->n && i < LIVE_SHARES; i++)
        to->quantile[i] = histogram_quantile(all, shares[i]);
}

/* ---- phases, and the path ---- */

static void take_phases(const struct judged *j, struct live *to)
{
    const struct judgement *h = &j->headline;
    to->phase[0] = '\0';
    if (!j->any || (h->phase == PHASE_FLAT && h->search != CHANGE_SEARCH_FULL))
        return;
    snprintf(to->phase, sizeof to->phase, "%s", phase_name(h->phase));
    to->stable_begin = (double)h->stable_begin * j->slice_seconds;
    to->stable_end = (double)h->stable_end * j->slice_seconds;
    to->change_count = h->changepoints_found;
    to->changes_kept = h->changepoint_count < LIVE_CHANGES ? h->changepoint_count : LIVE_CHANGES;
    for (size_t i = 0; i < to->changes_kept; i++)
        to->changes[i] =
            (double)h->changepoints[h->changepoint_count - to->changes_kept + i] * j->slice_seconds;
}

/* Takes the parts on the path in their order, then the most used parts beside it. */
static void take_parts(const struct watch *w, struct live *to)
{
    to->part_count = 0;
    for (int beside = 0; beside < 2; beside++)
        for (size_t i = 0; i < w->part_count && to->part_count < LIVE_PARTS; i++) {
            const struct watch_part *p = &w->parts[i];
            const double used = p->seconds > 0 ? p->sum / p->seconds : NAN;
            if (p->on_path == (beside == 1) || isnan(used) || (beside && used < 0.01))
                continue;
            struct live_part *part = &to->parts[to->part_count++];
            snprintf(part->name, sizeof part->name, "%.*s", (int)sizeof part->name - 1, p->name);
            part->used = used;
        }
}

void live_of_contents(struct contents *c, const struct judged *j, bool latencies, struct live *to)
{
    const struct measurement *m = &c->measurement;
    const double slice_seconds = measurement_slice_seconds(m);
    if (!m->slice_count)
        return;
    take_rates(m, slice_seconds, to);
    take_now(m, slice_seconds, to);
    if (latencies)
        take_latencies(c, to);
    take_phases(j, to);
    take_parts(&c->watch, to);
}

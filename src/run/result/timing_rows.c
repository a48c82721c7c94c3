/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the rows of requests with due times. */
#include "run/result/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/result/never_issued.h"
#include "source/generator/workload_spec_text.h"

/* Requests that are issued with a smaller delay than this did not wait for others. If the target
   makes requests wait longer, it is late ("behind" in the words of a result). */
#define LATE_NS 10000000u
/* A shorter total lateness is negligible. */
#define LASTING_SECONDS 0.1
#define LASTING_SHARE   0.02

/* Sums over the slices [begin, end) of the measurement. */
struct stretch_of_time {
    double seconds;
    uint64_t ios, issued;
    double latency_ns, service_ns, in_flight_ns;
    double backlog_max;
};

static struct stretch_of_time sum_of(const struct measurement *m, size_t begin, size_t end)
{
    struct stretch_of_time sum = {.seconds = (double)(end - begin) * measurement_slice_seconds(m)};
    for (size_t i = begin; i < end; i++) {
        const struct slice_timing *t = &m->timings[i];
        for (int op = 0; op < OPERATIONS; op++) {
            sum.ios += m->slices[i].op[op].ios;
            sum.latency_ns += (double)m->slices[i].op[op].latency_ns;
            sum.service_ns += (double)t->service_ns[op];
        }
        sum.issued += t->issued;
        sum.in_flight_ns += (double)t->in_flight_ns;
        sum.backlog_max = fmax(sum.backlog_max, (double)t->backlog_max);
    }
    return sum;
}

/* Returns the share of time in which requests are due, for a phase of bursts. */
static double on_share(const struct phase_spec *p)
{
    return p->on_ns ? (double)p->on_ns / (double)(p->on_ns + p->off_ns) : 1;
}

void result_add_issue_errors(struct result *r, const struct histogram *h)
{
    static const struct {
        enum metric_id metric;
        double ns;
    } shares[] = {{METRIC_ISSUED_1US, 1e3},
                  {METRIC_ISSUED_10US, 1e4},
                  {METRIC_ISSUED_50US, 5e4},
                  {METRIC_ISSUED_100US, 1e5},
                  {METRIC_ISSUED_1MS, 1e6}};
    if (!h->n)
        return;
    result_add(r, METRIC_ISSUE_ERROR_P50, "all", histogram_quantile(h, 0.5))->n = h->n;
    result_add(r, METRIC_ISSUE_ERROR_P99, "all", histogram_quantile(h, 0.99))->n = h->n;
    result_add(r, METRIC_ISSUE_ERROR_MAX, "all", (double)h->max)->n = h->n;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double later = (double)histogram_above(h, shares[i].ns);
        result_add(r, shares[i].metric, "all", 1 - later / (double)h->n)->n = h->n;
    }
}

void result_add_service(struct result *r, const char *op, const struct histogram *h, double mean)
{
    if (!h->n)
        return;
    if (isfinite(mean))
        result_add(r, METRIC_SERVICE_TIME, op, mean)->n = h->n;
    result_add(r, METRIC_SERVICE_P50, op, histogram_quantile(h, 0.5))->n = h->n;
    result_add(r, METRIC_SERVICE_P99, op, histogram_quantile(h, 0.99))->n = h->n;
    result_add(r, METRIC_SERVICE_P999, op, histogram_quantile(h, 0.999))->n = h->n;
    result_add(r, METRIC_SERVICE_MAX, op, (double)h->max)->n = h->n;
}

static void issue_error_rows(struct contents *c, const struct judged *j, struct result *r)
{
    size_t begin, end;
    struct histogram *h = c->issue_error;
    histogram_clear(h);
    judged_stretches(c, j, &begin, &end);
    for (size_t i = begin; i < end; i++)
        latency_add_interval(h, &measurement_stretch(&c->measurement, i)->timing->issue_error);
    if (!h->n)
        return;
    result_add_issue_errors(r, h);
    memcpy(c->issue_error_counts, h->count, sizeof h->count);
    r->has_issue_error = true;
    r->issue_error = (struct result_histogram){.op = "all",
                                               .edges = c->histogram_edges,
                                               .counts = c->issue_error_counts,
                                               .count = HISTOGRAM_BUCKETS};
}

/* Returns the requests that were due per second: from the options, or else from the requests that
   were issued and those still waiting at the end. */
static double rate_asked(const struct contents *c, const struct phases *phases,
                         const struct stretch_of_time *all)
{
    double requests = 0, seconds = 0;
    if (c->plan.rate_iops > 0)
        return c->plan.rate_iops;
    for (unsigned i = 0; i < phases->count; i++) {
        const struct phase_spec *p = &phases->phase[i];
        double length = (double)p->length_ns * 1e-9;
        requests += (p->rate_begin + p->rate_end) / 2 * on_share(p) * length;
        seconds += length;
    }
    if (phases->count)
        return requests / seconds;
    /* a trace: the rate of its own requests in its own time, at the replay's speed */
    if (plan_is_replay(&c->plan) && c->fidelity->last_ns && c->verdict == VERDICT_COMPLETE)
        return (double)c->fidelity->events / ((double)c->fidelity->last_ns * 1e-9);
    return ((double)all->issued + (double)c->timing.end_backlog) / all->seconds;
}

/* Returns true if requests of this slice had waited for more than a moment, or were all still
   waiting. */
static bool is_late(const struct measurement *m, size_t slice)
{
    const struct slice_timing *t = &m->timings[slice];
    return t->late_max_ns > LATE_NS || (!t->issued && t->backlog_max > 0);
}

/* Returns the number of late slices without a break at the end of [begin, end). 0: the target kept
   up, apart from short delays. */
static size_t late_slices(const struct measurement *m, size_t begin, size_t end)
{
    size_t from = end;
    while (from > begin && is_late(m, from - 1))
        from--;
    double slices = (double)(end - from);
    bool lasting = slices * measurement_slice_seconds(m) >= LASTING_SECONDS &&
                   slices >= LASTING_SHARE * (double)(end - begin);
    return lasting ? end - from : 0;
}

/* Finds the measured slices of a phase. Returns false if there are none. */
static bool phase_slices(const struct measurement *m, const struct phases *phases, unsigned phase,
                         size_t *begin, size_t *end)
{
    double at = 0, slice = measurement_slice_seconds(m);
    for (unsigned i = 0; i < phase; i++)
        at += (double)phases->phase[i].length_ns * 1e-9;
    double length = (double)phases->phase[phase].length_ns * 1e-9;
    *begin = (size_t)round(at / slice);
    *end = (size_t)round((at + length) / slice);
    *end = *end < m->slice_count ? *end : m->slice_count;
    return *begin < *end;
}

/* Returns true if requests have no due times and are issued as soon as there is room. */
static bool is_at_once(const struct plan *p)
{
    return plan_is_replay(p) && !(p->replay.speed > 0);
}

static void backlog_rows(const struct contents *c, const struct judged *j,
                         const struct phases *phases, const struct stretch_of_time *all,
                         struct result *r)
{
    const struct measurement *m = &c->measurement;
    const struct timing_totals *t = &c->timing;
    double rate = rate_asked(c, phases, all);
    if (c->plan.rate_iops > 0 || c->plan.phases[0] || plan_is_replay(&c->plan))
        result_add(r, METRIC_RATE_ASKED, "all", rate);
    double late_ns = t->end_backlog_at_least ? (double)t->end_late_ns : 0;
    double backlog = due_backlog(&c->plan, phases, (double)t->end_backlog, all->seconds, late_ns);
    bool is_known = c->plan.rate_iops > 0 || phases->count;
    struct result_row *row = result_add(r, METRIC_BACKLOG, "all", backlog);
    if (backlog > 0)
        snprintf(row->note, sizeof row->note, "%sthe oldest was due %.3g s before the end",
                 !t->end_backlog_at_least ? ""
                 : is_known               ? "about; "
                                          : "at least; ",
                 (double)t->end_late_ns * 1e-9);
    if (t->saturated && c->plan.rate_iops > 0)
        result_add(r, METRIC_BACKLOG_GROWTH, "all",
                   fmax(0, rate - (double)all->issued / all->seconds));

    /* Completions per second from the instant at which the target became late until the end: of the
       session, or of each phase with which it did not keep up. */
    double ios = 0, slices = 0;
    for (unsigned p = 0; p < (phases->count ? phases->count : 1); p++) {
        size_t begin = j->headline.stable_begin, end = j->headline.stable_end;
        if (phases->count && !phase_slices(m, phases, p, &begin, &end))
            continue;
        size_t late = late_slices(m, begin, end);
        ios += (double)sum_of(m, end - late, end).ios;
        slices += (double)late;
    }
    if (!(slices > 0))
        return;
    double seconds = slices * measurement_slice_seconds(m);
    row = result_add(r, METRIC_SATURATION, "all", ios / seconds);
    row->n = (uint64_t)ios;
    snprintf(row->note, sizeof row->note, "completed per second in the %.3g s that it was behind",
             seconds);
}

static void add_timing_series(struct contents *c, const struct judged *j,
                              const struct phases *phases, struct result *r)
{
    static const enum metric_id metrics[] = {METRIC_RATE_ASKED, METRIC_QUEUE_LENGTH, METRIC_BACKLOG,
                                             METRIC_SERVICE_TIME};
    enum { SERIES = sizeof metrics / sizeof *metrics };
    const struct measurement *m = &c->measurement;
    double slice_ns = j->slice_seconds * 1e9;
    for (size_t i = 0; i < m->slice_count; i++) {
        struct stretch_of_time one = sum_of(m, i, i + 1);
        double at = (double)(i + 1) * j->slice_seconds;
        double late_ns = (double)m->timings[i].late_max_ns;
        const double values[SERIES] = {
            (double)one.issued / one.seconds, one.in_flight_ns / slice_ns,
            is_late(m, i) ? due_backlog(&c->plan, phases, one.backlog_max, at, late_ns)
                          : one.backlog_max,
            one.ios ? one.service_ns / (double)one.ios : NAN};
        for (size_t k = 0; k < SERIES; k++)
            c->timing_series[k][i] = values[k];
    }
    for (size_t k = 0; k < SERIES; k++) {
        const struct metric *metric = metric_of(metrics[k]);
        r->series[r->series_count++] = (struct result_series){
            .name = metrics[k] == METRIC_RATE_ASKED ? "issued" : metric->name,
            .unit = metric->unit,
            .kind = metric->kind,
            .values = c->timing_series[k],
            .count = m->slice_count,
            .slice_seconds = j->slice_seconds,
            .stable_begin = j->headline.stable_begin,
            .stable_end = j->headline.stable_end,
            .changepoints = j->headline.changepoints,
            .changepoint_count = 0};
    }
}

static void add_timing_phases(const struct contents *c, const struct phases *phases,
                              struct result *r)
{
    const struct measurement *m = &c->measurement;
    double at = 0, slice = measurement_slice_seconds(m);
    for (unsigned i = 0; i < phases->count && i < RESULT_PHASES_MAX; i++) {
        const struct phase_spec *from = &phases->phase[i];
        double seconds = (double)from->length_ns * 1e-9, backlog = 0;
        size_t begin, end;
        if (!phase_slices(m, phases, i, &begin, &end))
            break;
        struct stretch_of_time sum = sum_of(m, begin, end);
        for (size_t k = begin; k < end; k++) {
            const struct slice_timing *t = &m->timings[k];
            double late_ns = is_late(m, k) ? (double)t->late_max_ns : 0;
            backlog = fmax(backlog, due_backlog(&c->plan, phases, (double)t->backlog_max,
                                                (double)(k + 1) * slice, late_ns));
        }
        r->phases[r->phase_count++] = (struct result_phase){
            .begin_seconds = at,
            .seconds = seconds,
            .rate_begin = from->rate_begin * on_share(from),
            .rate_end = from->rate_end * on_share(from),
            .iops = (double)sum.ios / seconds,
            .response_time_ns = sum.ios ? sum.latency_ns / (double)sum.ios : NAN,
            .service_time_ns = sum.ios ? sum.service_ns / (double)sum.ios : NAN,
            .backlog = backlog,
            .kept_up = !late_slices(m, begin, end)};
        at += seconds;
    }
}

void timing_rows(struct contents *c, const struct judged *j, struct result *r)
{
    if (!c->issue_error)
        return;
    const struct measurement *m = &c->measurement;
    struct stretch_of_time all = sum_of(m, j->headline.stable_begin, j->headline.stable_end);
    if (plan_is_one_pass(&c->plan) && m->round_count)
        all.seconds = judged_pass_seconds(c);
    if (!(all.seconds > 0))
        return;
    struct phases phases = {.count = 0};
    struct err ignored;
    if (c->plan.phases[0] && phases_parse(c->plan.phases, &phases, &ignored))
        phases.count = 0;
    if (all.ios)
        result_add(r, METRIC_SERVICE_TIME, "all", all.service_ns / (double)all.ios)->n = all.ios;
    double measured = 0;
    for (size_t i = 0; i < m->round_count; i++)
        measured += m->rounds[i].seconds;
    r->waited_share = measured > 0 ? (double)c->timing.no_slot_ns * 1e-9 / measured : NAN;
    if (plan_is_one_pass(&c->plan) && !is_at_once(&c->plan))
        r->saturated = late_slices(m, j->headline.stable_begin, j->headline.stable_end) > 0;
    if (!is_at_once(&c->plan))
        issue_error_rows(c, j, r);
    result_add(r, METRIC_QUEUE_LENGTH, "all", all.in_flight_ns / (all.seconds * 1e9));
    if (!is_at_once(&c->plan))
        backlog_rows(c, j, &phases, &all, r);
    add_timing_series(c, j, &phases, r);
    add_timing_phases(c, &phases, r);
}

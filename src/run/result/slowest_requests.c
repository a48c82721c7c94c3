/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds those of the slowest requests that waited at the same time, and what the machine did then,
   as far as it was watched. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "run/result/internal.h"

/* A sample or an event at most this many seconds before or after a stall is reported with it. */
#define NEAR_SECONDS 0.5
/* Requests that waited for the same thing end at about the same time. So the time from the first
   begin to the last end of such requests is at most this many times the longest request. */
#define ONE_WAIT 1.5
/* A stall is shown on the first screen if it is at least this many times the mean, and either
   includes half of the slowest requests or lasts STANDS_OUT_SECONDS. */
#define STANDS_OUT         10.0
#define STANDS_OUT_SECONDS 0.1
/* A worker's processor is mentioned if other programs had more than this share of it. */
#define OTHERS_SHARE 0.2

/* Text about a gauge beside a stall: if its highest value is above `limit`, or, with `fell`, if its
   lowest value is below `limit` times the highest of the run. */
static const struct gauge_words {
    const char *key;
    bool fell;
    double limit;
    double scale; /* factor of the number in the text */
    const char *before, *after, *unit;
} gauge_words[] = {
    {"throttled", false, 0, 1, "", " throttled for heat,", "events/s"},
    {"frequency", true, 0.8, 1e-9, "", " slowed down to", "GHz"},
    {"interrupts", false, 0.5, 100, "", " served interrupts", "% of the time"},
    {"stalled", false, 0.1, 100, "tasks waited for ", "", "% of the time"},
};

/* ---- the machine at that moment ---- */

struct moment {
    const struct result *result;
    double begin, end;   /* s since the session began, extended by NEAR_SECONDS */
    size_t first, after; /* intervals [first, after) of the timeline at that time */
    char *to;
    size_t size;
    unsigned said;
};

static void say(struct moment *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct moment *m, const char *format, ...)
{
    size_t used = strlen(m->to);
    if (m->said++ && used + 2 < m->size)
        used += (size_t)snprintf(m->to + used, m->size - used, "; ");
    va_list args;
    va_start(args, format);
    vsnprintf(m->to + used, m->size - used, format, args);
    va_end(args);
}

static void find_intervals(struct moment *m)
{
    const struct result_timeline *t = &m->result->timeline;
    while (m->first < t->count && t->end[m->first] < m->begin)
        m->first++;
    m->after = m->first;
    while (m->after < t->count && t->begin[m->after] <= m->end)
        m->after++;
}

static double highest(const struct result_gauge *g, size_t from, size_t to)
{
    double high = NAN;
    for (size_t i = from; i < to; i++)
        high = fmax(high, (double)g->high[i]);
    return high;
}

static double lowest(const struct moment *m, const struct result_gauge *g)
{
    double low = NAN;
    for (size_t i = m->first; i < m->after; i++)
        low = fmin(low, (double)g->low[i]);
    return low;
}

/* Shows a line of the kernel's log from within the stall, as far as its time is known. Lines about
   the target come first, then those nearest to the stall's begin. */
static void say_kernel(struct moment *m, const struct result_stall *stall)
{
    const struct kernel_log *log = &m->result->kernel_log;
    const struct kernel_line *best = NULL;
    const double begin = stall->begin_seconds;
    double when = NAN;
    for (size_t i = 0; i < log->count; i++) {
        const struct kernel_line *l = &log->lines[i];
        const double at = kernel_line_within(l, begin, begin + stall->seconds);
        if (l->by_program || isnan(at) || (best && best->of_target && !l->of_target) ||
            (best && best->of_target == l->of_target && fabs(at - begin) >= fabs(when - begin)))
            continue;
        best = l;
        when = at;
    }
    if (best)
        say(m, "the kernel's log at %.2f s: %.120s", when, best->text);
}

/* Shows the temperature nearest to its limit. One without a limit is shown only if no other has
   one. */
static void say_temperature(struct moment *m)
{
    const struct result_timeline *t = &m->result->timeline;
    const struct result_gauge *hottest = NULL;
    double best = -INFINITY, value = NAN;
    for (size_t i = 0; i < t->gauge_count; i++) {
        const struct result_gauge *g = &t->gauges[i];
        double high = strcmp(g->key, "temperature") ? (double)NAN : highest(g, m->first, m->after);
        double room = isnan(g->limit) ? high - 1000 : high - g->limit;
        if (!(room > best))
            continue;
        best = room;
        value = high;
        hottest = g;
    }
    if (!hottest)
        return;
    char limit[40] = "";
    if (value >= hottest->limit)
        snprintf(limit, sizeof limit, ", its limit is %.0f C", hottest->limit);
    say(m, "temperature of %s %.0f C%s", hottest->node, value, limit);
}

static void say_gauges(struct moment *m, const struct gauge_words *row)
{
    const struct result_timeline *t = &m->result->timeline;
    const struct result_gauge *worst = NULL;
    double most = NAN;
    for (size_t i = 0; i < t->gauge_count; i++) {
        const struct result_gauge *g = &t->gauges[i];
        if (strcmp(g->key, row->key) != 0)
            continue;
        double value = row->fell ? lowest(m, g) : highest(g, m->first, m->after);
        bool applies =
            row->fell ? value < row->limit * highest(g, 0, t->count) : value > row->limit;
        if (!applies || (worst && !(row->fell ? value < most : value > most)))
            continue;
        worst = g;
        most = value;
    }
    if (worst)
        say(m, "%s%s%s %.3g %s", row->before, worst->node, row->after, most * row->scale,
            row->unit);
}

static const struct result_gauge *gauge_of(const struct result_timeline *t, const char *node,
                                           const char *key)
{
    for (size_t i = 0; i < t->gauge_count; i++)
        if (!strcmp(t->gauges[i].node, node) && !strcmp(t->gauges[i].key, key))
            return &t->gauges[i];
    return NULL;
}

/* Shows a worker's processor that other programs used: the requests may have waited for it instead
   of the target. */
static void say_processors(struct moment *m)
{
    const struct result_timeline *t = &m->result->timeline;
    const char *node = NULL;
    double most = OTHERS_SHARE;
    for (size_t g = 0; g < t->gauge_count; g++) {
        const struct result_gauge *own = &t->gauges[g], *busy = gauge_of(t, own->node, "busy"),
                                  *interrupts = gauge_of(t, own->node, "interrupts");
        for (size_t i = m->first; !strcmp(own->key, "workers") && busy && i < m->after; i++) {
            double served = interrupts ? fmax(interrupts->mean[i], 0) : 0;
            double share = (double)busy->mean[i] - (double)own->mean[i] - served;
            if (share > most) {
                most = share;
                node = own->node;
            }
        }
    }
    if (node)
        say(m, "other programs had %s for %.0f %% of the time", node, 100 * most);
}

/* Shows others' I/O: writes during a run that only reads, and the other way round. */
static void say_others(struct moment *m)
{
    const struct result *r = m->result;
    const struct result_timeline *t = &r->timeline;
    bool reads = false, writes = false;
    for (size_t i = 0; i < r->total_count; i++) {
        reads |= !strcmp(r->totals[i].op, "read");
        writes |= !strcmp(r->totals[i].op, "write");
    }
    for (size_t p = 0; p < r->part_count && reads != writes; p++) {
        const char *key = reads ? "write" : "read";
        for (size_t i = 0; r->parts[p].under_test && i < t->gauge_count; i++) {
            const struct result_gauge *g = &t->gauges[i];
            char rate[UNITS_BUFFER];
            double high = highest(g, m->first, m->after);
            if (!strcmp(g->node, r->parts[p].name) && !strcmp(g->key, key) && high >= 1e6)
                say(m, "other programs %s %s %s %s", reads ? "wrote" : "read",
                    format_rate(rate, sizeof rate, high), reads ? "to" : "from", g->node);
        }
    }
}

static void say_events(struct moment *m, const struct contents *c)
{
    const struct result *r = m->result;
    for (size_t i = 0; i < c->suspension_count; i++) {
        const struct suspended *s = &c->suspensions[i];
        if (s->begin_seconds <= m->end && s->begin_seconds + s->seconds >= m->begin)
            say(m, "this program was stopped for %.2f s", s->seconds);
    }
    for (size_t i = 0; i < r->event_count; i++)
        if (r->events[i].seconds >= m->begin && r->events[i].seconds <= m->end)
            say(m, "%.100s", r->events[i].text);
}

static void describe_moment(const struct contents *c, const struct result *r,
                            struct result_stall *stall)
{
    const struct result_timeline *t = &r->timeline;
    struct moment m = {.result = r,
                       .begin = stall->begin_seconds - NEAR_SECONDS,
                       .end = stall->begin_seconds + stall->seconds + NEAR_SECONDS,
                       .to = stall->beside,
                       .size = sizeof stall->beside};
    find_intervals(&m);
    say_kernel(&m, stall);
    say_temperature(&m);
    for (size_t i = 0; i < sizeof gauge_words / sizeof *gauge_words; i++)
        say_gauges(&m, &gauge_words[i]);
    say_processors(&m);
    say_others(&m);
    say_events(&m, c);
    if (!t->gauge_count)
        say(&m, "the machine was not watched");
    else if (m.first == m.after)
        say(&m, "no sample of the machine within %.1f s", NEAR_SECONDS);
    else if (m.said == 0)
        say(&m, "nothing else that was watched was unusual");
    double span = m.first < m.after ? t->end[m.after - 1] - t->begin[m.first] : 0;
    if (span > 4 * NEAR_SECONDS + 2 * stall->seconds)
        say(&m, "as samples of %.3g s around it show", span);
}

/* ---- requests that waited together ---- */

/* Collects a stall: the slowest request that is in no stall yet, and all requests that were in
   flight with it or with another one of the stall. */
static void gather_stall(struct result *r, const struct result_slow *slowest)
{
    struct result_stall *s = &r->stalls[r->stall_count++];
    uint64_t begin = slowest->begin_ns, end = begin + slowest->latency_ns, before;
    do {
        before = s->requests;
        for (size_t i = 0; i < r->slow_count; i++) {
            struct result_slow *one = &r->slow[i];
            uint64_t one_end = one->begin_ns + one->latency_ns;
            if (one->stall || one->begin_ns > end || one_end < begin)
                continue;
            one->stall = (uint32_t)r->stall_count;
            s->requests++;
            begin = one->begin_ns < begin ? one->begin_ns : begin;
            end = one_end > end ? one_end : end;
        }
    } while (s->requests != before);
    s->begin_seconds = (double)begin * 1e-9;
    s->seconds = (double)(end - begin) * 1e-9;
    s->longest_ns = (double)slowest->latency_ns;
    s->one_wait = s->seconds <= ONE_WAIT * s->longest_ns * 1e-9;
}

/* Describes the first of the slowest requests that broke the limit of a clause about the longest
   one. */
static void take_first_over(const struct contents *c, const struct result *r,
                            struct result_clause *to)
{
    struct clauses one;
    if (to->verdict != CLAUSE_FAILED || to->is_width || clauses_parse_limits(&one, to->text, NULL))
        return;
    const struct clause *limit = &one.clause[0];
    const struct result_slow *first = NULL;
    size_t over = 0;
    char latency[UNITS_BUFFER];
    if (!clause_is_max(limit) || limit->period_ns || limit->time != CLAUSE_RESPONSE)
        return;
    for (size_t i = 0; i < r->slow_count; i++) {
        const struct result_slow *s = &r->slow[i];
        if (!operation_is_of(operation_by_name(limit->op), operation_by_name(s->op)) ||
            (double)s->latency_ns < limit->limit)
            continue;
        over++;
        first = first && first->begin_ns <= s->begin_ns ? first : s;
    }
    if (!first)
        return;
    struct result_stall alone = {.begin_seconds = (double)first->begin_ns * 1e-9,
                                 .seconds = (double)first->latency_ns * 1e-9};
    describe_moment(c, r, &alone);
    const int whole =
        snprintf(to->first_over, sizeof to->first_over,
                 "at %.3f s, %s of %u bytes at byte %llu, job %u: %s%s; %zu%s over the limit. "
                 "Meanwhile: %s",
                 alone.begin_seconds, first->op, first->length, (unsigned long long)first->offset,
                 first->job, format_time(latency, sizeof latency, (double)first->latency_ns),
                 first->failed ? ", failed" : "", over, over == RESULT_SLOW_MAX ? " or more" : "",
                 alone.beside);
    char *cut =
        /* If the text is too long, its last piece, after the last ';', is replaced by "...". The
           list of stalls contains everything that was seen. */
        strrchr(to->first_over, ';');
    if (whole >= (int)sizeof to->first_over && cut)
        snprintf(cut, 5, " ...");
}

/* Returns true if the first stall is unusual. */
static bool stands_out(const struct contents *c, const struct result *r)
{
    const struct result_stall *s = r->stalls;
    double sum = 0, ios = 0;
    for (size_t i = 0; i < c->measurement.round_count; i++)
        for (int op = 0; op < OPERATIONS && !c->measurement.rounds[i].trial; op++) {
            const struct slice_op *total = &c->measurement.rounds[i].total.op[op];
            sum += (double)total->latency_ns;
            ios += (double)total->ios;
        }
    bool holds_half = s->requests > 1 && 2 * s->requests >= r->slow_count;
    return s->requests > 0 && s->longest_ns * ios >= STANDS_OUT * sum &&
           (holds_half || s->longest_ns >= STANDS_OUT_SECONDS * 1e9);
}

void summary_add_slowest(struct result *r, const struct contents *c)
{
    r->kernel_log = c->kernel_log;
    kernel_log_sort(&r->kernel_log);
    memcpy(r->slow, c->slow, sizeof r->slow);
    r->slow_count = c->slow_count;
    for (size_t i = 0; i < r->slow_count && r->stall_count < RESULT_STALLS_MAX; i++)
        if (!r->slow[i].stall) {
            gather_stall(r, &r->slow[i]);
            describe_moment(c, r, &r->stalls[r->stall_count - 1]);
        }
    r->stalls[0].stands_out = stands_out(c, r);
    for (size_t i = 0; i < r->clause_count; i++)
        take_first_over(c, r, &r->clauses[i]);
}

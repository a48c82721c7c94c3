/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watching the machine while it is measured (paper 000, III-B): how often, and what is told of it.
 *
 * The rate is the highest whose cost stays below a threshold. The processor time of a sample bounds
 * it first; then like rounds with and without watching are compared. Watching costs about in
 * proportion to its rate, so that a step of Newton's method on cost(rate) - threshold is one
 * division.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "hw/change.h"
#include "run/hardware.h"
#include "run/session_state.h"

#define PROBE_SAMPLES 8
#define ROUND_SECONDS 0.2
#define PAIRS         3
#define STEPS_MOST    4
/* Comparing rounds may take this share of the session's limit. */
#define SHARE_OF_LIMIT 0.05
/* A frequency this far below the highest so far is told. */
#define FREQUENCY_FELL 0.8
#define CHANGES_MOST   16

static double thread_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Processor time of a sample, the mean of a few that read every file. */
static double cost_of_sample(struct session *s)
{
    double begin = thread_cpu_seconds();
    for (int i = 0; i < PROBE_SAMPLES; i++) {
        monitor_restart(&s->monitor);
        monitor_sample(&s->monitor, session_seconds(s));
    }
    double cost = (thread_cpu_seconds() - begin) / PROBE_SAMPLES;
    monitor_restart(&s->monitor);
    return cost;
}

struct comparison {
    double loss;  /* share of the rate that watching takes away; NaN: not measured */
    double noise; /* how far like rounds lie apart */
};

static struct comparison compare(struct session *s)
{
    double on[PAIRS], off[PAIRS], mean_on = 0, mean_off = 0, spread = 0;
    for (int i = 0; i < PAIRS; i++) {
        bool on_first = i % 2 == 0;
        double first = session_like_round(s, ROUND_SECONDS, on_first);
        double second = session_like_round(s, ROUND_SECONDS, !on_first);
        on[i] = on_first ? first : second;
        off[i] = on_first ? second : first;
        mean_on += on[i] / PAIRS;
        mean_off += off[i] / PAIRS;
    }
    for (int i = 0; i < PAIRS; i++)
        spread = fmax(spread, fmax(fabs(on[i] - mean_on), fabs(off[i] - mean_off)) / mean_off);
    return (struct comparison){1 - mean_on / mean_off, spread};
}

static void set_rate(struct session *s, double hertz)
{
    s->watch_every_seconds = 1 / hertz;
    s->watch_next_seconds = session_seconds(s);
}

/* From the rate that processor time permits down to one that the rounds permit too. */
static void find_rate(struct session *s, double threshold)
{
    double hertz = fmin(MONITOR_RATE_MOST, threshold / s->watch_cpu_seconds);
    double needed = STEPS_MOST * 2 * PAIRS * ROUND_SECONDS;
    set_rate(s, hertz);
    if (needed > SHARE_OF_LIMIT * s->contents.plan.limit_seconds) {
        snprintf(s->watch_found, sizeof s->watch_found,
                 "from processor time alone, --limit leaves no time to compare rounds");
        return;
    }
    for (int step = 0; step < STEPS_MOST; step++) {
        struct comparison c = compare(s);
        if (!isfinite(c.loss) || session_stopped(s))
            return;
        snprintf(s->watch_found, sizeof s->watch_found,
                 "like rounds lose %+.2f %% with it, and differ by up to %.2f %% anyway",
                 100 * c.loss, 100 * c.noise);
        if (c.loss <= threshold || c.loss < c.noise)
            return;
        hertz = fmax(fmin(hertz * threshold / c.loss, hertz / 2), 1);
        set_rate(s, hertz);
    }
}

void session_watch_begin(struct session *s)
{
    const struct plan *plan = &s->contents.plan;
    int cpus[PLAN_JOBS_MAX];
    struct err e = {0};
    if (plan->monitor_cost <= 0)
        return;
    for (unsigned i = 0; i < s->group.count; i++)
        cpus[i] = s->group.workers[i].cpu;
    struct monitor_request request = {.root = s->root,
                                      .inventory = &s->contents.hardware,
                                      .path = &s->path,
                                      .worker_cpus = cpus,
                                      .worker_count = s->group.count};
    session_show(s, "finding how often to watch the machine");
    if (monitor_open(&s->monitor, &request, &s->arena, &e)) {
        contents_note(&s->contents, false, "the machine was not watched: %s", e.msg);
        return;
    }
    watch_gauges(&s->contents.watch, &s->monitor, !strcmp(s->ops->name, "null"));
    record_watch(&s->record, &s->contents.watch);
    s->watch_cpu_seconds = cost_of_sample(s);
    s->watching = true;
    if (plan->monitor_rate) {
        set_rate(s, plan->monitor_rate);
        snprintf(s->watch_found, sizeof s->watch_found, "as asked for");
    } else {
        find_rate(s, plan->monitor_cost);
    }
}

/* A state that the reader must know of, told once: too warm, throttled, slowed down. */
static void tell_state(struct session *s, size_t i, double seconds)
{
    const struct gauge *g = &s->monitor.gauges[i];
    float *best = &s->watch_best[i];
    char text[160] = "";
    if (s->watch_told >> i & 1 || isnan(g->value))
        return;
    *best = fmaxf(*best, (float)g->value);
    if (g->value > g->limit)
        snprintf(text, sizeof text, "%s: %s of %.1f %s is above its limit of %.1f %s", g->name,
                 g->key, g->value, g->unit, g->limit, g->unit);
    else if (!strcmp(g->key, "throttled") && g->value > 0)
        snprintf(text, sizeof text, "%s: workers' cores were throttled for heat", g->name);
    else if (!strcmp(g->key, "frequency") && g->value < FREQUENCY_FELL * (double)*best)
        snprintf(text, sizeof text, "%s: frequency of workers' cores fell from %.2f to %.2f GHz",
                 g->name, (double)*best * 1e-9, g->value * 1e-9);
    if (!text[0])
        return;
    s->watch_told |= UINT64_C(1) << i;
    watch_event(&s->contents.watch, seconds, text);
    contents_note(&s->contents, true, "%s, first seen after %.1f s", text, seconds);
}

void session_watch_sample(struct session *s, bool counts)
{
    double seconds = session_seconds(s);
    if (!s->watching || seconds < s->watch_next_seconds)
        return;
    s->watch_next_seconds += s->watch_every_seconds;
    if (s->watch_next_seconds < seconds) /* late: no burst afterwards */
        s->watch_next_seconds = seconds + s->watch_every_seconds;
    monitor_sample(&s->monitor, seconds);
    struct watch_sample sample = watch_take(&s->monitor, seconds, counts);
    watch_add(&s->contents.watch, &sample);
    record_sample(&s->record, &s->contents.watch, &sample);
    for (size_t i = 0; i < s->monitor.gauge_count; i++)
        tell_state(s, i, seconds);
}

/* The same look at the machine again: what is different now. */
static void find_changes(struct session *s)
{
    struct inventory now = {0};
    struct data_path path;
    struct change changes[CHANGES_MOST];
    if (!hardware_look(&now, &path, s->root, s->target.device,
                       s->target.fd >= 0 ? s->target.path : NULL, NULL)) {
        size_t count = changes_find(&s->contents.hardware, &now, changes, CHANGES_MOST);
        for (size_t i = 0; i < count; i++) {
            watch_event(&s->contents.watch, NAN, changes[i].text);
            contents_note(&s->contents, true, "during the run: %s", changes[i].text);
        }
    }
    inventory_free(&now);
}

void session_watch_end(struct session *s)
{
    session_restore_knobs(s);
    if (s->contents.plan.monitor_cost > 0 && s->load_seconds > 0)
        find_changes(s);
    if (s->watching)
        monitor_close(&s->monitor);
    s->watching = false;
}

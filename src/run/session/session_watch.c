/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watching the machine while it is measured (Li et al., Pilot (2016), III-B): how often, and what
 * is told of it.
 *
 * The rate is the highest whose cost stays below a threshold. The processor time of a sample bounds
 * it from the beginning; after the first measured round, like rounds with and without watching are
 * compared, in pairs, which may lower it for the rounds to come. Watching costs about
 * in proportion to its rate, so that a step of Newton's method on cost(rate) - threshold is one
 * division. What the noise hides is not called a cost: processor time bounds it all the same.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "hw/monitor/change.h"
#include "run/session/internal.h"
#include "run/watch/hardware.h"

#define ROUND_SECONDS 0.1
#define PAIRS         4
#define T_QUANTILE    3.182 /* Student's t, 3 degrees of freedom, 95 %, two-sided */
#define ROUNDS_MAX    4
/* Comparing rounds may take this share of the session's limit. */
#define SHARE_OF_LIMIT 0.05
/* A frequency this far below the highest so far is told. */
#define FREQUENCY_FELL 0.8
#define CHANGES_MAX    16

static double thread_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Processor time of a sample that reads every file: what none of them exceeds by much. */
static double cost_of_sample(struct session *s)
{
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        monitor_restart(&s->monitor);
        double begin = thread_cpu_seconds();
        monitor_sample(&s->monitor, session_seconds(s));
        best = fmin(best, thread_cpu_seconds() - begin);
    }
    monitor_restart(&s->monitor);
    return best;
}

struct comparison {
    double loss;   /* share of the rate that watching takes away; NaN: not measured */
    double margin; /* half the width of its 95 % interval */
};

static struct comparison compare(struct session *s)
{
    double loss[PAIRS], mean = 0, square = 0;
    for (int i = 0; i < PAIRS; i++) {
        double watched, other;
        session_like_pair(s, ROUND_SECONDS, (unsigned)i, true, &watched, &other);
        loss[i] = 1 - watched / other;
        mean += loss[i] / PAIRS;
    }
    for (int i = 0; i < PAIRS; i++)
        square += (loss[i] - mean) * (loss[i] - mean) / (PAIRS - 1);
    return (struct comparison){mean, T_QUANTILE * sqrt(square / PAIRS)};
}

static void set_rate(struct session *s, double hertz)
{
    s->watch_every_seconds = 1 / hertz;
    s->watch_next_seconds = session_seconds(s);
}

static bool is_too_much(const struct comparison *c, double threshold)
{
    return c->loss - c->margin > threshold;
}

static void describe(struct session *s, const struct comparison *c, double threshold)
{
    snprintf(s->watch_found, sizeof s->watch_found,
             "like rounds lose %+.2f %% with it, +-%.2f %%%s", 100 * c->loss, 100 * c->margin,
             c->loss + c->margin <= threshold ? ""
             : is_too_much(c, threshold)      ? ": too much"
                                              : ": less than the noise");
}

/*
 * From the rate that processor time permits down to one at which no loss above the threshold shows.
 * Rounds that were measured at a rate that turns out to cost too much are told of.
 */
void session_watch_compare(struct session *s, bool more_rounds)
{
    const struct plan *plan = &s->contents.plan;
    double threshold = plan->monitor_cost;
    double time_left =
        fmin(SHARE_OF_LIMIT * plan->limit_seconds, plan->limit_seconds - session_seconds(s));
    if (!s->watching || s->watch_compared || plan->monitor_rate)
        return;
    s->watch_compared = true;
    for (int step = 0; time_left >= 2 * PAIRS * ROUND_SECONDS; step++) {
        session_show(s, "how often to watch");
        struct comparison c = compare(s);
        time_left -= 2 * PAIRS * ROUND_SECONDS;
        if (!isfinite(c.loss) || session_stopped(s))
            return;
        describe(s, &c, threshold);
        if (!is_too_much(&c, threshold))
            return;
        if (step == 0)
            contents_note(
                &s->contents, true,
                "watching the machine %.3g times a second took %.1f %% of the rate in the "
                "rounds until then (see --monitor-cost)",
                1 / s->watch_every_seconds, 100 * c.loss);
        if (!more_rounds || step == ROUNDS_MAX)
            return;
        double hertz = 1 / s->watch_every_seconds;
        set_rate(s, fmax(fmin(hertz * threshold / c.loss, hertz / 2), 1));
    }
}

/* Workers that poll are busy whatever the device does. */
static enum watch_workers what_workers_do(const struct session *s)
{
    if (!strcmp(s->ops->name, "null"))
        return WORKERS_UNDER_TEST;
    return s->group.workers[0].backend.polls ? WORKERS_POLL : WORKERS_WORK;
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
                                      .worker_count = s->group.count,
                                      .past_block_layer = io_bypasses_block_layer(s->ops)};
    if (monitor_open(&s->monitor, &request, &s->arena, &e)) {
        contents_note(&s->contents, false, "the machine was not watched: %s", e.msg);
        return;
    }
    watch_gauges(&s->contents.watch, &s->monitor, what_workers_do(s));
    record_watch(&s->record, &s->contents.watch);
    s->watching = true;
    set_rate(s, plan->monitor_rate
                    ? plan->monitor_rate
                    : fmin(MONITOR_RATE_MAX, plan->monitor_cost / cost_of_sample(s)));
    snprintf(s->watch_found, sizeof s->watch_found, "%s",
             plan->monitor_rate ? "as asked for" : "by its processor time alone");
}

/* A state that the reader must know of, told once: too warm, throttled, slowed down. */
static void tell_state(struct session *s, size_t i, double seconds)
{
    const struct gauge *g = &s->monitor.gauges[i];
    float *best = &s->watch_best[i];
    char text[160] = "";
    if (s->watch_told[i] || isnan(g->value))
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
    s->watch_told[i] = true;
    watch_event(&s->contents.watch, seconds, text);
    contents_note(&s->contents, true, "%s, first seen after %.1f s", text, seconds);
}

/* What no statistics of the target's disk show. Batches come less often than samples may: until the
   next one the last value stands. */
static void tell_own_bytes(struct session *s)
{
    if (!(s->told_seconds > 0))
        return;
    monitor_tell(&s->monitor, (double)s->told_bytes[IO_READ] / s->told_seconds,
                 (double)s->told_bytes[IO_WRITE] / s->told_seconds);
    s->told_bytes[IO_READ] = s->told_bytes[IO_WRITE] = 0;
    s->told_seconds = 0;
}

void session_watch_sample(struct session *s, bool counts)
{
    double seconds = session_seconds(s), begin = thread_cpu_seconds();
    if (!s->watching || seconds < s->watch_next_seconds)
        return;
    s->watch_next_seconds += s->watch_every_seconds;
    if (s->watch_next_seconds < seconds) /* late: no burst afterwards */
        s->watch_next_seconds = seconds + s->watch_every_seconds;
    monitor_sample(&s->monitor, seconds);
    tell_own_bytes(s);
    if (!s->in_measured_round)
        return;
    struct watch_sample sample = watch_take(&s->monitor, seconds, counts);
    watch_add(&s->contents.watch, &sample);
    record_sample(&s->record, &s->contents.watch, &sample);
    for (size_t i = 0; i < s->monitor.gauge_count; i++)
        tell_state(s, i, seconds);
    s->watch_cpu_seconds += thread_cpu_seconds() - begin;
    s->watch_samples++;
}

void session_watch_round(struct session *s)
{
    s->watch_next_seconds = 0;
    s->in_measured_round = true;
    session_watch_sample(s, false);
}

/* What is worth knowing of the state afterwards. */
static const char *const state_keys[] = {
    "temperature",  "frequency", "core_throttle_count", "package_throttle_count", "aer_correctable",
    "aer_nonfatal", "aer_fatal", "media_errors",        "critical_warning"};

static void keep_state(struct inventory *kept, const struct inventory *now)
{
    for (int node = 0; node < kept->node_count; node++) {
        int after = inventory_find(now, kept->nodes[node].name);
        for (size_t i = 0; i < sizeof state_keys / sizeof *state_keys; i++) {
            const struct inventory_fact *fact = inventory_fact(now, after, state_keys[i]);
            char key[64];
            snprintf(key, sizeof key, "%s_after", state_keys[i]);
            if (fact && fact->status == FACT_OK)
                inventory_add(kept, node, key, fact->value, fact->unit, fact->source, FACT_OK);
        }
    }
}

/* Settings that were asked for are still in force for sessions to come. */
static bool is_asked_for(const struct session *s, const struct change *change)
{
    const struct plan *plan = &s->contents.plan;
    return s->shared && ((plan->governor[0] && !strcmp(change->key, "governor")) ||
                         (plan->scheduler[0] && !strcmp(change->key, "scheduler")));
}

/* What is different now. */
static void find_changes(struct session *s)
{
    struct inventory now = {0};
    struct change changes[CHANGES_MAX];
    if (!hardware_look_again(&now, s->root, s->target.device,
                             s->target.fd >= 0 ? s->target.path : NULL, NULL)) {
        size_t count = changes_find(&s->contents.hardware, &now, changes, CHANGES_MAX);
        for (size_t i = 0; i < count; i++) {
            if (is_asked_for(s, &changes[i]))
                continue;
            watch_event(&s->contents.watch, NAN, changes[i].text);
            contents_note(&s->contents, true, "during the run: %s", changes[i].text);
        }
        keep_state(&s->contents.hardware, &now);
    }
    inventory_free(&now);
}

static void tell_own(struct session *s)
{
    for (unsigned i = 0; i < s->group.count && s->worker_seconds > 0; i++) {
        char core[24];
        snprintf(core, sizeof core, "cpu%d", s->group.workers[i].cpu);
        watch_own(&s->contents.watch, core, s->worker_cpu_seconds[i] / s->worker_seconds);
    }
}

void session_watch_end(struct session *s)
{
    if (s->watching)
        tell_own(s);
    session_restore_knobs(s);
    /* A device that hangs would not answer this either. */
    if (s->contents.plan.monitor_cost > 0 && s->load_seconds > 0 && !s->stuck)
        find_changes(s);
    if (s->watching)
        monitor_close(&s->monitor);
    s->watching = false;
}

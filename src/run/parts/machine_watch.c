/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches the machine during the measurement (Li et al., Pilot (2016), III-B): samples, and notes
 * of states that a reader must know. The processor time of a sample limits the rate from the
 * beginning; comparing rounds may lower it (own_cost.c).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "facts/machine_unseen.h"
#include "hw/monitor/inventory_change.h"
#include "run/parts/internal.h"
#include "run/watch/kept_inventory.h"

/* A frequency below this share of the highest one so far is reported. */
#define FREQUENCY_FELL 0.8
#define CHANGES_MAX    16

#define SAMPLES_BYTES_MAX  24e6
#define SAMPLE_FRAME_BYTES 24.0 /* bytes that the chunk and the time add to a sample */

struct watching {
    struct component_sources components; /* counters of the user's components */
    struct monitor monitor;
    bool open;     /* the monitor is open */
    bool started;  /* the measurement has begun */
    bool in_round; /* samples are kept */
    /* bytes that workers reported since the last sample, for the monitor */
    uint64_t own_bytes[OPERATIONS];
    double own_bytes_seconds; /* seconds of the measured time to which own_bytes belongs */
    double next_seconds;      /* when the next sample is due, since the session began */
    double cpu_seconds;       /* processor time of all samples */
    uint64_t samples;
    double worker_cpu_seconds[PLAN_JOBS_MAX]; /* processor time of each worker in measured rounds */
    double worker_seconds;                    /* length of the measured rounds */
    struct watch_rate rate;
    bool noted[MONITOR_GAUGES]; /* gauges whose change was noted */
    float best[MONITOR_GAUGES]; /* highest value of each gauge so far */
};

static struct watching *watching_of(const struct session *s)
{
    return s->own[SESSION_PART_WATCH];
}

/* Reads the user's components, and reaches the server of the target, before anything is touched. */
static int open_sources(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    return (plan->watch.graph[0] && components_load(&s->components, plan->watch.graph, e)) ||
                   remote_end_open(&s->remote, plan->watch.remote, plan->watch.remote_target, e)
               ? -1
               : 0;
}

/* Opens the counters of the user's components. Their commands avoid the workers' processors. */
static int open_components(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    int cpus[PLAN_JOBS_MAX];
    for (unsigned i = 0; i < s->group.count; i++)
        cpus[i] = s->group.workers[i].cpu;
    struct component_watch watch = {.components = &s->components,
                                    .root = s->root,
                                    .avoid = cpus,
                                    .avoid_count = s->group.count,
                                    .cost = plan->watch.rate ? 0 : plan->watch.cost};
    return component_sources_open(&watching_of(s)->components, &watch, e);
}

/* Returns the processor time of a sample that reads every file: no sample takes much longer. */
static double cost_of_sample(struct session *s)
{
    struct watching *own = watching_of(s);
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        monitor_restart(&own->monitor);
        double begin = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID);
        monitor_sample(&own->monitor, session_seconds(s));
        best = fmin(best, seconds_of_clock(CLOCK_THREAD_CPUTIME_ID) - begin);
    }
    monitor_restart(&own->monitor);
    return best;
}

/* Returns the rate at which the samples of a run of known length take SAMPLES_BYTES_MAX bytes of
   its record, whose reader keeps a few hundred intervals of them. --monitor-rate overrides it. */
static double rate_of_record(const struct session *s)
{
    const struct watching *own = watching_of(s);
    const struct plan *plan = &s->contents.plan;
    const double length = fmax(plan->ending.runtime_seconds, plan->ending.minimum_seconds);
    const double bytes = SAMPLE_FRAME_BYTES + (double)(own->monitor.gauge_count * sizeof(float));
    return plan->watch.rate || !(length > 0) ? INFINITY : SAMPLES_BYTES_MAX / (bytes * length);
}

void session_watch_at(struct session *s, double hertz)
{
    struct watching *own = watching_of(s);
    hertz = fmin(hertz, rate_of_record(s));
    own->rate.hertz = hertz;
    own->next_seconds = session_seconds(s);
}

static void begin(struct session *s)
{
    struct watching *own = watching_of(s);
    const struct plan *plan = &s->contents.plan;
    int cpus[PLAN_JOBS_MAX];
    clockid_t clocks[PLAN_JOBS_MAX];
    char left_out[WATCH_LEFT_OUT_BYTES];
    struct err e = {0};
    if (plan->watch.cost <= 0)
        return;
    bool have_clocks = true;
    for (unsigned i = 0; i < s->group.count; i++) {
        cpus[i] = s->group.workers[i].cpu;
        have_clocks &= !pthread_getcpuclockid(s->group.workers[i].thread, &clocks[i]);
    }
    struct monitor_request request = {.root = s->root,
                                      .inventory = &s->contents.hardware,
                                      .path = &s->path,
                                      .worker_cpus = cpus,
                                      .worker_count = s->group.count,
                                      .worker_clocks = have_clocks ? clocks : NULL,
                                      .past_block_layer = s->ops->bypasses_block_layer,
                                      .components = &own->components};
    if (monitor_open(&own->monitor, &request, &s->arena, &e)) {
        contents_note(&s->contents, false, "the machine was not watched: %s", e.msg);
        return;
    }
    /* Workers that poll are always busy. Without a device, the workers are what is measured. */
    enum watch_workers workers = !s->ops->needs_target && !s->ops->connects ? WORKERS_UNDER_TEST
                                 : s->group.workers[0].backend.polls        ? WORKERS_POLL
                                                                            : WORKERS_WORK;
    watch_gauges(&s->contents.watch, &own->monitor, workers);
    watch_left_out_words(&s->contents.watch, s->path.full, left_out);
    if (left_out[0])
        contents_note(&s->contents, true, "%s", left_out);
    record_watch(&s->record, &s->contents.watch);
    own->open = true;
    session_watch_at(s, plan->watch.rate
                            ? plan->watch.rate
                            : fmin(MONITOR_RATE_MAX, plan->watch.cost / cost_of_sample(s)));
    snprintf(own->rate.found, sizeof own->rate.found, "%s",
             plan->watch.rate ? "as asked for" : "by its processor time alone");
}

/* Notes once a state that the reader must know: too warm, throttled, slowed down. */
static void note_state(struct session *s, size_t i, double seconds)
{
    struct watching *own = watching_of(s);
    const struct gauge *g = &own->monitor.gauges[i];
    float *best = &own->best[i];
    char text[160] = "";
    if (own->noted[i] || isnan(g->value))
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
    own->noted[i] = true;
    watch_event(&s->contents.watch, seconds, text);
    contents_note(&s->contents, true, "%s, first seen after %.1f s", text, seconds);
}

void session_watch_sample(struct session *s, bool counts)
{
    struct watching *own = watching_of(s);
    double seconds = session_seconds(s), begin = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID);
    if (!own->open || seconds < own->next_seconds)
        return;
    own->next_seconds += 1 / own->rate.hertz;
    if (own->next_seconds < seconds) /* late samples are not made up for */
        own->next_seconds = seconds + 1 / own->rate.hertz;
    monitor_sample(&own->monitor, seconds);
    /* If the block layer is bypassed, the disk's statistics do not contain our bytes. Batches may
       be rarer than samples, so the last value is reported again until the next batch. */
    if (own->own_bytes_seconds > 0) {
        monitor_report(&own->monitor,
                       (double)own->own_bytes[OPERATION_READ] / own->own_bytes_seconds,
                       (double)own->own_bytes[OPERATION_WRITE] / own->own_bytes_seconds);
        own->own_bytes[OPERATION_READ] = own->own_bytes[OPERATION_WRITE] = 0;
        own->own_bytes_seconds = 0;
    }
    if (!own->in_round)
        return;
    struct watch_sample sample = watch_take(&own->monitor, seconds, counts);
    watch_add(&s->contents.watch, &sample);
    record_sample(&s->record, &s->contents.watch, &sample);
    for (size_t i = 0; i < own->monitor.gauge_count; i++)
        note_state(s, i, seconds);
    own->cpu_seconds += seconds_of_clock(CLOCK_THREAD_CPUTIME_ID) - begin;
    own->samples++;
}

static void begin_round(struct session *s)
{
    watching_of(s)->next_seconds = 0;
    watching_of(s)->in_round = true;
    session_watch_sample(s, false);
}

static void add_batch(struct session *s, const struct batch *batch)
{
    struct watching *own = watching_of(s);
    for (unsigned i = 0; i < batch->slice_count; i++)
        for (int op = 0; op < OPERATIONS; op++)
            own->own_bytes[op] += batch->slices[i].op[op].bytes;
    own->own_bytes_seconds +=
        batch->slice_count * batch->span * s->contents.measurement.slice_seconds;
}

static void sample(struct session *s)
{
    session_watch_sample(s, true);
}

static void end_round(struct session *s, const struct round_outcome *outcome)
{
    struct watching *own = watching_of(s);
    for (unsigned i = 0; i < s->group.count; i++)
        own->worker_cpu_seconds[i] += (double)s->group.workers[i].cpu_ns * 1e-9;
    own->worker_seconds += outcome->seconds;
    own->in_round = false;
}

struct watch_rate *session_watch_rate(const struct session *s)
{
    return &watching_of(s)->rate;
}

/* Facts that are compared before and after the session. */
static const char *const state_keys[] = {
    "temperature",  "frequency", "core_throttle_count", "package_throttle_count", "aer_correctable",
    "aer_nonfatal", "aer_fatal", "media_errors",        "critical_warning"};

/* Reports differences from the inventory that was taken before the first round. */
static void note_changes(struct session *s)
{
    const struct plan *plan = &s->contents.plan;
    struct inventory *kept = &s->contents.hardware, now = {0};
    struct change changes[CHANGES_MAX];
    if (!hardware_look_again(&now, s->root, &s->path_begin, &s->remote, NULL)) {
        size_t count = changes_find(kept, &now, changes, CHANGES_MAX);
        for (size_t i = 0; i < count; i++) {
            /* Requested settings stay in force for the next sessions, so their changes are not
               reported. */
            if (s->shared &&
                ((plan->settings.governor[0] && !strcmp(changes[i].key, "governor")) ||
                 (plan->settings.scheduler[0] && !strcmp(changes[i].key, "scheduler"))))
                continue;
            watch_event(&s->contents.watch, NAN, changes[i].text);
            contents_note(&s->contents, true, "during the run: %s", changes[i].text);
        }
        for (int node = 0; node < kept->node_count; node++) {
            int after = inventory_find(&now, kept->nodes[node].name);
            for (size_t i = 0; i < sizeof state_keys / sizeof *state_keys; i++) {
                const struct inventory_fact *fact = inventory_fact(&now, after, state_keys[i]);
                char key[64];
                snprintf(key, sizeof key, "%s_after", state_keys[i]);
                if (fact && fact->status == FACT_OK)
                    inventory_add(kept, node, key, fact->value, fact->unit, fact->source, FACT_OK);
            }
        }
    }
    inventory_free(&now);
}

/* Reports the user's components whose counter failed, or whose limit was exceeded. */
static void note_components(struct session *s)
{
    struct watching *own = watching_of(s);
    const struct components *all = &s->components;
    for (size_t i = 0; i < all->count; i++) {
        const struct component *c = &all->list[i];
        const struct watch_part *p = watch_part_of(&s->contents.watch, c->name);
        char why[200], when[40] = "";
        double seconds;
        if (c->source[0] && monitor_component_fault(&own->monitor, i, &seconds, why, sizeof why)) {
            if (isfinite(seconds))
                snprintf(when, sizeof when, ", first seen after %.1f s", seconds);
            contents_note(&s->contents, true, "component %s: %.80s: %.80s%s", c->name, c->source,
                          why, when);
        }
        if (p && watch_is_refuted(p))
            contents_note(
                &s->contents, true,
                "component %s was used to %.0f %% of its limit, which is none then: %.80s "
                "has a limit that is too low",
                c->name, 100 * p->sum / p->seconds, all->file);
    }
}

static void after(struct session *s)
{
    struct watching *own = watching_of(s);
    for (unsigned i = 0; own->open && i < s->group.count && own->worker_seconds > 0; i++) {
        char core[24];
        snprintf(core, sizeof core, "cpu%d", s->group.workers[i].cpu);
        watch_own(&s->contents.watch, core, own->worker_cpu_seconds[i] / own->worker_seconds);
    }
    /* A device that hangs would not answer when the machine is examined again, so nothing is
       compared. */
    if (s->contents.plan.watch.cost > 0 && own->started && !s->stuck)
        note_changes(s);
    if (own->open) {
        note_components(s);
        monitor_close(&own->monitor);
    }
    own->open = false;
}

static void start(struct session *s)
{
    watching_of(s)->started = true;
}

static void end(struct session *s)
{
    component_sources_close(&watching_of(s)->components);
    remote_end_close(&s->remote);
}

static void report(struct session *s)
{
    struct watching *own = watching_of(s);
    const struct plan *p = &s->contents.plan;
    char cost[UNITS_BUFFER], words[UNSEEN_BYTES];
    if (!s->group_started)
        return;
    double sample = own->samples ? own->cpu_seconds / (double)own->samples : 0;
    if (p->watch.cost <= 0)
        session_setting(s, "watching", "machine watched", "no");
    else if (own->rate.hertz > 0 && !monitor_sees(&own->monitor))
        session_setting(s, "watching", "machine watched", "nothing of it could be watched%s%s",
                        *unseen_words(&s->contents.hardware, NULL, words) ? ": " : "", words);
    else if (own->rate.hertz > 0)
        session_setting(s, "watching", "machine watched",
                        "%.3g times a second; %s a sample, %.2f %% of one processor; "
                        "%s",
                        own->rate.hertz, format_time(cost, sizeof cost, sample * 1e9),
                        100 * sample * own->rate.hertz, own->rate.found);
    if (own->monitor.has_reported_disk)
        session_setting(
            s, "watching", "bytes of target",
            "counted by this program: the kernel's statistics do not see passthrough, nor how busy "
            "the drive is");
}

const struct session_part part_watch = {
    .bytes = sizeof(struct watching),
    .prepare = {[AT_PLAN] = open_sources, [AT_WORKERS] = open_components},
    .on = {[ON_START] = start, [ON_MEASURE] = begin, [ON_PAUSE] = sample, [ON_REPORT] = report},
    .begin_round = begin_round,
    .batch = add_batch,
    .end_round = end_round,
    .after = after,
    .end = end};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watching the machine while it is measured (Li et al., Pilot (2016), III-B): samples, and notes of
 * states that a reader must know. The processor time of a sample limits the rate from the
 * beginning; comparing rounds may lower it (overhead.c).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hw/monitor/change.h"
#include "run/session/internal.h"
#include "run/watch/hardware.h"

/* A frequency below this share of the highest one so far is reported. */
#define FREQUENCY_FELL 0.8
#define CHANGES_MAX    16

#define SAMPLES_BYTES_MAX  24e6
#define SAMPLE_FRAME_BYTES 24.0 /* bytes of a chunk around the sample, with the time */

/* Returns the processor time of a sample that reads every file: no sample takes much longer. */
static double cost_of_sample(struct session *s)
{
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        monitor_restart(&s->monitor);
        double begin = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID);
        monitor_sample(&s->monitor, session_seconds(s));
        best = fmin(best, seconds_of_clock(CLOCK_THREAD_CPUTIME_ID) - begin);
    }
    monitor_restart(&s->monitor);
    return best;
}

/* Returns the rate at which the samples of a run of known length take SAMPLES_BYTES_MAX bytes of
   its record, whose reader keeps a few hundred intervals of them. --monitor-rate overrides it. */
static double rate_of_record(const struct session *s)
{
    const struct plan *plan = &s->contents.plan;
    const double length = fmax(plan->runtime_seconds, plan->minimum_seconds);
    const double bytes = SAMPLE_FRAME_BYTES + (double)(s->monitor.gauge_count * sizeof(float));
    return plan->monitor_rate || !(length > 0) ? INFINITY : SAMPLES_BYTES_MAX / (bytes * length);
}

void session_watch_rate(struct session *s, double hertz)
{
    hertz = fmin(hertz, rate_of_record(s));
    s->watch_every_seconds = 1 / hertz;
    s->watch_next_seconds = session_seconds(s);
}

void session_watch_begin(struct session *s)
{
    const struct plan *plan = &s->contents.plan;
    int cpus[PLAN_JOBS_MAX];
    clockid_t clocks[PLAN_JOBS_MAX];
    char left_out[WATCH_LEFT_OUT_BYTES];
    struct err e = {0};
    if (plan->monitor_cost <= 0)
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
                                      .components = &s->component_sources};
    if (monitor_open(&s->monitor, &request, &s->arena, &e)) {
        contents_note(&s->contents, false, "the machine was not watched: %s", e.msg);
        return;
    }
    /* Workers that poll are always busy. Without a device, the workers are what is measured. */
    enum watch_workers workers = !s->ops->needs_target && !s->ops->connects ? WORKERS_UNDER_TEST
                                 : s->group.workers[0].backend.polls        ? WORKERS_POLL
                                                                            : WORKERS_WORK;
    watch_gauges(&s->contents.watch, &s->monitor, workers);
    watch_left_out_words(&s->contents.watch, s->path.full, left_out);
    if (left_out[0])
        contents_note(&s->contents, true, "%s", left_out);
    record_watch(&s->record, &s->contents.watch);
    s->watching = true;
    session_watch_rate(s, plan->monitor_rate
                              ? plan->monitor_rate
                              : fmin(MONITOR_RATE_MAX, plan->monitor_cost / cost_of_sample(s)));
    snprintf(s->watch_found, sizeof s->watch_found, "%s",
             plan->monitor_rate ? "as asked for" : "by its processor time alone");
}

/* Notes once a state that the reader must know: too warm, throttled, slowed down. */
static void note_state(struct session *s, size_t i, double seconds)
{
    const struct gauge *g = &s->monitor.gauges[i];
    float *best = &s->watch_best[i];
    char text[160] = "";
    if (s->watch_noted[i] || isnan(g->value))
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
    s->watch_noted[i] = true;
    watch_event(&s->contents.watch, seconds, text);
    contents_note(&s->contents, true, "%s, first seen after %.1f s", text, seconds);
}

void session_watch_sample(struct session *s, bool counts)
{
    double seconds = session_seconds(s), begin = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID);
    if (!s->watching || seconds < s->watch_next_seconds)
        return;
    s->watch_next_seconds += s->watch_every_seconds;
    if (s->watch_next_seconds < seconds) /* late samples are not made up for */
        s->watch_next_seconds = seconds + s->watch_every_seconds;
    monitor_sample(&s->monitor, seconds);
    /* If the block layer is bypassed, the disk's statistics do not have our bytes. Batches may be
       rarer than samples: the last value stays until the next batch. */
    if (s->own_bytes_seconds > 0) {
        monitor_report(&s->monitor, (double)s->own_bytes[OPERATION_READ] / s->own_bytes_seconds,
                       (double)s->own_bytes[OPERATION_WRITE] / s->own_bytes_seconds);
        s->own_bytes[OPERATION_READ] = s->own_bytes[OPERATION_WRITE] = 0;
        s->own_bytes_seconds = 0;
    }
    if (!s->in_measured_round)
        return;
    struct watch_sample sample = watch_take(&s->monitor, seconds, counts);
    watch_add(&s->contents.watch, &sample);
    record_sample(&s->record, &s->contents.watch, &sample);
    for (size_t i = 0; i < s->monitor.gauge_count; i++)
        note_state(s, i, seconds);
    s->watch_cpu_seconds += seconds_of_clock(CLOCK_THREAD_CPUTIME_ID) - begin;
    s->watch_samples++;
}

void session_watch_round(struct session *s)
{
    s->watch_next_seconds = 0;
    s->in_measured_round = true;
    session_watch_sample(s, false);
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
    const struct hardware_target target = session_hardware_target(s);
    if (!hardware_look_again(&now, s->root, &target, &s->remote, NULL)) {
        size_t count = changes_find(kept, &now, changes, CHANGES_MAX);
        for (size_t i = 0; i < count; i++) {
            /* Requested settings stay in force for the next sessions. */
            if (s->shared && ((plan->governor[0] && !strcmp(changes[i].key, "governor")) ||
                              (plan->scheduler[0] && !strcmp(changes[i].key, "scheduler"))))
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

/* Reports the user's counters that do not count, and their limits that were exceeded. */
static void note_components(struct session *s)
{
    const struct components *all = &s->components;
    for (size_t i = 0; i < all->count; i++) {
        const struct component *c = &all->list[i];
        const struct watch_part *p = watch_part_of(&s->contents.watch, c->name);
        char why[200], when[40] = "";
        double seconds;
        if (c->source[0] && monitor_component_fault(&s->monitor, i, &seconds, why, sizeof why)) {
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

void session_watch_end(struct session *s)
{
    for (unsigned i = 0; s->watching && i < s->group.count && s->worker_seconds > 0; i++) {
        char core[24];
        snprintf(core, sizeof core, "cpu%d", s->group.workers[i].cpu);
        watch_own(&s->contents.watch, core, s->worker_cpu_seconds[i] / s->worker_seconds);
    }
    session_restore_knobs(s);
    /* A device that hangs would not answer here either. */
    if (s->contents.plan.monitor_cost > 0 && s->load_seconds > 0 && !s->stuck)
        note_changes(s);
    if (s->watching) {
        note_components(s);
        monitor_close(&s->monitor);
    }
    s->watching = false;
}

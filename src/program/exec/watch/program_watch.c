/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the thread that watches the machine. If a file lies on a new device, the monitor is opened
   again for the longer path, and the sums of the parts that it had before continue. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "facts/machine_unseen.h"
#include "hw/component/component.h"
#include "hw/monitor/monitor.h"
#include "hw/prober.h"
#include "program/exec/watch/internal.h"
#include "run/watch/gauge_samples.h"
#include "run/watch/other_programs.h"

#define EVERY_SECONDS      0.1 /* minimum time between two samples */
#define EVERY_SECONDS_MAX  60
#define FILES_EVERY        1 /* seconds between two searches for newly opened files */
#define FILES_EVERY_AT_ALL 0.1
#define BEGIN_SECONDS      3 /* seconds after the begin in which each sample looks for files */

/* Gauges of this file, after those of the monitor. */
enum { BUSIEST, ALL, OWN_GAUGES };
static const char *const own_names[OWN_GAUGES] = {PROGRAM_WATCH_BUSIEST, "all processors"};

struct program_watch {
    pthread_t thread;
    bool started;
    int stop[2]; /* a pipe, which is closed to stop the thread */
    double cost;
    struct sysroot root;
    struct inventory inventory;
    struct remote_end remote;
    struct program_files files;
    struct program_threads threads;
    struct components components;
    struct component_sources sources;
    struct arena arena; /* memory of the monitor and the watch */
    struct monitor monitor;
    struct watch watch;
    bool open;
    bool in_process;  /* as in the request */
    size_t own_gauge; /* index of the first gauge of this file */
    double processors;
    struct load_watch load;
    atomic_bool paused;
    /* seconds of the monotonic clock; processor time of samples so far */
    double begin, files_at, spent;
};

/* ---- the monitor ---- */

static void add_own_part(struct program_watch *w, size_t which)
{
    struct watch *all = &w->watch;
    struct watch_gauge *g = &all->gauges[all->gauge_count];
    if (all->part_count == RESULT_PARTS_MAX || all->gauge_count == MONITOR_GAUGES) {
        all->parts_left_out++;
        return;
    }
    *g = (struct watch_gauge){.limit = NAN, .peak = NAN};
    snprintf(g->node, sizeof g->node, "%s", own_names[which]);
    snprintf(g->key, sizeof g->key, "use");
    snprintf(g->unit, sizeof g->unit, "share");
    struct watch_part *p = &all->parts[all->part_count++];
    *p = (struct watch_part){.kind = NODE_CPU_CORE,
                             .interrupts = -1,
                             .workers = -1,
                             .limit_read = NAN,
                             .limit_write = NAN,
                             .share = (int)all->gauge_count++};
    snprintf(p->name, sizeof p->name, "%s", own_names[which]);
    snprintf(p->measure, sizeof p->measure, "processor time");
}

/* Continues the earlier sums of a part, which is found by its name. */
static void keep_sums(struct watch_part *to, const struct watch_part old[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(old[i].name, to->name) != 0)
            continue;
        to->sum = old[i].sum;
        to->seconds = old[i].seconds;
        to->peak = old[i].peak;
        to->window = old[i].window;
        to->saturated_seconds = old[i].saturated_seconds;
        to->saturated_sum = old[i].saturated_sum;
    }
}

/* Opens the monitor for the present path of the files. */
static int open_monitor(struct program_watch *w, struct err *e)
{
    struct watch_part *old = malloc(sizeof w->watch.parts);
    size_t count = w->open ? w->watch.part_count : 0;
    if (!old)
        return err_no_memory(e, "watching the machine");
    memcpy(old, w->watch.parts, count * sizeof *old);
    if (w->open)
        monitor_close(&w->monitor);
    arena_reset(&w->arena, 0);
    struct monitor_request request = {.root = &w->root,
                                      .inventory = &w->inventory,
                                      .path = &w->files.path,
                                      .components = &w->sources};
    w->open =
        !watch_init(&w->watch, &w->arena) && !monitor_open(&w->monitor, &request, &w->arena, e);
    if (w->open) {
        watch_path(&w->watch, &w->inventory, &w->files.path);
        watch_gauges(&w->watch, &w->monitor, WORKERS_WORK);
        w->own_gauge = w->watch.gauge_count;
        for (size_t i = 0; i < OWN_GAUGES && !w->in_process; i++)
            add_own_part(w, i);
        for (size_t i = 0; i < w->watch.part_count; i++) {
            struct watch_part *p = &w->watch.parts[i];
            /* Any part may limit the program, except a processor that works in the kernel: only the
               program's own threads keep it busy. */
            p->under_test = false;
            p->aside |= !strcmp(p->measure, "time in the kernel");
            keep_sums(p, old, count);
        }
    }
    free(old);
    return w->open ? 0 : -1;
}

/* ---- the thread ---- */

static void take_sample(struct program_watch *w)
{
    double now = seconds_of_clock(CLOCK_MONOTONIC);
    struct program_use use = program_threads_look(&w->threads, now);
    bool is_new = false;
    if (now >= w->files_at) {
        bool soon = now - w->begin < BEGIN_SECONDS;
        w->files_at = now + (soon ? FILES_EVERY_AT_ALL : FILES_EVERY);
        for (size_t i = 0; i < w->threads.process_count; i++)
            is_new |= program_files_open(&w->files, w->threads.processes[i]);
    }
    if (is_new && open_monitor(w, NULL))
        return;
    monitor_sample(&w->monitor, now);
    struct watch_sample sample = watch_take(&w->monitor, now - w->begin, !atomic_load(&w->paused));
    const double own[OWN_GAUGES] = {[BUSIEST] = use.busiest, [ALL] = use.all / w->processors};
    for (size_t i = 0; i < OWN_GAUGES && w->own_gauge + i < w->watch.gauge_count; i++)
        sample.low[w->own_gauge + i] = sample.value[w->own_gauge + i] =
            sample.high[w->own_gauge + i] = (float)own[i];
    watch_add(&w->watch, &sample);
}

/* Returns the time to the next sample. It is as long as needed to keep the mean cost of samples
   below their allowed share. */
static double wait_seconds(const struct program_watch *w, double samples)
{
    double every = w->spent / samples / w->cost;
    return fmin(fmax(every, EVERY_SECONDS), EVERY_SECONDS_MAX);
}

static void *watch_program(void *argument)
{
    struct program_watch *w = argument;
    struct pollfd stop = {.fd = w->stop[0], .events = POLLIN};
    for (uint64_t samples = 1; w->open; samples++) {
        double before = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID);
        take_sample(w);
        w->spent += seconds_of_clock(CLOCK_THREAD_CPUTIME_ID) - before;
        if (poll(&stop, 1, (int)(wait_seconds(w, (double)samples) * 1e3)) > 0)
            break;
    }
    return NULL;
}

static int start_thread(struct program_watch *w, struct err *e)
{
    int error = thread_start(&w->thread, 0, watch_program, w);
    w->started = !error;
    return error ? err_set(e, ERR_MACHINE, "the machine cannot be watched: %s", strerror(error))
                 : 0;
}

/* ---- from the beginning to the end ---- */

static int look_at_machine(struct program_watch *w, const struct program_watch_request *r,
                           struct err *e)
{
    struct probe probe = {.root = &w->root, .inventory = &w->inventory};
    cpu_set_t processors;
    if (sysroot_open(&w->root, r->sysroot, e) || probe_all(&probe, e) ||
        remote_end_open(&w->remote, r->remote ? r->remote : "",
                        r->remote_target ? r->remote_target : "", e))
        return -1;
    w->processors =
        sched_getaffinity(0, sizeof processors, &processors) ? 1 : CPU_COUNT(&processors);
    w->files.root = &w->root;
    w->files.inventory = &w->inventory;
    w->files.remote = &w->remote;
    program_files_named(&w->files, r->words, r->directory);
    return w->files.remote_fault.code
               ? err_set(e, w->files.remote_fault.code, "%s", w->files.remote_fault.msg)
               : 0;
}

static int open_components(struct program_watch *w, const struct program_watch_request *r,
                           struct err *e)
{
    struct component_watch watch = {
        .components = &w->components, .root = &w->root, .cost = r->cost};
    return components_join(&w->components, &w->inventory, &w->files.path, e) ||
                   component_sources_open(&w->sources, &watch, e)
               ? -1
               : 0;
}

int program_watch_begin(struct program_watch **watch, const struct program_watch_request *r,
                        struct err *e)
{
    struct program_watch *w = calloc(1, sizeof *w);
    if (!w)
        return err_no_memory(e, "watching the machine");
    w->cost = r->cost;
    w->in_process = r->in_process;
    w->begin = seconds_of_clock(CLOCK_MONOTONIC);
    w->stop[0] = w->stop[1] = -1;
    if ((r->graph && components_load(&w->components, r->graph, e)) || look_at_machine(w, r, e) ||
        open_components(w, r, e) ||
        arena_init_untouched(&w->arena, monitor_bytes() + watch_bytes() + 4096, e) ||
        open_monitor(w, e) ||
        (pipe2(w->stop, O_CLOEXEC) &&
         err_set(e, ERR_MACHINE, "the machine cannot be watched: %s", strerror(errno))) ||
        start_thread(w, e)) {
        program_watch_end(w, NULL);
        return -1;
    }
    load_watch_begin(&w->load, &w->root);
    *watch = w;
    return 0;
}

void program_watch_pause(struct program_watch *w, bool pauses)
{
    if (!w)
        return;
    atomic_store(&w->paused, pauses);
    if (!pauses)
        load_watch_begin(&w->load, &w->root);
}

static void describe_parts(const struct program_watch *w, struct program_watch_result *result)
{
    for (size_t i = 0; i < w->watch.part_count; i++) {
        const struct watch_part *p = &w->watch.parts[i];
        struct result_part *to = p->seconds > 0 ? program_watch_part(result) : NULL;
        if (!to)
            continue;
        *to =
            (struct result_part){.kind = p->kind,
                                 .on_path = p->on_path,
                                 .under_test = p->kind == NODE_DISK || p->kind == NODE_MEMORY_DISK,
                                 .depth = p->depth,
                                 .limit_read = p->limit_read,
                                 .limit_write = p->limit_write,
                                 .used_read = NAN,
                                 .used_write = NAN,
                                 .utilisation = p->sum / p->seconds,
                                 .peak = p->peak,
                                 .saturated = watch_saturated(&w->watch, p),
                                 .bottleneck = watch_is_bottleneck(&w->watch, p)};
        snprintf(to->name, sizeof to->name, "%s", p->name);
        snprintf(to->measure, sizeof to->measure, "%s", p->measure);
    }
}

static void describe_left_out(const struct program_watch *w, struct program_watch_result *result)
{
    char words[WATCH_LEFT_OUT_BYTES];
    watch_left_out_words(&w->watch, w->files.path.full, words);
    if (words[0])
        program_watch_note(result, "%s", words);
    if (w->files.devices_full)
        program_watch_note(result,
                           "the program has files on more than %d devices: the others are not "
                           "watched",
                           PROGRAM_DEVICES);
}

static void describe_components(const struct program_watch *w, struct program_watch_result *result)
{
    for (size_t i = 0; i < w->components.count; i++) {
        const struct component *c = &w->components.list[i];
        const struct watch_part *p = watch_part_of(&w->watch, c->name);
        char why[200];
        double seconds;
        if (c->source[0] && monitor_component_fault(&w->monitor, i, &seconds, why, sizeof why))
            program_watch_note(result, "component %s: %.80s: %.80s", c->name, c->source, why);
        if (p && p->seconds > 0 && watch_is_refuted(p))
            program_watch_note(result,
                               "component %s was used to %.0f %% of its limit: %.80s has "
                               "a limit that is too low",
                               c->name, 100 * p->sum / p->seconds, w->components.file);
    }
}

static void describe_remote(const struct program_watch *w, struct program_watch_result *result)
{
    if (w->files.remote_fault.code)
        program_watch_note(result, "%s", w->files.remote_fault.msg);
    else if (w->remote.file && !w->files.remote_joined)
        program_watch_note(result, "--remote %.200s: no file of the program lies on remote storage",
                           w->remote.file);
}

static void describe_others(const struct program_watch *w, struct program_watch_result *result)
{
    char note[UNSEEN_NOTE_BYTES];
    result->others = load_watch_end(&w->load);
    unseen_note(&w->inventory, !w->load.before.total_jiffies, note);
    if (note[0])
        program_watch_note(result, "%s", note);
}

void program_watch_end(struct program_watch *w, struct program_watch_result *result)
{
    if (!w)
        return;
    if (w->stop[1] >= 0)
        close(w->stop[1]);
    if (w->started)
        pthread_join(w->thread, NULL);
    if (w->stop[0] >= 0)
        close(w->stop[0]);
    if (w->open && result) {
        describe_parts(w, result);
        program_watch_note_parts(result);
        describe_left_out(w, result);
        describe_components(w, result);
        describe_remote(w, result);
        describe_others(w, result);
    }
    if (w->open)
        monitor_close(&w->monitor);
    component_sources_close(&w->sources);
    remote_end_close(&w->remote);
    inventory_free(&w->inventory);
    arena_free(&w->arena);
    free(w);
}

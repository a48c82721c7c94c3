/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the events of a trace and what was done with them, and describes them at the end. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "run/replay/internal.h"

const struct replay_counts *replay_counts(struct replay *r)
{
    struct replay_counts *c = &r->shown;
    bool done = atomic_load_explicit(&r->ended, memory_order_acquire);
    pthread_mutex_lock(&r->mutex);
    *c = r->has_thread && !r->done ? r->published : r->counts;
    pthread_mutex_unlock(&r->mutex);
    for (unsigned i = 0; i < r->worker_count; i++) {
        struct replay_worker *w = &r->workers[i];
        c->taken += atomic_load_explicit(&w->taken, memory_order_relaxed);
        c->starved_ns += atomic_load_explicit(&w->starved_ns, memory_order_relaxed);
    }
    c->ended = done && c->taken == c->requests && !r->error.code;
    return c;
}

/* Returns the share of the trace that the workers have taken: the share read, times the share taken
   from the rings. */
double replay_done_share(const struct replay *r)
{
    uint64_t put = 0, taken = 0;
    for (unsigned i = 0; i < r->worker_count; i++) {
        const struct replay_worker *w = &r->workers[i];
        put += atomic_load_explicit(&w->ring.tail, memory_order_relaxed);
        taken += atomic_load_explicit(&w->taken, memory_order_relaxed);
    }
    return put ? atomic_load(&r->progress) * (double)taken / (double)put : NAN;
}

bool replay_schedule(const struct replay *r, double elapsed_seconds, struct replay_schedule *s)
{
    const bool ended = atomic_load_explicit(&r->ended, memory_order_acquire);
    const double read = ended ? 1 : atomic_load(&r->progress);
    const double last = 1e-9 * (double)atomic_load_explicit(&r->last_due_ns, memory_order_relaxed);
    uint64_t waits_longest = UINT64_MAX;
    if (r->plan.replay.keep_order || r->plan.replay.speed <= 0 || !(read > 0))
        return false;
    for (unsigned i = 0; i < r->worker_count; i++) {
        uint64_t due = atomic_load_explicit(&r->workers[i].next_due_ns, memory_order_relaxed);
        waits_longest = due < waits_longest ? due : waits_longest;
    }
    const double next = fmin(1e-9 * (double)waits_longest, elapsed_seconds);
    s->late_seconds = elapsed_seconds - next;
    s->left_seconds = fmax(last / read - next, 0);
    return true;
}

const struct err *replay_error(const struct replay *r)
{
    return &r->error;
}

const struct trace *replay_trace(const struct replay *r)
{
    return r->trace;
}

/* ---- descriptions ---- */

struct speaker {
    void (*say)(void *context, bool warning, const char *words);
    void *context;
};

__attribute__((format(printf, 3, 4))) static void say(const struct speaker *to, bool warning,
                                                      const char *format, ...)
{
    char words[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    to->say(to->context, warning, words);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static const char *was(uint64_t count)
{
    return count == 1 ? "was" : "were";
}

/* Describes events that the replay leaves out or changes. */
static void describe_left_out(const struct speaker *to, const struct replay *r,
                              const struct replay_counts *c)
{
    uint64_t flushes = c->left_out[OPERATION_SYNC], discards = c->left_out[OPERATION_TRIM];
    bool block = r->level == TRACE_BLOCK;
    if (c->level_left_out)
        say(to, false, "of the trace the %s were replayed (--level), not %llu %s",
            block ? "requests to devices" : "system calls", (unsigned long long)c->level_left_out,
            block ? "system calls" : "requests to devices");
    /* A program's writes that the page cache has taken are issued by the kernel, so they look like
       those of other programs. */
    if (c->foreign && r->own_only)
        say(to, true,
            "%llu request%s that the recorded program did not hand in (other programs, the "
            "kernel's write-back) %s left out; --all-programs replays them",
            (unsigned long long)c->foreign, plural(c->foreign), was(c->foreign));
    else if (c->foreign && !r->plan.replay.all_programs)
        say(to, true,
            "all requests were replayed, also %llu of other programs and the kernel's write-back: "
            "the beginning of the trace has none that the recorded program handed in itself",
            (unsigned long long)c->foreign);
    else if (c->foreign)
        say(to, false, "%llu request%s %s not handed in by the recorded program",
            (unsigned long long)c->foreign, plural(c->foreign), was(c->foreign));
    if (c->turned_reads)
        say(to, true, "%llu write%s %s issued as reads, for writing needs --allow-writes",
            (unsigned long long)c->turned_reads, plural(c->turned_reads), was(c->turned_reads));
    if (flushes)
        say(to, true, "%llu flush%s %s left out, for writing needs --allow-writes",
            (unsigned long long)flushes, flushes == 1 ? "" : "es", was(flushes));
    if (discards)
        say(to, true, "%llu discard%s %s left out%s", (unsigned long long)discards,
            plural(discards), was(discards),
            !r->plan.replay.allow_writes    ? ", for discarding needs --allow-writes"
            : !r->plan.replay.skip_discards ? ": the target takes none"
                                            : "");
    if (c->unplaced)
        say(to, true, "%llu event%s, first number %llu, did not fit the target and %s left out",
            (unsigned long long)c->unplaced, plural(c->unplaced),
            (unsigned long long)c->unplaced_first, was(c->unplaced));
}

/* Describes a replay of only some devices of the trace; the other devices are replayed on other
   targets, or not at all. */
static void describe_part(const struct speaker *to, const struct plan *plan)
{
    char names[200];
    if (!plan->replay.devices[0])
        return;
    snprintf(names, sizeof names, "%.199s", plan->replay.devices);
    for (char *tab; (tab = strchr(names, '\t')) != NULL;)
        *tab = ' ';
    say(to, false, "of the trace this target had what is of %s", names);
    if (plan->replay.left_out[0])
        say(to, true, "left out of the replay: %s", plan->replay.left_out);
    if (plan->replay.keep_order)
        say(to, true,
            "--closed kept what requests to this target wait for of each other, not what they wait "
            "for of other devices of the trace");
}

void replay_describe(struct replay *r, void (*note)(void *context, bool warning, const char *words),
                     void *context)
{
    struct speaker to = {note, context};
    char time[UNITS_BUFFER], size[UNITS_BUFFER];
    replay_stop(r);
    const struct replay_counts *c = replay_counts(r);
    /* the reader's thread, if it exists, may still use the trace */
    const struct trace *t = r->has_thread ? NULL : r->trace;
    for (enum trace_skip reason = 0; t && reason < TRACE_SKIPS; reason++) {
        const struct trace_skips *skipped = trace_skipped(t, reason);
        if (!skipped->count)
            continue;
        char more[60] = "";
        if (skipped->count > 1)
            snprintf(more, sizeof more, ", and %llu more like it",
                     (unsigned long long)skipped->count - 1);
        say(&to, true, "%s, event %llu: it %s%s%s%s%s; %s", skipped->first_file,
            (unsigned long long)skipped->first_number, trace_skip_words(reason),
            skipped->first_words[0] ? " (" : "", skipped->first_words,
            skipped->first_words[0] ? ")" : "", more,
            reason == TRACE_SKIP_REORDERED ? "they count" : "left out");
    }
    describe_part(&to, &r->plan);
    describe_left_out(&to, r, c);
    if (c->split)
        say(&to, false, "%llu event%s %s split into requests of at most %s",
            (unsigned long long)c->split, plural(c->split), was(c->split),
            format_size(size, sizeof size, r->largest));
    if (c->starved_ns)
        say(&to, true, "reading the trace was slower than replaying it: workers waited %s for it",
            format_time(time, sizeof time, (double)c->starved_ns));
    if (!r->survey.all_seen && r->plan.replay.mapping == MAP_SCALE && !r->plan.replay.extent)
        say(&to, true,
            "addresses were scaled by how far the first %zu events reach; --extent states the true "
            "size",
            r->survey.count);
}

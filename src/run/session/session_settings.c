/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records how it was measured, as facts: every report shows them under "method". */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/units.h"
#include "base/version.h"
#include "facts/unseen.h"
#include "run/launch/start_instant.h"
#include "run/loop/clock_skew.h"
#include "run/loop/timed_loop.h"
#include "run/session/internal.h"

static void setting(struct session *s, const char *node, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void setting(struct session *s, const char *node, const char *key, const char *format, ...)
{
    char value[sizeof((struct fact *)0)->value];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    facts_add(&s->contents.settings, node, key, value, "", "", FACT_OK);
}

/* Records who measured, when, and with which program: a signed result needs this. */
static void settings_of_origin(struct session *s)
{
    char date[40] = "", command[160] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc);
    setting(s, "origin", "date", "%s", date);
    struct utsname name;
    if (!uname(&name))
        setting(s, "origin", "host", "%s", name.nodename);
    setting(s, "origin", "cupel", "%s", cupel_version);

    FILE *f = fopen("/proc/self/cmdline", "r");
    size_t n = f ? fread(command, 1, sizeof command - 1, f) : 0;
    if (f)
        fclose(f);
    for (size_t i = 0; i + 1 < n; i++)
        if (!command[i])
            command[i] = ' ';
    if (n)
        setting(s, "origin", "command", "%s", command);
}

static void settings_of_target(struct session *s)
{
    char real[PATH_MAX];
    static const char *const kinds[] = {[TARGET_FILE] = "file",
                                        [TARGET_BLOCK_DEVICE] = "block device",
                                        [TARGET_SCRATCH] = "scratch file",
                                        [TARGET_NVME_GENERIC] = "NVMe namespace",
                                        [TARGET_FOLDER] = "folder"};
    char size[UNITS_BUFFER];
    bool null = s->target.fd < 0;
    const char *path = null ? s->target.path : realpath(s->target.path, real);
    setting(s, "target", "target", "%s", path ? path : s->target.path);
    if (s->ops->connects) {
        session_settings_of_peer(s);
        return;
    }
    setting(s, "target", "kind of target", "%s", null ? "none" : kinds[s->target.kind]);
    if (s->target.kind == TARGET_FOLDER)
        return;
    setting(s, "target", "size of target", "%s",
            format_size(size, sizeof size, (double)s->target.size));
    if (!null)
        setting(s, "target", "direct I/O", "%s",
                s->target.in_memory ? "the target is memory itself"
                : s->ops->bypasses_block_layer
                    ? "passthrough: the page cache and the block layer are bypassed"
                : s->target.direct ? "O_DIRECT: the page cache is bypassed"
                                   : "no: the page cache takes part");
}

/* Records everything that shapes the commands to a namespace that is measured without the block
   layer. */
static void settings_of_namespace(struct session *s)
{
    const struct nvme_namespace *n = &s->target.nvme;
    static const char *const caches[] = {
        [NVME_CACHE_UNKNOWN] = "not known",
        [NVME_CACHE_ABSENT] = "there is none",
        [NVME_CACHE_OFF] = "off",
        [NVME_CACHE_ON] = "on",
    };
    char size[UNITS_BUFFER], transfer[UNITS_BUFFER], features[160];

    setting(s, "namespace", "NVMe namespace", "%u of %s", n->nsid,
            n->generic_path[0] ? n->generic_path : s->target.path);
    setting(s, "namespace", "LBA", "%u bytes%s", n->block_size,
            n->protection ? ", with protection information that the controller makes and checks"
            : n->metadata_size ? ", with metadata that is moved as well"
                               : "");
    setting(s, "namespace", "largest transfer", "%s by the controller (MDTS); commands of %s",
            n->mdts ? format_size(size, sizeof size, (double)n->mdts) : "no limit",
            format_size(transfer, sizeof transfer, (double)n->transfer_max));
    setting(s, "namespace", "namespace features", "%s",
            nvme_namespace_features(n, features, sizeof features));
    setting(s, "namespace", "volatile write cache", "%s", caches[n->write_cache]);
    setting(s, "namespace", "poll queues", "%s", n->poll_queues ? "there are some" : "none");
}

/* Records the rank among those that one command line started, and their common start. */
static void settings_of_launch(struct session *s)
{
    const struct common_start *start = s->start;
    char instant[START_INSTANT_TEXT];
    if (!start || !(launcher_is_of_many(&start->launcher) || start->at_ns || start->folder[0]))
        return;
    const struct launcher *l = &start->launcher;
    setting(s, "launch", "launcher", "%s", l->name[0] ? l->name : "none");
    setting(s, "launch", "rank", "%u", l->rank);
    if (l->size)
        setting(s, "launch", "ranks", "%u", l->size);
    setting(s, "launch", "rank's host", "%s", l->host);
    if (l->job[0])
        setting(s, "launch", "launcher's job", "%s", l->job);
    if (start->at_ns)
        setting(s, "launch", "start asked", "%s", start_instant_format(instant, start->at_ns));
    else if (common_start_waits(start))
        setting(s, "launch", "start asked", "together, by %.120s", start->folder);
    else if (start->folder[0])
        setting(s, "launch", "start asked", "together, and there is no other rank");
}

/* Records the actual begin. */
static void settings_of_begin(struct session *s)
{
    const struct session_begin *b = &s->begin;
    char instant[START_INSTANT_TEXT];
    if (!b->instant_ns)
        return;
    setting(s, "launch", "common start", "%s", start_instant_format(instant, b->instant_ns));
    if (b->missing[0])
        setting(s, "launch", "not waited for", "ranks %s", b->missing);
    if (!b->begun_ns)
        return;
    double after = (double)(b->begun_ns - b->instant_ns);
    setting(s, "launch", "first round", "%s", start_instant_format(instant, b->begun_ns));
    setting(s, "launch", "first round after start", "%.9f s", after * 1e-9);
    setting(s, "launch", "late", "%s", b->late ? "yes" : "no");
}

void session_settings_before(struct session *s)
{
    static const char *const changepoints[] = {
        [CHANGEPOINT_PELT] = "pelt", [CHANGEPOINT_EDM] = "edm", [CHANGEPOINT_NONE] = "none"};
    static const char *const intervals[] = {
        [INTERVAL_SPECTRAL] = "spectral", [INTERVAL_PILOT] = "pilot"};
    const struct plan *p = &s->contents.plan;
    const struct worker *w = s->group.workers;
    settings_of_origin(s);
    settings_of_launch(s);
    settings_of_target(s);
    session_settings_of_data(s);
    if (s->ops->bypasses_block_layer)
        settings_of_namespace(s);

    setting(s, "backend", "backend", "%s", s->ops->name);
    setting(s, "backend", "backend uses", "%s", w[0].backend.description);
    setting(s, "backend", "backend chosen", "%s", s->chosen);

    char cpus[120] = "";
    size_t used = 0;
    for (unsigned i = 0; i < s->group.count && used + 8 < sizeof cpus; i++)
        used += (size_t)snprintf(cpus + used, sizeof cpus - used, "%s%d", i ? "," : "", w[i].cpu);
    setting(s, "workers", "workers", "%u", s->group.count);
    setting(s, "workers", "pinned to CPU", "%s", cpus);
    session_settings_of_nodes(s);
    session_settings_of_policy(s);
    setting(s, "workers", "seed", "%llu", (unsigned long long)p->seed);
    if (w[0].placement_note[0])
        contents_note(&s->contents, true, "%s", w[0].placement_note);

    setting(s, "statistics", "preset", "%s", p->preset);
    setting(s, "statistics", "precision",
            "+-%g %% of the mean, %g %% confidence, at least %u independent readings",
            p->target_width * 50, p->confidence * 100, p->minimum_subsessions);
    setting(s, "statistics", "methods", "change points %s, interval %s",
            changepoints[p->changepoint], intervals[p->interval]);
}

static void settings_of_priority(struct session *s)
{
    const struct worker *w = s->group.workers;
    bool wanted = s->contents.plan.realtime && w->realtime, gave_back = false;
    for (unsigned i = 0; i < s->group.count; i++) /* a timed loop gives it back itself */
        gave_back |= w[i].timed && timed_statistics(&w[i])->gave_back_priority > 0;
    const char *text =
        !s->contents.plan.realtime ? "not asked for"
        : s->shares_processors     ? "given up: jobs, ranks or targets share the processors"
        : !wanted                  ? "given up for SQPOLL, whose kernel thread it would starve"
        : !w->realtime_granted     ? "not permitted"
        : w->spins                 ? "given back: the workers never sleep and would be throttled"
        : gave_back ? "SCHED_FIFO 1; given back while workers could not sleep enough to keep it"
                    : "SCHED_FIFO 1";
    setting(s, "workers", "real-time priority", "%s", text);
    if (wanted && !w->realtime_granted)
        contents_note(&s->contents, false,
                      "no real-time priority (not permitted): other programs on the workers' "
                      "processors add to latencies");
}

static void settings_of_watching(struct session *s)
{
    const struct plan *p = &s->contents.plan;
    char cost[UNITS_BUFFER], words[UNSEEN_BYTES];
    double sample = s->watch_samples ? s->watch_cpu_seconds / (double)s->watch_samples : 0;
    if (p->monitor_cost <= 0)
        setting(s, "watching", "machine watched", "no");
    else if (s->watch_every_seconds > 0 && !monitor_sees(&s->monitor))
        setting(s, "watching", "machine watched", "nothing of it could be watched%s%s",
                *unseen_words(&s->contents.hardware, NULL, words) ? ": " : "", words);
    else if (s->watch_every_seconds > 0)
        setting(s, "watching", "machine watched",
                "%.3g times a second; %s a sample, %.2f %% of one processor; "
                "%s",
                1 / s->watch_every_seconds, format_time(cost, sizeof cost, sample * 1e9),
                100 * sample / s->watch_every_seconds, s->watch_found);
    if (s->monitor.has_reported_disk)
        setting(
            s, "watching", "bytes of target",
            "counted by this program: the kernel's statistics do not see passthrough, nor how busy "
            "the drive is");
}

/* Records how the timed loops waited: sums, and maxima over the workers. */
static void settings_of_waiting(struct session *s)
{
    struct timed_statistics sum = {0};
    char spin[UNITS_BUFFER], wake[UNITS_BUFFER];
    for (unsigned i = 0; i < s->group.count; i++) {
        const struct timed_statistics *w = timed_statistics(&s->group.workers[i]);
        sum.sleeps += w->sleeps;
        sum.late_wakes += w->late_wakes;
        sum.spun_ns += w->spun_ns;
        sum.slept_ns += w->slept_ns;
        sum.taken += w->taken;
        if (w->taken_max_ns > sum.taken_max_ns)
            sum.taken_max_ns = w->taken_max_ns;
        if (w->pre_spin_ns > sum.pre_spin_ns)
            sum.pre_spin_ns = w->pre_spin_ns;
        if (w->wake_p99_ns > sum.wake_p99_ns)
            sum.wake_p99_ns = w->wake_p99_ns;
    }
    double total = (double)(sum.spun_ns + sum.slept_ns);
    if (s->contents.plan.spin == SPIN_AUTO)
        setting(s, "timing", "waiting",
                "sleep, then spin for the last %s (99 %% of wake-ups within %s)",
                format_time(spin, sizeof spin, (double)sum.pre_spin_ns),
                format_time(wake, sizeof wake, (double)sum.wake_p99_ns));
    else
        setting(s, "timing", "waiting", s->contents.plan.spin == SPIN_ALWAYS ? "spin" : "sleep");
    if (sum.sleeps)
        setting(s, "timing", "late wake-ups", "%llu of %llu", (unsigned long long)sum.late_wakes,
                (unsigned long long)sum.sleeps);
    if (total > 0)
        setting(s, "timing", "time spinning", "%.0f %%", 100 * (double)sum.spun_ns / total);
    if (sum.taken)
        setting(s, "timing", "processor taken", "%llu times while spinning, for %s at the longest",
                (unsigned long long)sum.taken,
                format_time(spin, sizeof spin, (double)sum.taken_max_ns));
}

static void note_replay(void *context, bool warning, const char *words)
{
    struct session *s = context;
    contents_note(&s->contents, warning, "%s", words);
}

/* Records how requests with due times were issued. */
static void settings_of_timing(struct session *s)
{
    struct timing_totals *timing = &s->contents.timing;
    settings_of_waiting(s);
    int64_t max_skew = 0;
    uint64_t within = 0;
    bool known = s->group.count > 1; /* true for every processor's clock */
    for (unsigned i = 1; i < s->group.count; i++) {
        const struct timed_statistics *w = timed_statistics(&s->group.workers[i]);
        int64_t skew = w->skew_ns < 0 ? -w->skew_ns : w->skew_ns;
        known &= w->skew_within_ns != SKEW_UNKNOWN;
        max_skew = skew > max_skew ? skew : max_skew;
        within = w->skew_within_ns > within ? w->skew_within_ns : within;
    }
    if (known)
        setting(s, "timing", "skew of processors' clocks",
                "at most %lld ns, known to within %llu ns", (long long)max_skew,
                (unsigned long long)within);
    if (s->replay) {
        const struct replay_counts *n = replay_counts(s->replay);
        const struct trace *trace = replay_trace(s->replay);
        timing->requests = n->taken;
        timing->split = n->split;
        setting(s, "timing", "trace", "%s, %llu events", trace_format_name(trace),
                (unsigned long long)n->events);
        setting(s, "timing", "requests made of it", "%llu", (unsigned long long)n->taken);
        for (size_t i = 0; i < trace_note_count(trace); i++)
            setting(s, "timing", i ? "" : "the trace says", "%s", trace_note(trace, i));
        replay_describe(s->replay, note_replay, s);
    }
    if (timing->no_slot_ns > 1000000)
        contents_note(&s->contents, true,
                      "for %.3g s requests were due while all of --iodepth %u were in flight",
                      (double)timing->no_slot_ns * 1e-9, s->contents.plan.iodepth);
}

void session_settings_after(struct session *s)
{
    const struct clock *c = &s->clock;
    const struct measurement *m = &s->contents.measurement;
    const struct overhead *o = &s->contents.overhead;
    char slice[UNITS_BUFFER], on[UNITS_BUFFER], off[UNITS_BUFFER], step[40] = "";
    if (c->hertz < 1e9)
        snprintf(step, sizeof step, " (steps of %.3g ns)", 1e9 / c->hertz);
    if (c->counter)
        setting(s, "clock", "clock", "%s at %.6f MHz%s, within %.3f ppm; one reading costs %.1f ns",
                c->name, c->hertz * 1e-6, step, c->residual_ppm, c->cost_ns);
    else
        setting(s, "clock", "clock", "%s (%s); one reading costs %.1f ns", c->name, c->why,
                c->cost_ns);
    settings_of_begin(s);
    if (s->group_started) {
        settings_of_priority(s);
        if (m->slice_seconds > 0)
            setting(s, "rounds", "slices", "%zu of %s; %llu were taken", m->slice_count,
                    format_time(slice, sizeof slice, measurement_slice_seconds(m) * 1e9),
                    (unsigned long long)m->original_slices);
        settings_of_watching(s);
        if (plan_is_timed(&s->contents.plan))
            settings_of_timing(s);
        s->contents.records_lost = group_records_lost(&s->group);
        s->contents.records_seen = s->group.collector->records;
    }
    if (!isnan(o->recorded_iops))
        setting(s, "overhead", "cost of recording", "%s IOPS with, %s without: %+.2f %%, +-%.2f %%",
                format_count(on, sizeof on, o->recorded_iops),
                format_count(off, sizeof off, o->unrecorded_iops),
                (o->recorded_iops / o->unrecorded_iops - 1) * 100, o->noise_share * 100);
    if (s->contents.block_layer.pairs > 0)
        setting(s, "overhead", "cost of block layer",
                "%g pairs of like rounds through it (uring) and past it (nvme-uring)",
                s->contents.block_layer.pairs);
    else if (s->block_layer_why_not[0])
        setting(s, "overhead", "cost of block layer", "%s", s->block_layer_why_not);
}

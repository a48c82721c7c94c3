/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Preconditioning writes the drive in order, as many times as requested, 128 KiB at a time with 32
 * writes in flight (SNIA SSS PTS, workload-independent preconditioning). The journal records the
 * progress and the speed. The tests of the PTS repeat it before they run, with their own block
 * sizes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/io.h"
#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"
#include "machine/accept/turns.h"
#include "run/loop/placement.h"

#define DEPTH          32
#define SAMPLES_MIN    128 /* minimum number of samples of a pass, however fast the drive is */
#define FLUSH_SECONDS  5
#define LINES_MAX      8000 /* approximate number of lines of a disk in the journal */
#define ANSWER_SECONDS 120
#define BUSY           0.9  /* a thread that works for this share of the time never sleeps */
#define HEAT_SECONDS   10   /* between two readings of the temperature, which may take a command */
#define COOL_DEGREES   5    /* degrees below the limit at which writing continues */
#define COOL_SECONDS   1800 /* a drive that is still too hot after this time is faulty */

struct passing {
    struct accept_disk *disk;
    const struct precondition *what;
    unsigned generation; /* number of this pass, from 1 */
    struct stamp_run stamp;
    uint64_t begin, end; /* range of bytes that this process writes in this pass */
    double celsius;      /* highest temperature since the journal's last line */
    uint64_t looked;     /* time of the last temperature reading, ns */
    uint64_t hot_since;  /* ns; 0: not too hot */
    double began;        /* seconds of the monotonic clock */
    bool realtime;       /* the thread has real-time priority; `used` is its processor time at
                            `seen` */
    uint64_t seen, used; /* ns */
};

static double estimate(const struct accept_disk *d)
{
    return d->request->passes * (double)d->size / d->rate;
}

/* ---- functions of the writer ---- */

static void fill(void *context, unsigned char *data, size_t length, uint64_t offset)
{
    const struct passing *p = context;
    stamp_fill(&p->stamp, data, length, offset / p->stamp.sector_bytes);
}

/* Writes "131072/250,...". */
static void list_samples(const struct sequential_reached *r, char *to, size_t size)
{
    size_t used = 0;
    *to = '\0';
    for (unsigned i = 0; i < r->sample_count && used + 32 < size; i++)
        used += (size_t)snprintf(to + used, size - used, "%s%" PRIu64 "/%" PRIu32, i ? "," : "",
                                 r->samples[i].bytes, r->samples[i].microseconds);
}

static int keep(void *context, const struct sequential_reached *r, struct err *e)
{
    struct passing *p = context;
    char samples[ACCEPT_LINE_MAX - 400], warmth[32] = "";
    double celsius = fmax(p->celsius, accept_disk_celsius(p->disk));
    list_samples(r, samples, sizeof samples);
    if (!isnan(celsius))
        snprintf(warmth, sizeof warmth, " celsius=%.1f", celsius);
    p->celsius = NAN;
    return accept_journal_add(p->disk->journal, p->disk->number, e, p->what->event,
                              "%sgeneration=%u flushed=%" PRIu64 " seconds=%.6f%s samples=%s",
                              p->what->mark, p->generation, r->flushed, r->seconds, warmth,
                              samples);
}

/* Pauses writing above the temperature limit until the drive has cooled down. 1: wait; -1: it takes
   too long. */
static int look_at_heat(struct passing *p, struct err *e)
{
    struct accept_disk *d = p->disk;
    uint64_t now = clock_raw_ns();
    double every = p->hot_since ? 1 : HEAT_SECONDS;
    if (isnan(d->celsius_max) || (double)(now - p->looked) * 1e-9 < every)
        return p->hot_since != 0;
    p->looked = now;
    double celsius = accept_disk_celsius(d);
    p->celsius = fmax(p->celsius, celsius);
    if (isnan(celsius) || celsius < d->celsius_max - (p->hot_since ? COOL_DEGREES : 0)) {
        p->hot_since = 0;
        return 0;
    }
    if (p->hot_since && (double)(now - p->hot_since) * 1e-9 > COOL_SECONDS)
        return err_set(e, ERR_TARGET,
                       "%.200s: it is at %.0f C, %.0f C is its limit, and has not cooled down in "
                       "%d minutes without a write",
                       d->path, celsius, d->celsius_max, COOL_SECONDS / 60);
    if (!p->hot_since && accept_journal_add(d->journal, d->number, e, "hot",
                                            "stage=%s celsius=%.0f limit=%.0f below=%d",
                                            p->what->stage, celsius, d->celsius_max, COOL_DEGREES))
        return -1;
    p->hot_since = p->hot_since ? p->hot_since : now;
    return 1;
}

/* Ends real-time priority if the thread never sleeps, as for a session's workers
   (run/loop/placement.h). */
static void look_at_priority(struct passing *p)
{
    uint64_t now = clock_raw_ns(), used = placement_cpu_ns();
    if (p->realtime && p->seen && (double)(used - p->used) > BUSY * (double)(now - p->seen)) {
        placement_end_realtime(pthread_self());
        p->realtime = false;
    }
    p->seen = now;
    p->used = used;
}

static int watch(void *context, uint64_t offset, double rate, struct err *e)
{
    struct passing *p = context;
    struct accept_disk *d = p->disk;
    look_at_priority(p);
    accept_log_take(d);
    int hot = look_at_heat(p, e);
    const struct precondition *w = p->what;
    double done = (p->generation - 1) * (double)w->end + (double)offset;
    double all = (double)w->passes * (double)w->end;
    char stage[100];
    snprintf(stage, sizeof stage,
             hot > 0 ? "%s: %s, pass %u of %u, waiting until it is cooler"
                     : "%s: %s, pass %u of %u",
             d->name, w->stage, p->generation, w->passes);
    const struct session_progress now = {
        .stage = stage,
        .elapsed_seconds = (double)clock_raw_ns() * 1e-9 - p->began,
        .limit_seconds = INFINITY,
        .done_share = done / all,
        .bytes_rate = rate > 0 ? rate : NAN,
        .mean = NAN,
        .rate = NAN,
        .width_share = NAN,
        .target_share = NAN,
        .left_seconds = (all - done) / (rate > 0 ? rate : d->rate),
    };
    if (d->observer && d->observer->progress)
        d->observer->progress(d->observer->context, &now);
    return hot;
}

/* ---- passes ---- */

/* Returns whether a processor is left for others: threads of many disks with real-time priority
   could otherwise use all processors. */
static bool leaves_room(const struct accept_disk *d)
{
    size_t count = d->turns ? d->turns->count : 1;
    return count == 1 || 2 * (long)count <= sysconf(_SC_NPROCESSORS_ONLN);
}

static int write_pass(struct passing *p, struct err *e)
{
    struct accept_disk *d = p->disk;
    const double line_seconds = p->what->passes * (double)p->what->end / d->rate / LINES_MAX;
    const struct sequential_write w = {
        .ops = io_backend_by_name(IO_MANY_IN_FLIGHT),
        .fd = d->target.fd,
        .path = d->path,
        .begin = p->begin,
        .end = p->end,
        .block = p->what->block,
        .depth = DEPTH,
        .sample_bytes = p->what->end / SAMPLES_MIN + 1,
        .sample_seconds = line_seconds,
        .flush_seconds = fmax(FLUSH_SECONDS, line_seconds),
        .answer_seconds = ANSWER_SECONDS,
        .context = p,
        .fill = fill,
        .reached = keep,
        .watch = watch,
        .stop = d->stop,
    };
    p->seen = 0;
    p->realtime = leaves_room(d) && placement_begin_realtime(pthread_self());
    int status = sequential_write(&w, e);
    if (p->realtime)
        placement_end_realtime(pthread_self());
    return status;
}

/* Sets the pass and the offset at which the journal's last line of this work ends. */
static void find_place(struct passing *p)
{
    const struct accept_disk *d = p->disk;
    const struct accept_line *line, *last = NULL;
    for (size_t i = 0; (line = accept_journal_line(d->journal, i)); i++)
        if (line->disk == d->number && !strcmp(line->event, p->what->event) &&
            !strncmp(line->fields, p->what->mark, strlen(p->what->mark)))
            last = line;
    p->generation = last ? (unsigned)accept_line_count(last, "generation") : 1;
    p->begin = last ? accept_line_count(last, "flushed") : 0;
    if (!p->generation)
        p->generation = 1;
}

int precondition_write(struct accept_disk *d, const struct precondition *what, struct err *e)
{
    struct passing p = {
        .disk = d, .what = what, .celsius = NAN, .began = (double)clock_raw_ns() * 1e-9};
    find_place(&p);
    for (; p.generation <= what->passes; p.generation++, p.begin = 0) {
        p.end = what->end;
        p.stamp = accept_disk_stamp(d, p.generation);
        p.begin -= p.begin % d->logical_block;
        uint64_t began = clock_raw_ns();
        if (p.begin >= p.end)
            continue;
        if (write_pass(&p, e))
            return -1;
        if (p.end - p.begin >= what->end / 20) /* the short end of a pass does not show the rate */
            d->rate = (double)(p.end - p.begin) / ((double)(clock_raw_ns() - began) * 1e-9);
    }
    return 0;
}

static int run(struct accept_disk *d, struct err *e)
{
    const struct precondition what = {.stage = ACCEPT_PRECONDITION,
                                      .event = "written",
                                      .mark = "",
                                      .block = PRECONDITION_BLOCK,
                                      .end = d->size,
                                      .passes = d->request->passes};
    return precondition_write(d, &what, e);
}

const struct accept_stage stage_precondition = {
    .name = ACCEPT_PRECONDITION,
    .words = "writes all of it in order, 128 KiB with 32 in flight",
    .estimate_seconds = estimate,
    .run = run};

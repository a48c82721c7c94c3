/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of a session's contents, and its notes. */
#include "run/file/contents.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stat/mean/percentile.h"

enum { CONTENTS_SERIES = sizeof(struct contents_series) / sizeof(double *) };
enum { TIMING_SERIES = sizeof((struct contents *)0)->timing_series / sizeof(double *) };

static size_t scratch_bytes(void)
{
    size_t judging = judge_scratch_bytes(MEASUREMENT_SLICES);
    size_t percentiles = percentile_scratch_bytes(MEASUREMENT_STRETCHES + 1);
    return judging > percentiles ? judging : percentiles;
}

static size_t timed_bytes_of_contents(void)
{
    return arena_bytes(1, sizeof(struct interval_timing)) +
           arena_bytes(IO_OPS + 1, sizeof(struct histogram)) +
           arena_bytes(HISTOGRAM_BUCKETS, sizeof(uint64_t)) +
           arena_bytes(1, sizeof(struct fidelity)) +
           TIMING_SERIES * arena_bytes(MEASUREMENT_SLICES, sizeof(double));
}

size_t contents_bytes(bool timed)
{
    return (timed ? timed_bytes_of_contents() : 0) + measurement_bytes(timed) + watch_bytes() +
           CONTENTS_SERIES * arena_bytes(MEASUREMENT_SLICES, sizeof(double)) +
           arena_bytes(HISTOGRAM_BUCKETS + 1, sizeof(double)) +
           IO_OPS * arena_bytes(HISTOGRAM_BUCKETS, sizeof(uint64_t)) +
           arena_bytes(IO_OPS, sizeof(struct histogram)) + arena_bytes(scratch_bytes(), 1);
}

static bool init_timed(struct contents *c, struct arena *arena)
{
    c->batch_timing = arena_alloc(arena, 1, sizeof *c->batch_timing);
    c->issue_error = arena_alloc(arena, IO_OPS + 1, sizeof *c->issue_error);
    c->issue_error_counts = arena_alloc(arena, HISTOGRAM_BUCKETS, sizeof(uint64_t));
    c->fidelity = arena_alloc(arena, 1, sizeof *c->fidelity);
    if (!c->fidelity || !c->batch_timing || !c->issue_error || !c->issue_error_counts)
        return false;
    c->service = c->issue_error + 1;
    for (int i = 0; i < TIMING_SERIES; i++)
        if (!(c->timing_series[i] = arena_alloc(arena, MEASUREMENT_SLICES, sizeof(double))))
            return false;
    return true;
}

static bool init_series(struct contents_series *series, struct arena *arena)
{
    double **const all[CONTENTS_SERIES] = {&series->headline,    &series->numerator,
                                           &series->denominator, &series->iops,
                                           &series->bandwidth,   &series->response_time};
    for (int i = 0; i < CONTENTS_SERIES; i++)
        if (!(*all[i] = arena_alloc(arena, MEASUREMENT_SLICES, sizeof(double))))
            return false;
    return true;
}

int contents_init(struct contents *c, bool timed, struct arena *arena, struct err *e)
{
    memset(c, 0, sizeof *c);
    c->overhead = (struct overhead){NAN, NAN, NAN, NAN};
    c->block_layer = (struct block_layer){{NAN, NAN, NAN}, {NAN, NAN, NAN}, 0};
    bool full = measurement_init(&c->measurement, timed, arena) != 0;
    full |= timed && !init_timed(c, arena);
    full |= watch_init(&c->watch, arena) != 0;
    full |= !init_series(&c->series, arena);
    full |= !(c->histogram_edges = arena_alloc(arena, HISTOGRAM_BUCKETS + 1, sizeof(double)));
    for (int op = 0; op < IO_OPS; op++)
        full |=
            !(c->histogram_counts[op] = arena_alloc(arena, HISTOGRAM_BUCKETS, sizeof(uint64_t)));
    full |= !(c->latency = arena_alloc(arena, IO_OPS, sizeof *c->latency));

    /* The judge's scratch is an arena inside the arena: a view on its last piece. */
    c->scratch.capacity = c->scratch.untouched = scratch_bytes();
    full |= !(c->scratch.base = arena_alloc(arena, c->scratch.capacity, 1));
    if (full)
        return err_set(e, ERR_MACHINE, "not enough memory for the measurement");
    return 0;
}

void contents_free(struct contents *c)
{
    inventory_free(&c->hardware);
}

void contents_note(struct contents *c, bool warning, const char *format, ...)
{
    if (c->note_count == RESULT_NOTES_MAX)
        return;
    struct result_note *note = &c->notes[c->note_count++];
    note->warning = warning;
    va_list args;
    va_start(args, format);
    vsnprintf(note->text, sizeof note->text, format, args);
    va_end(args);
}

void contents_suspension(struct contents *c, const struct suspended *suspended)
{
    if (c->suspension_count < CONTENTS_SUSPENSIONS)
        c->suspensions[c->suspension_count++] = *suspended;
    else
        c->suspensions[CONTENTS_SUSPENSIONS - 1].seconds += suspended->seconds;
}

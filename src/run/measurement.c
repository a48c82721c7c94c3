/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folding time lines of slices and latency stretches. */
#include "run/measurement.h"

#include <string.h>

void batch_clear(struct batch *b)
{
    memset(b, 0, sizeof *b);
    for (int op = 0; op < IO_OPS; op++)
        interval_histogram_clear(&b->latency[op]);
}

static void stretch_clear(struct stretch *s)
{
    memset(s, 0, sizeof *s);
    for (int op = 0; op < IO_OPS; op++)
        interval_histogram_clear(&s->latency[op]);
}

size_t measurement_bytes(void)
{
    return arena_bytes(MEASUREMENT_SLICES, sizeof(struct slice)) +
           arena_bytes(MEASUREMENT_STRETCHES + 1, sizeof(struct stretch));
}

int measurement_init(struct measurement *m, struct arena *arena)
{
    memset(m, 0, sizeof *m);
    m->slices = arena_alloc(arena, MEASUREMENT_SLICES, sizeof *m->slices);
    m->stretches = arena_alloc(arena, MEASUREMENT_STRETCHES + 1, sizeof *m->stretches);
    if (!m->slices || !m->stretches)
        return -1;
    m->open_stretch = &m->stretches[MEASUREMENT_STRETCHES];
    stretch_clear(m->open_stretch);
    return 0;
}

int measurement_begin_round(struct measurement *m, bool trial, double begin_seconds, struct err *e)
{
    if (m->round_count == RESULT_ROUNDS_MAX)
        return err_set(e, ERR_UNDECIDED, "more than %d rounds", RESULT_ROUNDS_MAX);
    m->rounds[m->round_count++] = (struct round){.trial = trial, .begin_seconds = begin_seconds};
    return 0;
}

void measurement_end_round(struct measurement *m, double seconds, const struct slice *total)
{
    struct round *round = &m->rounds[m->round_count - 1];
    round->seconds = seconds;
    round->total = *total;
    round->ended = true;
}

double measurement_slice_seconds(const struct measurement *m)
{
    return m->slice_seconds * (double)(1ull << m->slice_fold);
}

static void fold_slices(struct measurement *m)
{
    for (size_t i = 0; i < m->slice_count / 2; i++) {
        struct slice merged = m->slices[2 * i];
        slice_add(&merged, &m->slices[2 * i + 1]);
        m->slices[i] = merged;
    }
    m->slice_count /= 2;
    m->slice_fold++;
}

static void append_slice(struct measurement *m, const struct slice *slice)
{
    if (m->slice_count == MEASUREMENT_SLICES)
        fold_slices(m);
    slice_add(&m->partial, slice);
    m->original_slices++;
    if (++m->partial_count < 1u << m->slice_fold)
        return;
    m->slices[m->slice_count++] = m->partial;
    m->partial = (struct slice){0};
    m->partial_count = 0;
}

static void stretch_merge(struct stretch *to, const struct stretch *from)
{
    to->end = from->end;
    to->blocks += from->blocks;
    to->busy_ns += from->busy_ns;
    for (int op = 0; op < IO_OPS; op++)
        interval_histogram_add(&to->latency[op], &from->latency[op]);
}

static void fold_stretches(struct measurement *m)
{
    for (size_t i = 0; i < m->stretch_count / 2; i++) {
        stretch_merge(&m->stretches[2 * i], &m->stretches[2 * i + 1]);
        if (i)
            m->stretches[i] = m->stretches[2 * i];
    }
    m->stretch_count /= 2;
    m->stretch_fold++;
}

static void append_stretch(struct measurement *m, const struct batch *batch, uint64_t begin)
{
    struct stretch *open = m->open_stretch;
    if (!m->open_count)
        open->begin = begin;
    open->end = m->original_slices;
    open->blocks += batch->blocks;
    open->busy_ns += batch->busy_ns;
    for (int op = 0; op < IO_OPS; op++)
        interval_histogram_add(&open->latency[op], &batch->latency[op]);
    if (++m->open_count < 1u << m->stretch_fold)
        return;

    m->stretches[m->stretch_count++] = *open;
    stretch_clear(open);
    m->open_count = 0;
    if (m->stretch_count == MEASUREMENT_STRETCHES)
        fold_stretches(m);
}

void measurement_add(struct measurement *m, const struct batch *batch)
{
    uint64_t begin = m->original_slices;
    for (unsigned i = 0; i < batch->slice_count; i++)
        append_slice(m, &batch->slices[i]);
    m->lost_slices += batch->lost_slices;
    append_stretch(m, batch, begin);

    /* Kept up to date, so that a record that breaks off still knows its last round. */
    struct round *round = &m->rounds[m->round_count - 1];
    if (!round->ended)
        for (unsigned i = 0; i < batch->slice_count; i++) {
            slice_add(&round->total, &batch->slices[i]);
            round->seconds += m->slice_seconds;
        }
}

size_t measurement_stretches(const struct measurement *m)
{
    return m->stretch_count + (m->open_count > 0);
}

const struct stretch *measurement_stretch(const struct measurement *m, size_t i)
{
    return i < m->stretch_count ? &m->stretches[i] : m->open_stretch;
}

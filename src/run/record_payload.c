/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the payloads of a record's chunks. Nothing is trusted to be long enough. */
#include "run/record_payload.h"

#include <stdio.h>
#include <string.h>

#include "run/record.h"

static uint8_t get_u8(struct payload *p)
{
    if (p->at == p->end) {
        p->short_of = true;
        return 0;
    }
    return *p->at++;
}

uint32_t payload_u32(struct payload *p)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v |= (uint32_t)get_u8(p) << (8 * i);
    return v;
}

static uint64_t get_number(struct payload *p)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = get_u8(p);
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return v;
    }
    p->short_of = true;
    return 0;
}

static double get_seconds(struct payload *p)
{
    return (double)get_number(p) * 1e-9;
}

/* A text ended by NUL, inside the payload; "" when there is none. */
static const char *get_text(struct payload *p)
{
    const unsigned char *nul = memchr(p->at, 0, (size_t)(p->end - p->at));
    if (!nul) {
        p->short_of = true;
        return "";
    }
    const char *text = (const char *)p->at;
    p->at = nul + 1;
    return text;
}

static struct slice get_slice(struct payload *p)
{
    struct slice slice;
    for (int op = 0; op < IO_OPS; op++) {
        slice.op[op].ios = get_number(p);
        slice.op[op].bytes = get_number(p);
        slice.op[op].latency_ns = get_number(p);
        slice.op[op].errors = get_number(p);
    }
    return slice;
}

static void get_histogram(struct payload *p, struct interval_histogram *h)
{
    h->min = get_number(p);
    h->max = get_number(p);
    h->over = get_number(p);
    size_t last = 0;
    for (;;) {
        uint64_t step = get_number(p);
        if (!step)
            return;
        if (step > HISTOGRAM_BUCKETS - last) {
            p->short_of = true;
            return;
        }
        last += (size_t)step;
        h->count[last - 1] = (uint32_t)get_number(p);
    }
}

static int read_plan(struct contents *c, struct payload *p, struct err *e)
{
    struct plan plan;
    if (plan_read(&plan, (const char *)p->at, (size_t)(p->end - p->at), e))
        return -1;
    c->plan = plan;
    return 0;
}

static void read_fact(struct contents *c, struct payload *p)
{
    struct facts *list = get_u8(p) == 0 ? &c->settings : &c->hardware;
    const char *node = get_text(p), *key = get_text(p), *value = get_text(p);
    const char *unit = get_text(p), *source = get_text(p);
    uint8_t status = get_u8(p);
    if (status > FACT_INVALID)
        p->short_of = true;
    if (!p->short_of)
        facts_add(list, node, key, value, unit, source, (enum fact_status)status);
}

/* Once, and before the slices it is the length of. */
static void read_slice_length(struct contents *c, struct payload *p)
{
    double seconds = get_seconds(p);
    if (!(seconds > 0) || c->measurement.original_slices)
        p->short_of = true;
    if (!p->short_of)
        c->measurement.slice_seconds = seconds;
}

static void read_batch(struct contents *c, struct payload *p)
{
    struct batch batch;
    batch_clear(&batch);
    uint64_t count = get_number(p);
    if (count > INTERVAL_SLICES || !c->measurement.round_count ||
        !(c->measurement.slice_seconds > 0)) {
        p->short_of = true;
        return;
    }
    batch.slice_count = (unsigned)count;
    for (unsigned i = 0; i < batch.slice_count; i++)
        batch.slices[i] = get_slice(p);
    batch.blocks = get_number(p);
    batch.busy_ns = get_number(p);
    batch.lost_slices = get_number(p);
    for (int op = 0; op < IO_OPS; op++)
        get_histogram(p, &batch.latency[op]);
    if (!p->short_of)
        measurement_add(&c->measurement, &batch);
}

static int read_round_begin(struct contents *c, struct payload *p, struct err *e)
{
    bool trial = get_u8(p) != 0;
    return measurement_begin_round(&c->measurement, trial, get_seconds(p), e);
}

static void read_round_end(struct contents *c, struct payload *p)
{
    double seconds = get_seconds(p);
    struct slice total = get_slice(p);
    if (!c->measurement.round_count)
        p->short_of = true;
    if (!p->short_of)
        measurement_end_round(&c->measurement, seconds, &total);
}

static void read_overhead(struct contents *c, struct payload *p)
{
    double *to[4] = {&c->overhead.null_ns, &c->overhead.recorded_iops, &c->overhead.unrecorded_iops,
                     &c->overhead.noise_share};
    for (int i = 0; i < 4; i++) {
        uint64_t bits = payload_u32(p);
        bits |= (uint64_t)payload_u32(p) << 32;
        memcpy(to[i], &bits, 8);
    }
}

static void read_note(struct contents *c, struct payload *p)
{
    bool warning = get_u8(p) != 0;
    const char *text = get_text(p);
    if (!p->short_of)
        contents_note(c, warning, "%s", text);
}

static void read_done(struct contents *c, struct payload *p)
{
    uint8_t verdict = get_u8(p);
    c->elapsed_seconds = get_seconds(p);
    c->records_seen = get_number(p);
    c->records_lost = get_number(p);
    snprintf(c->failure, sizeof c->failure, "%s", get_text(p));
    if (verdict > VERDICT_CUT_SHORT)
        p->short_of = true;
    c->verdict = (enum verdict)verdict;
    c->ended = !p->short_of;
}

/* 0, or -1 when the payload is not what its type says. Unknown types are skipped. */
int payload_read(struct contents *c, uint32_t type, struct payload *p, struct err *e)
{
    switch (type) {
    case RECORD_TYPE('P', 'L', 'A', 'N'):
        return read_plan(c, p, e);
    case RECORD_TYPE('F', 'A', 'C', 'T'):
        read_fact(c, p);
        break;
    case RECORD_TYPE('S', 'L', 'E', 'N'):
        read_slice_length(c, p);
        break;
    case RECORD_TYPE('R', 'B', 'E', 'G'):
        if (read_round_begin(c, p, e))
            return -1;
        break;
    case RECORD_TYPE('B', 'T', 'C', 'H'):
        read_batch(c, p);
        break;
    case RECORD_TYPE('R', 'E', 'N', 'D'):
        read_round_end(c, p);
        break;
    case RECORD_TYPE('O', 'V', 'E', 'R'):
        read_overhead(c, p);
        break;
    case RECORD_TYPE('N', 'O', 'T', 'E'):
        read_note(c, p);
        break;
    case RECORD_TYPE('D', 'O', 'N', 'E'):
        read_done(c, p);
        break;
    default:
        return 0;
    }
    return p->short_of ? err_set(e, ERR_USAGE, "a chunk says less than its type asks for") : 0;
}

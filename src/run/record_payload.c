/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the payloads of a record's chunks. Nothing is trusted to be long enough. */
#include "run/record_payload.h"

#include <stdio.h>
#include <string.h>

#include "run/record.h"

uint8_t payload_u8(struct payload *p)
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
        v |= (uint32_t)payload_u8(p) << (8 * i);
    return v;
}

uint64_t payload_number(struct payload *p)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = payload_u8(p);
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return v;
    }
    p->short_of = true;
    return 0;
}

double payload_seconds(struct payload *p)
{
    return (double)payload_number(p) * 1e-9;
}

double payload_double(struct payload *p)
{
    uint64_t bits = payload_u32(p);
    double value;
    bits |= (uint64_t)payload_u32(p) << 32;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float payload_float(struct payload *p)
{
    uint32_t bits = payload_u32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A text ended by NUL, inside the payload; "" when there is none. */
const char *payload_text(struct payload *p)
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
    struct slice slice = {0};
    for (int op = 0; op < IO_OPS; op++) {
        slice.op[op].ios = payload_number(p);
        slice.op[op].bytes = payload_number(p);
        slice.op[op].latency_ns = payload_number(p);
        slice.op[op].errors = payload_number(p);
    }
    return slice;
}

static void get_histogram(struct payload *p, struct interval_histogram *h)
{
    h->min = payload_number(p);
    h->max = payload_number(p);
    h->over = payload_number(p);
    size_t last = 0;
    for (;;) {
        uint64_t step = payload_number(p);
        if (!step)
            return;
        if (step > HISTOGRAM_BUCKETS - last) {
            p->short_of = true;
            return;
        }
        last += (size_t)step;
        h->count[last - 1] = (uint32_t)payload_number(p);
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

/* The node of that name; a record whose chunk of the node is damaged still tells its facts. */
static int hardware_node(struct contents *c, const char *name, enum node_kind kind, int parent)
{
    int node = inventory_find(&c->hardware, name);
    return node != INVENTORY_NONE ? node
                                  : inventory_add_node(&c->hardware, kind, name, NULL, parent);
}

static void read_node(struct contents *c, struct payload *p)
{
    const char *name = payload_text(p), *kind = payload_text(p), *parent = payload_text(p);
    if (!p->short_of)
        hardware_node(c, name, node_kind_of(kind), inventory_find(&c->hardware, parent));
}

static void read_fact(struct contents *c, struct payload *p)
{
    bool setting = payload_u8(p) == 0;
    const char *node = payload_text(p), *key = payload_text(p), *value = payload_text(p);
    const char *unit = payload_text(p), *source = payload_text(p);
    uint8_t status = payload_u8(p);
    if (status > FACT_INVALID)
        p->short_of = true;
    if (p->short_of)
        return;
    if (setting)
        facts_add(&c->settings, node, key, value, unit, source, (enum fact_status)status);
    else
        inventory_add(&c->hardware, hardware_node(c, node, NODE_OTHER, INVENTORY_NONE), key, value,
                      unit, source, (enum fact_status)status);
}

/* Once, and before the slices it is the length of. */
static void read_slice_length(struct contents *c, struct payload *p)
{
    double seconds = payload_seconds(p);
    if (!(seconds > 0) || c->measurement.original_slices)
        p->short_of = true;
    if (!p->short_of)
        c->measurement.slice_seconds = seconds;
}

static void read_timing(struct contents *c, struct payload *p)
{
    struct interval_timing *timing = c->batch_timing;
    uint64_t count = payload_number(p);
    if (!timing || count > INTERVAL_SLICES) {
        p->short_of = true;
        return;
    }
    interval_timing_clear(timing);
    for (unsigned i = 0; i < count; i++) {
        struct slice_timing *slice = &timing->slices[i];
        slice->issued = payload_number(p);
        for (int op = 0; op < IO_OPS; op++)
            slice->service_ns[op] = payload_number(p);
        slice->in_flight_ns = payload_number(p);
        slice->backlog_most = payload_number(p);
        slice->late_most_ns = payload_number(p);
    }
    get_histogram(p, &timing->issue_error);
    for (int op = 0; op < IO_OPS; op++)
        get_histogram(p, &timing->service[op]);
    c->batch_timing_read = !p->short_of;
}

static void read_timing_totals(struct contents *c, struct payload *p)
{
    c->timing.saturated = payload_u8(p) != 0;
    c->timing.end_backlog = payload_number(p);
    c->timing.end_backlog_at_least = payload_u8(p) != 0;
    c->timing.end_late_ns = payload_number(p);
    c->timing.no_slot_ns = payload_number(p);
    c->timing.requests = payload_number(p);
    c->timing.split = payload_number(p);
}

static void read_fidelity(struct contents *c, struct payload *p)
{
    uint64_t first = payload_number(p), n = payload_number(p);
    if (!c->fidelity || n > FIDELITY_NUMBERS || first > FIDELITY_NUMBERS - n) {
        p->short_of = true;
        return;
    }
    for (uint64_t i = first; i < first + n; i++)
        fidelity_set_number(c->fidelity, (size_t)i, payload_number(p));
}

/* The sums of an older record, whose slices have no shares of their own: blocks by the I/Os that
   completed, busy time in equal parts. */
static void share_out(struct batch *batch, uint64_t blocks, uint64_t busy_ns)
{
    uint64_t ios = 0;
    for (unsigned i = 0; i < batch->slice_count; i++)
        for (int op = 0; op < IO_OPS; op++)
            ios += batch->slices[i].op[op].ios + batch->slices[i].op[op].errors;
    for (unsigned i = 0; i < batch->slice_count; i++) {
        struct slice *slice = &batch->slices[i];
        uint64_t own = 0;
        for (int op = 0; op < IO_OPS; op++)
            own += slice->op[op].ios + slice->op[op].errors;
        double share = ios ? (double)own / (double)ios : 1.0 / batch->slice_count;
        slice->asked_bytes = (uint64_t)((double)blocks * share * 512);
        slice->busy_ns = busy_ns / batch->slice_count;
    }
}

static void read_batch(struct contents *c, struct payload *p)
{
    struct batch batch = {.timing = NULL};
    batch_clear(&batch);
    batch.timing = c->batch_timing_read ? c->batch_timing : NULL;
    c->batch_timing_read = false;
    uint64_t count = payload_number(p);
    if (count > INTERVAL_SLICES || !c->measurement.round_count ||
        !(c->measurement.slice_seconds > 0)) {
        p->short_of = true;
        return;
    }
    batch.slice_count = (unsigned)count;
    for (unsigned i = 0; i < batch.slice_count; i++)
        batch.slices[i] = get_slice(p);
    uint64_t blocks = payload_number(p), busy_ns = payload_number(p);
    batch.lost_slices = payload_number(p);
    for (int op = 0; op < IO_OPS; op++)
        get_histogram(p, &batch.latency[op]);
    bool is_older = p->at == p->end;
    for (unsigned i = 0; i < batch.slice_count && !is_older; i++) {
        batch.slices[i].asked_bytes = payload_number(p);
        batch.slices[i].busy_ns = payload_number(p);
    }
    if (is_older)
        share_out(&batch, blocks, busy_ns);
    if (!p->short_of)
        measurement_add(&c->measurement, &batch);
}

static int read_round_begin(struct contents *c, struct payload *p, struct err *e)
{
    bool trial = payload_u8(p) != 0;
    return measurement_begin_round(&c->measurement, trial, payload_seconds(p), e);
}

static void read_round_end(struct contents *c, struct payload *p)
{
    double seconds = payload_seconds(p);
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
    for (int i = 0; i < 4; i++)
        *to[i] = payload_double(p);
}

static void read_block_layer(struct contents *c, struct payload *p)
{
    struct block_layer b = {0};
    double *to[] = {&b.iops.value, &b.iops.low, &b.iops.high, &b.cpu.value,
                    &b.cpu.low,    &b.cpu.high, &b.pairs};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        *to[i] = payload_double(p);
    if (!(b.pairs >= 0 && b.pairs < 1e9))
        p->short_of = true;
    if (!p->short_of)
        c->block_layer = b;
}

static void read_suspension(struct contents *c, struct payload *p)
{
    struct suspended suspended = {.begin_seconds = payload_seconds(p)};
    suspended.seconds = payload_seconds(p);
    if (!p->short_of)
        contents_suspension(c, &suspended);
}

static void read_note(struct contents *c, struct payload *p)
{
    bool warning = payload_u8(p) != 0;
    const char *text = payload_text(p);
    if (!p->short_of)
        contents_note(c, warning, "%s", text);
}

static void read_done(struct contents *c, struct payload *p)
{
    uint8_t verdict = payload_u8(p);
    c->elapsed_seconds = payload_seconds(p);
    c->records_seen = payload_number(p);
    c->records_lost = payload_number(p);
    snprintf(c->failure, sizeof c->failure, "%s", payload_text(p));
    if (verdict > VERDICT_SUSPENDED)
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
    case RECORD_TYPE('N', 'O', 'D', 'E'):
        read_node(c, p);
        break;
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
    case RECORD_TYPE('T', 'I', 'M', 'G'):
        read_timing(c, p);
        break;
    case RECORD_TYPE('F', 'I', 'D', 'E'):
        read_fidelity(c, p);
        break;
    case RECORD_TYPE('L', 'A', 'T', 'E'):
        read_timing_totals(c, p);
        break;
    case RECORD_TYPE('R', 'E', 'N', 'D'):
        read_round_end(c, p);
        break;
    case RECORD_TYPE('O', 'V', 'E', 'R'):
        read_overhead(c, p);
        break;
    case RECORD_TYPE('B', 'L', 'K', 'L'):
        read_block_layer(c, p);
        break;
    case RECORD_TYPE('A', 'W', 'A', 'Y'):
        read_suspension(c, p);
        break;
    case RECORD_TYPE('N', 'O', 'T', 'E'):
        read_note(c, p);
        break;
    case RECORD_TYPE('D', 'O', 'N', 'E'):
        read_done(c, p);
        break;
    default:
        if (!payload_read_watch(c, type, p))
            return 0;
    }
    return p->short_of ? err_set(e, ERR_USAGE, "a chunk says less than its type asks for") : 0;
}

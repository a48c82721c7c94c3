/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the payloads of a record's chunks, kind by kind. No payload is trusted to be long enough,
   and no value to be possible. */
#include "run/record/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SLICE_SECONDS_MIN 1e-6
#define SLICE_SECONDS_MAX 3600
#define SPAN_MAX          1000000

static struct slice get_slice(struct payload *p)
{
    struct slice slice = {0};
    for (int op = 0; op < IO_OPS; op++) {
        slice.op[op].ios = payload_number(p, PAYLOAD_COUNT_MAX);
        slice.op[op].bytes = payload_number(p, PAYLOAD_BYTES_MAX);
        slice.op[op].latency_ns = payload_number(p, PAYLOAD_NS_MAX);
        slice.op[op].errors = payload_number(p, PAYLOAD_COUNT_MAX);
    }
    return slice;
}

static void get_histogram(struct payload *p, struct interval_histogram *h)
{
    size_t first = 0, last = 0; /* `last` is one past the last bucket in use */
    h->min = payload_number(p, UINT64_MAX);
    h->max = payload_number(p, UINT64_MAX);
    h->over = payload_number(p, PAYLOAD_COUNT_MAX);
    for (uint64_t step; (step = payload_number(p, HISTOGRAM_BUCKETS - last)) > 0;) {
        first = last ? first : (size_t)step - 1;
        last += (size_t)step;
        h->count[last - 1] = (uint32_t)payload_number(p, UINT32_MAX);
        if (!h->count[last - 1])
            payload_refuse(p, "a histogram has an empty bucket among those in use");
    }
    if (p->refused)
        return;
    /* The shortest and the longest lie where the buckets say, and nowhere when they are empty. */
    bool fits = h->min == UINT64_MAX && h->max == 0;
    if (last || h->over) {
        size_t lowest = last ? first : HISTOGRAM_BUCKETS;
        size_t highest = h->over ? HISTOGRAM_BUCKETS : last - 1;
        fits = h->min <= h->max && h->max <= PAYLOAD_NS_MAX && histogram_bucket(h->min) == lowest &&
               histogram_bucket(h->max) == highest;
    }
    if (!fits)
        payload_refuse(p, "a histogram does not go with its shortest and longest time");
}

static void read_plan(struct contents *c, struct payload *p)
{
    struct plan plan;
    struct err why;
    size_t length = (size_t)(p->end - p->at);
    if (plan_read(&plan, (const char *)p->at, length, &why))
        payload_refuse(p, "%s", why.msg);
    else
        contents_set_plan(c, &plan);
    p->at = p->end;
}

/* The node of that name; it is made where the chunk of the node is damaged: its facts are shown. */
static int hardware_node(struct contents *c, const char *name, enum node_kind kind, int parent)
{
    int node = inventory_find(&c->hardware, name);
    return node != INVENTORY_NONE ? node
                                  : inventory_add_node(&c->hardware, kind, name, NULL, parent);
}

static void read_node(struct contents *c, struct payload *p)
{
    const char *name = payload_text(p), *kind = payload_text(p), *parent = payload_text(p);
    if (!p->refused)
        hardware_node(c, name, node_kind_of(kind), inventory_find(&c->hardware, parent));
}

static void read_fact(struct contents *c, struct payload *p)
{
    bool hardware = payload_flag(p);
    const char *node = payload_text(p), *key = payload_text(p), *value = payload_text(p);
    const char *unit = payload_text(p), *source = payload_text(p);
    uint8_t status = payload_u8(p);
    if (status > FACT_INVALID)
        payload_refuse(p, "a fact has the status %u, which there is not", status);
    if (p->refused)
        return;
    if (hardware)
        inventory_add(&c->hardware, hardware_node(c, node, NODE_OTHER, INVENTORY_NONE), key, value,
                      unit, source, (enum fact_status)status);
    else
        facts_add(&c->settings, node, key, value, unit, source, (enum fact_status)status);
}

/* Before the slices it is the length of. */
static void read_slice_length(struct contents *c, struct payload *p)
{
    double seconds = payload_seconds(p);
    if (!(seconds >= SLICE_SECONDS_MIN && seconds <= SLICE_SECONDS_MAX))
        payload_refuse(p, "slices have %g s", seconds);
    if (c->measurement.original_slices)
        payload_refuse(p, "it comes after slices");
    if (!p->refused)
        c->measurement.slice_seconds = seconds;
}

static void read_timing(struct contents *c, struct payload *p)
{
    struct interval_timing *timing = c->batch_timing;
    if (!timing) {
        payload_refuse(p, "there is no room for it");
        return;
    }
    uint64_t count = payload_number(p, INTERVAL_SLICES);
    interval_timing_clear(timing);
    for (unsigned i = 0; i < count; i++) {
        struct slice_timing *slice = &timing->slices[i];
        slice->issued = payload_number(p, PAYLOAD_COUNT_MAX);
        for (int op = 0; op < IO_OPS; op++)
            slice->service_ns[op] = payload_number(p, PAYLOAD_NS_MAX);
        slice->in_flight_ns = payload_number(p, PAYLOAD_NS_MAX);
        slice->backlog_max = payload_number(p, PAYLOAD_COUNT_MAX);
        slice->late_max_ns = payload_number(p, PAYLOAD_NS_MAX);
    }
    get_histogram(p, &timing->issue_error);
    for (int op = 0; op < IO_OPS; op++)
        get_histogram(p, &timing->service[op]);
    c->batch_timing_read = !p->refused;
}

static void read_timing_totals(struct contents *c, struct payload *p)
{
    struct timing_totals t = {.saturated = payload_flag(p)};
    t.end_backlog = payload_number(p, PAYLOAD_COUNT_MAX);
    t.end_backlog_at_least = payload_flag(p);
    t.end_late_ns = payload_number(p, PAYLOAD_NS_MAX);
    t.no_slot_ns = payload_number(p, PAYLOAD_NS_MAX);
    t.requests = payload_number(p, PAYLOAD_COUNT_MAX);
    t.split = payload_number(p, PAYLOAD_COUNT_MAX);
    if (!p->refused)
        c->timing = t;
}

/* Numbers that make no sense together are found where they are used (fidelity_rows). */
static void read_fidelity(struct contents *c, struct payload *p)
{
    uint64_t first = payload_number(p, FIDELITY_NUMBERS), n = payload_number(p, FIDELITY_NUMBERS);
    if (!c->fidelity || first > FIDELITY_NUMBERS - n) {
        payload_refuse(p, "there is no room for it");
        return;
    }
    for (uint64_t i = first; i < first + n; i++)
        fidelity_set_number(c->fidelity, (size_t)i, payload_number(p, UINT64_MAX));
}

static struct round *open_round(struct contents *c)
{
    struct measurement *m = &c->measurement;
    struct round *last = m->round_count ? &m->rounds[m->round_count - 1] : NULL;
    return last && !last->ended ? last : NULL;
}

static void read_when(struct contents *c, struct payload *p)
{
    uint64_t wall_ns = payload_number(p, HISTORY_WALL_NS_LIMIT);
    if (!p->refused)
        c->batch_wall_ns = wall_ns;
}

static void read_span(struct contents *c, struct payload *p)
{
    uint64_t span = payload_number(p, SPAN_MAX);
    if (span < 2)
        payload_refuse(p, "slices span %u others", (unsigned)span);
    if (!p->refused)
        c->batch_span = (unsigned)span;
    c->has_spans = true;
}

static void read_batch(struct contents *c, struct payload *p)
{
    struct batch batch = {.timing = NULL};
    const struct round *round = open_round(c);
    batch_clear(&batch);
    batch.timing = c->batch_timing_read ? c->batch_timing : NULL;
    c->batch_timing_read = false;
    if (c->batch_span_lost && !c->batch_span)
        payload_refuse(p, "how long its slices are may be missing");
    batch.span = c->batch_span ? c->batch_span : 1;
    c->batch_span = 0;
    c->batch_span_lost = false;
    if (!round || round->trial)
        payload_refuse(p, "it stands outside of the measured rounds");
    if (!(c->measurement.slice_seconds > 0))
        payload_refuse(p, "the length of its slices is not known");
    batch.slice_count = (unsigned)payload_number(p, INTERVAL_SLICES);
    uint64_t ios = 0, ios_of[INTERVAL_SLICES] = {0};
    for (unsigned i = 0; i < batch.slice_count; i++) {
        batch.slices[i] = get_slice(p);
        for (int op = 0; op < IO_OPS; op++)
            ios_of[i] += batch.slices[i].op[op].ios + batch.slices[i].op[op].errors;
        ios += ios_of[i];
    }
    uint64_t blocks = 0, busy_ns = 0;
    if (p->version < 2) {
        blocks = payload_number(p, PAYLOAD_COUNT_MAX);
        busy_ns = payload_number(p, PAYLOAD_NS_MAX);
    }
    batch.lost_slices = payload_number(p, PAYLOAD_COUNT_MAX);
    for (int op = 0; op < IO_OPS; op++)
        get_histogram(p, &batch.latency[op]);
    for (unsigned i = 0; i < batch.slice_count; i++) {
        struct slice *slice = &batch.slices[i];
        if (p->version >= 2) {
            slice->asked_bytes = payload_number(p, PAYLOAD_BYTES_MAX);
            slice->busy_ns = payload_number(p, PAYLOAD_NS_MAX);
        } else { /* sums: blocks are shared out by the I/Os that completed, busy time equally */
            double share = ios ? (double)ios_of[i] / (double)ios : 1.0 / batch.slice_count;
            slice->asked_bytes = (uint64_t)((double)blocks * share * 512);
            slice->busy_ns = busy_ns / batch.slice_count;
        }
    }
    batch.wall_ns = c->batch_wall_ns;
    if (batch.wall_ns)
        c->batch_wall_ns += measurement_batch_ns(&c->measurement, batch.span);
    if (!p->refused)
        measurement_add(&c->measurement, &batch);
}

/* After the batches of its period, which say how long periods are. */
static void read_job(struct contents *c, struct payload *p)
{
    struct job_histories *jobs = &c->measurement.jobs;
    struct interval_histogram latency[IO_OPS];
    uint64_t job = payload_number(p, MEASUREMENT_JOBS - 1);
    uint64_t begin_ns = payload_number(p, HISTORY_WALL_NS_LIMIT);
    uint64_t length_ns = payload_number(p, 2 * HISTORY_NS_MAX);
    for (int op = 0; op < IO_OPS; op++) {
        interval_histogram_clear(&latency[op]);
        get_histogram(p, &latency[op]);
    }
    if (!c->measurement.history.length_ns)
        payload_refuse(p, "it comes before the readings of its time");
    if (!p->refused && job < jobs->count)
        job_histories_take(jobs, &c->measurement.history, (unsigned)job, begin_ns, length_ns,
                           latency);
}

static void read_round_begin(struct contents *c, struct payload *p)
{
    struct measurement *m = &c->measurement;
    struct err why;
    bool trial = payload_flag(p);
    double begin = payload_seconds(p);
    if (open_round(c) && !p->lossy)
        payload_refuse(p, "the round before it has no end");
    if (m->round_count && begin < m->rounds[m->round_count - 1].begin_seconds)
        payload_refuse(p, "it began before the round before it");
    if (!p->refused && measurement_begin_round(m, trial, begin, &why))
        payload_refuse(p, "%s", why.msg);
}

static void read_round_end(struct contents *c, struct payload *p)
{
    double seconds = payload_seconds(p);
    struct slice total = get_slice(p);
    if (!open_round(c))
        payload_refuse(p, "no round has begun");
    for (int op = 0; op < IO_OPS; op++)
        if (!(seconds > 0) && (total.op[op].ios || total.op[op].errors))
            payload_refuse(p, "I/O completed in no time");
    if (!p->refused)
        measurement_end_round(&c->measurement, seconds, &total);
}

static void read_overhead(struct contents *c, struct payload *p)
{
    struct overhead o = {.null_ns = payload_measure(p, 0, PAYLOAD_NS_MAX)};
    o.recorded_iops = payload_measure(p, 0, PAYLOAD_RATE_MAX);
    o.unrecorded_iops = payload_measure(p, 0, PAYLOAD_RATE_MAX);
    o.noise_share = payload_measure(p, 0, PAYLOAD_RATE_MAX);
    if (!p->refused)
        c->overhead = o;
}

static struct block_layer_ratio get_ratio(struct payload *p)
{
    struct block_layer_ratio ratio = {.value = payload_measure(p, 0, PAYLOAD_RATE_MAX)};
    ratio.low = payload_measure(p, 0, PAYLOAD_RATE_MAX);
    ratio.high = payload_measure(p, 0, PAYLOAD_RATE_MAX);
    if (ratio.low > ratio.value || ratio.value > ratio.high)
        payload_refuse(p, "a ratio lies outside of its interval");
    return ratio;
}

static void read_block_layer(struct contents *c, struct payload *p)
{
    struct block_layer b = {.iops = get_ratio(p)};
    b.cpu = get_ratio(p);
    b.pairs = payload_double(p, 0, 1e9);
    if (!p->refused)
        c->block_layer = b;
}

static void read_suspension(struct contents *c, struct payload *p)
{
    struct suspended suspended = {.begin_seconds = payload_seconds(p)};
    suspended.seconds = payload_seconds(p);
    if (!p->refused)
        contents_suspension(c, &suspended);
}

static void read_note(struct contents *c, struct payload *p)
{
    bool warning = payload_flag(p);
    const char *text = payload_text(p);
    if (!p->refused)
        contents_note(c, warning, "%s", text);
}

static void read_done(struct contents *c, struct payload *p)
{
    uint8_t verdict = payload_u8(p);
    double elapsed = payload_seconds(p);
    uint64_t seen = payload_number(p, UINT64_MAX), lost = payload_number(p, UINT64_MAX);
    const char *failure = payload_text(p);
    /* The verdicts that a session gives itself; the others are its readers'. */
    if (verdict > VERDICT_LAST_OF_SESSION || verdict == VERDICT_CUT_SHORT)
        payload_refuse(p, "a session has no verdict %u", verdict);
    if (p->refused)
        return;
    c->verdict = (enum verdict)verdict;
    c->elapsed_seconds = elapsed;
    c->records_seen = seen;
    c->records_lost = lost;
    snprintf(c->failure, sizeof c->failure, "%s", failure);
}

/* LAST is read where chunks are counted (record_read.c). */
static void (*const readers[RECORD_KINDS])(struct contents *, struct payload *) = {
    [RECORD_PLAN] = read_plan,         [RECORD_NODE] = read_node,
    [RECORD_FACT] = read_fact,         [RECORD_SLEN] = read_slice_length,
    [RECORD_RBEG] = read_round_begin,  [RECORD_TIMG] = read_timing,
    [RECORD_BTCH] = read_batch,        [RECORD_REND] = read_round_end,
    [RECORD_GAUG] = record_read_gauge, [RECORD_PART] = record_read_part,
    [RECORD_PATH] = record_read_path,  [RECORD_SMPL] = record_read_sample,
    [RECORD_OWNS] = record_read_own,   [RECORD_EVNT] = record_read_event,
    [RECORD_OVER] = read_overhead,     [RECORD_BLKL] = read_block_layer,
    [RECORD_AWAY] = read_suspension,   [RECORD_NOTE] = read_note,
    [RECORD_FIDE] = read_fidelity,     [RECORD_LATE] = read_timing_totals,
    [RECORD_DONE] = read_done,         [RECORD_WHEN] = read_when,
    [RECORD_SPAN] = read_span,         [RECORD_JOBH] = read_job,
};

int payload_read(struct contents *c, enum record_kind kind, struct payload *p)
{
    readers[kind](c, p);
    if (!p->refused && p->at != p->end)
        payload_refuse(p, "it is longer than its kind asks for");
    return p->refused ? -1 : 0;
}

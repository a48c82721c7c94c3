/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a record into the contents of a session, the payloads of its chunks kind by kind, and notes
   its losses. Lengths and values are always checked. */
#include "run/record/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "run/record/internal.h"

/* number of notes reserved for losses, in addition to the session's notes */
#define NOTES_ON_DAMAGE 5

static void note_losses(struct contents *c, const struct record_walk *w)
{
    const struct record_damage *d = &w->damage;
    if (c->note_count > RESULT_NOTES_MAX - NOTES_ON_DAMAGE)
        c->note_count = RESULT_NOTES_MAX - NOTES_ON_DAMAGE;
    if (d->left_out)
        contents_note(c, true,
                      "%" PRIu64
                      " bytes of the record are damaged or out of place and were left out (from "
                      "byte %" PRIu64 ")",
                      d->left_out, d->left_out_from);
    if (d->missing) {
        struct text words = {0}; /* "3 x readings, 1 x note", as far as there is room */
        for (int kind = 0; kind < RECORD_KINDS; kind++)
            if (w->lost[kind])
                text_addf(&words, "%s%u x %s", words.length ? ", " : "", w->lost[kind],
                          record_kinds[kind].words);
        contents_note(c, true, "%" PRIu64 " part%s of the record %s missing%s%.160s", d->missing,
                      d->missing == 1 ? "" : "s", d->missing == 1 ? "is" : "are",
                      words.length ? ": " : "", words.data ? words.data : "");
        text_free(&words);
    }
    if (d->misplaced)
        contents_note(c, true, "parts of the record stand twice or out of order: %" PRIu64 "",
                      d->misplaced);
    if (d->is_not_as_written && !record_walk_has_lost(w))
        contents_note(c, true, "the parts of the record are not those that were written");
    if (d->rest && d->ended)
        contents_note(c, true, "%" PRIu64 " bytes follow the record's end; they were not used",
                      d->rest);
    else if (d->rest)
        contents_note(c, true,
                      "the record %s up to byte %" PRIu64 " of %" PRIu64 "; the rest was not used",
                      d->left_out ? "was read" : "is whole", w->at, w->at + d->rest);
    if (w->version < 2)
        contents_note(c, false,
                      "this record is of format 1, which has no numbers in its parts: missing ones "
                      "would not be noticed");
}

static void read_plan(struct contents *c, struct payload *p)
{
    struct plan plan;
    payload_plan(p, &plan);
    if (!p->refused)
        contents_set_plan(c, &plan);
}

/* Returns the node of that name. It is created if the chunk of the node is damaged, so that its
   facts are shown. */
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

/* Reads the host, for programs that combine several records. */
static void read_host(struct contents *c, struct payload *p)
{
    struct host_identity host;
    (void)c;
    payload_host(p, &host);
}

static void read_clock(struct contents *c, struct payload *p)
{
    struct clock_error clock;
    payload_clock(p, &clock);
    contents_clock(c, &clock);
}

static void read_stretches(struct contents *c, struct record_pieces *pieces, struct payload *p)
{
    timeline_read_stretches(&c->timeline, p, &pieces->batch);
}

static void read_fact(struct contents *c, struct payload *p)
{
    struct record_fact f;
    payload_fact(p, &f);
    if (p->refused)
        return;
    if (f.hardware)
        inventory_add(&c->hardware, hardware_node(c, f.node, NODE_OTHER, INVENTORY_NONE), f.key,
                      f.value, f.unit, f.source, f.status);
    else
        facts_add(&c->settings, f.node, f.key, f.value, f.unit, f.source, f.status);
}

static void read_slice_length(struct contents *c, struct payload *p)
{
    timeline_read_slice_length(&c->timeline, p);
    if (!p->refused)
        c->measurement.slice_seconds = (double)c->timeline.slice_ns * 1e-9;
}

/* Copies all values. Buckets that are not in use become 0. */
static void sparse_histogram_spread(const struct sparse_histogram *h, struct interval_histogram *to)
{
    interval_histogram_clear(to);
    to->min = h->min;
    to->max = h->max;
    to->over = h->over;
    for (unsigned i = 0; i < h->used; i++)
        to->count[h->bucket[i]] = h->count[i];
}

static void read_timing(struct contents *c, struct record_pieces *pieces, struct payload *p)
{
    struct interval_timing *to = c->batch_timing;
    const struct record_timing *from = &pieces->timing;
    if (!to) {
        payload_refuse(p, "there is no room for it");
        return;
    }
    timeline_read_timing(&c->timeline, p, &pieces->timing);
    if (p->refused)
        return;
    interval_timing_clear(to);
    for (unsigned i = 0; i < from->slice_count; i++)
        to->slices[i] = from->slices[i];
    sparse_histogram_spread(&from->issue_error, &to->issue_error);
    for (int op = 0; op < OPERATIONS; op++)
        sparse_histogram_spread(&from->service[op], to->service[op]);
}

/* Reads the kinds of a batch. Batches without KIND, or whose KIND is lost, have none. */
static void read_kinds(struct contents *c, struct record_pieces *pieces, struct payload *p)
{
    struct kind_stretches *to = &c->measurement.kinds;
    const uint64_t count = payload_number(p, to->count);
    if (!count || count != to->count) {
        payload_refuse(p, "the plan has another number of kinds");
        return;
    }
    for (uint64_t i = 0; i < count && !p->refused; i++) {
        to->reading[i].latency_ns = payload_number(p, PAYLOAD_NS_MAX);
        payload_histogram(p, &pieces->kind);
        if (!p->refused)
            sparse_histogram_spread(&pieces->kind, &to->reading[i].latency);
    }
    c->timeline.kinds_read = !p->refused;
}

static void read_timing_totals(struct contents *c, struct payload *p)
{
    payload_timing_totals(p, &c->timing);
}

static void read_never_issued(struct contents *c, struct payload *p)
{
    payload_never_issued(p, &c->timing);
}

/* Reads the fidelity numbers. fidelity_rows detects numbers that contradict each other. */
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

static void read_when(struct contents *c, struct payload *p)
{
    timeline_read_when(&c->timeline, p);
}

static void read_span(struct contents *c, struct payload *p)
{
    timeline_read_span(&c->timeline, p);
}

static void read_batch(struct contents *c, struct record_pieces *pieces, struct payload *p)
{
    const struct record_batch *from = &pieces->batch;
    timeline_read_batch(&c->timeline, p, &pieces->batch, &pieces->timing);
    if (p->refused)
        return;
    struct batch *batch = &pieces->whole;
    batch->timing = NULL;
    batch->job_count = 0;
    batch->kinds = NULL;
    batch->kind_count = 0;
    batch_clear(batch);
    batch->timing = from->timing ? c->batch_timing : NULL;
    if (c->timeline.kinds_read) {
        batch->kinds = c->measurement.kinds.reading;
        batch->kind_count = c->measurement.kinds.count;
    }
    c->timeline.kinds_read = false;
    batch->slice_count = from->slice_count;
    batch->span = from->span;
    batch->lost_slices = from->lost_slices;
    batch->wall_ns = from->begin_ns;
    for (unsigned i = 0; i < from->slice_count; i++)
        batch->slices[i] = from->slices[i];
    for (int op = 0; op < OPERATIONS; op++)
        sparse_histogram_spread(&from->latency[op], &batch->latency[op]);
    measurement_add(&c->measurement, batch);
}

static void read_job(struct contents *c, struct record_pieces *pieces, struct payload *p)
{
    struct job_histories *jobs = &c->measurement.jobs;
    const struct record_job *job = &pieces->job;
    timeline_read_job(&c->timeline, p, &pieces->job);
    if (p->refused || job->number >= jobs->count)
        return;
    for (int op = 0; op < OPERATIONS; op++)
        sparse_histogram_spread(&job->latency[op], &pieces->job_latency[op]);
    job_histories_take(jobs, &c->measurement.history, job->number, job->begin_ns, job->length_ns,
                       pieces->job_latency);
}

static void read_round_begin(struct contents *c, struct payload *p)
{
    struct record_round round;
    struct err why;
    timeline_read_round_begin(&c->timeline, p, &round);
    if (p->refused ||
        !measurement_begin_round(&c->measurement, round.trial, round.begin_seconds, &why))
        return;
    payload_refuse(p, "%s", why.msg);
    c->timeline.in_round = false;
}

static void read_round_end(struct contents *c, struct payload *p)
{
    struct record_round round;
    timeline_read_round_end(&c->timeline, p, &round);
    if (!p->refused)
        measurement_end_round(&c->measurement, round.seconds, &round.total);
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
    struct record_note note;
    payload_note(p, &note);
    if (!p->refused)
        contents_note(c, note.warning, "%s", note.text);
}

static void read_done(struct contents *c, struct payload *p)
{
    struct record_done done;
    payload_done(p, &done);
    if (p->refused)
        return;
    c->verdict = done.verdict;
    c->elapsed_seconds = done.elapsed_seconds;
    c->records_seen = done.records_seen;
    c->records_lost = done.records_lost;
    snprintf(c->failure, sizeof c->failure, "%s", done.failure);
}

/* Readers of most kinds; record_walk.c reads LAST, because it counts the chunks. Kinds that a
   separate file writes are read in that file. */
static record_reader *const readers[RECORD_KINDS] = {
    [RECORD_PLAN] = read_plan,         [RECORD_NODE] = read_node,
    [RECORD_FACT] = read_fact,         [RECORD_SLEN] = read_slice_length,
    [RECORD_RBEG] = read_round_begin,  [RECORD_REND] = read_round_end,
    [RECORD_OVER] = read_overhead,     [RECORD_BLKL] = read_block_layer,
    [RECORD_AWAY] = read_suspension,   [RECORD_NOTE] = read_note,
    [RECORD_FIDE] = read_fidelity,     [RECORD_LATE] = read_timing_totals,
    [RECORD_DUES] = read_never_issued, [RECORD_DONE] = read_done,
    [RECORD_WHEN] = read_when,         [RECORD_SPAN] = read_span,
    [RECORD_HOST] = read_host,         [RECORD_CLCK] = read_clock,
};

/* Returns the reader of a kind, from the file that writes it or from the table above; NULL: there
   is none. */
static record_reader *reader_of(enum record_kind kind)
{
    static const struct record_reader_row *const others[] = {
        record_watch_readers, record_kernel_log_readers, record_slowest_readers, NULL};
    for (size_t i = 0; others[i] && !readers[kind]; i++)
        for (const struct record_reader_row *row = others[i]; row->read; row++)
            if (row->kind == kind)
                return row->read;
    return readers[kind];
}

/* Readers of kinds with histograms. */
static void (*const readers_of_pieces[RECORD_KINDS])(struct contents *, struct record_pieces *,
                                                     struct payload *) = {
    [RECORD_TIMG] = read_timing, [RECORD_KIND] = read_kinds,     [RECORD_BTCH] = read_batch,
    [RECORD_JOBH] = read_job,    [RECORD_BUSY] = read_stretches,
};

/* Reads the payload of a chunk of this kind into `c`. */
static void payload_read(struct contents *c, struct record_pieces *pieces, enum record_kind kind,
                         struct payload *p)
{
    if (readers_of_pieces[kind])
        readers_of_pieces[kind](c, pieces, p);
    else
        reader_of(kind)(c, p); /* every kind has a reader */
    payload_end(p);
}

/* Reads all chunks. Returns 0 at the end of the record. */
static int read_chunks(struct contents *c, struct record_pieces *pieces, struct record_walk *w,
                       struct err *e)
{
    struct chunk chunk;
    enum record_scan_state state;
    while ((state = record_walk_next(w, &chunk, e)) == RECORD_SCAN_ITEM) {
        struct err why;
        struct payload p = record_walk_payload(w, &chunk, &why);
        if (w->after_gap)
            timeline_gap(&c->timeline);
        if (!p.refused && w->kind != RECORD_LAST)
            payload_read(c, pieces, w->kind, &p);
        if (record_walk_pass(w, &chunk, &p, e))
            return -1;
    }
    return state == RECORD_SCAN_END ? 0 : -1;
}

static int read_data(struct contents *c, struct record_pieces *pieces, struct record_walk *w,
                     struct err *e)
{
    const struct record_damage *d = &w->damage;
    if (read_chunks(c, pieces, w, e))
        return -1;
    if (!c->plan.block_size)
        return err_set(e, ERR_USAGE, "%s: damaged from byte %" PRIu64 " on, %s", w->path,
                       d->left_out ? d->left_out_from : w->at,
                       record_walk_has_lost(w) ? "where its plan stood" : "before any measurement");
    c->ended = d->ended;
    c->verdict = record_walk_verdict(w, c->verdict);
    note_losses(c, w);
    return 0;
}

int record_read(struct contents *c, const char *path, struct err *e)
{
    struct record_walk walk;
    if (record_walk_open(&walk, path, false, e))
        return -1;
    struct record_pieces *pieces = malloc(sizeof *pieces);
    int status = pieces ? read_data(c, pieces, &walk, e) : err_no_memory(e, "reading %s", path);
    free(pieces);
    record_walk_close(&walk);
    return status;
}

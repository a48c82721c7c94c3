/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a record, chunk by chunk. */
#include "run/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/endian.h"
#include "base/file/file.h"
#include "base/file/file_identity.h"
#include "run/record/internal.h"

int record_create(struct record_writer *w, const char *path, struct arena *arena, struct err *e)
{
    uint64_t identity; /* identity of this record's chunks; it need not be secret */
    *w = (struct record_writer){.fd = -1};
    if (!path)
        return 0;
    w->buffer = arena_alloc(arena, RECORD_BUFFER, 1);
    w->capacity = RECORD_BUFFER;
    if (!w->buffer)
        return err_no_memory(e, "the record's buffer");
    snprintf(w->path, sizeof w->path, "%s", path);
    /* A file that the caller has opened (memfd_create) exists already. */
    const int is_new =
        strncmp(path, RECORD_OPEN_FILE, strlen(RECORD_OPEN_FILE)) ? O_CREAT | O_EXCL : 0;
    w->fd = open(path, O_WRONLY | is_new | O_CLOEXEC, 0644);
    if (w->fd < 0)
        return err_set(e, ERR_USAGE, "%s: cannot make the record: %s%s", path, strerror(errno),
                       file_remedy(errno));
    if (getrandom(&identity, sizeof identity, GRND_NONBLOCK) != sizeof identity)
        /* random numbers are not available so soon after power-on, so the clock is used */
        identity = clock_raw_ns();
    store_le64(w->buffer + RECORD_IDENTITY_AT, identity);
    w->seed = chunk_head_seal(&record_form, w->buffer, RECORD_VERSION);
    w->used = record_form.head_bytes;
    return 0;
}

void record_plan(struct record_writer *w, const struct plan *plan)
{
    if (!chunk_begin(w, RECORD_PLAN))
        return;
    struct text lines = {0};
    plan_write(plan, &lines);
    if (lines.data)
        chunk_put_bytes(w, lines.data, lines.length);
    text_free(&lines);
    chunk_end(w);
}

void record_host(struct record_writer *w, const struct host_identity *host)
{
    if (!chunk_begin(w, RECORD_HOST))
        return;
    chunk_put_text(w, host->name);
    chunk_put_bytes(w, host->boot, sizeof host->boot);
    chunk_end(w);
}

void record_clock(struct record_writer *w, const struct clock_error *clock)
{
    if (!chunk_begin(w, RECORD_CLCK))
        return;
    chunk_put_number(w, clock->wall_ns);
    chunk_put_number(w, (uint64_t)(clock->error_ns + 1));
    chunk_put_text(w, clock->source);
    chunk_end(w);
}

static void put_fact(struct record_writer *w, bool hardware, const char *node, const char *key,
                     const char *value, const char *unit, const char *source,
                     enum fact_status status)
{
    if (!chunk_begin(w, RECORD_FACT))
        return;
    chunk_put_u8(w, hardware);
    chunk_put_text(w, node);
    chunk_put_text(w, key);
    chunk_put_text(w, value);
    chunk_put_text(w, unit);
    chunk_put_text(w, source);
    chunk_put_u8(w, (uint8_t)status);
    chunk_end(w);
}

void record_facts(struct record_writer *w, const struct contents *c)
{
    const struct inventory *v = &c->hardware;
    for (size_t i = w->settings_written; i < c->settings.count; i++) {
        const struct fact *f = &c->settings.rows[i];
        put_fact(w, false, f->node, f->key, f->value, f->unit, f->source, f->status);
    }
    for (int node = 0; node < v->node_count; node++) {
        const struct inventory_node *n = &v->nodes[node];
        if (node >= w->nodes_written && chunk_begin(w, RECORD_NODE)) {
            chunk_put_text(w, n->name);
            chunk_put_text(w, node_kind_name(n->kind));
            chunk_put_text(w, n->parent == INVENTORY_NONE ? "" : v->nodes[n->parent].name);
            chunk_end(w);
        }
        for (int i = n->first_fact; i != INVENTORY_NONE; i = v->facts[i].next) {
            const struct inventory_fact *f = &v->facts[i];
            if (i >= w->facts_written)
                put_fact(w, true, n->name, f->key, f->value, f->unit, f->source, f->status);
        }
    }
    w->settings_written = c->settings.count;
    w->nodes_written = v->node_count;
    w->facts_written = v->fact_count;
}

void record_slice_length(struct record_writer *w, double seconds)
{
    w->batch_ns = (uint64_t)(seconds * INTERVAL_SLICES * 1e9 + 0.5);
    if (!chunk_begin(w, RECORD_SLEN))
        return;
    chunk_put_seconds(w, seconds);
    chunk_end(w);
}

void record_suspension(struct record_writer *w, const struct suspended *suspended)
{
    if (!chunk_begin(w, RECORD_AWAY))
        return;
    chunk_put_seconds(w, suspended->begin_seconds);
    chunk_put_seconds(w, suspended->seconds);
    chunk_end(w);
}

void record_begin_round(struct record_writer *w, const struct round *round)
{
    if (!chunk_begin(w, RECORD_RBEG))
        return;
    chunk_put_u8(w, round->trial);
    chunk_put_seconds(w, round->begin_seconds);
    chunk_end(w);
}

static void put_slice(struct record_writer *w, const struct slice *slice)
{
    for (int op = 0; op < OPERATIONS; op++) {
        chunk_put_number(w, slice->op[op].ios);
        chunk_put_number(w, slice->op[op].bytes);
        chunk_put_number(w, slice->op[op].latency_ns);
        chunk_put_number(w, slice->op[op].errors);
    }
}

/* Writes only the used buckets, each as its distance from the previous used bucket and its count; 0
   ends the list. */
static void put_histogram(struct record_writer *w, const struct interval_histogram *h)
{
    chunk_put_number(w, h->min);
    chunk_put_number(w, h->max);
    chunk_put_number(w, h->over);
    size_t last = 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        if (h->count[i]) {
            chunk_put_number(w, i + 1 - last);
            chunk_put_number(w, h->count[i]);
            last = i + 1;
        }
    chunk_put_number(w, 0);
}

/* Number of batches after which WHEN is written again, in case an earlier WHEN is lost. */
#define WHEN_EVERY 256u

static void put_when(struct record_writer *w, uint64_t wall_ns, unsigned span)
{
    bool is_due = wall_ns && w->since_when == WHEN_EVERY;
    if ((wall_ns != w->next_wall_ns || is_due) && chunk_begin(w, RECORD_WHEN)) {
        chunk_put_number(w, wall_ns);
        chunk_end(w);
        w->since_when = 0;
    }
    w->since_when++;
    w->next_wall_ns = wall_ns ? wall_ns + w->batch_ns * span : 0;
}

static void put_stretches(struct record_writer *w, const struct batch *batch)
{
    uint64_t last_ns = 0;
    if (!batch->stretch_count || !chunk_begin(w, RECORD_BUSY))
        return;
    chunk_put_number(w, batch->stretch_count);
    for (unsigned i = 0; i < batch->stretch_count; i++) {
        const struct batch_stretch *s = &batch->stretches[i];
        chunk_put_number(w, s->begin_ns - last_ns);
        chunk_put_number(w, s->end_ns - s->begin_ns);
        chunk_put_number(w, s->end_ns - s->begin_ns - s->busy_ns);
        last_ns = s->end_ns;
    }
    chunk_end(w);
}

void record_batch(struct record_writer *w, const struct batch *batch)
{
    put_when(w, batch->wall_ns, batch->span);
    if (batch->span > 1 && chunk_begin(w, RECORD_SPAN)) {
        chunk_put_number(w, batch->span);
        chunk_end(w);
    }
    put_stretches(w, batch);
    const struct interval_timing *timing = batch->timing;
    if (timing && chunk_begin(w, RECORD_TIMG)) {
        chunk_put_number(w, batch->slice_count);
        for (unsigned i = 0; i < batch->slice_count; i++) {
            const struct slice_timing *slice = &timing->slices[i];
            chunk_put_number(w, slice->issued);
            for (int op = 0; op < OPERATIONS; op++)
                chunk_put_number(w, slice->service_ns[op]);
            chunk_put_number(w, slice->in_flight_ns);
            chunk_put_number(w, slice->backlog_max);
            chunk_put_number(w, slice->late_max_ns);
        }
        put_histogram(w, &timing->issue_error);
        for (int op = 0; op < OPERATIONS; op++)
            put_histogram(w, timing->service[op]);
        chunk_end(w);
    }
    if (batch->kind_count && chunk_begin(w, RECORD_KIND)) {
        chunk_put_number(w, batch->kind_count);
        for (unsigned i = 0; i < batch->kind_count; i++) {
            chunk_put_number(w, batch->kinds[i].latency_ns);
            put_histogram(w, &batch->kinds[i].latency);
        }
        chunk_end(w);
    }
    if (!chunk_begin(w, RECORD_BTCH))
        return;
    chunk_put_number(w, batch->slice_count);
    for (unsigned i = 0; i < batch->slice_count; i++)
        put_slice(w, &batch->slices[i]);
    chunk_put_number(w, batch->lost_slices);
    for (int op = 0; op < OPERATIONS; op++)
        put_histogram(w, &batch->latency[op]);
    for (unsigned i = 0; i < batch->slice_count; i++) {
        chunk_put_number(w, batch->slices[i].asked_bytes);
        chunk_put_number(w, batch->slices[i].busy_ns);
    }
    chunk_end(w);
}

void record_jobs(struct record_writer *w, const struct job_histories *jobs)
{
    for (unsigned i = 0; i < jobs->count && jobs->end_ns && chunk_begin(w, RECORD_JOBH); i++) {
        chunk_put_number(w, i);
        chunk_put_number(w, jobs->begin_ns);
        chunk_put_number(w, jobs->end_ns - jobs->begin_ns);
        for (unsigned op = 0; op < OPERATIONS; op++)
            put_histogram(w, &jobs->open[i * OPERATIONS + op]);
        chunk_end(w);
    }
}

void record_end_round(struct record_writer *w, const struct round *round)
{
    if (!chunk_begin(w, RECORD_REND))
        return;
    chunk_put_seconds(w, round->seconds);
    put_slice(w, &round->total);
    chunk_end(w);
}

/* Maximum number of fidelity numbers in a chunk: each takes up to 10 bytes, and all of them fit
   RECORD_CHUNK_MAX. */
#define FIDELITY_IN_CHUNK 6000u

void record_end(struct record_writer *w, const struct contents *c)
{
    const struct timing_totals *t = &c->timing;
    const struct overhead *o = &c->overhead;
    const struct block_layer *b = &c->block_layer;
    size_t numbers = plan_is_replay(&c->plan) && c->fidelity ? FIDELITY_NUMBERS : 0;
    for (size_t at = 0; at < numbers && chunk_begin(w, RECORD_FIDE); at += FIDELITY_IN_CHUNK) {
        size_t n = numbers - at < FIDELITY_IN_CHUNK ? numbers - at : FIDELITY_IN_CHUNK;
        chunk_put_number(w, at);
        chunk_put_number(w, n);
        for (size_t i = at; i < at + n; i++)
            chunk_put_number(w, fidelity_number(c->fidelity, i));
        chunk_end(w);
    }
    if (c->batch_timing && chunk_begin(w, RECORD_LATE)) {
        chunk_put_u8(w, t->saturated);
        chunk_put_number(w, t->end_backlog);
        chunk_put_u8(w, t->end_backlog_at_least);
        chunk_put_number(w, t->end_late_ns);
        chunk_put_number(w, t->no_slot_ns);
        chunk_put_number(w, t->requests);
        chunk_put_number(w, t->split);
        chunk_end(w);
    }
    if (c->batch_timing && chunk_begin(w, RECORD_DUES)) {
        chunk_put_number(w, t->never_issued);
        chunk_put_u8(w, t->never_issued_at_least);
        chunk_end(w);
    }
    if (chunk_begin(w, RECORD_OVER)) {
        chunk_put_double(w, o->null_ns);
        chunk_put_double(w, o->recorded_iops);
        chunk_put_double(w, o->unrecorded_iops);
        chunk_put_double(w, o->noise_share);
        chunk_end(w);
    }
    if (!isnan(b->iops.value) && chunk_begin(w, RECORD_BLKL)) {
        const double values[] = {b->iops.value, b->iops.low, b->iops.high, b->cpu.value,
                                 b->cpu.low,    b->cpu.high, b->pairs};
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            chunk_put_double(w, values[i]);
        chunk_end(w);
    }
    for (size_t i = 0; i < c->note_count && chunk_begin(w, RECORD_NOTE); i++) {
        chunk_put_u8(w, c->notes[i].warning);
        chunk_put_text(w, c->notes[i].text);
        chunk_end(w);
    }
    if (!chunk_begin(w, RECORD_DONE))
        return;
    chunk_put_u8(w, (uint8_t)c->verdict);
    chunk_put_seconds(w, c->elapsed_seconds);
    chunk_put_number(w, c->records_seen);
    chunk_put_number(w, c->records_lost);
    chunk_put_text(w, c->failure);
    chunk_end(w);
    chunk_put_last(w);
    record_flush(w);
}

void record_remove(struct record_writer *w)
{
    if (w->fd >= 0)
        file_remove(w->fd, AT_FDCWD, w->path);
}

void record_close(struct record_writer *w)
{
    record_flush(w);
    if (w->fd >= 0 && close(w->fd))
        err_set(&w->error, ERR_TARGET, "%s: %s", w->path, strerror(errno));
    w->fd = -1;
}

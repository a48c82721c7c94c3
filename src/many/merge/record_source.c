/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads sessions' records (record.cupel) batch by batch, in less memory than a session needs. */
#include "many/merge/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "run/plan/plan_values.h"
#include "run/record/record.h"
#include "run/record/record_scan.h"

/* A correction of the clock by less than this counts as gradual; a larger one is a step. */
#define STEP_NS 1000000u

static bool recognise_record(const char *path, const char *head, size_t length)
{
    (void)path;
    return length >= 8 && !memcmp(head, "CUPELREC", 8);
}

/* Finds the identity of a record of format 2 (run/record/record.h), even if the copy is cut off. */
static bool identify_record(const char *head, size_t length, uint64_t identity[2])
{
    const unsigned char *bytes = (const unsigned char *)head;
    if (length < 20 || load_le32(bytes + 8) < 2)
        return false;
    identity[0] = load_le64(bytes + 12);
    identity[1] = 0;
    return true;
}

static struct latency_buckets buckets_of(const struct sparse_histogram *h)
{
    return (struct latency_buckets){.n = h->n,
                                    .min = h->min,
                                    .max = h->max,
                                    .over = h->over,
                                    .used = h->used,
                                    .bucket = h->bucket,
                                    .count = h->count};
}

/* Adds the busy time of each slice. Older records have nothing more precise. */
static int take_busy_slices(struct record_reading *r, const struct record_batch *b, uint64_t begin,
                            struct err *e)
{
    struct merge_stretch stretches[INTERVAL_SLICES];
    size_t n = 0;
    for (unsigned i = 0; i < b->slice_count; i++, begin += b->slice_ns) {
        uint64_t busy = b->slices[i].busy_ns < b->slice_ns ? b->slices[i].busy_ns : b->slice_ns;
        if (busy)
            stretches[n++] = (struct merge_stretch){begin, begin + b->slice_ns, busy};
    }
    return merge_add_stretches(r->m, stretches, n, e);
}

static int take_stretches(struct record_reading *r, const struct record_batch *b, uint64_t begin,
                          struct err *e)
{
    static struct merge_stretch stretches[BATCH_STRETCHES];
    if (!b->stretch_count)
        return take_busy_slices(r, b, begin, e);
    for (unsigned i = 0; i < b->stretch_count; i++)
        stretches[i] = (struct merge_stretch){b->stretches[i].begin_ns, b->stretches[i].end_ns,
                                              b->stretches[i].busy_ns};
    return merge_add_stretches(r->m, stretches, b->stretch_count, e);
}

/* Adds a histogram to the totals of the current source. `sum` says to which: MERGE_ISSUE_ERROR, or
   MERGE_SERVICE + op. sum_ns: the sum of the values in the histogram; 0: it is not known. */
static void merge_add_timing(struct merge *m, int sum, const struct latency_buckets *latency,
                             uint64_t sum_ns)
{
    struct open_buckets *to = &m->totals[sum];
    to->n += latency->n;
    to->over += latency->over;
    to->min = latency->min < to->min ? latency->min : to->min;
    to->max = latency->max > to->max ? latency->max : to->max;
    for (size_t i = 0; i < latency->used; i++)
        to->count[latency->bucket[i]] += latency->count[i];
    m->current->op[sum].sum.ios += latency->n;
    m->current->op[sum].sum.latency_ns += sum_ns;
}

static void take_timing(struct record_reading *r, const struct record_timing *t)
{
    const struct latency_buckets error = buckets_of(&t->issue_error);
    merge_add_timing(r->m, MERGE_ISSUE_ERROR, &error, 0);
    for (int op = 0; op < OPERATIONS; op++) {
        const struct latency_buckets service = buckets_of(&t->service[op]);
        uint64_t sum_ns = 0;
        for (unsigned i = 0; i < t->slice_count; i++)
            sum_ns += t->slices[i].service_ns[op];
        merge_add_timing(r->m, MERGE_SERVICE + op, &service, sum_ns);
    }
}

static int take_batch(struct record_reading *r, const struct record_batch *b, struct err *e)
{
    struct merge_source *s = merge_current(r->m);
    if (!b->begin_ns)
        return err_set(e, ERR_USAGE,
                       "%s: its readings have no time of day: an older cupel wrote it, and it "
                       "cannot be brought together with others",
                       r->path);
    if (r->until_ns > b->begin_ns + STEP_NS && r->until_ns - b->begin_ns > s->clock_step_ns)
        s->clock_step_ns = r->until_ns - b->begin_ns;
    r->until_ns = b->begin_ns + b->length_ns;
    /* slices that are left out lie before the others in a round's first batch, else after them */
    uint64_t begin = b->begin_ns;
    if (r->first_of_round)
        begin += (INTERVAL_SLICES - b->slice_count) * b->slice_ns;
    r->first_of_round = false;
    if (take_stretches(r, b, begin, e))
        return -1;
    /* I/Os that were left out at an edge are in the histograms, but their time does not count. A
       batch in which all slices were left out adds its I/Os to the end of the previous one. */
    const uint64_t counted_ns = b->slice_count ? b->slice_count * b->slice_ns : 1;
    const uint64_t counted_begin = b->slice_count || begin > b->begin_ns ? begin : begin - 1;
    for (unsigned i = 0; i < b->slice_count; i++, begin += b->slice_ns)
        if (merge_add_slice(r->m, begin, begin + b->slice_ns, &b->slices[i], e))
            return -1;
    for (int op = 0; op < OPERATIONS; op++) {
        const struct merge_latencies add = {.op = (enum operation)op,
                                            .begin_ns = counted_begin,
                                            .end_ns = counted_begin + counted_ns,
                                            .latency = buckets_of(&b->latency[op])};
        if (b->latency[op].n && merge_add_latencies(r->m, &add, e))
            return -1;
    }
    if (b->timing)
        take_timing(r, b->timing);
    return 0;
}

static const char *keep(struct record_reading *r, const char *text)
{
    return merge_string(r->m, text, strlen(text));
}

static void take_plan(struct record_reading *r, const struct plan *plan)
{
    struct merge_source *s = merge_current(r->m);
    char words[200];
    plan_describe(plan, words, sizeof words);
    s->label = keep(r, words);
    s->labels = keep(r, plan->labels.text);
    source_take_labels(r->m, s);
    const struct result_key key = plan_key(plan);
    s->rw = keep(r, key.rw);
    s->block_size = key.block_size;
    s->iodepth = key.iodepth;
    s->jobs = key.jobs;
    s->device = keep(r, plan->target);
    if (!strncmp(s->path, RECORD_OPEN_FILE, strlen(RECORD_OPEN_FILE)))
        s->path = s->device; /* the path is only the number of an open file */
}

static void take_host(struct record_reading *r, const struct host_identity *host)
{
    struct merge_source *s = merge_current(r->m);
    s->host = keep(r, host->name);
    if (host->boot_known)
        memcpy(s->clock, host->boot, sizeof s->clock);
}

/* Takes the largest error bound of the session. The bound grows until the clock is set again. */
static void take_clock(struct record_reading *r, const struct clock_error *clock)
{
    struct merge_source *s = merge_current(r->m);
    if (clock->error_ns > s->clock_error_ns)
        s->clock_error_ns = clock->error_ns;
}

/* Takes a fact that a launcher stated (run/session/session_settings.c). */
static void take_fact(struct record_reading *r, const struct record_fact *fact)
{
    struct merge_source *s = merge_current(r->m);
    if (fact->hardware || strcmp(fact->node, "launch") != 0)
        return;
    if (!strcmp(fact->key, "rank"))
        s->rank = (unsigned)strtoul(fact->value, NULL, 10);
    else if (!strcmp(fact->key, "ranks"))
        s->size = (unsigned)strtoul(fact->value, NULL, 10);
    else if (!strcmp(fact->key, "launcher's job"))
        s->launch = keep(r, fact->value);
    else if (!strcmp(fact->key, "late"))
        s->late = !strcmp(fact->value, "yes");
}

/* Names the job after the folder that holds the record. */
static void name_job(struct record_reading *r)
{
    const char *end = strrchr(r->path, '/'), *begin = end;
    while (begin && begin > r->path && begin[-1] != '/')
        begin--;
    if (end > begin)
        merge_current(r->m)->job = merge_string(r->m, begin, (size_t)(end - begin));
}

static int take_item(struct record_reading *r, const struct record_item *item, struct err *e)
{
    struct merge_source *s = merge_current(r->m);
    switch (item->kind) {
    case RECORD_ITEM_PLAN:
        take_plan(r, item->plan);
        break;
    case RECORD_ITEM_HOST:
        take_host(r, item->host);
        break;
    case RECORD_ITEM_CLOCK:
        take_clock(r, item->clock);
        break;
    case RECORD_ITEM_FACT:
        take_fact(r, item->fact);
        break;
    case RECORD_ITEM_ROUND_BEGIN:
        r->trial = item->round->trial;
        r->first_of_round = true;
        break;
    case RECORD_ITEM_ROUND_END:
        for (int op = 0; op < OPERATIONS && !r->trial; op++)
            r->errors[op] += item->round->total.op[op].errors;
        break;
    case RECORD_ITEM_BATCH:
        return take_batch(r, item->batch, e);
    case RECORD_ITEM_TIMING:
        s->saturated = item->timing->saturated;
        s->never_issued = item->timing->never_issued;
        s->never_issued_at_least = item->timing->never_issued_at_least;
        break;
    case RECORD_ITEM_DONE:
        s->failed = item->done->verdict == VERDICT_FAILED;
        s->failure = merge_string(r->m, item->done->failure, strlen(item->done->failure));
        break;
    default:
        break;
    }
    return 0;
}

static void take_end(struct record_reading *r)
{
    struct merge_source *s = merge_current(r->m);
    const struct record_damage damage = record_scan_damage(r->scan);
    s->cut_short = !damage.ended;
    s->damaged = damage.left_out || damage.missing || damage.misplaced || damage.is_not_as_written;
    for (int op = 0; op < OPERATIONS; op++)
        if (r->errors[op] > s->op[op].sum.errors)
            s->op[op].sum.errors = r->errors[op];
}

int record_reading_open(struct record_reading *r, struct merge *m, const char *path, bool grows,
                        struct err *e)
{
    *r = (struct record_reading){.m = m, .path = path};
    if (record_scan_open(&r->scan, path, grows, e))
        return -1;
    name_job(r);
    return 0;
}

enum record_scan_state record_reading_go_on(struct record_reading *r, struct err *e)
{
    struct record_item item;
    enum record_scan_state state;
    while ((state = record_scan_next(r->scan, &item, e)) == RECORD_SCAN_ITEM)
        if (take_item(r, &item, e))
            return RECORD_SCAN_FAILED;
    if (state == RECORD_SCAN_END)
        take_end(r);
    return state;
}

static int read_record(struct merge *m, const char *path, struct err *e)
{
    struct record_reading r;
    if (record_reading_open(&r, m, path, false, e))
        return -1;
    int status = record_reading_go_on(&r, e) == RECORD_SCAN_FAILED ? -1 : 0;
    record_scan_close(r.scan);
    return status;
}

const struct merge_format merge_format_record = {.name = "record",
                                                 .recognise = recognise_record,
                                                 .identify = identify_record,
                                                 .read = read_record};

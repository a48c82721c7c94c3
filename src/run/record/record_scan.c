/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scans a record piece by piece: turns its chunks into items. */
#include "run/record/record_scan.h"

#include <stdlib.h>

#include "run/record/internal.h"

struct record_scan {
    struct record_walk walk;
    struct record_timeline timeline;

    /* values to which items point */
    struct plan plan;
    struct host_identity host;
    struct clock_error clock;
    struct record_fact fact;
    struct record_round round;
    struct record_note note;
    struct record_done done;
    struct timing_totals totals;
    struct record_pieces *pieces; /* NULL during a rest */
};

int record_scan_open(struct record_scan **scan, const char *path, bool grows, struct err *e)
{
    struct record_scan *s = *scan = malloc(sizeof *s);
    if (!s)
        return err_no_memory(e, "reading %s", path);
    s->timeline = (struct record_timeline){0};
    s->totals = (struct timing_totals){0};
    s->pieces = malloc(sizeof *s->pieces);
    if (!s->pieces) {
        free(s);
        *scan = NULL;
        return err_no_memory(e, "reading %s", path);
    }
    if (record_walk_open(&s->walk, path, grows, e)) {
        free(s->pieces);
        free(s);
        *scan = NULL;
        return -1;
    }
    return 0;
}

/* ---- items: a function returns false if the chunk makes no item ---- */

static bool scan_plan(struct record_scan *s, struct payload *p, struct record_item *item)
{
    payload_plan(p, &s->plan);
    *item = (struct record_item){.kind = RECORD_ITEM_PLAN, .plan = &s->plan};
    return true;
}

static bool scan_host(struct record_scan *s, struct payload *p, struct record_item *item)
{
    payload_host(p, &s->host);
    *item = (struct record_item){.kind = RECORD_ITEM_HOST, .host = &s->host};
    return true;
}

static bool scan_clock(struct record_scan *s, struct payload *p, struct record_item *item)
{
    payload_clock(p, &s->clock);
    *item = (struct record_item){.kind = RECORD_ITEM_CLOCK, .clock = &s->clock};
    return true;
}

static bool scan_fact(struct record_scan *s, struct payload *p, struct record_item *item)
{
    payload_fact(p, &s->fact);
    *item = (struct record_item){.kind = RECORD_ITEM_FACT, .fact = &s->fact};
    return true;
}

static bool scan_slice_length(struct record_scan *s, struct payload *p, struct record_item *item)
{
    (void)item;
    timeline_read_slice_length(&s->timeline, p);
    return false;
}

static bool scan_when(struct record_scan *s, struct payload *p, struct record_item *item)
{
    (void)item;
    timeline_read_when(&s->timeline, p);
    return false;
}

static bool scan_span(struct record_scan *s, struct payload *p, struct record_item *item)
{
    (void)item;
    timeline_read_span(&s->timeline, p);
    return false;
}

static bool scan_stretches(struct record_scan *s, struct payload *p, struct record_item *item)
{
    (void)item;
    timeline_read_stretches(&s->timeline, p, &s->pieces->batch);
    return false;
}

static bool scan_timing(struct record_scan *s, struct payload *p, struct record_item *item)
{
    (void)item;
    timeline_read_timing(&s->timeline, p, &s->pieces->timing);
    return false;
}

static bool scan_round_begin(struct record_scan *s, struct payload *p, struct record_item *item)
{
    timeline_read_round_begin(&s->timeline, p, &s->round);
    *item = (struct record_item){.kind = RECORD_ITEM_ROUND_BEGIN, .round = &s->round};
    return true;
}

static bool scan_round_end(struct record_scan *s, struct payload *p, struct record_item *item)
{
    timeline_read_round_end(&s->timeline, p, &s->round);
    *item = (struct record_item){.kind = RECORD_ITEM_ROUND_END, .round = &s->round};
    return true;
}

static bool scan_batch(struct record_scan *s, struct payload *p, struct record_item *item)
{
    timeline_read_batch(&s->timeline, p, &s->pieces->batch, &s->pieces->timing);
    *item = (struct record_item){.kind = RECORD_ITEM_BATCH, .batch = &s->pieces->batch};
    return true;
}

static bool scan_job(struct record_scan *s, struct payload *p, struct record_item *item)
{
    timeline_read_job(&s->timeline, p, &s->pieces->job);
    *item = (struct record_item){.kind = RECORD_ITEM_JOB, .job = &s->pieces->job};
    return true;
}

static bool scan_note(struct record_scan *s, struct payload *p, struct record_item *item)
{
    payload_note(p, &s->note);
    *item = (struct record_item){.kind = RECORD_ITEM_NOTE, .note = &s->note};
    return true;
}

static bool scan_timing_totals(struct record_scan *s, struct payload *p, struct record_item *item)
{
    payload_timing_totals(p, &s->totals);
    *item = (struct record_item){.kind = RECORD_ITEM_TIMING, .timing = &s->totals};
    return true;
}

static bool scan_never_issued(struct record_scan *s, struct payload *p, struct record_item *item)
{
    payload_never_issued(p, &s->totals);
    *item = (struct record_item){.kind = RECORD_ITEM_TIMING, .timing = &s->totals};
    return true;
}

static bool scan_done(struct record_scan *s, struct payload *p, struct record_item *item)
{
    payload_done(p, &s->done);
    *item = (struct record_item){.kind = RECORD_ITEM_DONE, .done = &s->done};
    return true;
}

/* Chunks of kinds without a scanner are skipped. */
static bool (*const scanners[RECORD_KINDS])(struct record_scan *, struct payload *,
                                            struct record_item *) = {
    [RECORD_PLAN] = scan_plan,         [RECORD_HOST] = scan_host,
    [RECORD_CLCK] = scan_clock,        [RECORD_BUSY] = scan_stretches,
    [RECORD_FACT] = scan_fact,         [RECORD_SLEN] = scan_slice_length,
    [RECORD_WHEN] = scan_when,         [RECORD_SPAN] = scan_span,
    [RECORD_TIMG] = scan_timing,       [RECORD_RBEG] = scan_round_begin,
    [RECORD_REND] = scan_round_end,    [RECORD_BTCH] = scan_batch,
    [RECORD_JOBH] = scan_job,          [RECORD_NOTE] = scan_note,
    [RECORD_DONE] = scan_done,         [RECORD_LATE] = scan_timing_totals,
    [RECORD_DUES] = scan_never_issued,
};

enum record_scan_state record_scan_next(struct record_scan *s, struct record_item *item,
                                        struct err *e)
{
    enum record_scan_state state;
    struct chunk chunk;
    if (!s->pieces && !(s->pieces = malloc(sizeof *s->pieces))) {
        err_no_memory(e, "reading %s", s->walk.path);
        return RECORD_SCAN_FAILED;
    }
    while ((state = record_walk_next(&s->walk, &chunk, e)) == RECORD_SCAN_ITEM) {
        struct err why;
        struct payload p = record_walk_payload(&s->walk, &chunk, &why);
        bool is_item = false;
        if (s->walk.after_gap)
            timeline_gap(&s->timeline);
        if (!p.refused && s->walk.kind < RECORD_KINDS && scanners[s->walk.kind]) {
            is_item = scanners[s->walk.kind](s, &p, item);
            payload_end(&p);
        }
        if (record_walk_pass(&s->walk, &chunk, &p, e))
            return RECORD_SCAN_FAILED;
        if (is_item && !p.refused)
            return RECORD_SCAN_ITEM;
    }
    return state;
}

void record_scan_rest(struct record_scan *s)
{
    record_walk_rest(&s->walk);
    if (s->timeline.timing_read || s->timeline.stretches_read)
        /* TIMG or BUSY was read, and the BTCH that follows it not yet: the pieces have values for
           it */
        return;
    free(s->pieces);
    s->pieces = NULL;
}

uint64_t record_scan_bytes(const struct record_scan *s)
{
    return s->walk.at;
}

void record_scan_stop_waiting(struct record_scan *s)
{
    s->walk.grows = false;
}

struct record_damage record_scan_damage(const struct record_scan *s)
{
    return s->walk.damage;
}

void record_scan_close(struct record_scan *s)
{
    if (!s)
        return;
    record_walk_close(&s->walk);
    free(s->pieces);
    free(s);
}

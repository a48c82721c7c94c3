/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Creates the record of a running session before anything else, and completes it after everything.
 */
#include "run/session/running.h"

#define FLUSH_EVERY_NS 1000000000u

static int begin(struct session *s, struct err *e)
{
    if (record_create(&s->record, s->record_path, &s->arena, e))
        return -1;
    record_plan(&s->record, &s->contents.plan);
    return 0;
}

static void start(struct session *s)
{
    uint64_t *flushed_ticks = s->own[SESSION_PART_RECORD];
    *flushed_ticks = clock_ticks(&s->clock);
}

static void add_batch(struct session *s, const struct batch *batch)
{
    uint64_t *flushed_ticks = s->own[SESSION_PART_RECORD];
    record_batch(&s->record, batch);
    const uint64_t now = clock_ticks(&s->clock);
    if (clock_ns(&s->clock, now - *flushed_ticks) < FLUSH_EVERY_NS)
        return;
    *flushed_ticks = now;
    record_flush(&s->record);
}

static void after(struct session *s)
{
    struct contents *c = &s->contents;
    c->elapsed_seconds = session_seconds(s);
    c->ended = true;
    record_facts(&s->record, c);
    record_own(&s->record, &c->watch);
    record_events(&s->record, &c->watch);
    record_kernel_log(&s->record, &c->kernel_log);
    record_slowest(&s->record, c);
    record_end(&s->record, c);
    record_close(&s->record);
    if (s->record.error.code)
        contents_note(c, true, "%s", s->record.error.msg);
}

/* Removes the record of a session that has measured nothing. */
static void end(struct session *s)
{
    if (!s->contents.ended)
        record_remove(&s->record);
    record_close(&s->record);
}

/* The part's state: when the record was last flushed. */
const struct session_part part_record = {.bytes = sizeof(uint64_t),
                                         .prepare[AT_PLAN] = begin,
                                         .on[ON_START] = start,
                                         .batch = add_batch,
                                         .after = after,
                                         .end = end};

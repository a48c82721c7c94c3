/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The record of a running session: created before anything else, completed after everything. */
#include "run/session/running.h"

static int begin(struct session *s, struct err *e)
{
    if (record_create(&s->record, s->record_path, &s->arena, e))
        return -1;
    record_plan(&s->record, &s->contents.plan);
    return 0;
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

const struct session_part part_record = {.prepare[AT_PLAN] = begin, .after = after, .end = end};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes and reads the slowest requests in a record. */
#include <stdio.h>

#include "run/record/internal.h"

void record_slowest(struct record_writer *w, const struct contents *c)
{
    if (!c->slow_count || !chunk_begin(w, RECORD_SLOW))
        return;
    chunk_put_number(w, c->slow_count);
    for (size_t i = 0; i < c->slow_count; i++) {
        const struct result_slow *s = &c->slow[i];
        chunk_put_text(w, s->op);
        chunk_put_number(w, s->offset);
        chunk_put_number(w, s->length);
        chunk_put_number(w, s->job);
        chunk_put_number(w, s->begin_ns);
        chunk_put_number(w, s->latency_ns);
        chunk_put_u8(w, s->failed);
    }
    chunk_end(w);
}

static void read_slowest(struct contents *c, struct payload *p)
{
    struct result_slow slow[RESULT_SLOW_MAX] = {0};
    size_t count = (size_t)payload_number(p, RESULT_SLOW_MAX);
    for (size_t i = 0; i < count && !p->refused; i++) {
        struct result_slow *s = &slow[i];
        snprintf(s->op, sizeof s->op, "%s", payload_text(p));
        s->offset = payload_number(p, UINT64_MAX);
        s->length = (uint32_t)payload_number(p, UINT32_MAX);
        s->job = (uint32_t)payload_number(p, PLAN_JOBS_MAX);
        s->begin_ns = payload_number(p, PAYLOAD_NS_MAX);
        s->latency_ns = payload_number(p, PAYLOAD_NS_MAX);
        s->failed = payload_flag(p);
        if (i && s->latency_ns > s[-1].latency_ns)
            payload_refuse(p, "the slowest requests are not in order");
    }
    if (p->refused)
        return;
    for (size_t i = 0; i < count; i++)
        c->slow[i] = slow[i];
    c->slow_count = count;
}

const struct record_reader_row record_slowest_readers[] = {
    {RECORD_SLOW, read_slowest},
    {0, NULL},
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matches the stages of requests. Unfinished requests are in a ring, in the order in which they
   were queued. The byte ranges whose issue or completion they wait for are in a hash table by
   device, operation and first byte. */
#include "source/trace/internal.h"

#include <stdlib.h>

#define RANGES (2 * MATCH_REQUESTS) /* a split request has several ranges */
#define CHAINS MATCH_REQUESTS
/* Limit of the ranges with the same first byte that are compared, the newest first. */
#define LOOKS   64
#define NOTHING 0u /* 0, so that unused pages of the tables stay untouched */

/* One record can begin two requests: a flush, and the write that follows it. */
#define REQUESTS_AT_ONCE 2

struct request {
    struct trace_event event;
    uint64_t issue_ns;
    uint32_t first_range; /* first of the request's ranges that are not completed yet */
    bool issued;
};

struct range {
    uint64_t offset;
    uint32_t length;
    uint32_t request;
    uint32_t previous, next; /* neighbours in the hash chain */
    /* next range of the same request, or next free range in the list of free ones */
    uint32_t sibling;
    uint16_t device;
    uint8_t op;
    bool issued;
};

struct match {
    /* index of the oldest request in the ring; number of requests in it */
    size_t begin, count;
    /* first of the ranges that were used before and are free now */
    uint32_t free_range;
    uint32_t range_count;               /* number of elements of ranges[] that were ever used */
    bool has_queued[TRACE_DEVICES_MAX]; /* devices of which the trace has queue records */
    uint32_t chains[CHAINS];
    struct request requests[MATCH_REQUESTS];
    struct range ranges[1 + RANGES]; /* ranges[NOTHING] is not used */
};

struct match *match_create(void)
{
    return calloc(1, sizeof(struct match));
}

void match_free(struct match *m)
{
    free(m);
}

static uint32_t *chain_of(struct match *m, const struct range *r)
{
    uint64_t key = (r->offset + ((uint64_t)r->device << 2) + r->op) * 0x9e3779b97f4a7c15u;
    return &m->chains[(key >> 40) % CHAINS];
}

static bool has_free_range(const struct match *m)
{
    return m->free_range != NOTHING || m->range_count < RANGES;
}

/* Adds a copy of this range to the request. Does nothing if no range is free. */
static void add_range(struct match *m, uint32_t request, const struct range *like)
{
    if (!has_free_range(m))
        return;
    uint32_t i = m->free_range;
    if (i == NOTHING)
        i = ++m->range_count;
    else
        m->free_range = m->ranges[i].sibling;
    struct range *r = &m->ranges[i];
    uint32_t *head = chain_of(m, like);
    *r = *like;
    r->request = request;
    r->sibling = m->requests[request].first_range;
    r->previous = NOTHING;
    r->next = *head;
    if (*head != NOTHING)
        m->ranges[*head].previous = i;
    *head = i;
    m->requests[request].first_range = i;
}

static void remove_range(struct match *m, uint32_t i)
{
    struct range *r = &m->ranges[i];
    if (r->previous == NOTHING)
        *chain_of(m, r) = r->next;
    else
        m->ranges[r->previous].next = r->next;
    if (r->next != NOTHING)
        m->ranges[r->next].previous = r->previous;
    uint32_t *from = &m->requests[r->request].first_range;
    while (*from != i)
        from = &m->ranges[*from].sibling;
    *from = r->sibling;
    r->sibling = m->free_range;
    m->free_range = i;
}

static struct request *begin_request(struct match *m, const struct trace_event *record)
{
    uint32_t i = (uint32_t)((m->begin + m->count++) % MATCH_REQUESTS);
    struct request *q = &m->requests[i];
    *q = (struct request){.event = *record, .first_range = NOTHING};
    q->event.response_ns = TRACE_UNKNOWN;
    return q;
}

static void wait_for(struct match *m, struct request *q, bool issued)
{
    const struct trace_event *event = &q->event;
    const struct range range = {.offset = event->offset,
                                .length = event->length,
                                .device = event->device,
                                .op = event->op,
                                .issued = issued};
    add_range(m, (uint32_t)(q - m->requests), &range);
}

/* Finds the range that begins at the key's first byte. If several ranges begin there, it prefers
   one with the same `issued`, and then one with the same length. */
static uint32_t find_range(struct match *m, const struct range *key)
{
    uint32_t best = NOTHING;
    int best_fit = -1;
    uint32_t i = *chain_of(m, key);
    for (int looks = 0; i != NOTHING && looks < LOOKS; i = m->ranges[i].next, looks++) {
        const struct range *r = &m->ranges[i];
        if (r->offset != key->offset || r->device != key->device || r->op != key->op)
            continue;
        /* A flush completes twice: as the kernel's internal request, and as the request that was
           queued. */
        if (key->op == OPERATION_SYNC && key->issued && !r->issued)
            continue;
        int fit = 2 * (r->issued == key->issued) + (r->length == key->length);
        if (fit > best_fit) {
            best = i;
            best_fit = fit;
        }
    }
    return best;
}

static void issue_range(struct match *m, uint32_t i, const struct trace_event *record)
{
    struct range *r = &m->ranges[i];
    struct request *q = &m->requests[r->request];
    if (!q->issued || r->offset == q->event.offset)
        q->issue_ns = record->time_ns;
    q->issued = true;
    r->issued = true;
}

static void complete_range(struct match *m, uint32_t i, const struct trace_event *record)
{
    struct request *q = &m->requests[m->ranges[i].request];
    q->event.failed |= record->failed;
    remove_range(m, i);
    if (q->first_range == NOTHING)
        q->event.response_ns = record->time_ns - (q->issued ? q->issue_ns : q->event.time_ns);
}

/* Calls `act` for each range that covers a part of the record's bytes. Returns false if there is
   none. */
static bool for_ranges(struct match *m, const struct trace_event *record, bool issued,
                       void (*act)(struct match *, uint32_t, const struct trace_event *))
{
    struct range key = {.offset = record->offset,
                        .length = record->length,
                        .device = record->device,
                        .op = record->op,
                        .issued = issued};
    bool any = false;
    for (;;) {
        uint32_t i = find_range(m, &key);
        if (i == NOTHING)
            break;
        struct range *r = &m->ranges[i];
        if (r->length > key.length && has_free_range(m)) {
            /* The part after the record's end stays, as a separate range. */
            struct range rest = *r;
            rest.offset += key.length;
            rest.length -= key.length;
            r->length = key.length;
            add_range(m, r->request, &rest);
        }
        uint32_t length = r->length;
        act(m, i, record);
        any = true;
        if (length == 0 || length >= key.length)
            break;
        key.offset += length;
        key.length -= length;
    }
    return any;
}

bool match_take(struct match *m, const struct trace_event *record)
{
    switch (record->response_ns & MATCH_STAGE) {
    case MATCH_QUEUE:
        m->has_queued[record->device] = true;
        if (record->response_ns & MATCH_FLUSH_FIRST && record->op != OPERATION_SYNC) {
            struct request *flush = begin_request(m, record);
            flush->event.op = OPERATION_SYNC;
            flush->event.offset = flush->event.length = flush->event.durable = 0;
            wait_for(m, flush, false);
        }
        wait_for(m, begin_request(m, record), false);
        return true;
    case MATCH_ISSUE:
        /* Without queue records, a request begins when it is issued. */
        if (!for_ranges(m, record, false, issue_range) && !m->has_queued[record->device]) {
            struct request *q = begin_request(m, record);
            q->issued = true;
            q->issue_ns = record->time_ns;
            wait_for(m, q, true);
        }
        return true;
    default:
        /* A flush without a match is no error: the kernel issues and completes internal flushes,
           which were never queued. */
        return for_ranges(m, record, true, complete_range) || record->op == OPERATION_SYNC;
    }
}

bool match_give(struct match *m, struct trace_event *event, bool all)
{
    if (m->count == 0)
        return false;
    struct request *q = &m->requests[m->begin];
    bool full = m->count > MATCH_REQUESTS - REQUESTS_AT_ONCE;
    if (q->first_range != NOTHING && !full && !all)
        return false;
    while (q->first_range != NOTHING)
        remove_range(m, q->first_range);
    *event = q->event;
    m->begin = (m->begin + 1) % MATCH_REQUESTS;
    m->count--;
    return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the rings that the kernel fills (see perf_event_open(2), "MMAP layout"), and takes events
   from the rings of all processors in order of time. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "program/observe/tracepoint/internal.h"

void perf_ring_look(struct perf_ring *r)
{
    r->head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
}

const struct perf_event_header *perf_ring_first(struct perf_ring *r)
{
    while (r->tail < r->head) {
        uint64_t offset = r->tail & r->mask;
        const struct perf_event_header *header = (const void *)(r->data + offset);
        uint64_t whole =
            /* the header is whole, because records are multiples of eight bytes and so is the
               header */
            r->mask + 1 - offset;
        bool is_sound = header->size >= sizeof *header && header->size <= PERF_RECORD_BYTES;
        if (is_sound && header->size <= whole)
            return header;
        if (is_sound) {
            memcpy(r->bounce, r->data + offset, whole);
            memcpy(r->bounce + whole, r->data, header->size - whole);
            return (const void *)r->bounce;
        }
        /* A size of 0 is impossible and would make an endless loop, so the rest of the ring is
           dropped. */
        r->tail = header->size ? r->tail + header->size : r->head;
    }
    return NULL;
}

void perf_ring_pop(struct perf_ring *r)
{
    const struct perf_event_header *header = (const void *)(r->data + (r->tail & r->mask));
    r->tail += header->size;
    __atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
}

/* ---- events in order ---- */

/* Events older than this are complete: the time between reading an event's clock and finishing its
   record is far shorter. */
#define SETTLED_NS 1000000

/* The kinds of records that are read (perf_event_open(2), for our sample_type). */
struct lost_record {
    struct perf_event_header header;
    uint64_t id, lost;
};
struct sample_record {
    struct perf_event_header header;
    uint32_t process, thread;
    uint64_t time_ns;
    uint32_t raw_size;
    unsigned char raw[];
};

/* Returns the oldest sample in the ring. Other records before it are counted and removed. */
static const struct sample_record *first_sample(struct tracepoints *t, struct perf_ring *ring)
{
    const struct perf_event_header *header;
    while ((header = perf_ring_first(ring))) {
        if (header->type == PERF_RECORD_SAMPLE &&
            header->size >= sizeof(struct sample_record) + sizeof(uint16_t))
            return (const void *)header;
        if (header->type == PERF_RECORD_LOST && header->size >= sizeof(struct lost_record))
            t->lost_recorded += ((const struct lost_record *)(const void *)header)->lost;
        perf_ring_pop(ring);
    }
    return NULL;
}

/* Returns the ring whose first sample is the oldest of all; NULL: all rings are empty. */
static struct perf_ring *oldest_ring(struct tracepoints *t, const struct sample_record **sample)
{
    struct perf_ring *oldest = NULL;
    *sample = NULL;
    for (size_t i = 0; i < t->processor_count; i++) {
        struct perf_ring *ring = &t->processors[i].ring;
        const struct sample_record *first =
            t->processors[i].count > 0 ? first_sample(t, ring) : NULL;
        if (first && (!*sample || first->time_ns < (*sample)->time_ns)) {
            *sample = first;
            oldest = ring;
        }
    }
    return oldest;
}

bool tracepoints_next(struct tracepoints *t, bool final, struct tracepoint_event *event)
{
    if (t->shown)
        perf_ring_pop(t->shown);
    t->shown = NULL;

    const struct sample_record *sample;
    struct perf_ring *ring = oldest_ring(t, &sample);
    if (!ring || sample->time_ns >= t->until_ns) {
        t->until_ns = final ? UINT64_MAX : clock_raw_ns() - SETTLED_NS;
        for (size_t i = 0; i < t->processor_count; i++)
            if (t->processors[i].count > 0)
                perf_ring_look(&t->processors[i].ring);
        ring = oldest_ring(t, &sample);
    }
    if (!ring || sample->time_ns >= t->until_ns)
        return false;
    uint16_t number;
    memcpy(&number, sample->raw, sizeof number);
    unsigned index = 0;
    while (index < t->request_count && t->formats[index].number != (int)number)
        index++;
    *event = (struct tracepoint_event){.tracepoint =
                                           index < t->request_count ? index : TRACEPOINT_OUTPUT,
                                       .time_ns = sample->time_ns,
                                       .process = sample->process,
                                       .thread = sample->thread,
                                       .raw = sample->raw,
                                       .raw_size = sample->raw_size};
    t->shown = ring;
    t->shown_count += event->tracepoint != TRACEPOINT_OUTPUT;
    return true;
}

void tracepoints_wait(struct tracepoints *t, struct pollfd others[], size_t count, int milliseconds)
{
    enum { OTHERS_MAX = 8, RINGS_MAX = 512 };
    struct pollfd all[OTHERS_MAX + RINGS_MAX];
    nfds_t n = count < OTHERS_MAX ? count : OTHERS_MAX;
    if (n > 0)
        memcpy(all, others, n * sizeof *all);
    for (size_t i = 0; i < t->processor_count && n < OTHERS_MAX + RINGS_MAX; i++)
        if (t->processors[i].count > 0)
            all[n++] = (struct pollfd){.fd = t->processors[i].fds[0], .events = POLLIN};
    if (poll(all, n, milliseconds) < 0)
        return;
    for (size_t i = 0; i < count && i < OTHERS_MAX; i++)
        others[i].revents = all[i].revents;
}

uint64_t tracepoints_lost(const struct tracepoints *t)
{
    if (!t->knows_lost)
        return t->lost_recorded;
    uint64_t happened = 0, lost = 0, of_programs = 0;
    for (size_t i = 0; i < t->processor_count; i++)
        for (size_t k = 0; k < t->processors[i].count; k++) {
            /* With PERF_FORMAT_LOST: the number of events, and how many of them found no room in
               the ring. */
            uint64_t counts[2] = {0};
            if (read(t->processors[i].fds[k], counts, sizeof counts) != (ssize_t)sizeof counts)
                continue;
            /* the output of kernel programs counts no events, only losses */
            if (t->outputs && k == 0) {
                of_programs += counts[1];
            } else {
                happened += counts[0];
                lost += counts[1];
            }
        }
    /* The kernel does not count all events that it left out of a ring as lost (see awake_begin). */
    uint64_t missing = happened > t->shown_count ? happened - t->shown_count : 0;
    return of_programs + (missing > lost ? missing : lost);
}

uint64_t tracepoint_value(const struct tracepoint_event *event, struct tracepoint_field field)
{
    uint64_t value = 0;
    if (field.size == 0 || field.size > sizeof value ||
        (uint32_t)field.offset + field.size > event->raw_size)
        return 0;
    /* correct, because x86 and arm64 are little-endian */
    memcpy(&value, event->raw + field.offset, field.size);
    if (field.is_signed && field.size < sizeof value) {
        unsigned unused = 64 - 8u * field.size;
        value = (uint64_t)((int64_t)(value << unused) >> unused);
    }
    return value;
}

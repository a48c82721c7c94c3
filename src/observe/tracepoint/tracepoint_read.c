/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Taking events out of the rings of all processors in order of time. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "observe/tracepoint/internal.h"

/* Between reading its clock and finishing its record an event takes far less than this. */
#define SETTLED_NS 1000000

/* The records of the kinds that are read (perf_event_open(2), by our sample_type). */
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

static void look_at_all(struct tracepoints *t, bool final)
{
    t->until_ns = final ? UINT64_MAX : clock_raw_ns() - SETTLED_NS;
    for (size_t i = 0; i < t->processor_count; i++)
        if (t->processors[i].count > 0)
            perf_ring_look(&t->processors[i].ring);
}

/* The ring's oldest sample; what else lies before it is counted and taken away. */
static const struct sample_record *first_sample(struct tracepoints *t, struct perf_ring *ring)
{
    const struct perf_event_header *header;
    while ((header = perf_ring_first(ring))) {
        if (header->type == PERF_RECORD_SAMPLE &&
            header->size >= sizeof(struct sample_record) + sizeof(uint16_t))
            return (const void *)header;
        if (header->type == PERF_RECORD_LOST && header->size >= sizeof(struct lost_record))
            t->lost_told += ((const struct lost_record *)(const void *)header)->lost;
        perf_ring_pop(ring);
    }
    return NULL;
}

/* The ring whose first sample is the oldest of all; NULL: they are empty. */
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

static unsigned index_of(const struct tracepoints *t, const struct sample_record *sample)
{
    uint16_t number;
    memcpy(&number, sample->raw, sizeof number);
    for (unsigned i = 0; i < t->request_count; i++)
        if (t->formats[i].number == (int)number)
            return i;
    return TRACEPOINT_OUTPUT;
}

bool tracepoints_next(struct tracepoints *t, bool final, struct tracepoint_event *event)
{
    if (t->shown)
        perf_ring_pop(t->shown);
    t->shown = NULL;

    const struct sample_record *sample;
    struct perf_ring *ring = oldest_ring(t, &sample);
    if (!ring || sample->time_ns >= t->until_ns) {
        look_at_all(t, final);
        ring = oldest_ring(t, &sample);
    }
    if (!ring || sample->time_ns >= t->until_ns)
        return false;
    *event = (struct tracepoint_event){.tracepoint = index_of(t, sample),
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

/* What read() gives with PERF_FORMAT_LOST: how often it happened, and how often there was no room.
 */
static void counts_of(int fd, uint64_t *happened, uint64_t *lost)
{
    uint64_t counts[2] = {0};
    if (read(fd, counts, sizeof counts) != (ssize_t)sizeof counts)
        return;
    *happened += counts[0];
    *lost += counts[1];
}

uint64_t tracepoints_lost(const struct tracepoints *t)
{
    if (!t->tells_lost)
        return t->lost_told;
    uint64_t happened = 0, lost = 0, unused = 0, of_programs = 0;
    for (size_t i = 0; i < t->processor_count; i++)
        for (size_t k = 0; k < t->processors[i].count; k++) {
            bool output = t->outputs && k == 0; /* what programs write, which counts nothing */
            counts_of(t->processors[i].fds[k], output ? &unused : &happened,
                      output ? &of_programs : &lost);
        }
    /* The kernel does not call all lost that it did not tell of (awake.h). */
    uint64_t untold = happened > t->shown_count ? happened - t->shown_count : 0;
    return of_programs + (untold > lost ? untold : lost);
}

uint64_t tracepoint_value(const struct tracepoint_event *event, struct tracepoint_field field)
{
    uint64_t value = 0;
    if (field.size == 0 || field.size > sizeof value ||
        (uint32_t)field.offset + field.size > event->raw_size)
        return 0;
    memcpy(&value, event->raw + field.offset, field.size); /* x86 and arm64 are little-endian */
    if (field.is_signed && field.size < sizeof value) {
        unsigned unused = 64 - 8u * field.size;
        value = (uint64_t)((int64_t)(value << unused) >> unused);
    }
    return value;
}

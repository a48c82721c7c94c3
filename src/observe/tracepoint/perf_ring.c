/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading perf's ring buffer (see perf_event_open(2), "MMAP layout"). */
#include "observe/tracepoint/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int perf_ring_map(struct perf_ring *r, int fd, size_t bytes, struct err *e)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *r = (struct perf_ring){.mask = bytes - 1, .bounce = malloc(PERF_RECORD_BYTES)};
    void *map = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!r->bounce || map == MAP_FAILED) {
        int reason = r->bounce ? errno : ENOMEM;
        free(r->bounce);
        *r = (struct perf_ring){0};
        return err_set(e, ERR_MACHINE, "no memory for %zu KiB of trace buffer (%s): see --buffer",
                       bytes / 1024, strerror(reason));
    }
    r->page = map;
    r->data = (const unsigned char *)map + page;
    return 0;
}

void perf_ring_unmap(struct perf_ring *r)
{
    if (r->page)
        munmap(r->page, (size_t)sysconf(_SC_PAGESIZE) + r->mask + 1);
    free(r->bounce);
    *r = (struct perf_ring){0};
}

void perf_ring_look(struct perf_ring *r)
{
    r->head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
}

static const struct perf_event_header *record_at(struct perf_ring *r, uint64_t position)
{
    uint64_t offset = position & r->mask;
    const struct perf_event_header *header = (const void *)(r->data + offset);
    uint64_t whole = r->mask + 1 - offset; /* records are of eight bytes each, so is the header */
    if (header->size <= whole || header->size > PERF_RECORD_BYTES)
        return header;
    memcpy(r->bounce, r->data + offset, whole);
    memcpy(r->bounce + whole, r->data, header->size - whole);
    return (const void *)r->bounce;
}

const struct perf_event_header *perf_ring_first(struct perf_ring *r)
{
    while (r->tail < r->head) {
        const struct perf_event_header *header = record_at(r, r->tail);
        if (header->size >= sizeof *header && header->size <= PERF_RECORD_BYTES)
            return header;
        /* A size of 0 cannot be; rather the rest is lost than this is a loop without an end. */
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

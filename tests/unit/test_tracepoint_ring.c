/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading perf's ring: records in order, across its end, contiguous, and of impossible sizes. */
#include "program/observe/tracepoint/internal.h"
#include "tests/unit/check.h"

enum { RING_BYTES = 4096 };

static struct perf_event_mmap_page page;
static _Alignas(8) unsigned char data[RING_BYTES];
static _Alignas(8) unsigned char bounce[PERF_RECORD_BYTES];

static struct perf_ring ring_at(uint64_t position)
{
    memset(&page, 0, sizeof page);
    memset(data, 0, sizeof data);
    page.data_head = page.data_tail = position;
    return (struct perf_ring){.page = &page,
                              .data = data,
                              .mask = RING_BYTES - 1,
                              .head = position,
                              .tail = position,
                              .bounce = bounce};
}

/* As the kernel writes: a record of `size` bytes, whose bytes behind the header are `fill`. */
static void write_record(unsigned size, unsigned char fill)
{
    struct perf_event_header h = {.type = PERF_RECORD_SAMPLE, .size = (uint16_t)size};
    unsigned char record[2048];
    memset(record, fill, sizeof record);
    memcpy(record, &h, sizeof h);
    for (unsigned i = 0; i < (size ? size : sizeof h); i++)
        data[(page.data_head + i) & (RING_BYTES - 1)] = record[i];
    page.data_head += size ? size : sizeof h;
}

static void check_first(struct perf_ring *r, unsigned size, unsigned char fill)
{
    const struct perf_event_header *h = perf_ring_first(r);
    CHECK(h != NULL);
    if (!h)
        return;
    CHECK_INT(h->size, size);
    const unsigned char *bytes = (const unsigned char *)h;
    for (unsigned i = sizeof *h; i < size; i++)
        CHECK_INT(bytes[i], fill);
    perf_ring_pop(r);
}

/* Many rounds, with records that lie across the end at every possible place. */
static void test_round_and_round(void)
{
    struct perf_ring r = ring_at(0);
    for (unsigned i = 0; i < 2000; i++) {
        unsigned first = 16 + 8 * (i % 100), second = 8 + 8 * (i % 7);
        write_record(first, (unsigned char)i);
        write_record(second, (unsigned char)(i + 1));
        CHECK(perf_ring_first(&r) == NULL); /* not before it was looked */
        perf_ring_look(&r);
        check_first(&r, first, (unsigned char)i);
        check_first(&r, second, (unsigned char)(i + 1));
        CHECK(perf_ring_first(&r) == NULL);
        CHECK_INT(page.data_tail, page.data_head); /* the kernel can use the room again */
    }
}

static void test_sizes(void)
{
    struct perf_ring r = ring_at(RING_BYTES - 8); /* the header is the ring's last eight bytes */
    write_record(24, 7);
    write_record(PERF_RECORD_BYTES + 8, 1); /* longer than what is read: passed over */
    write_record(16, 9);
    perf_ring_look(&r);
    check_first(&r, 24, 7);
    check_first(&r, 16, 9);
    write_record(0, 1); /* impossible: the rest is given up, and reading ends */
    write_record(16, 3);
    perf_ring_look(&r);
    CHECK(perf_ring_first(&r) == NULL);
    write_record(32, 4);
    perf_ring_look(&r);
    check_first(&r, 32, 4);
}

int main(void)
{
    test_round_and_round();
    test_sizes();
    return check_result();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks what every backend that does real I/O must do, on an unnamed file in /tmp. */
#ifndef TESTS_UNIT_BACKEND_CHECKS_H
#define TESTS_UNIT_BACKEND_CHECKS_H

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/random.h"
#include "io/io.h"
#include "io/target/target.h"

enum { FILE_BLOCKS = 256, BLOCK = 4096, DEPTH_MAX = 64 };

/* Makes a file of FILE_BLOCKS blocks of zeros, open for direct I/O if the filesystem supports it.
 */
static inline int open_test_file(bool *direct)
{
    int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    static unsigned char zeros[BLOCK];
    for (int i = 0; fd >= 0 && i < FILE_BLOCKS; i++)
        CHECK_INT(pwrite(fd, zeros, BLOCK, (off_t)i * BLOCK), BLOCK);
    *direct = fd >= 0 && fcntl(fd, F_SETFL, O_DIRECT) == 0;
    return fd;
}

static inline unsigned char *block_of(const struct io_setup *setup, unsigned slot)
{
    return setup->buffers + slot * setup->buffer_stride;
}

/* Waits for one completion; done->error is -1 when the backend itself fails. */
static inline struct io_done complete_one(struct io_backend *b, const struct io_req *request)
{
    struct io_done done = {.error = -1};
    struct err e = {0};
    CHECK_INT(b->ops->submit(b, request, 1, &e), 1);
    int n = 0;
    for (int i = 0; i < 1000 && n == 0; i++)
        n = b->ops->reap(b, &done, 1, 1, &e);
    CHECK_INT(n, 1);
    return done;
}

/*
 * Writes every block once in a shuffled order, with up to iodepth in flight, then reads all and
 * checks the data. `sequence` makes the data of each call different.
 */
static inline void check_round_trip(struct io_backend *b, const struct io_setup *setup,
                                    enum request_command op, uint64_t sequence)
{
    static unsigned char expected[BLOCK];
    struct io_req in_slot[DEPTH_MAX];
    struct io_done done[DEPTH_MAX];
    struct err e = {0};
    struct random random;
    uint16_t order[FILE_BLOCKS] = {0}, free_slots[DEPTH_MAX];
    unsigned next = 0, completed = 0, idle = setup->iodepth;
    random_seed(&random, sequence, op);
    for (unsigned i = 0; i < FILE_BLOCKS; i++) {
        unsigned j = (unsigned)random_below(&random, i + 1);
        order[i] = order[j];
        order[j] = (uint16_t)i;
    }
    for (unsigned i = 0; i < idle; i++)
        free_slots[i] = (uint16_t)i;

    while (completed < FILE_BLOCKS) {
        struct io_req requests[DEPTH_MAX];
        unsigned n = 0;
        for (; idle && next < FILE_BLOCKS; n++) {
            uint16_t slot = free_slots[--idle];
            requests[n] = in_slot[slot] = (struct io_req){.offset = (uint64_t)order[next++] * BLOCK,
                                                          .length = BLOCK,
                                                          .slot = slot,
                                                          .command = (uint8_t)op};
            if (op == REQUEST_WRITE)
                write_data_fill(block_of(setup, slot), BLOCK, requests[n].offset, sequence);
            else
                memset(block_of(setup, slot), 0, BLOCK);
        }
        CHECK_INT(b->ops->submit(b, requests, n, &e), n);
        int got = b->ops->reap(b, done, completed % 3, setup->iodepth, &e);
        CHECK(got >= 0 && (unsigned)got <= setup->iodepth);
        if (got < 0)
            return;
        for (int i = 0; i < got; i++, completed++) {
            const struct io_req *r = &in_slot[done[i].slot];
            CHECK_INT(done[i].error, 0);
            CHECK_INT(done[i].bytes, BLOCK);
            CHECK_INT(done[i].op, op);
            CHECK(done[i].t_sub > 0 && done[i].t_cpl > done[i].t_sub);
            write_data_fill(expected, BLOCK, r->offset, sequence);
            CHECK(!memcmp(block_of(setup, done[i].slot), expected, BLOCK));
            free_slots[idle++] = done[i].slot;
        }
    }
}

/* A read across the end of the file is short, one beyond it is empty, and errors come as
   completions. */
static inline void check_short_and_failed(struct io_backend *b, const struct io_setup *setup)
{
    struct io_req request = {.offset = (FILE_BLOCKS - 1) * BLOCK, .length = 2 * BLOCK};
    struct io_done done = complete_one(b, &request);
    CHECK_INT(done.error, 0);
    CHECK_INT(done.bytes, BLOCK);
    request.offset = FILE_BLOCKS * BLOCK;
    done = complete_one(b, &request);
    CHECK_INT(done.error, 0);
    CHECK_INT(done.bytes, 0);
    if (setup->direct) {
        request = (struct io_req){.offset = 1, .length = BLOCK};
        done = complete_one(b, &request);
        CHECK_INT(done.error, EINVAL);
        CHECK_INT(done.bytes, 0);
    } else {
        check_part_skipped("no direct I/O in /tmp");
    }
}

/* A file that is open only for reading: writes fail one by one, and reads continue. */
static inline void check_read_only(const struct io_ops *ops, struct io_setup setup)
{
    struct io_backend b = {0};
    struct err e = {0};
    setup.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    setup.direct = false;
    CHECK_INT(ops->open(&b, &setup, &e), 0);
    struct io_req request = {.length = 512, .command = REQUEST_WRITE};
    struct io_done done = complete_one(&b, &request);
    CHECK_INT(done.error, EBADF);
    CHECK_INT(done.op, REQUEST_WRITE);
    request.command = REQUEST_READ;
    done = complete_one(&b, &request);
    CHECK_INT(done.bytes, 512);
    CHECK(!memcmp(setup.buffers, "\177ELF", 4));
    ops->close(&b);
    CHECK(b.state == NULL);
    close(setup.fd);
}

/* A durable write can be read back, a flush completes, and completions name their operations. */
static inline void check_durable(struct io_backend *b, const struct io_setup *setup)
{
    static unsigned char expected[BLOCK];
    struct io_req request = {
        .offset = 7 * BLOCK, .length = BLOCK, .command = REQUEST_WRITE_DURABLE};
    write_data_fill(expected, BLOCK, request.offset, 99);
    memcpy(block_of(setup, 0), expected, BLOCK);
    struct io_done done = complete_one(b, &request);
    CHECK_INT(done.error, 0);
    CHECK_INT(done.bytes, BLOCK);
    CHECK_INT(done.op, REQUEST_WRITE);
    CHECK_INT(done.slot, 0);
    struct io_req flush = {.slot = (uint16_t)(setup->iodepth - 1), .command = REQUEST_FLUSH};
    done = complete_one(b, &flush);
    CHECK_INT(done.error, 0);
    CHECK_INT(done.op, REQUEST_FLUSH);
    CHECK_INT(done.bytes, 0);
    CHECK_INT(done.slot, setup->iodepth - 1);
    memset(block_of(setup, 0), 0, BLOCK);
    request.command = REQUEST_READ;
    done = complete_one(b, &request);
    CHECK_INT(done.bytes, BLOCK);
    CHECK(!memcmp(block_of(setup, 0), expected, BLOCK));
}

/* Waiting until an instant: the full time with nothing in flight, otherwise until a completion. */
static inline void check_reap_until(struct io_backend *b, const struct io_setup *setup)
{
    const struct clock *clock = setup->clock;
    struct io_done done;
    struct err e = {0};
    uint64_t until = clock_ticks(clock) + clock_ticks_of_ns(clock, 20000000);
    CHECK_INT(b->ops->reap_until(b, &done, 1, until, &e), 0);
    CHECK(clock_ticks(clock) >= until);
    CHECK_INT(b->ops->reap_until(b, &done, 1, until, &e), 0); /* in the past */
    CHECK_INT(b->ops->reap_until(b, &done, 1, 0, &e), 0);

    struct io_req request = {.length = BLOCK};
    CHECK_INT(b->ops->submit(b, &request, 1, &e), 1);
    until = clock_ticks(clock) + clock_ticks_of_ns(clock, 60000000000);
    int got = 0;
    for (int i = 0; i < 1000 && got == 0; i++)
        got = b->ops->reap_until(b, &done, 1, until, &e);
    CHECK_INT(got, 1);
    CHECK_INT(done.bytes, BLOCK);
    CHECK(clock_ticks(clock) < until);
    CHECK_INT(b->ops->reap_until(b, &done, 1, 0, &e), 0);
}

static inline void check_backend(const struct io_ops *ops, const struct io_setup *setup)
{
    struct io_backend b = {0};
    struct io_done done;
    struct err e = {0};
    if (ops->open(&b, setup, &e)) {
        CHECK_STR(e.msg, "");
        return;
    }
    CHECK(b.ops == ops && *b.description);
    CHECK_INT(e.code, ERR_NONE); /* failed attempts on the way are not an error */
    CHECK_INT(b.ops->reap(&b, &done, 0, 1, &e), 0);
    /* with nothing in flight there is nothing to wait for */
    CHECK_INT(b.ops->reap(&b, &done, 1, 1, &e), 0);
    uint64_t sequence = (uintptr_t)ops + setup->iodepth;
    check_round_trip(&b, setup, REQUEST_WRITE, sequence);
    check_round_trip(&b, setup, REQUEST_READ, sequence);
    check_short_and_failed(&b, setup);
    check_durable(&b, setup);
    check_reap_until(&b, setup);
    b.ops->close(&b);
    check_read_only(ops, *setup);
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of backends, and the choice among them by trying them on the target. */
#include "io/io.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"

#define MEASURE_NS       20000000u
#define SQPOLL_MUST_GAIN 1.05

const struct io_ops *const io_backends[] = {&io_uring, &io_sync, &io_null, NULL};

const struct io_ops *io_backend_by_name(const char *name)
{
    for (unsigned i = 0; io_backends[i]; i++)
        if (!strcmp(io_backends[i]->name, name))
            return io_backends[i];
    return NULL;
}

static size_t probe_length(const struct io_setup *setup)
{
    return setup->buffer_stride < 4096 ? setup->buffer_stride : 4096;
}

/* One read of the target's first block through an open backend. */
static int read_first_block(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    struct io_req request = {.length = (uint32_t)probe_length(setup), .op = IO_READ};
    struct io_done done = {0};
    int n = b->ops->submit(b, &request, 1, e);
    if (n == 1)
        for (n = 0; n == 0;)
            n = b->ops->reap(b, &done, 1, 1, e);
    if (n < 0)
        return -1;
    if (done.error)
        return err_set(e, ERR_TARGET, "a first read failed: %s", strerror(done.error));
    return 0;
}

static int try_backend(const struct io_ops *ops, const struct io_setup *setup, struct err *e)
{
    struct io_backend b = {0};
    if (ops->open(&b, setup, e))
        return -1;
    int status = read_first_block(&b, setup, e);
    ops->close(&b);
    return status;
}

/* Where random reads of this target may go: its size, less when that cannot be known. */
static uint64_t target_bytes(int fd)
{
    off_t end = lseek(fd, 0, SEEK_END);
    return end > 0 ? (uint64_t)end : 0;
}

/* Reads completed in some 20 ms at the full iodepth, at offsets from this seed; 0 when any fails.
 */
static uint64_t count_reads(const struct io_setup *setup, enum io_choice sqpoll)
{
    struct io_setup trial = *setup;
    trial.sqpoll = sqpoll;
    struct io_backend b = {0};
    size_t length = probe_length(setup);
    uint64_t blocks = target_bytes(setup->fd) / length;
    if (!blocks || io_uring.open(&b, &trial, NULL))
        return 0;

    struct random random;
    random_seed(&random, setup->seed, 0x7472696c);
    uint64_t end = clock_raw_ns() + MEASURE_NS, reads = 0;
    struct io_done done[32];
    unsigned free_slots = setup->iodepth;
    bool failed = false;
    for (unsigned slot = 0; clock_raw_ns() < end && !failed;) {
        for (; free_slots; free_slots--, slot++) {
            struct io_req r = {.offset = random_below(&random, blocks) * length,
                               .length = (uint32_t)length,
                               .slot = (uint16_t)(slot < setup->iodepth ? slot : done[0].slot)};
            failed |= io_uring.submit(&b, &r, 1, NULL) != 1;
        }
        int n = io_uring.reap(&b, done, 1, 1, NULL);
        failed |= n < 0 || (n == 1 && done[0].error);
        free_slots += n == 1;
        reads += n == 1;
    }
    io_uring.close(&b);
    return failed ? 0 : reads;
}

/* SQPOLL needs a CPU of its own beside each worker, and then it has to earn it. */
static void choose_sqpoll(struct io_setup *setup, char *why, size_t why_size)
{
    cpu_set_t allowed;
    unsigned workers = setup->workers ? setup->workers : 1;
    if (sched_getaffinity(0, sizeof allowed, &allowed) ||
        (unsigned)CPU_COUNT(&allowed) < 2 * workers)
        return;
    uint64_t without = count_reads(setup, IO_OFF);
    uint64_t with = without ? count_reads(setup, IO_ON) : 0;
    if (!with)
        return;
    double gain = (double)with / (double)without;
    setup->sqpoll = gain >= SQPOLL_MUST_GAIN ? IO_ON : IO_OFF;
    snprintf(why, why_size, "SQPOLL measured at %.2f of the IOPS without it: %s", gain,
             setup->sqpoll == IO_ON ? "used" : "not used");
}

/* Append a reason to the list in `why`. */
static void add_reason(char *why, size_t why_size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_reason(char *why, size_t why_size, const char *format, ...)
{
    size_t used = strlen(why);
    if (used && used + 2 < why_size) {
        memcpy(why + used, "; ", 3);
        used += 2;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(why + used, why_size - used, format, args);
    va_end(args);
}

const struct io_ops *io_choose(struct io_setup *setup, char *why, size_t why_size)
{
    why[0] = '\0';
    for (unsigned i = 0; io_backends[i]; i++) {
        const struct io_ops *ops = io_backends[i];
        struct err e;
        if (ops->needs_target != (setup->fd >= 0))
            continue;
        if (ops == &io_uring && setup->iodepth == 1) {
            add_reason(why, why_size, "uring gains nothing at iodepth 1");
            continue;
        }
        if (try_backend(ops, setup, &e)) {
            add_reason(why, why_size, "%s: %s", ops->name, e.msg);
            continue;
        }
        if (ops == &io_uring && setup->sqpoll == IO_AUTO) {
            char found[80] = "";
            choose_sqpoll(setup, found, sizeof found);
            if (*found)
                add_reason(why, why_size, "%s", found);
        }
        return ops;
    }
    return NULL;
}

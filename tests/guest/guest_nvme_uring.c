/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The nvme-uring backend on NVMe drives that the host filled: data, splitting, depths, writes,
 * statuses, the choice of a backend. Drives in order: "plain"; "small" with mdts=2 (16 KiB);
 * "large" with LBAs of 4096 bytes; "bad" with a sector that cannot be read; "shared", a namespace
 * with two paths.
 */
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "nvme_drives.h"

#include "base/random.h"
#include "io/device/block_device.h"
#include "io/io.h"
#include "io/nvme/device_failures.h"
#include "io/nvme/internal.h"
#include "io/nvme/nvme_io.h"
#include "io/target/target.h"

enum {
    DEPTH = 128, /* on "small", 2048 commands for requests of STRIDE */
    STRIDE = 256 << 10,
    FILLED = 8 << 20, /* by the host, see drive() of tests/e2e/qemu/lib.sh */
    BAD_BYTE = 1 << 20
};

static _Alignas(4096) unsigned char buffers[DEPTH * STRIDE];
static struct clock clock_of_test;

/* Returns the only namespace of the drive with that serial number. */
static bool find_drive(const char *serial, char path[64])
{
    char name[64];
    bool found = find_namespace(serial, "1", name);
    (void)snprintf(path, 64, "/dev/%.58s", name);
    return found && guest_wait_for(path, 5000);
}

static struct io_setup setup_of(const struct target *t, unsigned iodepth)
{
    return (struct io_setup){.clock = &clock_of_test,
                             .fd = t->fd,
                             .direct = t->direct,
                             .iodepth = iodepth,
                             .buffers = buffers,
                             .buffer_stride = STRIDE,
                             .nvme = &t->nvme};
}

static bool may_poll(void)
{
    struct utsname name;
    return !uname(&name) && nvme_uring_may_poll(name.release);
}

static bool open_backend(struct io_backend *b, const struct io_setup *setup)
{
    struct err e = {0};
    *b = (struct io_backend){0};
    if (!io_nvme_uring.open(b, setup, &e))
        return true;
    CHECK_STR(e.msg, "");
    return false;
}

static struct io_done complete_one(struct io_backend *b, const struct io_req *request)
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

/* `count` requests of `length` bytes at random multiples of it, with iodepth in flight. Writes put
   there what the host did, so that reads find it, whoever wrote it. */
static void do_many(struct io_backend *b, unsigned iodepth, enum request_command op,
                    uint32_t length, unsigned count)
{
    static uint64_t at[DEPTH];
    struct io_req requests[DEPTH];
    struct io_done done[DEPTH];
    uint16_t idle[DEPTH];
    struct random random;
    struct err e = {0};
    unsigned issued = 0, completed = 0, free_slots = iodepth;
    random_seed(&random, length + iodepth, op);
    for (unsigned i = 0; i < iodepth; i++)
        idle[i] = (uint16_t)i;
    while (completed < count) {
        unsigned n = 0;
        for (; free_slots && issued < count; n++, issued++) {
            uint16_t slot = idle[--free_slots];
            at[slot] = random_below(&random, FILLED / length) * length;
            requests[n] = (struct io_req){
                .offset = at[slot], .length = length, .slot = slot, .command = (uint8_t)op};
            unsigned char *data = buffers + (size_t)slot * STRIDE;
            if (op == REQUEST_WRITE)
                fill_numbers(data, HOST_NUMBERS, at[slot], length);
            else
                memset(data, 0, length);
        }
        struct io_exchange x = {
            .requests = requests, .n = n, .min = 1, .max = iodepth, .done = done, .e = &e};
        int got = b->ops->exchange(b, &x);
        CHECK_INT(x.taken, n);
        CHECK(got >= 0);
        if (got < 0)
            return;
        for (int i = 0; i < got; i++, completed++) {
            uint16_t slot = done[i].slot;
            CHECK_INT(done[i].error, 0);
            CHECK_INT(done[i].bytes, length);
            CHECK_INT(done[i].op, op);
            CHECK(done[i].t_sub > 0 && done[i].t_cpl > done[i].t_sub);
            if (op == REQUEST_READ)
                CHECK(
                    holds_numbers(buffers + (size_t)slot * STRIDE, HOST_NUMBERS, at[slot], length));
            idle[free_slots++] = slot;
        }
    }
}

static void check_depths(const struct target *t, const char *what, enum io_choice sqpoll)
{
    static const unsigned depths[] = {1, 2, 8, 32, DEPTH};
    static const uint32_t lengths[] = {4096, 20480, STRIDE};
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
        struct io_setup setup = setup_of(t, depths[d]);
        struct io_backend b;
        setup.sqpoll = sqpoll;
        if (!open_backend(&b, &setup))
            return;
        if (d == 0)
            printf("%s: %s; %s\n", what, t->nvme.description, b.description);
        CHECK(strstr(b.description, "registered buffers and file") != NULL);
        CHECK_INT(b.polls, t->nvme.poll_queues && may_poll());
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
            do_many(&b, depths[d], REQUEST_READ, lengths[l], lengths[l] > 8192 ? 100 : 300);
        CHECK_INT(b.statuses.count, 0);
        io_nvme_uring.close(&b);
        CHECK(b.state == NULL);
    }
}

/* Invalid requests are not sent, and fail like any I/O; so do those that the device refuses. */
static void check_refusals(const struct target *t)
{
    struct target beyond = *t;
    struct io_setup setup = setup_of(t, 4);
    struct io_backend b;
    uint64_t size = t->nvme.blocks * t->nvme.block_size;
    if (!open_backend(&b, &setup))
        return;
    static const struct {
        int64_t offset; /* a negative value counts from the end */
        uint32_t length;
        enum request_command op;
    } bad[] = {{1, 4096, REQUEST_READ},       {0, 4095, REQUEST_READ}, {-2048, 4096, REQUEST_READ},
               {0, STRIDE * 2, REQUEST_READ}, {0, 0, REQUEST_READ},    {0, 4096, REQUEST_WRITE}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct io_req request = {.offset = (bad[i].offset < 0 ? size : 0) + (uint64_t)bad[i].offset,
                                 .length = bad[i].length,
                                 .slot = 3,
                                 .command = (uint8_t)bad[i].op};
        struct io_done done = complete_one(&b, &request);
        CHECK_INT(done.error, EINVAL);
        CHECK_INT(done.bytes, 0);
        CHECK_INT(done.slot, 3);
        CHECK_INT(done.op, bad[i].op);
    }
    CHECK_INT(b.statuses.count, 0);
    io_nvme_uring.close(&b);

    /* The same namespace, claimed to be larger than it is: now the device refuses all parts of the
       request, which fails once. */
    beyond.nvme.blocks *= 2;
    setup = setup_of(&beyond, 4);
    if (!open_backend(&b, &setup))
        return;
    struct io_req request = {.offset = size, .length = 64 << 10, .slot = 2};
    struct io_done done = complete_one(&b, &request);
    CHECK_INT(done.error, nvme_errno(0x4080));
    CHECK_INT(done.bytes, 0);
    CHECK_INT(b.statuses.count, 1);
    CHECK_INT(b.statuses.rows[0].status, 0x4080); /* LBA Out of Range, do not retry */
    CHECK_INT(b.statuses.rows[0].count, nvme_parts(&t->nvme, REQUEST_READ, 64 << 10));
    CHECK_STR(nvme_status_name((uint16_t)b.statuses.rows[0].status), "LBA Out of Range");
    /* Half of it is there. */
    request.offset = size - (32 << 10);
    done = complete_one(&b, &request);
    CHECK_INT(done.error, nvme_errno(0x4080));
    CHECK_INT(done.bytes, 0);
    request = (struct io_req){.length = 4096, .slot = 1};
    done = complete_one(&b, &request);
    CHECK_INT(done.error, 0);
    CHECK(holds_numbers(buffers + STRIDE, HOST_NUMBERS, 0, 4096));
    io_nvme_uring.close(&b);
}

static void check_writes(const char *path)
{
    struct target t;
    struct io_backend b;
    struct io_setup setup;
    static unsigned char read_back[4096];
    if (!open_target(&t, path, true))
        return;
    setup = setup_of(&t, 8);
    if (open_backend(&b, &setup)) {
        do_many(&b, 8, REQUEST_WRITE, 64 << 10, 64);
        do_many(&b, 8, REQUEST_READ, 64 << 10, 64);
        /* Beyond the host's data, which is checked later. */
        memset(buffers, 'w', STRIDE);
        struct io_req request = {
            .offset = 2 * FILLED + 8192, .length = STRIDE, .slot = 0, .command = REQUEST_WRITE};
        struct io_done done = complete_one(&b, &request);
        CHECK_INT(done.error, 0);
        CHECK_INT(done.bytes, STRIDE);
        io_nvme_uring.close(&b);
        CHECK_INT(b.statuses.count, 0);
        CHECK(b.flush.needed);
        CHECK_INT(b.flush.error, 0);
    }
    /* The block layer reads the same. */
    CHECK_INT(pread(t.fd, buffers, 4096, 2 * FILLED + 8192), 4096);
    memset(read_back, 'w', sizeof read_back);
    CHECK(!memcmp(buffers, read_back, sizeof read_back));
    CHECK_INT(open(path, O_RDONLY | O_EXCL | O_CLOEXEC), -1);
    /* Through the block layer, as a session compares: the ring has the descriptor registered. */
    setup.iopoll = IO_OFF;
    struct err e = {0};
    if (!io_uring.open(&b, &setup, &e)) {
        struct io_req request = {.length = 4096};
        CHECK_INT(complete_one(&b, &request).error, 0);
        io_uring.close(&b);
    }
    target_close(&t);
    int fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC); /* at once */
    CHECK(fd >= 0);
    close(fd);
}

static void check_bad_sector(const char *path)
{
    struct target t;
    struct io_backend b;
    if (!open_target(&t, path, false))
        return;
    struct io_setup setup = setup_of(&t, 4);
    if (open_backend(&b, &setup)) {
        struct io_req request = {.offset = BAD_BYTE & ~4095, .length = 4096, .slot = 1};
        struct io_done done = complete_one(&b, &request);
        CHECK_INT(done.error, nvme_errno(0x281));
        CHECK_INT(done.bytes, 0);
        CHECK_INT(b.statuses.count, 1);
        CHECK_INT(b.statuses.rows[0].status & 0x7ff, 0x281);
        CHECK_INT(io_statuses_of(&b.statuses, NVME_STATUS_MEDIA), 1); /* once: nothing is retried */
        request.offset += 4096;
        done = complete_one(&b, &request);
        CHECK_INT(done.error, 0);
        io_nvme_uring.close(&b);
    }
    /* A status that comes while the backend is being closed counts as well. */
    if (open_backend(&b, &setup)) {
        struct io_req request = {.offset = BAD_BYTE, .length = 4096};
        struct io_done done;
        struct err e = {0};
        CHECK_INT(b.ops->submit(&b, &request, 1, &e), 1);
        int came = b.ops->reap(&b, &done, 0, 1, &e);
        CHECK(came == 0 || came == 1);
        io_nvme_uring.close(&b);
        CHECK_INT(io_statuses_of(&b.statuses, NVME_STATUS_MEDIA), 1);
    }
    target_close(&t);
}

static void check_choice(const struct target *t)
{
    char why[400];
    static const unsigned depths[] = {1, 32};
    for (int i = 0; i < 2; i++) {
        struct io_setup setup = setup_of(t, depths[i]);
        setup.buffer_stride = 4096; /* in one piece */
        CHECK(io_choose(&setup, why, sizeof why) == &io_nvme_uring);
        CHECK(strstr(why, "past the block layer") != NULL);
        setup.direct = false;
        CHECK(io_choose(&setup, why, sizeof why) == (i ? &io_uring : &io_sync));
        setup.direct = true;
        setup.iopoll = IO_ON;
        const struct io_ops *ops = io_choose(&setup, why, sizeof why);
        CHECK(ops == (!t->nvme.poll_queues ? NULL : may_poll() ? &io_nvme_uring : &io_uring));
        CHECK(t->nvme.poll_queues || strstr(why, "no poll queues") != NULL);
        CHECK(ops != &io_uring || strstr(why, "may crash") != NULL);
        struct target forbidden = *t;
        forbidden.nvme.usable = false;
        (void)snprintf(forbidden.nvme.why_not, sizeof forbidden.nvme.why_not, "not permitted");
        setup = setup_of(&forbidden, depths[i]);
        CHECK(io_choose(&setup, why, sizeof why) == (i ? &io_uring : &io_sync));
        CHECK(strstr(why, "nvme-uring: not permitted") != NULL);
    }
}

/* The generic device by its own name: the same namespace, with no other way to read it. */
static void check_generic(const struct target *block)
{
    struct target t;
    char why[400];
    if (!open_target(&t, block->nvme.generic_path, false))
        return;
    CHECK_INT(t.kind, TARGET_GENERIC);
    CHECK(t.device == block->device && t.size == block->size);
    struct io_setup setup = setup_of(&t, 1);
    CHECK(io_choose(&setup, why, sizeof why) == &io_nvme_uring);
    struct io_backend b;
    if (open_backend(&b, &setup)) {
        do_many(&b, 1, REQUEST_READ, 4096, 100);
        io_nvme_uring.close(&b);
    }
    target_close(&t);
}

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return check_that(written, __FILE__, __LINE__, path);
}

/* The driver is bound to the drive again, now with a polled queue. */
static bool give_poll_queue(const char *path)
{
    char link[100], address[200], target[200]; /* the disk's device is the controller, and so on */
    (void)snprintf(link, sizeof link, "/sys/class/block/%.16s/device/device", path + 5);
    ssize_t length = readlink(link, target, sizeof target - 1);
    CHECK(length > 0);
    target[length > 0 ? length : 0] = '\0';
    const char *name = strrchr(target, '/');
    (void)snprintf(address, sizeof address, "%s", name ? name + 1 : target);
    return write_file("/sys/module/nvme/parameters/poll_queues", "1") &&
           write_file("/sys/bus/pci/drivers/nvme/unbind", address) &&
           write_file("/sys/bus/pci/drivers/nvme/bind", address);
}

static void check_polling(const char *serial)
{
    char path[64];
    struct target t;
    bool ready = find_drive(serial, path) && give_poll_queue(path) && find_drive(serial, path);
    CHECK(ready);
    if (!ready || !open_target(&t, path, false))
        return;
    CHECK(t.nvme.poll_queues);
    check_depths(&t, "polled", IO_OFF);
    check_refusals(&t);
    check_choice(&t);
    struct io_setup setup = setup_of(&t, 4);
    struct io_backend b;
    setup.iopoll = IO_OFF;
    if (open_backend(&b, &setup)) {
        CHECK(!b.polls && strstr(b.description, "by interrupt"));
        io_nvme_uring.close(&b);
    }
    target_close(&t);
    check_writes(path);
}

/* ---- two paths to one namespace ---- */

/* Unbinds every controller of that serial number from the driver, or binds it again. The addresses
   are noted while they exist. */
static unsigned find_controllers(const char *serial, char addresses[][32], unsigned most)
{
    unsigned count = 0;
    for (int i = 0; i < 16 && count < most; i++) {
        char folder[64], text[64];
        (void)snprintf(folder, sizeof folder, "/sys/class/nvme/nvme%d", i);
        read_attribute(folder, "serial", text);
        if (strcmp(text, serial) != 0)
            continue;
        read_attribute(folder, "address", text);
        (void)snprintf(addresses[count++], 32, "%.31s", text);
    }
    return count;
}

static bool bind_again(char addresses[][32], unsigned count)
{
    bool done = true;
    for (unsigned i = 0; i < count; i++)
        done = done && write_file("/sys/bus/pci/drivers/nvme/unbind", addresses[i]);
    for (unsigned i = 0; i < count; i++)
        done = done && write_file("/sys/bus/pci/drivers/nvme/bind", addresses[i]);
    return done;
}

/* The head of joined paths is polled if all paths are, whatever its own queue says. */
static bool comes_to_poll(const char *serial, bool expected)
{
    for (int i = 0; i < 100; i++) {
        char path[64];
        struct stat st;
        if (find_drive(serial, path) && !stat(path, &st) &&
            device_has_poll_queues("", st.st_rdev) == expected)
            return true;
        guest_sleep(50);
    }
    return false;
}

static void check_joined_paths(void)
{
    char addresses[4][32], path[64];
    static const char parameter[] = "/sys/module/nvme/parameters/poll_queues";
    CHECK_INT(find_controllers("shared", addresses, 4), 2);
    CHECK(find_drive("shared", path));
    CHECK(comes_to_poll("shared", false));
    CHECK(write_file(parameter, "1") && bind_again(addresses, 2));
    CHECK(comes_to_poll("shared", true));
    /* One path without such queues; the head keeps its flag in Linux 6.1, and not in 6.12. */
    CHECK(write_file(parameter, "0") && bind_again(addresses, 1));
    guest_sleep(2000);
    CHECK(write_file(parameter, "1"));
    CHECK(comes_to_poll("shared", false));
}

static void check_drive(const char *serial)
{
    char path[64];
    struct target t;
    CHECK(find_drive(serial, path));
    if (!open_target(&t, path, false))
        return;
    CHECK(t.nvme.is_nvme && t.nvme.usable);
    check_depths(&t, serial, IO_OFF);
    check_refusals(&t);
    check_choice(&t);
    check_generic(&t);
    target_close(&t);
    check_writes(path);
}

static void test(void)
{
    char path[64];
    struct target t;
    clock_calibrate(&clock_of_test, 20, false);
    check_drive("plain");
    check_drive("small");
    check_drive("large");
    CHECK(find_drive("bad", path));
    check_bad_sector(path);
    cpu_set_t cpus;
    CHECK(find_drive("plain", path) && !sched_getaffinity(0, sizeof cpus, &cpus));
    if (CPU_COUNT(&cpus) > 1 && open_target(&t, path, false)) {
        check_depths(&t, "SQPOLL", IO_ON);
        target_close(&t);
    }
    check_joined_paths();
    check_polling("plain");
    check_polling("small");
}

int main(void)
{
    return guest_run(test);
}

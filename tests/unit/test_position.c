/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The backends that use the file's position, readwrite and stdio; and the begin of a pass. */
#include "backend_checks.h"

#include <sys/stat.h>

static struct io_done write_at(struct io_backend *b, const struct io_setup *setup, uint64_t offset,
                               uint64_t sequence)
{
    const struct io_req request = {.offset = offset, .length = BLOCK, .command = REQUEST_WRITE};
    write_data_fill(block_of(setup, 0), BLOCK, offset, sequence);
    return complete_one(b, &request);
}

static uint64_t size_of(int fd)
{
    struct stat st = {0};
    CHECK_INT(fstat(fd, &st), 0);
    return (uint64_t)st.st_size;
}

/* Two passes of four blocks over a file of many blocks: the file has what the last pass wrote. */
static void check_new_file(const struct io_ops *ops, struct io_setup setup)
{
    static _Alignas(4096) unsigned char found[BLOCK], expected[BLOCK];
    struct io_backend b = {0};
    struct err e;
    setup.pass = IO_PASS_NEW_FILE;
    CHECK_INT(ops->open(&b, &setup, &e), 0);
    CHECK(size_of(setup.fd) > 4 * BLOCK);
    for (uint64_t pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < 4; i++)
            CHECK_INT(write_at(&b, &setup, i * BLOCK, pass * 4 + i).bytes, BLOCK);
    CHECK_INT(write_at(&b, &setup, 0, 9).error, 0);
    ops->close(&b);
    CHECK_INT(size_of(setup.fd), BLOCK);
    CHECK_INT(pread(setup.fd, found, BLOCK, 0), BLOCK);
    write_data_fill(expected, BLOCK, 0, 9);
    CHECK(!memcmp(found, expected, BLOCK));
}

/* A pass whose preparation fails fails its first request. */
static void check_unprepared(const struct io_ops *ops, struct io_setup setup)
{
    struct io_backend b = {0};
    struct err e;
    char path[40];
    int writable = setup.fd;
    snprintf(path, sizeof path, "/proc/self/fd/%d", writable);
    setup.fd = open(path, O_RDONLY | O_CLOEXEC);
    setup.direct = false;
    setup.pass = IO_PASS_NEW_FILE;
    CHECK_INT(ops->open(&b, &setup, &e), 0);
    struct io_done done = complete_one(&b, &(struct io_req){.length = BLOCK});
    CHECK_INT(done.error, EINVAL);
    CHECK_INT(done.bytes, 0);
    ops->close(&b);
    close(setup.fd);
}

/* A read at the file's end is short; the next one seeks again. */
static void check_end(const struct io_ops *ops, const struct io_setup *setup)
{
    struct io_backend b = {0};
    struct err e;
    CHECK_INT(ops->open(&b, setup, &e), 0);
    CHECK_INT(ftruncate(setup->fd, 3 * BLOCK), 0);
    const struct io_req last = {.offset = 2 * BLOCK, .length = 2 * BLOCK};
    CHECK_INT(complete_one(&b, &last).bytes, BLOCK);
    CHECK_INT(complete_one(&b, &last).error, 0);
    CHECK_INT(complete_one(&b, &(struct io_req){.offset = BLOCK, .length = BLOCK}).bytes, BLOCK);
    CHECK_INT(complete_one(&b, &(struct io_req){.command = REQUEST_FLUSH}).error, 0);
    ops->close(&b);
}

/* Two workers on one descriptor do not change each other's positions. */
static void check_two(const struct io_ops *ops, const struct io_setup *setup)
{
    static unsigned char expected[BLOCK];
    struct io_backend one = {0}, other = {0};
    struct err e;
    CHECK_INT(ops->open(&one, setup, &e), 0);
    for (uint64_t i = 0; i < 8; i++)
        CHECK_INT(write_at(&one, setup, i * BLOCK, i).error, 0);
    CHECK_INT(complete_one(&one, &(struct io_req){.command = REQUEST_FLUSH}).error, 0);
    CHECK_INT(ops->open(&other, setup, &e), 0);
    for (uint64_t i = 0; i < 8; i++) {
        uint64_t block = i % 2 ? 7 - i / 2 : i / 2;
        const struct io_req request = {.offset = block * BLOCK, .length = BLOCK};
        CHECK_INT(complete_one(i % 2 ? &other : &one, &request).bytes, BLOCK);
        write_data_fill(expected, BLOCK, request.offset, block);
        CHECK(!memcmp(block_of(setup, 0), expected, BLOCK));
    }
    ops->close(&one);
    ops->close(&other);
}

static void check_all(const struct io_ops *ops, bool direct)
{
    static _Alignas(4096) unsigned char buffers[DEPTH_MAX * 2 * BLOCK];
    static struct clock clock;
    struct io_setup setup = {
        .clock = &clock, .iodepth = 1, .buffers = buffers, .buffer_stride = 2 * BLOCK};
    clock_calibrate(&clock, 10, false);
    setup.fd = open_test_file(&setup.direct);
    if (!direct) {
        CHECK_INT(fcntl(setup.fd, F_SETFL, 0), 0);
        setup.direct = false;
    }
    check_backend(ops, &setup);
    setup.iodepth = 16;
    check_backend(ops, &setup);
    setup.iodepth = 1;
    check_two(ops, &setup);
    check_new_file(ops, setup);
    check_unprepared(ops, setup);
    for (uint64_t i = 0; i < 4; i++)
        CHECK_INT(pwrite(setup.fd, buffers, BLOCK, (off_t)(i * BLOCK)), BLOCK);
    check_end(ops, &setup);
    close(setup.fd);
}

static void check_direct_refused(void)
{
    struct io_setup setup = {.fd = 0, .direct = true, .iodepth = 1};
    struct io_backend b = {0};
    struct err e;
    CHECK_INT(io_stdio.open(&b, &setup, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "aligned") != NULL);
}

int main(void)
{
    bool direct;
    int fd = open_test_file(&direct);
    if (fd < 0)
        return CHECK_SKIPPED;
    close(fd);
    check_all(&io_readwrite, true);
    check_all(&io_readwrite, false);
    check_all(&io_stdio, false);
    check_direct_refused();
    return check_result();
}

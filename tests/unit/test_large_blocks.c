/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A disk whose logical blocks are larger than a page: opened, tried and read by every backend that
 * goes through the block layer. Needs a kernel that has such disks (Linux 6.15), and root. */
#include "backend_checks.h"
#include "loop_device.h"

enum { LARGE = 16384, BLOCKS = 64 };

static _Alignas(LARGE) unsigned char buffers[4 * LARGE];
static struct clock clock_of_test;

/* Makes a file of random data whose first blocks are zeros. */
static int backing_file(unsigned zeros)
{
    int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    for (unsigned i = 0; fd >= 0 && i < BLOCKS; i++) {
        write_data_fill(buffers, LARGE, (uint64_t)i * LARGE, 1);
        if (i < zeros)
            memset(buffers, 0, LARGE);
        CHECK_INT(pwrite(fd, buffers, LARGE, (off_t)i * LARGE), LARGE);
    }
    return fd;
}

static bool attach(struct loop_device *l, unsigned zeros)
{
    if (!loop_attach(l, backing_file(zeros)))
        return false;
    if (!syscall(SYS_ioctl, l->fd, LOOP_SET_BLOCK_SIZE, (unsigned long)LARGE))
        return true;
    loop_detach(l);
    return false;
}

static void check_reads(const struct target *t)
{
    static const struct io_ops *const kinds[] = {&io_sync, &io_uring};
    static unsigned char expected[LARGE];
    write_data_fill(expected, LARGE, (BLOCKS - 1) * LARGE, 1);
    for (unsigned i = 0; i < 2; i++) {
        struct io_setup setup = {.clock = &clock_of_test,
                                 .fd = t->fd,
                                 .direct = t->direct,
                                 .iodepth = i ? 4 : 1,
                                 .buffers = buffers,
                                 .buffer_stride = LARGE};
        struct io_backend b = {0};
        struct err e = {0};
        char why[400] = "";
        struct io_req request = {.offset = (BLOCKS - 1) * LARGE, .length = LARGE};
        if (kinds[i]->open(&b, &setup, &e)) {
            check_part_skipped(e.msg);
            continue;
        }
        CHECK_INT(complete_one(&b, &request).bytes, LARGE);
        CHECK(!memcmp(buffers, expected, LARGE));
        kinds[i]->close(&b);
        if (io_choose(&setup, why, sizeof why) != kinds[i])
            CHECK_STR(why, "");
    }
}

int main(void)
{
    struct loop_device l;
    struct target t;
    struct err e = {0};
    clock_calibrate(&clock_of_test, 10, false);
    if (!attach(&l, BLOCKS / 4))
        return CHECK_SKIPPED;
    struct target_request request = {.path = l.path, .read = true, .direct = true, .seed = 1};
    if (target_open(&t, &request, NULL, NULL, NULL, &e)) {
        CHECK_STR(e.msg, "");
    } else {
        CHECK_INT(t.logical_block, LARGE);
        CHECK_NEAR(t.unwritten_share, 0.25, 1e-12);
        check_reads(&t);
        target_close(&t);
    }
    loop_detach(&l);
    return check_result();
}

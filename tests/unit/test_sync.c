/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sync backend: real reads and writes, one at a time, and how it is chosen. */
#include "backend_checks.h"

static void check_one_at_a_time(const struct io_setup *setup)
{
    struct io_backend b = {0};
    struct err e;
    struct io_done done[4];
    struct io_req requests[4];
    CHECK_INT(io_sync.open(&b, setup, &e), 0);
    for (unsigned i = 0; i < 4; i++)
        requests[i] =
            (struct io_req){.offset = i * BLOCK, .length = BLOCK, .slot = (uint16_t)(3 - i)};
    CHECK_INT(io_sync.submit(&b, requests, 4, &e), 4);
    CHECK_INT(io_sync.reap(&b, done, 0, 4, &e), 1); /* it cannot wait, so it does one request */
    CHECK_INT(done[0].slot, 3);
    CHECK_INT(io_sync.submit(&b, requests, 1, &e), 1);
    CHECK_INT(io_sync.submit(&b, requests, 1, &e), setup->iodepth > 4);
    CHECK_INT(io_sync.reap(&b, done, 2, 4, &e), 2);
    CHECK_INT(done[1].slot, 1);
    CHECK(done[1].t_sub >= done[0].t_cpl); /* each has its own timestamps */
    io_sync.close(&b);
}

int main(void)
{
    static _Alignas(4096) unsigned char buffers[DEPTH_MAX * 2 * BLOCK];
    struct clock clock;
    clock_calibrate(&clock, 10, false);
    struct io_setup setup = {
        .clock = &clock, .iodepth = 1, .buffers = buffers, .buffer_stride = 2 * BLOCK};
    setup.fd = open_test_file(&setup.direct);
    if (setup.fd < 0)
        return CHECK_SKIPPED;
    check_backend(&io_sync, &setup);
    setup.iodepth = 4;
    check_one_at_a_time(&setup);
    setup.iodepth = 16;
    check_backend(&io_sync, &setup);
    check_one_at_a_time(&setup);

    char why[200];
    setup.iodepth = 1;
    CHECK(io_choose(&setup, why, sizeof why) == &io_sync);
    CHECK(strstr(why, "iodepth 1") != NULL);
    setup.fd = -1;
    CHECK(io_choose(&setup, why, sizeof why) == &io_null);
    CHECK(*why != '\0');
    CHECK(io_backend_by_name("sync") == &io_sync);
    return check_result();
}

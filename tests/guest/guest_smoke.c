/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The harness itself: an NVMe drive that the host filled is found and holds what the host wrote. */
#include <stdint.h>

#include "guest.h"

static void test(void)
{
    char record[17], expected[17];
    CHECK(guest_wait_for("/dev/nvme0n1", 5000));
    int fd = open("/dev/nvme0n1", O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    for (int64_t n = 0; n < 4 << 20 >> 4; n += 997) {
        (void)snprintf(expected, sizeof expected, "%lld\n", (long long)(100000000000000 + n));
        CHECK_INT(pread(fd, record, 16, n * 16), 16);
        CHECK(memcmp(record, expected, 16) == 0);
    }
    CHECK_INT(lseek(fd, 0, SEEK_END), 64 << 20);
    close(fd);
    CHECK_INT(access("/sys/module/null_blk", F_OK), 0);
}

int main(void)
{
    return guest_run(test);
}

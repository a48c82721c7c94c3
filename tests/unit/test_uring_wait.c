/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The io_uring backend waits for a completion until an instant, with each kind of ring. */
#include "backend_checks.h"

#include <sched.h>
#include <signal.h>
#include <sys/time.h>

static void do_nothing(int signal_number)
{
    (void)signal_number;
}

/* It waits for a missing completion until the given time and no longer; a signal ends the wait,
   too. */
static void check_wait_until(struct io_setup setup)
{
    int ends[2];
    CHECK_INT(pipe(ends), 0);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = do_nothing}, NULL);
    setup.fd = ends[0];
    setup.direct = false;
    setup.iopoll = IO_OFF;
    struct io_backend b = {0};
    struct err e;
    struct io_done done;
    struct io_req request = {.length = 16};
    CHECK_INT(io_uring.open(&b, &setup, &e), 0);
    CHECK_INT(io_uring.submit(&b, &request, 1, &e), 1);
    for (int i = 0; i < 3; i++) {
        uint64_t until = clock_ticks(setup.clock) + clock_ticks_of_ns(setup.clock, 15000000);
        CHECK_INT(io_uring.reap_until(&b, &done, 1, until, &e), 0);
        CHECK(clock_ticks(setup.clock) >= until);
    }
    CHECK(b.handed_over > 0);
    uint64_t begin = clock_raw_ns(),
             far = clock_ticks(setup.clock) + clock_ticks_of_ns(setup.clock, 600000000000);
    struct itimerval timer = {.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000};
    setitimer(ITIMER_REAL, &timer, NULL);
    CHECK_INT(io_uring.reap_until(&b, &done, 1, far, &e), 0);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    CHECK(clock_raw_ns() - begin < 60000000000);
    CHECK_INT(write(ends[1], "0123456789abcdef", 16), 16);
    CHECK_INT(io_uring.reap_until(&b, &done, 1, far, &e), 1);
    CHECK_INT(done.bytes, 16);
    CHECK_INT(done.t_sub, b.handed_over);
    io_uring.close(&b);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    static _Alignas(4096) unsigned char buffers[4 * BLOCK];
    struct clock clock;
    cpu_set_t allowed;
    clock_calibrate(&clock, 10, false);
    struct io_setup setup = {
        .clock = &clock, .fd = -1, .iodepth = 4, .buffers = buffers, .buffer_stride = BLOCK};
    struct io_backend b = {0};
    struct err e = {0};
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    setup.fd = fd;
    if (io_uring.open(&b, &setup, &e)) {
        printf("%s\n", e.msg);
        return CHECK_SKIPPED;
    }
    io_uring.close(&b);
    close(fd);
    check_wait_until(setup);
    CHECK_INT(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    setup.sqpoll = IO_ON;
    if (CPU_COUNT(&allowed) > 1)
        check_wait_until(setup);
    else
        check_part_skipped("SQPOLL needs a second processor");
    return check_result();
}

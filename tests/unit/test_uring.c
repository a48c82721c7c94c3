/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The io_uring backend: real I/O many at a time, signals, and kernels that refuse it.
 * Timed: how long a close waits for what is in flight, and reads beside a thread that polls. */
#include "backend_checks.h"
#include "loop_device.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "io/ring/ring.h"

enum { UID_NOBODY = 65534 };

static void do_nothing(int signal_number)
{
    (void)signal_number;
}

/* A read from an empty pipe waits; a signal ends the wait, and the read still completes later. */
static void check_signal(struct io_setup setup)
{
    int ends[2];
    CHECK_INT(pipe(ends), 0);
    setup.fd = ends[0];
    setup.direct = false;
    setup.iopoll = IO_OFF;
    struct io_backend b = {0};
    struct err e;
    struct io_done done;
    struct io_req request = {.length = 16, .slot = 2};
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = do_nothing}, NULL);
    CHECK_INT(io_uring.open(&b, &setup, &e), 0);
    CHECK_INT(io_uring.submit(&b, &request, 1, &e), 1);
    /* The signal is sent repeatedly, since a single one could come before the wait begins. */
    struct itimerval timer = {.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000};
    setitimer(ITIMER_REAL, &timer, NULL);
    CHECK_INT(io_uring.reap(&b, &done, 1, 1, &e), 0);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    CHECK_INT(io_uring.reap(&b, &done, 0, 1, &e), 0);
    CHECK_INT(write(ends[1], "0123456789abcdef", 16), 16);
    CHECK_INT(io_uring.reap(&b, &done, 1, 1, &e), 1);
    CHECK_INT(done.bytes, 16);
    CHECK_INT(done.slot, 2);
    CHECK(!memcmp(block_of(&setup, 2), "0123456789abcdef", 16));
    CHECK(clock_ns(setup.clock, done.t_cpl - done.t_sub) >= 10000000);

    io_uring.close(&b);
    close(ends[0]);
    close(ends[1]);
}

/* Closing does not wait forever for requests that never complete. */
static void check_close(struct io_setup setup)
{
    int ends[2];
    CHECK_INT(pipe(ends), 0);
    setup.fd = ends[0];
    setup.direct = false;
    struct io_backend b = {0};
    struct err e;
    struct io_done done;
    struct io_req request = {.length = 16};
    CHECK_INT(io_uring.open(&b, &setup, &e), 0);
    CHECK_INT(io_uring.submit(&b, &request, 1, &e), 1);
    CHECK_INT(io_uring.reap(&b, &done, 0, 1, &e), 0);
    uint64_t begin = clock_raw_ns();
    io_uring.close(&b);
    uint64_t took = clock_raw_ns() - begin;
    CHECK(took > 1000000000 && took < 20000000000u);
    close(ends[0]);
    close(ends[1]);
}

/* ---- the ring by itself ---- */

static int test_fd; /* what queue_read reads from; -1: entries that do nothing */

static bool queue_read(struct ring *r, unsigned slot)
{
    struct io_uring_sqe *sqe = ring_entry(r, slot);
    if (!sqe)
        return false;
    if (test_fd < 0)
        io_uring_prep_nop(sqe);
    else
        io_uring_prep_read(sqe, test_fd, r->setup.buffers, r->slots[slot].request.length, 0);
    sqe->user_data = slot;
    return true;
}

static unsigned collect_all(struct ring *r, struct io_done done[], unsigned most)
{
    unsigned n = 0, head;
    struct io_uring_cqe *cqe;
    io_uring_for_each_cqe(&r->uring, head, cqe)
    {
        if (n == most)
            break;
        done[n++].op_and_slot = (uint16_t)cqe->user_data;
    }
    io_uring_cq_advance(&r->uring, n);
    r->entries -= n;
    r->in_flight -= n;
    return n;
}

static bool make_ring(struct ring *r, struct io_setup setup, int fd)
{
    static const struct ring_ops ops = {.queue = queue_read, .collect = collect_all};
    const struct ring_request request = {
        .fd = setup.fd, .entries = setup.iodepth, .piece = setup.buffer_stride};
    struct err e = {0};
    test_fd = fd;
    *r = (struct ring){0};
    if (!ring_reserve(r, &ops, &setup, setup.iodepth, &e) && !ring_make(r, &request, &e))
        return true;
    CHECK_STR(e.msg, "");
    return false;
}

static void *write_later(void *context)
{
    const int *fd = context;
    nanosleep(&(struct timespec){.tv_nsec = 150000000}, NULL);
    CHECK_INT(write(*fd, "0123456789abcdef", 16), 16);
    return NULL;
}

/* A signal does not end a trial read: the kernel may still write into its memory, which must not be
   reused. */
static void check_probe_under_signals(struct io_setup setup)
{
    int ends[2];
    struct ring r;
    pthread_t thread;
    sigset_t alarm, before;
    CHECK_INT(pipe(ends), 0);
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    if (!make_ring(&r, setup, ends[0]))
        return;
    pthread_sigmask(SIG_BLOCK, &alarm, &before); /* the signals are for this thread */
    CHECK_INT(pthread_create(&thread, NULL, write_later, &ends[1]), 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    struct itimerval timer = {.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000};
    setitimer(ITIMER_REAL, &timer, NULL);
    CHECK_INT(ring_probe_read(&r, 16), 16);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    CHECK_INT(r.entries, 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
    ring_drop(&r);
    ring_release(&r);
    close(ends[0]);
    close(ends[1]);
}

/* Entries handed to the kernel's thread are not handed over again, however fast it was: bookkeeping
   beside the queue would overflow. */
static void check_sqpoll_hand_over(struct io_setup setup)
{
    struct ring r;
    struct io_backend b = {.state = &r};
    struct io_done done[8];
    struct err e = {0};
    setup.iodepth = 8;
    if (!make_ring(&r, setup, -1))
        return;
    CHECK(r.kernel_submits);
    for (uint16_t i = 0; i < 64; i++) {
        /* As if it took the entry before its progress was read. */
        unsigned taken = *r.uring.sq.ktail + 1, *head = r.uring.sq.khead;
        struct io_req request = {.slot = i % 8};
        r.uring.sq.khead = &taken;
        CHECK_INT(ring_submit(&b, &request, 1, &e), 1);
        r.uring.sq.khead = head;
        CHECK_INT(r.unsent, 0);
        while (r.in_flight)
            CHECK(ring_reap(&b, done, 1, 8, &e) >= 0);
    }
    CHECK(ring_close(&r));
    ring_release(&r);
}

/* Completions one by one do not lengthen the closing of a ring. */
static void check_close_in_all(struct io_setup setup)
{
    int ends[2];
    struct ring r;
    struct io_backend b = {.state = &r};
    struct io_done done;
    struct err e = {0};
    CHECK_INT(pipe(ends), 0);
    setup.iodepth = 4;
    if (!make_ring(&r, setup, ends[0]))
        return;
    for (uint16_t slot = 0; slot < 3; slot++) {
        struct io_req request = {.length = 16, .slot = slot};
        CHECK_INT(ring_submit(&b, &request, 1, &e), 1);
    }
    CHECK_INT(ring_reap(&b, &done, 0, 1, &e), 0);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 2; i++) {
            nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 500000000}, NULL);
            if (write(ends[1], "0123456789abcdef", 16) != 16)
                _exit(1);
        }
        _exit(0);
    }
    uint64_t begin = clock_raw_ns();
    CHECK(!ring_close(&r));
    uint64_t took = clock_raw_ns() - begin;
    CHECK(took > 1900000000 && took < 2800000000);
    CHECK_INT(waitpid(child, NULL, 0), child);
    ring_release(&r);
    close(ends[0]);
    close(ends[1]);
}

/* A target opened with O_EXCL is free as soon as backend and descriptor are closed. */
static void check_released(struct io_setup setup)
{
    struct loop_device l;
    if (!loop_attach(&l, open_test_file(&setup.direct))) {
        check_part_skipped("no loop device");
        return;
    }
    for (int i = 0; i < 20; i++) {
        struct io_backend b = {0};
        struct err e = {0};
        struct io_req request = {.length = BLOCK};
        setup.fd = open(l.path, O_RDWR | O_EXCL | O_DIRECT | O_CLOEXEC);
        CHECK(setup.fd >= 0);
        setup.direct = true;
        if (setup.fd < 0 || io_uring.open(&b, &setup, &e))
            break;
        CHECK_INT(complete_one(&b, &request).error, 0);
        io_uring.close(&b);
        close(setup.fd);
    }
    loop_detach(&l);
}

/* From here on io_uring_setup fails with `error` in this process. */
static bool forbid_io_uring(unsigned error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void check_refused_in_child(struct io_setup setup, unsigned error, const char *text)
{
    pid_t child = fork();
    if (child == 0) {
        check_failures = 0; /* the earlier ones are the parent's */
        struct io_backend b = {0};
        struct err e = {0};
        char why[400];
        if (!forbid_io_uring(error))
            _exit(CHECK_SKIPPED);
        CHECK_INT(io_uring.open(&b, &setup, &e), -1);
        CHECK_INT(e.code, ERR_MACHINE);
        CHECK(strstr(e.msg, text) != NULL);
        CHECK(io_choose(&setup, why, sizeof why) == NULL); /* sync would be one at a time */
        CHECK(strstr(why, text) != NULL);
        CHECK(strstr(why, "--iodepth 1") != NULL);
        setup.iodepth = 1;
        CHECK(io_choose(&setup, why, sizeof why) == &io_sync);
        setup.sqpoll = IO_ON; /* a requested setting is not dropped */
        CHECK(io_choose(&setup, why, sizeof why) == NULL);
        _exit(check_result());
    }
    int status = -1;
    CHECK_INT(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CHECK_SKIPPED)
        check_part_skipped("no seccomp filters here");
    else
        CHECK_INT(status, 0);
}

/* Without permission to lock memory: not registered, with a note, or refused with advice. */
static void check_memlock(struct io_setup setup, rlim_t limit)
{
    pid_t child = fork();
    if (child == 0) {
        check_failures = 0;
        struct io_backend b = {0};
        struct err e = {0};
        char why[400];
        struct rlimit memlock = {.rlim_cur = limit, .rlim_max = limit};
        if (setrlimit(RLIMIT_MEMLOCK, &memlock) || setresuid(UID_NOBODY, UID_NOBODY, UID_NOBODY))
            _exit(CHECK_SKIPPED);
        if (io_uring.open(&b, &setup, &e)) {
            CHECK_INT(e.code, ERR_MACHINE);
            CHECK(strstr(e.msg, "ulimit -l") != NULL);
            CHECK(io_choose(&setup, why, sizeof why) == NULL);
            CHECK(strstr(why, "--iodepth 1") != NULL);
        } else {
            CHECK(strstr(b.description, "buffers beyond the memlock limit") != NULL);
            check_round_trip(&b, &setup, REQUEST_WRITE, 78);
            check_round_trip(&b, &setup, REQUEST_READ, 78);
            io_uring.close(&b);
            CHECK(io_choose(&setup, why, sizeof why) == &io_uring);
        }
        _exit(check_result());
    }
    int status = -1;
    CHECK_INT(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CHECK_SKIPPED)
        check_part_skipped("cannot become another user");
    else
        CHECK_INT(status, 0);
}

/* A worker pinned to one CPU: the kernel's thread uses another one, and reads are not slow. */
static void *read_pinned(void *context)
{
    struct io_setup setup = *(struct io_setup *)context;
    cpu_set_t own;
    unsigned cpu = (unsigned)sched_getcpu(), sq_cpu = cpu;
    CPU_ZERO(&own);
    CPU_SET(cpu, &own);
    CHECK_INT(sched_setaffinity(0, sizeof own, &own), 0);
    struct io_backend b = {0};
    struct err e = {0};
    if (io_uring.open(&b, &setup, &e)) {
        CHECK_STR(e.msg, "");
        return NULL;
    }
    const char *text = strstr(b.description, "SQPOLL on CPU ");
    CHECK(text && sscanf(text, "SQPOLL on CPU %u", &sq_cpu) == 1 && sq_cpu != cpu);
    uint64_t begin = clock_raw_ns();
    for (uint64_t i = 0; i < 8; i++)
        check_round_trip(&b, &setup, REQUEST_READ, 79);
    CHECK(clock_raw_ns() - begin < 2000000000); /* starved: 2 ms for each of 2048 */
    io_uring.close(&b);
    return NULL;
}

static void check_sqpoll(struct io_setup setup)
{
    cpu_set_t allowed, one;
    struct io_backend b = {0};
    struct err e = {0};
    pthread_t thread;
    char why[400];
    setup.iodepth = 32;
    setup.sqpoll = IO_ON;
    setup.iopoll = IO_OFF;
    CHECK_INT(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    if (CPU_COUNT(&allowed) > 1) {
        check_backend(&io_uring, &setup);
        check_signal(setup);
        check_sqpoll_hand_over(setup);
        struct io_setup write = setup;
        write.sqpoll = IO_OFF;
        CHECK_INT(io_uring.open(&b, &write, &e), 0);
        check_round_trip(&b, &write, REQUEST_WRITE, 79);
        io_uring.close(&b);
        CHECK_INT(pthread_create(&thread, NULL, read_pinned, &setup), 0);
        CHECK_INT(pthread_join(thread, NULL), 0);
        setup.iodepth = 1;
        CHECK(io_choose(&setup, why, sizeof why) == &io_uring);
        CHECK(strstr(why, "--sqpoll on") != NULL);
    } else {
        check_part_skipped("one CPU only: no SQPOLL");
    }
    setup.workers = (unsigned)CPU_COUNT(&allowed);
    CHECK_INT(io_uring.open(&b, &setup, &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
    setup.workers = 1;
    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu(), &one);
    CHECK_INT(sched_setaffinity(0, sizeof one, &one), 0);
    CHECK(io_choose(&setup, why, sizeof why) == NULL);
    CHECK(strstr(why, "a CPU of its own") != NULL);
    CHECK_INT(sched_setaffinity(0, sizeof allowed, &allowed), 0);
}

/* Polling is either really there, and then works, or refused with the reason. */
static void check_polling(struct io_setup setup)
{
    struct io_backend b = {0};
    struct err e = {0};
    setup.iopoll = IO_ON;
    if (io_uring.open(&b, &setup, &e)) {
        CHECK_INT(e.code, ERR_MACHINE);
        CHECK(strstr(e.msg, "poll") != NULL);
        char why[400];
        CHECK(io_choose(&setup, why, sizeof why) == NULL);
        CHECK(strstr(why, e.msg) != NULL);
        setup.iodepth = 1;
        CHECK(io_choose(&setup, why, sizeof why) == NULL);
        return;
    }
    CHECK(strstr(b.description, "polling") != NULL);
    check_round_trip(&b, &setup, REQUEST_WRITE, 77);
    check_round_trip(&b, &setup, REQUEST_READ, 77);
    io_uring.close(&b);
}

/* Each request goes to the kernel with the priority of its kind. */
static void check_priorities(struct io_setup setup)
{
    static const uint16_t priorities[] = {0, 2 << 13 | 3, 3 << 13};
    const struct io_req requests[] = {{.length = BLOCK, .slot = 0, .kind = 1},
                                      {.length = BLOCK, .slot = 1},
                                      {.length = BLOCK, .slot = 2, .kind = 2}};
    struct io_backend b = {0};
    struct io_done done[3];
    struct err e;
    setup.sqpoll = setup.iopoll = IO_OFF;
    for (unsigned with = 0; with < 2; with++) {
        setup.priorities = with ? priorities : NULL;
        CHECK_INT(io_uring.open(&b, &setup, &e), 0);
        CHECK_INT(io_uring.submit(&b, requests, 3, &e), 3);
        const struct ring *r = b.state;
        for (unsigned i = 0; i < 3; i++)
            CHECK_INT(r->uring.sq.sqes[i].ioprio, with ? priorities[requests[i].kind] : 0);
        for (int got = 0; got < 3;) {
            int n = io_uring.reap(&b, done, 1, 3, &e);
            CHECK(n >= 0 && !done[0].error);
            got += n < 0 ? 3 : n;
        }
        io_uring.close(&b);
    }
}

int main(void)
{
    static _Alignas(4096) unsigned char buffers[DEPTH_MAX * 2 * BLOCK];
    struct clock clock;
    clock_calibrate(&clock, 10, false);
    struct io_setup setup = {
        .clock = &clock, .iodepth = 4, .buffers = buffers, .buffer_stride = 2 * BLOCK};
    setup.fd = open_test_file(&setup.direct);
    if (setup.fd < 0)
        return CHECK_SKIPPED;
    struct io_backend b = {0};
    struct err e = {0};
    if (io_uring.open(&b, &setup, &e)) {
        CHECK_INT(e.code, ERR_MACHINE);
        check_part_skipped(e.msg);
        return check_result() ? check_result() : CHECK_SKIPPED;
    }
    CHECK(strstr(b.description, "completions by") != NULL);
    io_uring.close(&b);

    static const unsigned depths[] = {1, 4, 32, 64};
    for (unsigned i = 0; i < 4; i++) {
        setup.iodepth = depths[i];
        setup.sqpoll = IO_AUTO;
        check_backend(&io_uring, &setup);
    }
    setup.iodepth = 32;
    setup.sqpoll = IO_OFF;
    check_priorities(setup);
    check_signal(setup);
    check_close(setup);
    check_close_in_all(setup);
    check_probe_under_signals(setup);
    check_released(setup);
    check_sqpoll(setup);
    setup.sqpoll = IO_AUTO;
    check_polling(setup);

    char why[400];
    setup.iodepth = 32;
    setup.workers = 3;
    CHECK(io_choose(&setup, why, sizeof why) == &io_uring);
    CHECK(strstr(why, "keeps iodepth 32 in flight") != NULL);
    CHECK_INT(io_uring.open(&b, &setup, &e), 0);
    CHECK(strstr(b.description, "SQPOLL") == NULL); /* never without being asked for */
    io_uring.close(&b);
    setup.workers = 1;
    check_memlock(setup, 0);
    check_memlock(setup, 16 * BLOCK);
    check_refused_in_child(setup, EPERM, "forbidden");
    check_refused_in_child(setup, ENOSYS, "no io_uring");
    return check_result();
}

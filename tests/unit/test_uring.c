/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The io_uring backend: real I/O many at a time, signals, and kernels that refuse it. */
#include "backend_checks.h"

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
    /* Again and again, for one alone could come before the wait begins. */
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

/* Closing does not wait for ever for what never comes. */
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

/* From now on this process gets `error` for io_uring_setup. */
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
        check_failures = 0; /* those before are the parent's */
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
        setup.sqpoll = IO_ON; /* what was asked for is not dropped */
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

/* Without the right to lock memory: unregistered, and said so, or refused with what to do. */
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
            check_round_trip(&b, &setup, IO_WRITE, 78);
            check_round_trip(&b, &setup, IO_READ, 78);
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

/* A worker pinned to one CPU: the kernel's thread gets another one, and reads do not crawl. */
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
        check_round_trip(&b, &setup, IO_READ, 79);
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
        struct io_setup write = setup;
        write.sqpoll = IO_OFF;
        CHECK_INT(io_uring.open(&b, &write, &e), 0);
        check_round_trip(&b, &write, IO_WRITE, 79);
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
    check_round_trip(&b, &setup, IO_WRITE, 77);
    check_round_trip(&b, &setup, IO_READ, 77);
    io_uring.close(&b);
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
    check_signal(setup);
    check_close(setup);
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

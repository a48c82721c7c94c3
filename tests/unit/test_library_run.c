/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs whose requests come from a function: events and values without I/O, and files that are not
 * harmed.
 *
 * Slow: it measures, a second or more for each run.
 */
#include "include/cupel.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/check.h"

#define BLOCK  4096u
#define BLOCKS 256u

/* Users that read one block after the other, and the function's own count of events. */
struct users {
    unsigned count;
    uint64_t wrong_offset_at; /* the completion at which it requests an invalid offset; 0: never */
    int write;
    _Atomic uint64_t begins, timers, completions, errors;
    struct cupel_run *stop_at_begin;
};

static void next_block(struct users *u, const struct cupel_event *event, uint64_t tag)
{
    struct cupel_request r = {.due_ns = event->now_ns, .length = BLOCK, .tag = tag};
    r.offset = tag * 7 % (event->size / BLOCK) * BLOCK;
    r.write = u->write;
    if (u->wrong_offset_at && u->completions == u->wrong_offset_at)
        r.offset = event->size;
    cupel_request(event->actor, &r);
}

static void handle(void *context, const struct cupel_event *event)
{
    struct users *u = context;
    if (event->kind == CUPEL_BEGIN) {
        u->begins++;
        for (unsigned i = 0; i < u->count; i++)
            next_block(u, event, i);
        cupel_timer(event->actor, 1000000);
        if (u->stop_at_begin)
            cupel_run_stop(u->stop_at_begin);
    } else if (event->kind == CUPEL_TIMER) {
        u->timers++;
    } else {
        u->completions++;
        u->errors += event->error != 0;
        next_block(u, event, event->tag + 1);
    }
}

static struct cupel_run *run_of(const char *target, const char *const settings[][2])
{
    struct cupel_error error = {0};
    struct cupel_run *run = cupel_run_new(target, &error);
    CHECK(run != NULL);
    for (size_t i = 0; settings[i][0]; i++)
        CHECK_INT(cupel_run_set(run, settings[i][0], settings[i][1], &error), 0);
    CHECK_STR(error.message, "");
    return run;
}

/* Runs it. A busy machine may not keep the rate: that is a result as well, with values. */
static int measure(struct cupel_run *run, const struct cupel_filament *f, struct cupel_error *error)
{
    int status = cupel_run_measure(run, f, error);
    if (!status || error->code != CUPEL_UNDECIDED || !strstr(error->message, "does not keep up"))
        return status;
    *error = (struct cupel_error){0};
    return 0;
}

static const char *const without_io[][2] = {{"ioengine", "null"}, {"null-script", "const:200us"},
                                            {"runtime", "0.5s"},  {"size", "1m"},
                                            {"realtime", "0"},    {"numjobs", "2"},
                                            {"limit", "20s"},     {NULL, NULL}};

static void test_values(void)
{
    struct users u = {.count = 4};
    const struct cupel_filament f = {handle, &u, BLOCK, 512, 16, 0};
    struct cupel_error error = {0};
    struct cupel_run *run = run_of("x", without_io);
    struct cupel_value v;
    CHECK_INT(cupel_run_value(run, "iops", "read", &v, &error), -1); /* not measured yet */
    CHECK_INT(measure(run, &f, &error), 0);
    CHECK(u.begins >= 4 && u.timers >= 2); /* two copies; trial rounds and a counted one */
    CHECK(u.completions > 100);
    CHECK_INT(u.errors, 0);
    /* Two copies of four users that wait 200 us each: at most 40,000 requests/s. */
    CHECK_INT(cupel_run_value(run, "iops", "read", &v, &error), 0);
    CHECK(v.value > 0 && v.value < 40400 && v.n > 10);
    CHECK_STR(v.unit, "1/s");
    CHECK_INT(cupel_run_value(run, "response_time", "read", &v, &error), 0);
    CHECK(v.value >= 200e3 && v.low <= v.value && v.high >= v.value);
    CHECK_STR(v.unit, "ns");
    CHECK_INT(cupel_run_value(run, "iops", "write", &v, &error), -1);
    CHECK_INT(error.code, CUPEL_USAGE);
    CHECK_INT(cupel_run_measure(run, &f, &error), -1); /* once */
    CHECK_INT(error.code, CUPEL_USAGE);
    cupel_run_free(run);
}

/* Two copies of four users that wait 200 us each. */
static void test_limits(void)
{
    struct users u = {.count = 4};
    const struct cupel_filament f = {handle, &u, BLOCK, 512, 16, 0};
    struct cupel_error error = {0};
    struct cupel_limit l[3];
    static const char *const until_decided[][2] = {
        {"ioengine", "null"}, {"null-script", "const:200us"},
        {"size", "1m"},       {"realtime", "0"},
        {"numjobs", "2"},     {"min-time", "0.5s"},
        {"limit", "30s"},     {"sla", "p50<150us, mean<10s,errors=0"},
        {NULL, NULL}};
    struct cupel_run *run = run_of("x", until_decided);
    CHECK_INT(cupel_run_limits(run, l, 3, &error), 0); /* not measured yet */
    CHECK_INT(measure(run, &f, &error), 0);
    CHECK_STR(error.message, "");
    CHECK_INT(cupel_run_limits(run, l, 3, &error), 3);
    CHECK_STR(l[0].text, "p50<150us");
    CHECK_INT(l[0].verdict, CUPEL_LIMIT_BROKEN);
    CHECK(l[0].value >= 200e3 && l[0].limit >= 150e3 && l[0].limit <= 150e3);
    CHECK_INT(l[1].verdict, CUPEL_LIMIT_KEPT);
    CHECK_INT(l[2].verdict, CUPEL_LIMIT_KEPT);
    CHECK_INT(cupel_run_limits(run, l, 1, &error), 3);
    cupel_run_free(run);
    run = run_of("x", without_io);
    CHECK_INT(cupel_run_set(run, "sla", "p50<150", &error), 0);
    CHECK_INT(cupel_run_measure(run, &f, &error), -1); /* a time has a unit */
    CHECK_INT(error.code, CUPEL_USAGE);
    cupel_run_free(run);
}

/* ---- signals ---- */

static volatile sig_atomic_t handled, handled_elsewhere;
static pthread_t caller;

static void count_signal(int number)
{
    (void)number;
    handled = handled + 1;
    handled_elsewhere = handled_elsewhere + !pthread_equal(caller, pthread_self());
}

static void *send_signals(void *argument)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (int i = 0; i < 40; i++) {
        struct timespec pause = {0, 10000000};
        nanosleep(&pause, NULL);
        kill(getpid(), i % 2 ? SIGUSR1 : SIGIO);
    }
    cupel_run_stop(argument);
    return NULL;
}

/* The program's signal handlers run in its own threads, and their signals end nothing. */
static void test_signals(void)
{
    static const char *const long_run[][2] = {{"ioengine", "null"}, {"null-script", "const:200us"},
                                              {"runtime", "30s"},   {"size", "1m"},
                                              {"realtime", "0"},    {"limit", "60s"},
                                              {NULL, NULL}};
    struct users u = {.count = 2};
    const struct cupel_filament f = {handle, &u, BLOCK, 512, 16, 0};
    struct sigaction count = {.sa_handler = count_signal}, before[2], now;
    struct cupel_error error = {0};
    pthread_t sender;
    caller = pthread_self();
    sigaction(SIGUSR1, &count, &before[0]);
    sigaction(SIGIO, &count, &before[1]);
    struct cupel_run *run = run_of("x", long_run);
    CHECK_INT(pthread_create(&sender, NULL, send_signals, run), 0);
    CHECK_INT(cupel_run_measure(run, &f, &error), -1);
    CHECK_INT(error.code, CUPEL_UNDECIDED); /* stopped */
    pthread_join(sender, NULL);
    CHECK(handled > 10);
    CHECK_INT(handled_elsewhere, 0);
    sigaction(SIGIO, &before[1], &now);
    CHECK(now.sa_handler == count_signal);
    sigaction(SIGUSR1, &before[0], NULL);
    cupel_run_free(run);
}

static void test_ends(void)
{
    struct users u = {.count = 4, .wrong_offset_at = 50};
    struct cupel_filament f = {handle, &u, BLOCK, 512, 16, 0};
    struct cupel_error error = {0};
    struct cupel_run *run = run_of("x", without_io);
    CHECK_INT(cupel_run_measure(run, &f, &error), -1);
    CHECK_INT(error.code, CUPEL_USAGE);
    CHECK(strstr(error.message, "at byte 1048576") != NULL);
    cupel_run_free(run);

    u = (struct users){.count = 1, .write = 1}; /* while the filament claims to read */
    run = run_of("x", without_io);
    CHECK_INT(cupel_run_measure(run, &f, &error), -1);
    CHECK(strstr(error.message, "does not write") != NULL);
    cupel_run_free(run);

    run = run_of("x", without_io);
    u = (struct users){.count = 1, .stop_at_begin = run};
    CHECK_INT(cupel_run_measure(run, &f, &error), -1);
    CHECK_INT(error.code, CUPEL_UNDECIDED);
    cupel_run_free(run);
}

static void test_refusals(void)
{
    static const char *const wrong[][2] = {
        {"governor", "performance"}, {"bs", "4k"},           {"nonsense", "1"},
        {"destroy", "yes"},          {"iodepth", "0"},       {"repeat", "5"},
        {"limit", "long"},           {"target", "/dev/sda"},
    };
    struct cupel_error error;
    struct users u = {.count = 1};
    struct cupel_filament f = {handle, &u, BLOCK, 512, 16, 0};
    struct cupel_run *run = run_of("x", without_io);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        error = (struct cupel_error){0};
        CHECK_INT(cupel_run_set(run, wrong[i][0], wrong[i][1], &error), -1);
        CHECK_INT(error.code, CUPEL_USAGE);
    }
    f.queue = 0;
    CHECK_INT(cupel_run_measure(run, &f, &error), -1);
    f.queue = 16;
    f.granularity = 3;
    CHECK_INT(cupel_run_measure(run, &f, &error), -1);
    CHECK_INT(error.code, CUPEL_USAGE);
    cupel_run_free(run);
    run = run_of("x", without_io);
    CHECK_INT(cupel_run_measure(run, NULL, &error), -1);
    CHECK_INT(error.code, CUPEL_USAGE);
    cupel_run_free(run);
    struct cupel_value v;
    struct cupel_limit l;
    CHECK_INT(cupel_run_set(NULL, "limit", "1s", &error), -1);
    CHECK_INT(cupel_run_measure(NULL, &f, &error), -1);
    CHECK_INT(cupel_run_value(NULL, "iops", "read", &v, &error), -1);
    CHECK_INT(cupel_run_limits(NULL, &l, 1, &error), -1);
    CHECK_INT(error.code, CUPEL_USAGE);
    cupel_run_stop(NULL);
    CHECK(cupel_run_new(NULL, &error) == NULL);
    CHECK(cupel_run_new("", &error) == NULL);
    CHECK_INT(error.code, CUPEL_USAGE);
    cupel_run_free(NULL);
}

/* A file that the library did not make: read, but never written without permission. */
static void test_file(void)
{
    static const char *const buffered[][2] = {{"direct", "0"},     {"ioengine", "sync"},
                                              {"runtime", "0.2s"}, {"realtime", "0"},
                                              {"limit", "20s"},    {NULL, NULL}};
    static unsigned char data[BLOCKS * BLOCK], after[BLOCKS * BLOCK];
    const char *name = "test_library_run.data";
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 31 + i / 977);
    int fd = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
    CHECK_INT(write(fd, data, sizeof data), sizeof data);
    CHECK_INT(fsync(fd), 0);
    close(fd); /* a file open for writing is refused */
    fd = open(name, O_RDONLY);

    struct users u = {.count = 2};
    struct cupel_filament f = {handle, &u, BLOCK, BLOCK, 16, 0};
    struct cupel_error error = {0};
    struct cupel_run *run = run_of(name, buffered);
    CHECK_INT(measure(run, &f, &error), 0);
    CHECK_STR(error.message, "");
    CHECK(u.completions > 100 && !u.errors);
    cupel_run_free(run);

    u.write = f.writes = 1;
    run = run_of(name, buffered);
    uint64_t before = u.begins;
    CHECK_INT(cupel_run_measure(run, &f, &error), -1);
    CHECK_INT(error.code, CUPEL_UNSAFE);
    CHECK_INT(u.begins, before); /* the function was not called */
    CHECK_INT(pread(fd, after, sizeof after, 0), sizeof after);
    CHECK_INT(memcmp(data, after, sizeof data), 0);
    CHECK_INT(cupel_run_set(run, "overwrite", "1", &error), 0);
    error = (struct cupel_error){0};
    CHECK_INT(measure(run, &f, &error), 0);
    CHECK_STR(error.message, "");
    struct cupel_value v;
    CHECK_INT(cupel_run_value(run, "iops", "write", &v, &error), 0);
    CHECK(v.value > 0);
    CHECK_INT(pread(fd, after, sizeof after, 0), sizeof after);
    CHECK(memcmp(data, after, sizeof data) != 0);
    cupel_run_free(run);
    close(fd);
    unlink(name);
}

int main(void)
{
    const char *folder = getenv("TMPDIR");
    CHECK_INT(chdir(folder ? folder : "/tmp"), 0);
    test_values();
    test_limits();
    test_signals();
    test_ends();
    test_refusals();
    test_file();
    return check_result();
}

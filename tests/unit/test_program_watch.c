/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The watch on a program: its processes and threads, the files that it names and opens, and rounds
   too short for samples. */
#include "check.h"
#include "tree.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "program/exec/internal.h"
#include "program/exec/watch/internal.h"

static struct tree tree;

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *spin(void *unused)
{
    for (volatile uint64_t i = 0;; i++)
        continue;
    return unused;
}

/* Starts a process with two busy threads and the open file, and a child that sleeps. */
static pid_t start_program(const char *file)
{
    pid_t id = fork();
    if (id)
        return id;
    pthread_t thread;
    if (open(file, O_RDONLY) < 0 || pthread_create(&thread, NULL, spin, NULL))
        _exit(1);
    if (!fork())
        for (;;)
            pause();
    spin(NULL);
    _exit(0);
}

static bool has_process(const struct program_threads *t, pid_t id)
{
    for (size_t i = 0; i < t->process_count; i++)
        if (t->processes[i] == id)
            return true;
    return false;
}

/* Waits until both processes exist and the threads have used some time. */
static void test_threads(pid_t program)
{
    static struct program_threads threads;
    struct program_use use = program_threads_look(&threads, now_seconds());
    CHECK(isnan(use.busiest) && isnan(use.all));
    for (int i = 0; i < 3000 && !(threads.process_count == 2 && use.all > use.busiest); i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        use = program_threads_look(&threads, now_seconds());
    }
    CHECK_INT(threads.process_count, 2);
    CHECK(has_process(&threads, program));
    /* An emulator adds a thread to each process. */
    CHECK_INT(threads.thread_count, check_is_emulated() ? 3 + threads.process_count : 3);
    CHECK(use.busiest > 0 && use.busiest <= 1);
    CHECK(use.all > use.busiest && use.all <= 2);
}

static bool has_device(const struct program_files *f, dev_t device)
{
    for (size_t i = 0; i < f->device_count; i++)
        if (f->devices[i] == device)
            return true;
    return false;
}

static void named(struct program_files *f, const char *word)
{
    const char *const words[] = {"program", word, NULL};
    f->device_count = 0;
    program_files_named(f, words, tree.folder);
}

static void test_files(pid_t program)
{
    static struct program_files f;
    struct inventory inventory = {0};
    struct sysroot machine;
    struct stat s;
    struct err e;
    char word[TREE_PATH + 32], path[TREE_PATH];
    CHECK_INT(sysroot_open(&machine, NULL, &e), 0);
    f = (struct program_files){.root = &machine, .inventory = &inventory};
    tree_file(&tree, "/data", "text\n");
    CHECK_INT(stat(tree_path(&tree, path, "/data"), &s), 0);

    static const char *const found[] = {"data",         "if=data",        "--files=nothing:data",
                                        "cat <data|wc", "./new/../data",  "of=./made-later",
                                        "sh 'data'",    "--in=data,other"};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        named(&f, found[i]);
        CHECK_INT(has_device(&f, s.st_dev), strcmp(found[i], "./new/../data") != 0);
    }
    snprintf(word, sizeof word, "of=%s", path);
    named(&f, word);
    CHECK(has_device(&f, s.st_dev));
    static const char *const not_found[] = {"-data", "nothing", "--data", "of=made-later", ""};
    for (size_t i = 0; i < sizeof not_found / sizeof *not_found; i++) {
        named(&f, not_found[i]);
        CHECK_INT(f.device_count, 0);
    }
    named(&f, "/dev/null"); /* holds no data */
    CHECK_INT(f.device_count, 0);
    const char *const alone[] = {"/bin/sh", NULL};
    program_files_named(&f, alone, NULL);
    CHECK_INT(f.device_count, 0);

    for (int i = 0; i < 3000 && !has_device(&f, s.st_dev); i++) {
        program_files_open(&f, program);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    CHECK(has_device(&f, s.st_dev));
    CHECK(!f.devices_full && !f.path.full);
    size_t parts = f.path.part_count;
    CHECK(!program_files_open(&f, program)); /* it is known */
    CHECK_INT(f.path.part_count, parts);

    /* One more device than there is room for. */
    f.device_count = PROGRAM_DEVICES;
    memset(f.devices, 0, sizeof f.devices);
    CHECK(!program_files_open(&f, program));
    CHECK(f.devices_full);
    inventory_free(&inventory);
}

/* ---- short rounds ---- */

static struct program_watch_result watched(double seconds, double used, size_t rounds,
                                           double last_used)
{
    struct execution_round round[8] = {0};
    struct round_series series = {.rounds = round, .round_count = rounds};
    struct program_watch_result machine = {.part_count = 2};
    snprintf(machine.parts[0].name, sizeof machine.parts->name, "vda");
    snprintf(machine.parts[1].name, sizeof machine.parts->name, PROGRAM_WATCH_BUSIEST);
    machine.parts[0].utilisation = machine.parts[1].utilisation = 0.3;
    for (size_t i = 0; i < rounds; i++)
        round[i] =
            (struct execution_round){.seconds = seconds,
                                     .user_seconds = (i + 1 < rounds ? used : last_used) / 2,
                                     .system_seconds = (i + 1 < rounds ? used : last_used) / 2};
    short_rounds_use(&series, &machine);
    CHECK_NEAR(machine.parts[0].utilisation, 0.3, 1e-12);
    return machine;
}

static void test_short_rounds(void)
{
    /* Three of four rounds use a processor for 90 % of their time, one for half of it. */
    struct result_part part = watched(0.1, 0.09, 4, 0.05).parts[1];
    CHECK_NEAR(part.utilisation, 0.8, 1e-9);
    CHECK_NEAR(part.peak, 0.9, 1e-9);
    CHECK_NEAR(part.saturated, 0.75, 1e-9);
    CHECK(part.bottleneck);
    part = watched(0.1, 0.01, 8, 0.099).parts[1];
    CHECK_NEAR(part.saturated, 0.125, 1e-9);
    CHECK(!part.bottleneck);
    CHECK_NEAR(watched(0.6, 0.59, 4, 0.59).parts[1].utilisation, 0.3, 1e-12); /* long enough */
    CHECK_NEAR(watched(0.1, 0.19, 4, 0.19).parts[1].utilisation, 0.3, 1e-12); /* side by side */
    CHECK_NEAR(watched(0.1, 0, 0, 0).parts[1].utilisation, 0.3, 1e-12);       /* no rounds */
}

int main(void)
{
    char path[TREE_PATH];
    tree_begin(&tree);
    tree_file(&tree, "/data", "text\n");
    pid_t program = start_program(tree_path(&tree, path, "/data"));
    CHECK(program > 0);
    setpgid(program, program);
    test_threads(program);
    test_files(program);
    test_short_rounds();
    /* Its child sleeps endlessly. */
    static struct program_threads threads;
    program_threads_look(&threads, 1);
    for (size_t i = 0; program > 0 && i < threads.process_count; i++)
        kill(threads.processes[i], SIGKILL);
    while (wait(NULL) > 0)
        continue;
    tree_end(&tree);
    return check_result();
}

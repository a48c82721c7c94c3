/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two users of one setting: two runs, or a run and somebody else. On trees of the test's own, and
   on a loop device for what only the kernel's own files can show. */
#include "check.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "hw/knob/internal.h"
#include "hw/knob/knob.h"
#include "loop_device.h"
#include "tree.h"

#define SDA        "/sys/block/sda/queue/scheduler"
#define CPUFREQ    "/sys/devices/system/cpu/cpufreq"
#define POLICY0    CPUFREQ "/policy0/scaling_governor"
#define POLICY1    CPUFREQ "/policy1/scaling_governor"
#define PREFERENCE CPUFREQ "/policy0/energy_performance_preference" /* of policy 0 alone */
#define TUNABLE    CPUFREQ "/ondemand/up_threshold"                 /* of all policies */
#define CHANGED    "another run of cupel has changed " POLICY0 "; wait for its end"
#define USED       "another run of cupel uses " POLICY0 "; wait for its end"
#define BY_OTHER   " by somebody else during the run: it was left so; before the run it was "

static const char *const disks[] = {"sda"};
static const struct knob_request performance = {.governor = "performance"};
static const struct knob_request powersave = {.governor = "powersave"};
static const struct knob_request as_it_is = {.governor = "ondemand"};
static const struct knob_request scheduler = {.scheduler = "none", .disks = disks, .disk_count = 1};

static void make_machine(struct tree *t, int processors)
{
    tree_begin(t);
    tree_filef(t, "/sys/devices/system/cpu/online", "0-%d\n", processors - 1);
    for (int i = 0; i < processors; i++) {
        char link[64], target[64], governor[96];
        snprintf(link, sizeof link, "/sys/devices/system/cpu/cpu%d/cpufreq", i);
        snprintf(target, sizeof target, "../cpufreq/policy%d", i);
        snprintf(governor, sizeof governor, CPUFREQ "/policy%d/scaling_governor", i);
        tree_link(t, link, target);
        tree_file(t, governor, "ondemand\n");
    }
    tree_file(t, TUNABLE, "70\n");
    tree_file(t, PREFERENCE, "power\n");
    tree_file(t, SDA, "none [mq-deadline] kyber\n");
}

/* Writes as a shell does: the file stays the same one. */
static void put(const struct tree *t, const char *path, const char *value)
{
    CHECK_INT(knob_value_write(&t->root, path, value), 0);
}

static void check_holds(const struct tree *t, const char *path, const char *value)
{
    char now[KNOB_VALUE];
    CHECK_INT(knob_value_read(&t->root, path, now), FACT_OK);
    CHECK_STR(now, value);
}

static void set(struct knobs *k, const struct tree *t, const struct knob_request *request)
{
    struct err e = {0};
    if (knobs_set(k, &t->root, request, &e))
        CHECK_STR(e.msg, "");
}

static void restore(struct knobs *k)
{
    struct err e = {0};
    if (knobs_restore(k, &e))
        CHECK_STR(e.msg, "");
    knobs_free(k);
}

static void check_refused(const struct tree *t, const struct knob_request *request,
                          const char *message)
{
    struct knobs k;
    struct err e = {0};
    CHECK_INT(knobs_set(&k, &t->root, request, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK_STR(e.msg, message);
    knobs_free(&k);
}

static void check_foreign(struct knobs *k, const char *message)
{
    struct err e = {0};
    CHECK_INT(knobs_restore(k, &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
    CHECK_STR(e.msg, message);
    CHECK_INT(knobs_restore(k, &e), 0); /* told once */
    knobs_free(k);
}

static bool is_free(const struct tree *t, const char *path)
{
    char full[TREE_PATH];
    int fd = open(tree_path(t, full, path), O_RDONLY | O_CLOEXEC);
    bool free = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB);
    if (fd >= 0)
        close(fd);
    return free;
}

static bool comes_to_be_free(const struct tree *t, const char *path)
{
    for (int i = 0; i < 2000; i++) {
        if (is_free(t, path))
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
    }
    return false;
}

/* ---- two runs ---- */

static void second_is_refused(void)
{
    struct tree t = {0};
    struct knobs first, second;
    make_machine(&t, 2);
    set(&first, &t, &performance);
    check_refused(&t, &powersave, CHANGED);
    /* at the end of the first run it would lose the value */
    check_refused(&t, &performance, CHANGED);
    check_refused(&t, &as_it_is, CHANGED);
    check_holds(&t, POLICY0, "performance");
    set(&second, &t, &scheduler); /* another setting */
    restore(&first);
    check_holds(&t, POLICY0, "ondemand");
    check_holds(&t, SDA, "none");
    CHECK(is_free(&t, POLICY0));
    CHECK(!is_free(&t, SDA));
    set(&first, &t, &powersave);
    restore(&second);
    check_holds(&t, POLICY0, "powersave");
    check_holds(&t, SDA, "mq-deadline");
    restore(&first);
    check_holds(&t, POLICY0, "ondemand");
    tree_end(&t);
}

/* A refusal undoes the locks made so far, and the other run continues. */
static void refused_in_the_middle(void)
{
    struct tree t = {0};
    struct knobs first;
    struct knob_request both = scheduler;
    both.governor = "performance";
    make_machine(&t, 2);
    set(&first, &t, &scheduler);
    check_refused(&t, &both, "another run of cupel has changed " SDA "; wait for its end");
    check_holds(&t, POLICY0, "ondemand");
    CHECK(is_free(&t, POLICY0) && is_free(&t, POLICY1));
    CHECK(!is_free(&t, SDA));
    restore(&first);
    tree_end(&t);
}

/* Runs that find the value they want in force share it, and nobody changes it meanwhile. */
static void value_in_force(void)
{
    struct tree t = {0};
    struct knobs first, second;
    make_machine(&t, 1);
    set(&first, &t, &as_it_is);
    set(&second, &t, &as_it_is);
    CHECK_INT(first.change_count + second.change_count, 0);
    CHECK_INT(first.keeper + second.keeper, 0);
    check_refused(&t, &performance, USED);
    restore(&first);
    check_refused(&t, &performance, USED);
    restore(&second);
    CHECK(is_free(&t, POLICY0));
    tree_end(&t);
}

/* The file for the latency: requests of several runs are combined. */
static void latency_is_shared(void)
{
    struct tree t = {0};
    struct knobs first, second;
    const struct knob_request idle = {.cpu_idle_off = true};
    make_machine(&t, 1);
    tree_file(&t, "/dev/cpu_dma_latency", "");
    set(&first, &t, &idle);
    set(&second, &t, &idle);
    CHECK_INT(first.change_count + second.change_count, 2);
    restore(&first);
    restore(&second);
    tree_end(&t);
}

/* Runs in a child process that never ends. With `orphan` it leaves a child that holds all its files
   open. Reports its keeper and that child. */
static void run_to_be_killed(const struct tree *t, bool orphan, int ready)
{
    struct knobs k;
    pid_t told[2] = {0};
    if (knobs_set(&k, &t->root, &performance, NULL))
        _exit(1);
    if (orphan && !(told[1] = fork())) {
        sleep(30);
        _exit(0);
    }
    told[0] = k.keeper;
    if (write(ready, told, sizeof told) != (ssize_t)sizeof told)
        _exit(1);
    for (;;)
        pause();
}

/* The keeper is stopped at first: the lock is held after the run's end until the value is restored.
 */
static void killed(bool orphan)
{
    struct tree t = {0};
    struct knobs next;
    int ends[2];
    pid_t told[2] = {0};
    make_machine(&t, 1);
    CHECK_INT(pipe(ends), 0);
    fflush(NULL);
    pid_t run = fork();
    if (!run)
        run_to_be_killed(&t, orphan, ends[1]);
    close(ends[1]);
    CHECK_INT(read(ends[0], told, sizeof told), sizeof told);
    close(ends[0]);
    if (run > 0 && told[0] > 0) {
        CHECK_INT(kill(told[0], SIGSTOP), 0);
        CHECK_INT(kill(run, SIGKILL), 0);
        CHECK_INT(waitpid(run, NULL, 0), run);
        check_refused(&t, &powersave, CHANGED);
        check_holds(&t, POLICY0, "performance");
        CHECK_INT(kill(told[0], SIGCONT), 0);
        CHECK(comes_to_be_free(&t, POLICY0));
        check_holds(&t, POLICY0, "ondemand"); /* by then */
        set(&next, &t, &powersave);
        CHECK_INT(next.change_count, 1);
        restore(&next);
    }
    if (told[1] > 0)
        kill(told[1], SIGKILL);
    tree_end(&t);
}

static void keeper_killed(void)
{
    struct tree t = {0};
    struct knobs k;
    make_machine(&t, 1);
    set(&k, &t, &performance);
    if (k.keeper > 0)
        CHECK_INT(kill(k.keeper, SIGKILL), 0);
    check_refused(&t, &powersave, CHANGED);
    restore(&k);
    check_holds(&t, POLICY0, "ondemand");
    CHECK(is_free(&t, POLICY0));
    tree_end(&t);
}

/* More files than the process may have open at first. */
static void many_files(void)
{
    struct tree t = {0};
    struct knobs k;
    struct rlimit before, few;
    make_machine(&t, 100);
    CHECK_INT(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = 40;
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &few), 0);
    set(&k, &t, &performance);
    CHECK_INT(k.change_count, 100);
    restore(&k);
    check_holds(&t, CPUFREQ "/policy99/scaling_governor", "ondemand");
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &before), 0);
    tree_end(&t);
}

/* ---- a run and somebody else ---- */

static void foreign_change(void)
{
    struct tree t = {0};
    struct knobs k;
    make_machine(&t, 1);
    set(&k, &t, &performance);
    put(&t, POLICY0, "powersave");
    put(&t, PREFERENCE, "balanced");
    check_foreign(&k, POLICY0 " was changed to powersave" BY_OTHER "ondemand");
    check_holds(&t, POLICY0, "powersave");
    check_holds(&t, PREFERENCE, "balanced"); /* theirs as well */
    CHECK(is_free(&t, POLICY0));
    /* Changing it back to the earlier value counts as a change: the run did not have the requested
       value. */
    put(&t, POLICY0, "ondemand");
    set(&k, &t, &performance);
    put(&t, POLICY0, "ondemand");
    check_foreign(&k, POLICY0 " was changed to ondemand" BY_OTHER "ondemand");
    check_holds(&t, PREFERENCE, "balanced");
    tree_end(&t);
}

static void not_one_word(void)
{
    struct tree t = {0};
    struct knobs k;
    char line[64];
    make_machine(&t, 1);
    set(&k, &t, &performance);
    tree_file(&t, POLICY0, "two words\n");
    check_foreign(&k, POLICY0 " was changed to what is not one word" BY_OTHER "ondemand");
    CHECK_INT(sysroot_line(&t.root, POLICY0, line, sizeof line), FACT_OK);
    CHECK_STR(line, "two words");
    tree_end(&t);
}

/* Both policies reset one tunable: it is restored with the policy that is restored. */
static void one_of_two(void)
{
    struct tree t = {0};
    struct knobs k;
    make_machine(&t, 2);
    set(&k, &t, &performance);
    CHECK_INT(k.change_count, 2);
    put(&t, TUNABLE, "80");
    put(&t, POLICY0, "powersave");
    check_foreign(&k, POLICY0 " was changed to powersave" BY_OTHER "ondemand");
    check_holds(&t, POLICY0, "powersave");
    check_holds(&t, POLICY1, "ondemand");
    check_holds(&t, TUNABLE, "70");

    put(&t, POLICY0, "ondemand");
    set(&k, &t, &performance);
    put(&t, TUNABLE, "80");
    put(&t, POLICY0, "powersave");
    put(&t, POLICY1, "powersave");
    check_foreign(&k, POLICY0 " was changed to powersave" BY_OTHER "ondemand (likewise 1 more)");
    check_holds(&t, POLICY1, "powersave");
    check_holds(&t, TUNABLE, "80");
    tree_end(&t);
}

/* A file that two changes share counts once among the values that could not be restored. */
static void failure_beside_it(void)
{
    struct tree t = {0};
    struct knobs k;
    make_machine(&t, 3);
    set(&k, &t, &performance);
    put(&t, POLICY0, "powersave");
    tree_remove(&t, TUNABLE);
    check_foreign(&k, "cannot restore " TUNABLE ": No such file or directory; write '70' to it by "
                      "hand; and " POLICY0 " was changed to powersave" BY_OTHER "ondemand");
    check_holds(&t, POLICY1, "ondemand");
    tree_end(&t);
}

/* After the run was killed, and without a keeper. */
static void foreign_after_a_kill(void)
{
    struct tree t = {0};
    struct knobs k;
    int ends[2];
    pid_t told[2] = {0};
    make_machine(&t, 1);
    CHECK_INT(pipe(ends), 0);
    fflush(NULL);
    pid_t run = fork();
    if (!run)
        run_to_be_killed(&t, false, ends[1]);
    close(ends[1]);
    CHECK_INT(read(ends[0], told, sizeof told), sizeof told);
    close(ends[0]);
    put(&t, POLICY0, "powersave");
    put(&t, PREFERENCE, "balanced");
    if (run > 0) {
        CHECK_INT(kill(run, SIGKILL), 0);
        CHECK_INT(waitpid(run, NULL, 0), run);
    }
    CHECK(comes_to_be_free(&t, POLICY0));
    check_holds(&t, POLICY0, "powersave");
    check_holds(&t, PREFERENCE, "balanced");

    set(&k, &t, &performance);
    if (k.keeper > 0)
        CHECK_INT(kill(k.keeper, SIGKILL), 0);
    put(&t, POLICY0, "schedutil");
    check_foreign(&k, POLICY0 " was changed to schedutil" BY_OTHER "powersave");
    check_holds(&t, POLICY0, "schedutil");
    tree_end(&t);
}

/* ---- a loop device ---- */

static void with_the_kernel(const struct tree *here, const char *disk, const char *file)
{
    const struct knob_request none = {.scheduler = "none", .disks = &disk, .disk_count = 1};
    const struct knob_request deadline = {
        .scheduler = "mq-deadline", .disks = &disk, .disk_count = 1};
    char message[256];
    struct knobs k;
    put(here, file, "mq-deadline");
    set(&k, here, &none);
    snprintf(message, sizeof message, "another run of cupel has changed %s; wait for its end",
             file);
    check_refused(here, &deadline, message);
    restore(&k);
    check_holds(here, file, "mq-deadline");
    set(&k, here, &none);
    put(here, file, "mq-deadline");
    snprintf(message, sizeof message, "%s was changed to mq-deadline" BY_OTHER "mq-deadline", file);
    check_foreign(&k, message);
    CHECK(is_free(here, file));
}

static void real_scheduler(void)
{
    struct tree here = {0};
    struct loop_device l;
    char path[96], before[KNOB_VALUE], offer[KNOB_OFFER];
    int file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, 1 << 20) || !loop_attach(&l, file)) {
        check_part_skipped("no loop device can be attached");
        return;
    }
    const char *disk = strrchr(l.path, '/') + 1;
    snprintf(path, sizeof path, "/sys/block/%s/queue/scheduler", disk);
    if (knob_value_read(&here.root, path, before) == FACT_OK &&
        knob_value_offer(&here.root, path, offer) == FACT_OK && knob_value_offered(offer, "none") &&
        knob_value_offered(offer, "mq-deadline")) {
        with_the_kernel(&here, disk, path);
        knob_value_write(&here.root, path, before);
    } else {
        check_part_skipped("the loop device does not offer none and mq-deadline");
    }
    loop_detach(&l);
}

int main(void)
{
    second_is_refused();
    refused_in_the_middle();
    value_in_force();
    latency_is_shared();
    killed(false);
    killed(true);
    keeper_killed();
    many_files();
    foreign_change();
    not_one_word();
    one_of_two();
    failure_beside_it();
    foreign_after_a_kill();
    real_scheduler();
    return check_result();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frequencies, turbo and queues as knobs, on trees of the test's own: the order of writes, settings
   that a machine does not have, and that everything is restored after every end. */
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "hw/knob/internal.h"
#include "hw/knob/knob.h"
#include "tree.h"

#define CPUFREQ  "/sys/devices/system/cpu/cpufreq"
#define POLICY   CPUFREQ "/policy0/"
#define BOOST    CPUFREQ "/boost"
#define NO_TURBO "/sys/devices/system/cpu/intel_pstate/no_turbo"
#define QUEUE    "/sys/block/sda/queue/"

static const char *const disks[] = {"sda"};

/* Two processors of one policy, from 1.2 to 3 GHz, and a disk. */
static void make_machine(struct tree *t)
{
    tree_begin(t);
    tree_file(t, "/sys/devices/system/cpu/online", "0-1\n");
    tree_link(t, "/sys/devices/system/cpu/cpu0/cpufreq", "../cpufreq/policy0");
    tree_link(t, "/sys/devices/system/cpu/cpu1/cpufreq", "../cpufreq/policy0");
    tree_file(t, POLICY "cpuinfo_min_freq", "1200000\n");
    tree_file(t, POLICY "cpuinfo_max_freq", "3000000\n");
    tree_file(t, POLICY "scaling_min_freq", "1200000\n");
    tree_file(t, POLICY "scaling_max_freq", "2400000\n");
    tree_file(t, POLICY "scaling_governor", "ondemand\n");
    tree_file(t, POLICY "scaling_available_governors", "ondemand userspace performance\n");
    tree_file(t, POLICY "scaling_setspeed", "<unsupported>\n");
    tree_file(t, BOOST, "1\n");
    tree_file(t, QUEUE "scheduler", "none [mq-deadline]\n");
    tree_file(t, QUEUE "nr_requests", "256\n");
    tree_file(t, QUEUE "read_ahead_kb", "128\n");
}

static void check_holds(const struct tree *t, const char *path, const char *value)
{
    char now[KNOB_VALUE];
    CHECK_INT(knob_value_read(&t->root, path, now), FACT_OK);
    CHECK_STR(now, value);
}

static void check_as_before(const struct tree *t)
{
    check_holds(t, POLICY "scaling_min_freq", "1200000");
    check_holds(t, POLICY "scaling_max_freq", "2400000");
    check_holds(t, POLICY "scaling_governor", "ondemand");
    check_holds(t, POLICY "scaling_setspeed", "<unsupported>");
    check_holds(t, BOOST, "1");
    check_holds(t, QUEUE "scheduler", "mq-deadline");
    check_holds(t, QUEUE "nr_requests", "256");
    check_holds(t, QUEUE "read_ahead_kb", "128");
}

static void change_is(const struct knobs *k, size_t i, const char *path, const char *after)
{
    CHECK(i < k->change_count);
    CHECK_STR(i < k->change_count ? k->changes[i].path : "", path);
    CHECK_STR(i < k->change_count ? k->changes[i].after : "", after);
}

static void set(struct knobs *k, const struct tree *t, const struct knob_request *request)
{
    struct err e = {0};
    if (knobs_set(k, &t->root, request, &e))
        CHECK_STR(e.msg, "");
}

static void restore(struct knobs *k, const struct tree *t)
{
    struct err e = {0};
    if (knobs_restore(k, &e))
        CHECK_STR(e.msg, "");
    check_as_before(t);
    knobs_free(k);
}

/* The minimum never exceeds the maximum in between: the kernel would refuse that. */
static void ends_in_order(void)
{
    struct tree t;
    struct knobs k;
    make_machine(&t);
    set(&k, &t, &(struct knob_request){.frequency_khz = 1800000});
    CHECK_INT(k.change_count, 2);
    change_is(&k, 0, POLICY "scaling_min_freq", "1800000");
    change_is(&k, 1, POLICY "scaling_max_freq", "1800000");
    check_holds(&t, POLICY "scaling_max_freq", "1800000");
    check_holds(&t, POLICY "scaling_setspeed", "<unsupported>");
    restore(&k, &t);
    set(&k, &t, &(struct knob_request){.frequency_khz = 3000000});
    change_is(&k, 0, POLICY "scaling_max_freq", "3000000");
    change_is(&k, 1, POLICY "scaling_min_freq", "3000000");
    restore(&k, &t);
    set(&k, &t, &(struct knob_request){.frequency_khz = 1200000});
    CHECK_INT(k.change_count, 1); /* the minimum has the value already */
    restore(&k, &t);
    tree_end(&t);
}

static struct knob_request everything(void)
{
    return (struct knob_request){.governor = "userspace",
                                 .frequency_khz = 2000000,
                                 .turbo = KNOB_OFF,
                                 .scheduler = "none",
                                 .disks = disks,
                                 .disk_count = 1,
                                 .read_ahead_kb = 4096,
                                 .nr_requests = 64};
}

static void check_set(const struct tree *t)
{
    check_holds(t, POLICY "scaling_governor", "userspace");
    check_holds(t, POLICY "scaling_min_freq", "2000000");
    check_holds(t, POLICY "scaling_max_freq", "2000000");
    check_holds(t, POLICY "scaling_setspeed", "2000000");
    check_holds(t, BOOST, "0");
    check_holds(t, QUEUE "scheduler", "none");
    check_holds(t, QUEUE "nr_requests", "64");
    check_holds(t, QUEUE "read_ahead_kb", "4096");
}

static void all_of_them(void)
{
    struct tree t;
    struct knobs k;
    struct knob_request request = everything();
    make_machine(&t);
    set(&k, &t, &request);
    CHECK_INT(k.change_count, 8);
    change_is(&k, 0, BOOST, "0");
    check_set(&t);
    restore(&k, &t);
    tree_end(&t);
}

/* A requested scheduler resets the queue's size, even if that has the requested value by chance. */
static void queue_after_scheduler(void)
{
    struct tree t;
    struct knobs k;
    struct knob_request request = everything();
    make_machine(&t);
    request = (struct knob_request){
        .scheduler = "none", .disks = disks, .disk_count = 1, .nr_requests = 256};
    set(&k, &t, &request);
    CHECK_INT(k.change_count, 2);
    change_is(&k, 1, QUEUE "nr_requests", "256");
    restore(&k, &t);
    request.scheduler = NULL;
    set(&k, &t, &request);
    CHECK_INT(k.change_count, 0);
    restore(&k, &t);
    tree_end(&t);
}

static void the_other_switch(void)
{
    struct tree t;
    struct knobs k;
    make_machine(&t);
    tree_file(&t, NO_TURBO, "0\n");
    set(&k, &t, &(struct knob_request){.turbo = KNOB_OFF});
    change_is(&k, 0, NO_TURBO, "1");
    /* The driver moves both ends with it, and does not move them back. */
    tree_file(&t, POLICY "scaling_max_freq", "2000000\n");
    restore(&k, &t);
    check_holds(&t, NO_TURBO, "0");
    set(&k, &t, &(struct knob_request){.turbo = KNOB_ON});
    CHECK_INT(k.change_count, 0);
    restore(&k, &t);
    tree_end(&t);
}

static void refused(const struct tree *t, const struct knob_request *request, enum err_code code,
                    const char *words)
{
    struct knobs k;
    struct err e = {0};
    CHECK_INT(knobs_set(&k, &t->root, request, &e), -1);
    CHECK_INT(e.code, code);
    CHECK(strstr(e.msg, words) != NULL);
    if (!strstr(e.msg, words))
        fprintf(stderr, "    \"%s\" is not in \"%s\"\n", words, e.msg);
}

static void refusals(void)
{
    struct tree t;
    make_machine(&t);
    refused(&t, &(struct knob_request){.frequency_khz = 3500000}, ERR_USAGE,
            "--frequency 3.5 GHz: processor 0 goes from 1.2 to 3 GHz");
    tree_file(&t, POLICY "scaling_available_frequencies", "3000000 2400000 1200000 \n");
    refused(&t, &(struct knob_request){.frequency_khz = 2000000}, ERR_USAGE,
            "offers only, in kHz: 3000000 2400000 1200000");
    tree_remove(&t, BOOST);
    refused(&t, &(struct knob_request){.turbo = KNOB_OFF}, ERR_MACHINE,
            "this machine has no switch for turbo");
    tree_remove(&t, QUEUE "read_ahead_kb");
    refused(&t, &(struct knob_request){.disks = disks, .disk_count = 1, .read_ahead_kb = 4},
            ERR_MACHINE, "leave out --read-ahead");
    tree_remove(&t, "/sys/devices/system/cpu/cpu1/cpufreq");
    refused(&t, &(struct knob_request){.frequency_khz = 2400000}, ERR_MACHINE,
            "processor 1 has no frequency driver");
    check_holds(&t, POLICY "scaling_min_freq", "1200000");
    tree_end(&t);
}

static void killed(void)
{
    struct tree t;
    int ends[2];
    char ready = 0;
    make_machine(&t);
    CHECK_INT(pipe(ends), 0);
    fflush(NULL);
    pid_t run = fork();
    if (!run) {
        struct knobs k;
        struct knob_request request = everything();
        if (knobs_set(&k, &t.root, &request, NULL) || write(ends[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    CHECK_INT(read(ends[0], &ready, 1), 1);
    check_set(&t);
    CHECK_INT(kill(run, SIGKILL), 0);
    CHECK_INT(waitpid(run, NULL, 0), run);
    for (int i = 0; i < 2000; i++) { /* the last file that the keeper writes */
        char now[KNOB_VALUE];
        if (knob_value_read(&t.root, QUEUE "nr_requests", now) == FACT_OK && !strcmp(now, "256"))
            break;
        nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
    }
    check_as_before(&t);
    close(ends[0]);
    close(ends[1]);
    tree_end(&t);
}

int main(void)
{
    ends_in_order();
    all_of_them();
    queue_after_scheduler();
    the_other_switch();
    refusals();
    killed();
    return check_result();
}

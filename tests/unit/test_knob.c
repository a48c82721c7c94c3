/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knobs (settings of the machine) on trees of the test's own, where a run may die at any point, and
   on a loop device. */
#include "check.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "hw/knob/internal.h"
#include "hw/knob/knob.h"
#include "loop_device.h"
#include "tree.h"

#define POLICY0   "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
#define POLICY2   "/sys/devices/system/cpu/cpufreq/policy2/scaling_governor"
#define SDA       "/sys/block/sda/queue/scheduler"
#define LATENCY   "/dev/cpu_dma_latency"
#define SOMEBODY  65534
#define SDA_OFFER "none [mq-deadline] kyber\n"

static const char *const disks[] = {"sda", "nvme0n1"};

/* Four processors in two policies, and two disks. */
static void make_machine(struct tree *t)
{
    tree_begin(t);
    tree_file(t, "/sys/devices/system/cpu/online", "0-3\n");
    for (int i = 0; i < 4; i++) {
        char link[64], target[64];
        snprintf(link, sizeof link, "/sys/devices/system/cpu/cpu%d/cpufreq", i);
        snprintf(target, sizeof target, "../cpufreq/policy%d", i & 2);
        tree_link(t, link, target);
    }
    tree_file(t, POLICY0, "powersave\n");
    tree_file(t, POLICY2, "schedutil\n");
    for (int i = 0; i < 4; i += 2) {
        char path[96];
        snprintf(path, sizeof path,
                 "/sys/devices/system/cpu/cpufreq/policy%d/scaling_available_governors", i);
        tree_file(t, path, "performance powersave schedutil \n");
    }
    tree_file(t, SDA, SDA_OFFER);
    tree_file(t, "/sys/block/nvme0n1/queue/scheduler", "[none] mq-deadline kyber\n");
    tree_file(t, LATENCY, "");
}

static struct knob_request everything(void)
{
    return (struct knob_request){.governor = "performance",
                                 .scheduler = "none",
                                 .disks = disks,
                                 .disk_count = 2,
                                 .cpu_idle_off = true};
}

static bool holds(const struct tree *t, const char *path, const char *value)
{
    char now[KNOB_VALUE];
    return knob_value_read(&t->root, path, now) == FACT_OK && !strcmp(now, value);
}

static void check_holds(const struct tree *t, const char *path, const char *value)
{
    char now[KNOB_VALUE];
    CHECK_INT(knob_value_read(&t->root, path, now), FACT_OK);
    CHECK_STR(now, value);
}

static void check_as_before(const struct tree *t)
{
    check_holds(t, POLICY0, "powersave");
    check_holds(t, POLICY2, "schedutil");
    check_holds(t, SDA, "mq-deadline");
    check_holds(t, "/sys/block/nvme0n1/queue/scheduler", "none");
}

static void check_set(const struct tree *t)
{
    check_holds(t, POLICY0, "performance");
    check_holds(t, POLICY2, "performance");
    check_holds(t, SDA, "none");
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
}

/* Waits for a value that the keeper writes. */
static bool comes_to_hold(const struct tree *t, const char *path, const char *value)
{
    for (int i = 0; i < 2000; i++) {
        if (holds(t, path, value))
            return true;
        nap();
    }
    return false;
}

/* Returns true if the process has ended: it is not a child, and its new parent may not have waited
   for it yet. */
static bool is_gone(pid_t process)
{
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    for (int i = 0; i < 2000; i++) {
        FILE *f = fopen(path, "r");
        if (!f)
            return true;
        bool is_zombie = fgets(line, sizeof line, f) && strstr(line, ") Z ");
        fclose(f);
        if (is_zombie)
            return true;
        nap();
    }
    return false;
}

static void change_is(const struct knob_change *c, const char *path, const char *before,
                      const char *after)
{
    CHECK_STR(c->path, path);
    CHECK_STR(c->before, before);
    CHECK_STR(c->after, after);
}

static void check_refused(const struct tree *t, const struct knob_request *request,
                          enum err_code code, const char *text)
{
    struct knobs k;
    struct err e = {0};
    CHECK_INT(knobs_set(&k, &t->root, request, &e), -1);
    CHECK_INT(e.code, code);
    if (!strstr(e.msg, text))
        CHECK_STR(e.msg, text);
    CHECK_INT(k.keeper, 0);
    CHECK_INT(k.change_count, 0);
    knobs_free(&k);
}

static void set_and_restore(void)
{
    struct tree t = {0};
    struct knobs k;
    struct err e = {0};
    struct knob_request request = everything();
    unsigned char latency[8] = {1, 1, 1, 1};
    size_t got;
    make_machine(&t);
    if (knobs_set(&k, &t.root, &request, &e))
        CHECK_STR(e.msg, "");
    CHECK_INT(k.change_count, 4);
    if (k.change_count == 4) {
        change_is(&k.changes[0], POLICY0, "powersave", "performance");
        change_is(&k.changes[1], POLICY2, "schedutil", "performance");
        change_is(&k.changes[2], SDA, "mq-deadline", "none");
        change_is(&k.changes[3], LATENCY, "no limit", "0 us");
    }
    check_set(&t);
    CHECK_INT(sysroot_bytes(&t.root, LATENCY, latency, sizeof latency, &got), FACT_OK);
    CHECK(got == 4 && !latency[0] && !latency[1] && !latency[2] && !latency[3]);
    pid_t keeper = k.keeper;
    CHECK(keeper > 0 && getsid(keeper) == keeper);
    CHECK_INT(knobs_restore(&k, &e), 0);
    check_as_before(&t);
    CHECK_INT(k.change_count, 4);
    CHECK(is_gone(keeper));
    CHECK_INT(knobs_restore(&k, &e), 0);
    knobs_free(&k);
    knobs_free(&k);
    tree_end(&t);
}

static void nothing_to_do(void)
{
    struct tree t = {0};
    struct knobs k = {0};
    struct err e = {0};
    struct knob_request request = {0};
    CHECK_INT(knobs_restore(&k, &e), 0);
    knobs_free(&k);
    make_machine(&t);
    CHECK_INT(knobs_set(&k, &t.root, &request, &e), 0);
    CHECK_INT(k.keeper, 0);
    CHECK_INT(knobs_restore(&k, &e), 0);
    knobs_free(&k);
    request = (struct knob_request){.scheduler = "none", .disks = disks + 1, .disk_count = 1};
    CHECK_INT(knobs_set(&k, &t.root, &request, &e), 0); /* it is none already */
    CHECK_INT(k.change_count, 0);
    CHECK_INT(k.keeper, 0);
    knobs_free(&k);
    tree_end(&t);
}

static void refusals(void)
{
    struct tree t = {0};
    make_machine(&t);
    struct knob_request request = everything();
    request.governor = "turbo";
    check_refused(&t, &request, ERR_USAGE, "offers only: performance powersave schedutil");
    request = everything();
    request.scheduler = "deadline";
    check_refused(&t, &request, ERR_USAGE, "sda offers only: none mq-deadline kyber");
    const char *const unknown[] = {"sda", "sdz"};
    request = everything();
    request.disks = unknown;
    check_refused(&t, &request, ERR_MACHINE, "sdz has no such setting");
    request = everything();
    tree_deny(&t, POLICY2);
    check_refused(&t, &request, ERR_MACHINE, "permission denied");
    tree_file(&t, POLICY2, "schedutil\n");
    tree_remove(&t, LATENCY);
    /* the other settings were changed by then */
    check_refused(&t, &request, ERR_MACHINE, "leave out --cpu-idle");
    check_as_before(&t);
    tree_file(&t, LATENCY, "");
    tree_file(&t, SDA, "one two three\n");
    check_refused(&t, &request, ERR_MACHINE, "not one word");
    tree_remove(&t, "/sys/devices/system/cpu/cpu3/cpufreq");
    check_refused(&t, &request, ERR_MACHINE, "processor 3 has no frequency driver");
    tree_remove(&t, "/sys/devices/system/cpu/online");
    check_refused(&t, &request, ERR_MACHINE, "leave out --governor");
    check_holds(&t, POLICY0, "powersave");
    tree_end(&t);
}

/* Drivers that accept a value and keep another: a value with two words reads back differently. */
static void ignored_in_the_middle(void)
{
    struct tree t = {0};
    make_machine(&t);
    struct knob_request request = everything();
    request.governor = "two words";
    tree_remove(&t, "/sys/devices/system/cpu/cpufreq/policy0/scaling_available_governors");
    tree_remove(&t, "/sys/devices/system/cpu/cpufreq/policy2/scaling_available_governors");
    check_refused(&t, &request, ERR_MACHINE, "the kernel took it and kept another value");
    check_as_before(&t);
    tree_end(&t);
}

/* The second policy's file cannot be written: the first one's value is restored. */
static void denied_in_the_middle(void)
{
    struct tree t = {0};
    char path[TREE_PATH];
    int status = 1;
    make_machine(&t);
    CHECK_INT(chmod(tree_path(&t, path, POLICY2), 0444), 0);
    CHECK_INT(chmod(t.folder, 0755), 0);
    if (!geteuid())
        CHECK_INT(chown(tree_path(&t, path, POLICY0), SOMEBODY, SOMEBODY), 0);
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        struct knob_request request = everything();
        if (!geteuid() && (setgid(SOMEBODY) || setuid(SOMEBODY)))
            _exit(3);
        check_refused(&t, &request, ERR_MACHINE, "Permission denied; ");
        fflush(NULL);
        _exit(check_failures > 0);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
    check_as_before(&t);
    tree_end(&t);
}

/* A run that never ends. With `orphan` it leaves a child that holds all its files open. */
static void run_to_be_killed(const struct tree *t, bool orphan, int ready)
{
    struct knobs k;
    struct knob_request request = everything();
    char text[64];
    pid_t left = 0;
    if (knobs_set(&k, &t->root, &request, NULL))
        _exit(1);
    if (orphan && !(left = fork())) {
        sleep(30);
        _exit(0);
    }
    int length = snprintf(text, sizeof text, "%ld %ld", (long)k.keeper, (long)left);
    CHECK_INT(write(ready, text, (size_t)length), length);
    for (;;)
        pause();
}

static void killed(bool orphan)
{
    struct tree t = {0};
    int ends[2];
    char text[64] = "";
    make_machine(&t);
    CHECK_INT(pipe(ends), 0);
    fflush(NULL);
    pid_t run = fork();
    if (!run)
        run_to_be_killed(&t, orphan, ends[1]);
    close(ends[1]);
    CHECK(read(ends[0], text, sizeof text - 1) > 0);
    char *end = text;
    pid_t keeper = (pid_t)strtol(text, &end, 10), left = (pid_t)strtol(end, NULL, 10);
    check_set(&t);
    if (keeper > 0 && run > 0) {
        const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGPIPE};
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
            CHECK_INT(kill(keeper, signals[i]), 0);
        nap();
        check_set(&t); /* it exists, and waits */
        CHECK_INT(kill(run, SIGKILL), 0);
        CHECK_INT(waitpid(run, NULL, 0), run);
        CHECK(comes_to_hold(&t, POLICY0, "powersave")); /* the last one restored */
    }
    check_as_before(&t);
    if (left > 0)
        kill(left, SIGKILL);
    close(ends[0]);
    tree_end(&t);
}

static void keeper_killed(void)
{
    struct tree t = {0};
    struct knobs k;
    struct err e = {0};
    struct knob_request request = everything();
    make_machine(&t);
    CHECK_INT(knobs_set(&k, &t.root, &request, &e), 0);
    if (k.keeper > 0)
        CHECK_INT(kill(k.keeper, SIGKILL), 0);
    CHECK_INT(knobs_restore(&k, &e), 0);
    check_as_before(&t);
    knobs_free(&k);
    tree_end(&t);
}

static void device_vanished(void)
{
    struct tree t = {0};
    struct knobs k;
    struct err e = {0};
    struct knob_request request = everything();
    make_machine(&t);
    CHECK_INT(knobs_set(&k, &t.root, &request, &e), 0);
    tree_remove(&t, "/sys/block/sda");
    CHECK_INT(knobs_restore(&k, &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
    CHECK_STR(e.msg, "cannot restore " SDA ": No such file or directory; write 'mq-deadline' to "
                     "it by hand");
    check_holds(&t, POLICY0, "powersave");
    check_holds(&t, POLICY2, "schedutil");
    CHECK_INT(knobs_restore(&k, &e), 0);
    knobs_free(&k);
    tree_end(&t);
}

/* ---- this machine ---- */

/* Finds a word that is offered and not in force. */
static bool other_word(const char *offer, const char *now, char word[KNOB_VALUE])
{
    for (const char *p = offer; *p;) {
        size_t length = strcspn(p, " ");
        snprintf(word, KNOB_VALUE, "%.*s", (int)length, p);
        if (length && strcmp(word, now))
            return true;
        p += length + (p[length] == ' ');
    }
    return false;
}

static void real_scheduler(void)
{
    struct tree here = {0};
    struct loop_device l;
    struct knobs k;
    struct err e = {0};
    char path[96], before[KNOB_VALUE], offer[KNOB_OFFER], word[KNOB_VALUE];
    int file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, 1 << 20) || !loop_attach(&l, file)) {
        check_part_skipped("no loop device can be attached");
        return;
    }
    const char *disk = strrchr(l.path, '/') + 1;
    snprintf(path, sizeof path, "/sys/block/%s/queue/scheduler", disk);
    if (knob_value_read(&here.root, path, before) != FACT_OK ||
        knob_value_offer(&here.root, path, offer) != FACT_OK || !other_word(offer, before, word)) {
        check_part_skipped("the loop device offers no choice of schedulers");
    } else {
        struct knob_request request = {.scheduler = word, .disks = &disk, .disk_count = 1};
        if (knobs_set(&k, &here.root, &request, &e))
            CHECK_STR(e.msg, "");
        check_holds(&here, path, word);
        if (knobs_restore(&k, &e))
            CHECK_STR(e.msg, "");
        check_holds(&here, path, before);
        knobs_free(&k);
        request.scheduler = "no-such-scheduler";
        check_refused(&here, &request, ERR_USAGE, offer);
        check_holds(&here, path, before);
    }
    loop_detach(&l);
}

static int32_t latency_now(void)
{
    int32_t value = -1;
    int fd = open(LATENCY, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, &value, sizeof value) != (ssize_t)sizeof value)
        value = -1;
    if (fd >= 0)
        close(fd);
    return value;
}

static void real_latency(void)
{
    struct sysroot here = {0};
    struct knobs k;
    struct err e = {0};
    int32_t before = latency_now();
    struct knob_request request = {.cpu_idle_off = true};
    if (before <= 0 || knobs_set(&k, &here, &request, &e)) {
        check_part_skipped("the latency of idle states cannot be asked for here");
        return;
    }
    char expected[32];
    snprintf(expected, sizeof expected, "%" PRId32 " us", before);
    CHECK_INT(k.change_count, 1);
    change_is(k.changes, LATENCY, expected, "0 us");
    CHECK_INT(k.keeper, 0);
    CHECK_INT(latency_now(), 0);
    CHECK_INT(knobs_restore(&k, &e), 0);
    CHECK_INT(latency_now(), before);
    knobs_free(&k);
}

static void values(void)
{
    struct tree t = {0};
    char value[KNOB_VALUE], offer[KNOB_OFFER];
    tree_begin(&t);
    static const struct {
        const char *text;
        enum fact_status status;
        const char *value, *offer;
    } rows[] = {
        {"[none] mq-deadline \n", FACT_OK, "none", "none mq-deadline"},
        {"none [mq-deadline]\n", FACT_OK, "mq-deadline", "none mq-deadline"},
        {"none\n", FACT_OK, "none", "none"},
        {"none", FACT_OK, "none", "none"},
        {"[none]", FACT_OK, "none", "none"},
        {"none mq-deadline\n", FACT_INVALID, "", "none mq-deadline"},
        {"\n", FACT_INVALID, "", ""},
        {"", FACT_INVALID, "", ""},
        {"[] [\n", FACT_INVALID, "", "[] ["},
        {"\xff\n", FACT_INVALID, "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tree_file(&t, "/value", rows[i].text);
        CHECK_INT(knob_value_read(&t.root, "/value", value), rows[i].status);
        CHECK_STR(value, rows[i].value);
        knob_value_offer(&t.root, "/value", offer);
        CHECK_STR(offer, rows[i].offer);
    }
    CHECK(knob_value_offered("none mq-deadline", "none"));
    CHECK(!knob_value_offered("none mq-deadline", "mq"));
    CHECK(!knob_value_offered("none mq-deadline", ""));
    tree_end(&t);
}

int main(void)
{
    values();
    set_and_restore();
    nothing_to_do();
    refusals();
    ignored_in_the_middle();
    denied_in_the_middle();
    killed(false);
    killed(true);
    keeper_killed();
    device_vanished();
    real_scheduler();
    real_latency();
    return check_result();
}

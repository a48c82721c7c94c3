/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings that the kernel resets along with a knob are restored after a run: on trees of the
   test's own, where the test plays the kernel, and by the real kernel on a loop device. */
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "hw/knob/internal.h"
#include "hw/knob/knob.h"
#include "loop_device.h"
#include "tree.h"

#define QUEUE      "/sys/block/sda/queue"
#define CPUFREQ    "/sys/devices/system/cpu/cpufreq"
#define POLICY     CPUFREQ "/policy0"
#define PREFERENCE POLICY "/energy_performance_preference"
#define LATENCY    "/dev/cpu_dma_latency"

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
}

/* ---- trees ---- */

/* Files as they are before, and as the kernel leaves them when the knob beside them is set. */
static const struct {
    const char *path, *before, *reset;
} dependents[] = {
    {QUEUE "/nr_requests", "64", "256"},
    {QUEUE "/wbt_lat_usec", "75000", "0"},
    {QUEUE "/iosched/async_depth", "20", "256"},
    {QUEUE "/iosched/read_expire", "124", "500"},
    {PREFERENCE, "balance_power", "performance"},
    {POLICY "/schedutil/rate_limit_us", "500", "1000"},
    {CPUFREQ "/schedutil/up_threshold", "70", "80"},
};
#define DEPENDENTS (sizeof dependents / sizeof *dependents)

static const char *const disks[] = {"sda"};
static const struct knob_request request = {
    .governor = "performance", .scheduler = "none", .disks = disks, .disk_count = 1};

static void make_machine(struct tree *t)
{
    char full[TREE_PATH];
    tree_begin(t);
    tree_file(t, "/sys/devices/system/cpu/online", "0-1\n");
    tree_link(t, "/sys/devices/system/cpu/cpu0/cpufreq", "../cpufreq/policy0");
    tree_link(t, "/sys/devices/system/cpu/cpu1/cpufreq", "../cpufreq/policy0");
    tree_file(t, POLICY "/scaling_governor", "schedutil\n");
    tree_file(t, POLICY "/scaling_available_governors", "performance schedutil\n");
    tree_file(t, QUEUE "/scheduler", "none [mq-deadline] kyber\n");
    for (size_t i = 0; i < DEPENDENTS; i++)
        tree_filef(t, dependents[i].path, "%s\n", dependents[i].before);
    tree_file(t, QUEUE "/read_ahead_kb", "128\n");
    tree_file(t, QUEUE "/iosched/model", "two words\n");
    tree_file(t, QUEUE "/iosched/seen", "1\n");
    CHECK_INT(chmod(tree_path(t, full, QUEUE "/iosched/seen"), 0444), 0);
}

/* Does what the kernel does when the scheduler and the governor change, and changes another value
   by itself. */
static void reset_as_a_kernel_does(const struct tree *t)
{
    char full[TREE_PATH];
    for (size_t i = 0; i < DEPENDENTS; i++)
        tree_filef(t, dependents[i].path, "%s\n", dependents[i].reset);
    tree_file(t, QUEUE "/read_ahead_kb", "256\n");
    tree_file(t, QUEUE "/iosched/seen", "2\n");
    CHECK_INT(chmod(tree_path(t, full, QUEUE "/iosched/seen"), 0444), 0);
}

static bool holds(const struct tree *t, const char *path, const char *value)
{
    char now[KNOB_VALUE];
    return knob_value_read(&t->root, path, now) == FACT_OK && !strcmp(now, value);
}

static bool is_as_before(const struct tree *t)
{
    for (size_t i = 0; i < DEPENDENTS; i++)
        if (!holds(t, dependents[i].path, dependents[i].before))
            return false;
    return holds(t, QUEUE "/scheduler", "mq-deadline") &&
           holds(t, POLICY "/scaling_governor", "schedutil");
}

static void check_message(const struct err *e, const char *text)
{
    if (!strstr(e->msg, text))
        CHECK_STR(e->msg, text);
}

static void set_and_restore(void)
{
    struct tree t = {0};
    struct knobs k;
    struct err e = {0};
    char text[64];
    make_machine(&t);
    CHECK_INT(knobs_set(&k, &t.root, &request, &e), 0);
    CHECK_INT(k.change_count, 2); /* only the requested settings */
    CHECK_INT(k.dependent_count, DEPENDENTS);
    reset_as_a_kernel_does(&t);
    CHECK_INT(knobs_restore(&k, &e), 0);
    CHECK(is_as_before(&t));
    CHECK(holds(&t, QUEUE "/read_ahead_kb", "256")); /* not related to the knob */
    CHECK(holds(&t, QUEUE "/iosched/seen", "2"));
    CHECK_INT(sysroot_line(&t.root, QUEUE "/iosched/model", text, sizeof text), FACT_OK);
    CHECK_STR(text, "two words");
    knobs_free(&k);
    CHECK_INT(k.dependent_count, 0);
    tree_end(&t);
}

/* If the knob does not change, the kernel resets nothing. */
static void nothing_changes(void)
{
    struct tree t = {0};
    struct knobs k;
    struct err e = {0};
    make_machine(&t);
    tree_file(&t, QUEUE "/scheduler", "[none] mq-deadline kyber\n");
    tree_file(&t, POLICY "/scaling_governor", "performance\n");
    CHECK_INT(knobs_set(&k, &t.root, &request, &e), 0);
    CHECK_INT(k.dependent_count, 0);
    CHECK_INT(knobs_restore(&k, &e), 0);
    knobs_free(&k);
    tree_end(&t);
}

static void keeper_killed(void)
{
    struct tree t = {0};
    struct knobs k;
    struct err e = {0};
    make_machine(&t);
    CHECK_INT(knobs_set(&k, &t.root, &request, &e), 0);
    reset_as_a_kernel_does(&t);
    if (k.keeper > 0)
        CHECK_INT(kill(k.keeper, SIGKILL), 0);
    CHECK_INT(knobs_restore(&k, &e), 0);
    CHECK(is_as_before(&t));
    knobs_free(&k);
    tree_end(&t);
}

static void cannot_be_restored(void)
{
    struct tree t = {0};
    struct knobs k;
    struct err e = {0};
    make_machine(&t);
    CHECK_INT(knobs_set(&k, &t.root, &request, &e), 0);
    reset_as_a_kernel_does(&t);
    tree_remove(&t, QUEUE "/iosched/async_depth");
    CHECK_INT(knobs_restore(&k, &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
    CHECK_STR(e.msg, "cannot restore " QUEUE "/iosched/async_depth: No such file or directory; "
                     "write '20' to it by hand");
    CHECK(holds(&t, QUEUE "/nr_requests", "64"));
    CHECK(holds(&t, QUEUE "/iosched/read_expire", "124")); /* the changes after it are restored */
    knobs_free(&k);

    tree_file(&t, QUEUE "/iosched/async_depth", "20\n");
    tree_file(&t, QUEUE "/scheduler", "none [mq-deadline] kyber\n");
    CHECK_INT(knobs_set(&k, &t.root, &request, &e), 0);
    tree_remove(&t, QUEUE);
    CHECK_INT(knobs_restore(&k, &e), -1);
    /* names the cause and not its consequence */
    check_message(&e, "cannot restore " QUEUE "/scheduler:");
    check_message(&e, "(and 4 other settings are not restored)");
    knobs_free(&k);
    tree_end(&t);
}

/* Starts a run that makes the requested settings and never ends; returns when they are made. */
static pid_t run_to_be_killed(const struct sysroot *root, const struct knob_request *asked)
{
    int ends[2];
    char ready = 0;
    CHECK_INT(pipe(ends), 0);
    fflush(NULL);
    pid_t run = fork();
    if (!run) {
        struct knobs k;
        if (knobs_set(&k, root, asked, NULL) || write(ends[1], "k", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ends[1]);
    CHECK_INT(read(ends[0], &ready, 1), 1);
    close(ends[0]);
    return run;
}

static void kill_run(pid_t run)
{
    if (run <= 0)
        return;
    CHECK_INT(kill(run, SIGKILL), 0);
    CHECK_INT(waitpid(run, NULL, 0), run);
}

static void run_killed(void)
{
    struct tree t = {0};
    make_machine(&t);
    pid_t run = run_to_be_killed(&t.root, &request);
    CHECK(holds(&t, QUEUE "/scheduler", "none"));
    reset_as_a_kernel_does(&t);
    kill_run(run);
    for (int i = 0; i < 2000 && !is_as_before(&t); i++)
        nap();
    CHECK(is_as_before(&t));
    tree_end(&t);
}

/* ---- descriptors ---- */

/* Runs in a child whose descriptor 0 is free. */
static void latency_is_descriptor_0(void)
{
    struct tree t = {0};
    struct knobs k = {0};
    struct err e = {0};
    const struct knob_request idle = {.cpu_idle_off = true};
    CHECK_INT(knobs_restore(&k, &e), 0);
    knobs_free(&k);
    CHECK(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* zeroed memory is not a descriptor */
    tree_begin(&t);
    tree_file(&t, LATENCY, "");
    close(STDIN_FILENO);
    CHECK_INT(knobs_set(&k, &t.root, &idle, &e), 0);
    CHECK_INT(k.latency, STDIN_FILENO);
    CHECK_INT(knobs_restore(&k, &e), 0);
    CHECK(fcntl(STDIN_FILENO, F_GETFD) < 0); /* not held any longer */
    knobs_free(&k);
    tree_end(&t);
}

static void descriptor_0(void)
{
    int status = 1;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        if (fcntl(STDIN_FILENO, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != STDIN_FILENO)
            _exit(2);
        latency_is_descriptor_0();
        fflush(NULL);
        _exit(check_failures > 0);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
}

/* ---- a loop device ---- */

/* All values that the kernel shows of a disk's queue. */
struct queue_state {
    size_t count;
    struct {
        char path[160], text[KNOB_OFFER];
    } rows[128];
};

static const struct sysroot here;

static void read_folder(struct queue_state *state, const char *folder)
{
    struct sysroot_names files;
    char path[160], text[KNOB_OFFER];
    if (sysroot_list(&here, folder, &files) != FACT_OK)
        files.count = 0;
    for (size_t i = 0; i < files.count && state->count < 128; i++) {
        sysroot_join(path, sizeof path, folder, files.names[i]);
        if (sysroot_line(&here, path, text, sizeof text) != FACT_OK)
            continue;
        snprintf(state->rows[state->count].path, sizeof path, "%s", path);
        snprintf(state->rows[state->count++].text, sizeof text, "%s", text);
    }
    sysroot_names_free(&files);
}

static void read_state(struct queue_state *state, const char *queue)
{
    char tunables[160];
    state->count = 0;
    read_folder(state, queue);
    read_folder(state, sysroot_join(tunables, sizeof tunables, queue, "iosched"));
}

static bool same_state(const struct queue_state *a, const struct queue_state *b, bool tell)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        if (!strcmp(a->rows[i].path, b->rows[i].path) && !strcmp(a->rows[i].text, b->rows[i].text))
            continue;
        same = false;
        if (tell)
            fprintf(stderr, "    %s: %s became %s: %s\n", a->rows[i].path, a->rows[i].text,
                    b->rows[i].path, b->rows[i].text);
    }
    return same;
}

static void check_state(const struct queue_state *before, const char *queue)
{
    static struct queue_state now;
    read_state(&now, queue);
    CHECK(same_state(before, &now, true));
}

static void await_state(const struct queue_state *before, const char *queue)
{
    static struct queue_state now;
    read_state(&now, queue);
    for (int i = 0; i < 2000 && !same_state(before, &now, false); i++) {
        nap();
        read_state(&now, queue);
    }
    check_state(before, queue);
}

static int put(const char *queue, const char *name, const char *value)
{
    char path[160];
    return knob_value_write(&here, sysroot_join(path, sizeof path, queue, name), value);
}

/* Tunes a queue, as an administrator would. Files that this kernel does not have are skipped. In
   BFQ strict_guarantees raises slice_idle, which comes before it by name. */
static void tune(const char *queue, const char *scheduler)
{
    static const struct {
        const char *name, *value;
    } tunables[] = {
        {"iosched/read_expire", "123"},
        {"iosched/async_depth", "20"},
        {"async_depth", "20"},
        {"iosched/read_lat_nsec", "1000000"},
        {"iosched/strict_guarantees", "1"},
        {"iosched/slice_idle", "3"},
        {"iosched/back_seek_penalty", "3"},
    };
    CHECK_INT(put(queue, "scheduler", scheduler), 0);
    CHECK_INT(put(queue, "nr_requests", "64"), 0);
    for (size_t i = 0; i < sizeof tunables / sizeof *tunables; i++)
        put(queue, tunables[i].name, tunables[i].value);
}

/* From one scheduler to another and back, by the run and by the keeper alone. Returns true if the
   kernel reset the number of requests. */
static bool there_and_back(const char *disk, const char *queue, const char *from, const char *to)
{
    static struct queue_state before;
    const struct knob_request asked = {.scheduler = to, .disks = &disk, .disk_count = 1};
    struct knobs k;
    struct err e = {0};
    char path[160], requests[KNOB_VALUE] = "";
    tune(queue, from);
    read_state(&before, queue);
    if (knobs_set(&k, &here, &asked, &e))
        CHECK_STR(e.msg, "");
    CHECK_INT(k.change_count, 1);
    knob_value_read(&here, sysroot_join(path, sizeof path, queue, "nr_requests"), requests);
    if (knobs_restore(&k, &e))
        CHECK_STR(e.msg, "");
    knobs_free(&k);
    check_state(&before, queue);
    kill_run(run_to_be_killed(&here, &asked));
    await_state(&before, queue);
    return strcmp(requests, "64") != 0;
}

/* Restores a loop device's settings: a later device with the same number inherits them. */
static void put_state(const struct queue_state *before, const char *queue)
{
    char path[160], scheduler[KNOB_VALUE] = "";
    const char *open_bracket = NULL;
    sysroot_join(path, sizeof path, queue, "scheduler");
    for (size_t i = 0; i < before->count; i++)
        if (!strcmp(before->rows[i].path, path))
            open_bracket = strchr(before->rows[i].text, '[');
    if (open_bracket)
        snprintf(scheduler, sizeof scheduler, "%.*s", (int)strcspn(open_bracket + 1, "]"),
                 open_bracket + 1);
    CHECK_INT(put(queue, "scheduler", scheduler), 0);
    for (size_t i = 0; i < 2 * before->count; i++) {
        const char *file = before->rows[i % before->count].path;
        const char *text = before->rows[i % before->count].text;
        char now[KNOB_VALUE];
        if (strcmp(file, path) != 0 && knob_value_read(&here, file, now) == FACT_OK &&
            strcmp(now, text) != 0)
            knob_value_write(&here, file, text);
    }
    check_state(before, queue);
}

static void real_schedulers(void)
{
    static const char *const all[] = {"none", "mq-deadline", "kyber", "bfq"};
    static struct queue_state found;
    struct loop_device l;
    char queue[96], path[128], offer[KNOB_OFFER] = "";
    int file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), resets = 0, pairs = 0;
    if (file < 0 || ftruncate(file, 1 << 20) || !loop_attach(&l, file)) {
        check_part_skipped("no loop device can be attached");
        return;
    }
    const char *disk = strrchr(l.path, '/') + 1;
    snprintf(queue, sizeof queue, "/sys/block/%s/queue", disk);
    knob_value_offer(&here, sysroot_join(path, sizeof path, queue, "scheduler"), offer);
    read_state(&found, queue);
    for (size_t from = 0; from < 4; from++)
        for (size_t to = 0; to < 4 && !check_failures; to++) /* each failure takes 10 s */
            if (from != to && knob_value_offered(offer, all[from]) &&
                knob_value_offered(offer, all[to])) {
                pairs++;
                resets += there_and_back(disk, queue, all[from], all[to]);
            }
    if (pairs) {
        CHECK(resets > 0);
        put_state(&found, queue);
    } else if (!check_failures) {
        check_part_skipped("the loop device offers no choice of schedulers");
    }
    loop_detach(&l);
}

int main(void)
{
    set_and_restore();
    nothing_changes();
    keeper_killed();
    cannot_be_restored();
    run_killed();
    descriptor_0();
    real_schedulers();
    return check_result();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzing of everything that reads a machine: the fixture machines and dumps of lspci are damaged
 * at random, then all probers look at them, data paths are searched, the reports are made and two
 * inventories are compared. It must not crash, hang or leak.
 *
 * It runs in a child, so that the parent can say which seed and round ended it; the child's leaks
 * are looked at when it exits (with the sanitizers). The same seed and round do the same again.
 */
#ifndef TESTS_FUZZ_FUZZ_MACHINE_H
#define TESTS_FUZZ_FUZZ_MACHINE_H

#include <inttypes.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "base/arena.h"
#include "hw/monitor/inventory_change.h"
#include "hw/monitor/monitor.h"
#include "hw/path/data_path.h"
#include "hw/prober.h"
#include "report/inventory/inventory.h"
#include "tests/fuzz/fuzz_capture.h"
#include "tests/fuzz/fuzz_damage.h"
#include "tests/unit/tree.h"

/* A round that uses that much processor time hangs, even on a busy machine; so does one that sleeps
   that long. */
#define FUZZ_HANGS_SECONDS  30
#define FUZZ_SLEEPS_SECONDS 200

static const char *const fuzz_machines[] = {"guest", "garbage", "laptop", "hba", "bond", "server"};
static const char *const fuzz_dumps[] = {"server", "short", "garbage"};
#define FUZZ_MACHINES (sizeof fuzz_machines / sizeof *fuzz_machines)
#define FUZZ_DUMPS    (sizeof fuzz_dumps / sizeof *fuzz_dumps)

struct fuzz_progress {
    uint64_t round; /* the one that runs */
    uint64_t nodes; /* found in all rounds, which shows that the probers looked at something */
    char what[32];
};

static inline double fuzz_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The machine's manifest as a folder in the test's own tree. */
static inline void fuzz_unpack(const struct tree *t, const char *machine, char *folder)
{
    char command[TREE_PATH + 200], name[64];
    snprintf(name, sizeof name, "/%s", machine);
    snprintf(command, sizeof command,
             "tests/fixtures/unpack.sh tests/fixtures/machines/%s.tree '%s'", machine,
             tree_path(t, folder, name));
    if (system(command) != 0) {
        fprintf(stderr, "fuzz: %s failed; run it in the project's folder\n", command);
        exit(EXIT_FAILURE);
    }
}

/* Paths of some nodes, as they are and as a report's text. */
static inline void fuzz_paths(const struct sysroot *root, struct inventory *v, struct random *r)
{
    static struct data_path path;
    for (int i = 0; i < 12 && v->node_count > 0; i++) {
        int node = (int)random_below(r, (uint64_t)v->node_count);
        data_path_of_name(&path, root, v, v->nodes[node].name);
    }
    static const char *const files[] = {"/", "/data/file", "/mnt/nfs/file", "/scratch/a", "a"};
    data_path_find(&path, root, v, (dev_t)random_below(r, 1u << 20),
                   files[random_below(r, sizeof files / sizeof *files)]);
}

static inline void fuzz_monitor(const struct sysroot *root, struct inventory *v, struct random *r)
{
    static struct data_path path;
    static const int workers[] = {0, 1};
    struct arena arena = {0};
    struct monitor monitor = {0};
    struct err e = {0};
    const char *name = v->nodes[random_below(r, (uint64_t)v->node_count)].name;
    data_path_of_name(&path, root, v, name);
    struct monitor_request request = {
        .root = root, .inventory = v, .path = &path, .worker_cpus = workers, .worker_count = 2};
    if (arena_init(&arena, monitor_bytes(), &e) != 0) {
        return;
    }
    if (monitor_open(&monitor, &request, &arena, &e) == 0) {
        monitor_sample(&monitor, 1);
        monitor_sample(&monitor, 3);
        monitor_close(&monitor);
    }
    arena_free(&arena);
}

static inline void fuzz_reports(const struct inventory *v, struct random *r)
{
    struct inventory_view view = {.inventory = v, .all = random_below(r, 2), .captured = true};
    struct report_style style = {0};
    static const char *const formats[] = {"text", "csv", "json", "html"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct text out = {0};
        report_print(&inventory_report, &view, formats[i], &style, &out);
        text_free(&out);
    }
}

static inline void fuzz_look(const struct sysroot *root, const char *dump, const char *ids,
                             struct inventory *v)
{
    struct err e = {0};
    struct probe p = {.root = root, .inventory = v, .pci_ids = ids, .pci_dump = dump};
    (void)probe_all(&p, &e);
}

/* One round on a machine whose files are `d`. */
static inline void fuzz_machine(const char *folder, struct damage *d, struct random *r,
                                struct fuzz_progress *progress)
{
    static struct change changes[64];
    struct sysroot root;
    struct inventory before = {0}, after = {0};
    struct err e = {0};
    char ids[TREE_PATH];
    if (sysroot_open(&root, folder, &e) != 0) {
        damage_fail("open", folder);
    }
    damage_do(d, r, DAMAGE_MAX);
    fuzz_look(&root, NULL, sysroot_path(&root, ids, sizeof ids, "/usr/share/misc/pci.ids"),
              &before);
    fuzz_paths(&root, &before, r);
    fuzz_monitor(&root, &before, r);
    fuzz_reports(&before, r);
    damage_undo(d);
    progress->nodes += (uint64_t)before.node_count;
    if (random_below(r, 4) == 0) {
        fuzz_look(&root, NULL, "none", &after);
        (void)changes_find(&before, &after, changes, sizeof changes / sizeof *changes);
        (void)changes_find(&after, &before, changes, sizeof changes / sizeof *changes);
    }
    inventory_free(&before);
    inventory_free(&after);
}

/* One round on a damaged dump of lspci, on an empty machine. */
static inline void fuzz_dump(const struct tree *t, const char *dump, struct random *r,
                             struct fuzz_progress *progress)
{
    static char bytes[DAMAGE_BYTES];
    char from[256], path[TREE_PATH];
    struct inventory v = {0};
    snprintf(from, sizeof from, "tests/fixtures/lspci/%s.txt", dump);
    size_t length = damage_read(from, bytes);
    for (uint64_t i = random_below(r, 4); i > 0; i--) {
        length = damage_bytes(r, bytes, length);
    }
    tree_bytes(t, "/dump", bytes, length);
    tree_folder(t, "/nothing");
    struct sysroot nothing = t->root;
    strncat(nothing.prefix, "/nothing", sizeof nothing.prefix - strlen(nothing.prefix) - 1);
    fuzz_look(&nothing, tree_path(t, path, "/dump"), "none", &v);
    fuzz_reports(&v, r);
    progress->nodes += (uint64_t)v.node_count;
    inventory_free(&v);
}

struct fuzz_inputs {
    char folders[FUZZ_MACHINES][TREE_PATH];
    struct damage damages[FUZZ_MACHINES];
    bool ready[FUZZ_MACHINES];
    struct fuzz_archive archive; /* of the first machine */
};

/* Unpacks the machine if that was not done yet. Returns the seconds it took. */
static inline double fuzz_ready(struct fuzz_inputs *in, const struct tree *t, size_t machine)
{
    double begin = fuzz_seconds();
    if (in->ready[machine]) {
        return 0;
    }
    fuzz_unpack(t, fuzz_machines[machine], in->folders[machine]);
    damage_begin(&in->damages[machine], in->folders[machine]);
    in->ready[machine] = true;
    return fuzz_seconds() - begin;
}

static inline double fuzz_archive_ready(struct fuzz_inputs *in, const struct tree *t)
{
    struct sysroot root;
    double seconds = fuzz_ready(in, t, 0);
    if (in->archive.length == 0) {
        (void)sysroot_open(&root, in->folders[0], NULL);
        fuzz_archive_begin(&in->archive, t, &root);
    }
    return seconds;
}

/* One round; which input and what is done to it follows from the generator. Returns the seconds
   that unpacking took. */
static inline double fuzz_round(struct fuzz_inputs *in, const struct tree *t, struct random *r,
                                struct fuzz_progress *progress)
{
    double unpacking = 0;
    size_t choice = random_below(r, FUZZ_MACHINES + 2);
    if (choice == FUZZ_MACHINES) {
        const char *dump = fuzz_dumps[random_below(r, FUZZ_DUMPS)];
        snprintf(progress->what, sizeof progress->what, "dump %s", dump);
        fuzz_dump(t, dump, r, progress);
    } else if (choice == FUZZ_MACHINES + 1) {
        snprintf(progress->what, sizeof progress->what, "capture");
        unpacking = fuzz_archive_ready(in, t);
        fuzz_archive(&in->archive, t, r);
    } else {
        snprintf(progress->what, sizeof progress->what, "%s", fuzz_machines[choice]);
        unpacking = fuzz_ready(in, t, choice);
        fuzz_machine(in->folders[choice], &in->damages[choice], r, progress);
    }
    return unpacking;
}

/* Rounds from `first` on; stops after `seconds`, without those that unpacking took, or after one
   round when they are 0. */
static inline void fuzz_rounds(const struct tree *t, double seconds, uint64_t seed, uint64_t first,
                               struct fuzz_progress *progress)
{
    static struct fuzz_inputs in;
    const struct itimerval limit = {.it_value.tv_sec = FUZZ_HANGS_SECONDS};
    double begin = fuzz_seconds();
    progress->round = first;
    do {
        struct random r;
        random_seed(&r, seed, progress->round);
        setitimer(ITIMER_PROF, &limit, NULL);
        alarm(FUZZ_SLEEPS_SECONDS);
        begin += fuzz_round(&in, t, &r, progress);
        progress->round++;
    } while (fuzz_seconds() - begin < seconds);
    alarm(0);
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = 0}, NULL);
    for (size_t i = 0; i < FUZZ_MACHINES; i++) {
        damage_end(&in.damages[i]);
    }
}

/* Returns 0 if nothing went wrong; otherwise the fault was printed to stderr. */
static inline int fuzz(double seconds, uint64_t seed, uint64_t first)
{
    struct tree t;
    struct fuzz_progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED) {
        damage_fail("share", "the progress");
    }
    tree_begin(&t);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        fuzz_rounds(&t, seconds, seed, first, progress);
        exit(EXIT_SUCCESS);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        damage_fail("start", "the child");
    }
    tree_end(&t);
    uint64_t rounds = progress->round - first;
    bool failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    bool hung = WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF);
    if (failed) {
        fprintf(stderr, "fuzz: seed %" PRIu64 ", round %" PRIu64 " (%s): %s %d\n", seed,
                progress->round, progress->what,
                hung                  ? "hung, signal"
                : WIFSIGNALED(status) ? "ended by signal"
                                      : "exit status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    } else {
        printf("seed %" PRIu64 ": %" PRIu64 " rounds, %" PRIu64 " nodes\n", seed, rounds,
               progress->nodes);
        failed = rounds > 20 && progress->nodes < rounds;
        if (failed) {
            fprintf(stderr, "fuzz: the rounds found almost nothing: they test nothing\n");
        }
    }
    munmap(progress, sizeof *progress);
    return failed ? -1 : 0;
}

#endif

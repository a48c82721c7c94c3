/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IOPS and processor time per I/O of the whole worker loop on a file, beside minimal loops that do
 * the same I/O without a time stamp, and beside fio: random reads of 4 KiB, `sync` at depth 1 and
 * `uring` at depth 32. All contenders take turns in one run, in rotated order, and are pinned to
 * the same processor; nobody asks for real-time priority.
 *
 *   file_loop disk|tmpfs|cache FILE
 *
 * FILE is made, filled and removed. disk: with O_DIRECT. tmpfs: with O_DIRECT too, and cache:
 * through the page cache, so that the processor is the limit and not the device; tmpfs is for sync
 * alone, because io_uring hands reads of it to threads of the kernel.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bare_loop.h"
#include "figure.h"
#include "fio.h"
#include "io/target/target.h"
#include "run/loop/worker_group.h"

#define PAIRS          24
#define SECONDS        0.25 /* short turns, for a device's speed drifts; fio needs longer ones */
#define FIO_EVERY      4    /* pairs */
#define FILE_BYTES     ((uint64_t)256 << 20)
#define CONTENDERS_MAX 6

/* Other writers, and filling the file, stall the device for seconds: wait for it before each pair.
 */
#define QUIET_READINGS 150 /* at most, in the whole run */
#define QUIET_SECONDS  0.1
#define QUIET_SHARE    0.7 /* of the best reading so far */

enum contender_kind { CUPEL, BARE, FIO };

struct contender {
    const char *name;
    enum contender_kind kind;
    unsigned most; /* a minimal loop's completions at one wake-up; 0: pread */
    const char *options[8];
    double iops_target; /* of the ratio of IOPS */
    double iops[PAIRS], cpu_us[PAIRS];
};

struct field {
    const char *title;
    const struct io_ops *ops;
    unsigned iodepth;
    struct contender contender[CONTENDERS_MAX]; /* the first one is ours; a name of NULL ends it */
};

/*
 * Where the processor is the limit, a minimal loop without a time stamp is no target: two stamps
 * alone are more than 2 % of such an I/O.
 */
struct place {
    const char *name;
    bool direct, sync, uring;
    bool device_bound;
};

static const struct place places[] = {
    {"disk", true, true, true, true},
    {"tmpfs", true, true, false, false},
    {"cache", false, false, true, false},
};

/* Taking all completions at once, one by one, and a few as the uring backend does: which of them
 * gives the most IOPS depends on the device. */
static struct field fields[] = {
    {"sync depth 1",
     &io_sync,
     1,
     {{.name = "cupel", .kind = CUPEL},
      {.name = "minimal loop, pread", .kind = BARE, .iops_target = 0.98},
      {.name = "fio psync", .kind = FIO, .options = {"--ioengine=psync"}, .iops_target = 1}}},
    {"uring depth 32",
     &io_uring,
     32,
     {{.name = "cupel", .kind = CUPEL},
      {.name = "minimal loop, 1 a call", .kind = BARE, .most = 1, .iops_target = 0.98},
      {.name = "minimal loop, 4 a call", .kind = BARE, .most = 4, .iops_target = 0.98},
      {.name = "minimal loop, all there", .kind = BARE, .most = 32, .iops_target = 0.98},
      {.name = "fio io_uring, registered",
       .kind = FIO,
       .options = {"--ioengine=io_uring", "--iodepth=32", "--fixedbufs", "--registerfiles"},
       .iops_target = 1},
      {.name = "fio io_uring",
       .kind = FIO,
       .options = {"--ioengine=io_uring", "--iodepth=32"},
       .iops_target = 1}}},
};

/* What all contenders share. */
struct bench {
    const char *path;
    struct clock clock;
    struct target target;
    struct group group;
    struct arena arena;
    double best_iops; /* of pread, while waiting for a quiet device */
    unsigned quiet_readings;
};

static int run_cupel(struct bench *b, struct contender *c, int pair)
{
    struct round_request request = {.seconds = SECONDS, .slice_seconds = 0.01, .recording = true};
    struct round_outcome outcome;
    struct err e;
    if (group_run_round(&b->group, &request, &outcome, &e)) {
        fprintf(stderr, "file_loop: %s\n", e.msg);
        return -1;
    }
    double ios = (double)outcome.total.op[OPERATION_READ].ios;
    c->iops[pair] = ios / outcome.seconds;
    c->cpu_us[pair] = outcome.cpu_seconds * 1e6 / ios;
    return 0;
}

static struct bare_loop bare_loop_of(const struct bench *b, int cpu, unsigned iodepth,
                                     unsigned most)
{
    return (struct bare_loop){.fd = b->target.fd,
                              .cpu = cpu,
                              .clock = &b->clock,
                              .blocks = FILE_BYTES / BARE_BLOCK,
                              .iodepth = iodepth,
                              .most = most,
                              .seconds = SECONDS};
}

static int run_bare(struct bench *b, unsigned iodepth, struct contender *c, int pair)
{
    struct bare_loop loop = bare_loop_of(b, b->group.workers[0].cpu, iodepth, c->most);
    if (bare_loop_run(&loop, (uint64_t)pair))
        return -1;
    c->iops[pair] = (double)loop.ios / loop.elapsed;
    c->cpu_us[pair] = loop.cpu_seconds * 1e6 / (double)loop.ios;
    return 0;
}

/* Until the device is nearly as fast as ever, or a limit: then the quartiles of the pairs tell. */
static int wait_until_quiet(struct bench *b)
{
    while (b->quiet_readings < QUIET_READINGS) {
        struct bare_loop loop = bare_loop_of(b, -1, 1, 0);
        loop.seconds = QUIET_SECONDS;
        if (bare_loop_run(&loop, b->quiet_readings++))
            return -1;
        double iops = (double)loop.ios / loop.elapsed;
        if (iops > b->best_iops)
            b->best_iops = iops;
        else if (iops >= QUIET_SHARE * b->best_iops)
            break;
    }
    return 0;
}

static int run_fio(struct bench *b, struct contender *c, int pair)
{
    char filename[1100], cpus[40];
    const char *options[16] = {filename,
                               cpus,
                               b->target.direct ? "--direct=1" : "--direct=0",
                               "--size=256m",
                               "--allow_file_create=0",
                               "--invalidate=0"};
    const size_t common = 6;
    snprintf(filename, sizeof filename, "--filename=%s", b->path);
    if (b->group.workers[0].cpu < 0)
        snprintf(cpus, sizeof cpus, "--cpus_allowed=0-%ld", sysconf(_SC_NPROCESSORS_CONF) - 1);
    else
        snprintf(cpus, sizeof cpus, "--cpus_allowed=%d", b->group.workers[0].cpu);
    for (size_t i = 0; c->options[i]; i++)
        options[common + i] = c->options[i];
    struct fio_result result;
    if (fio_run(options, &result))
        return -1;
    c->iops[pair] = result.iops;
    c->cpu_us[pair] = result.cpu_ns * 1e-3;
    return 0;
}

static int run_contender(struct bench *b, unsigned iodepth, struct contender *c, int pair)
{
    switch (c->kind) {
    case CUPEL:
        return run_cupel(b, c, pair);
    case BARE:
        return run_bare(b, iodepth, c, pair);
    case FIO:
        return run_fio(b, c, pair);
    }
    return -1;
}

/* One line against this contender, of the pairs in which it took part. */
static void print_figure(const struct figure *f, enum contender_kind kind, const double ours[],
                         const double reference[])
{
    double x[PAIRS], y[PAIRS];
    unsigned n = 0;
    for (unsigned pair = 0; pair < PAIRS; pair += kind == FIO ? FIO_EVERY : 1, n++) {
        x[n] = ours[pair];
        y[n] = reference[pair];
    }
    figure_pairs(f, x, y, n);
}

static void print_field(const struct place *place, const struct field *field)
{
    const struct contender *ours = &field->contender[0];
    char name[64];
    snprintf(name, sizeof name, "%s %s IOPS", place->name, field->title);
    for (const struct contender *c = ours + 1; c < ours + CONTENDERS_MAX && c->name; c++) {
        struct figure f = {name, "1/s", 0, c->name, FIGURE_AT_LEAST, c->iops_target};
        if (c->kind == BARE && !place->device_bound)
            f.relation = FIGURE_NO_TARGET;
        print_figure(&f, c->kind, ours->iops, c->iops);
    }
    snprintf(name, sizeof name, "%s %s CPU/IO", place->name, field->title);
    for (const struct contender *c = ours + 1; c < ours + CONTENDERS_MAX && c->name; c++) {
        struct figure f = {name, "us", 2, c->name, FIGURE_NO_TARGET, 0};
        print_figure(&f, c->kind, ours->cpu_us, c->cpu_us);
    }
}

static int start_group(struct bench *b, const struct field *field, struct err *e)
{
    static struct plan plan;
    plan_init(&plan);
    plan.iodepth = field->iodepth;
    plan.realtime = false;
    struct group_setup setup = {.plan = &plan,
                                .ops = field->ops,
                                .clock = &b->clock,
                                .fd = b->target.fd,
                                .direct = b->target.direct,
                                .region = FILE_BYTES};
    if (arena_init(&b->arena, group_bytes(&plan) + (1 << 20), e))
        return -1;
    if (group_init(&b->group, &setup, &b->arena, e) || group_start(&b->group, e)) {
        arena_free(&b->arena);
        return -1;
    }
    return 0;
}

static int run_field(struct bench *b, const struct place *place, struct field *field)
{
    struct err e;
    if (start_group(b, field, &e)) {
        fprintf(stderr, "file_loop: %s\n", e.msg);
        return -1;
    }
    unsigned count = 0;
    while (count < CONTENDERS_MAX && field->contender[count].name)
        count++;
    int status = 0;
    for (int pair = 0; pair < PAIRS && !status; pair++) {
        status = place->device_bound ? wait_until_quiet(b) : 0;
        for (unsigned i = 0; i < count && !status; i++) {
            unsigned turn = ((unsigned)pair + i) % count;
            struct contender *c = &field->contender[turn];
            if (c->kind != FIO || pair % FIO_EVERY == 0)
                status = run_contender(b, field->iodepth, c, pair);
        }
    }
    group_stop(&b->group);
    arena_free(&b->arena);
    if (!status)
        print_field(place, field);
    return status;
}

static int measure(struct bench *b, const struct place *place)
{
    struct err e;
    struct target_request request = {
        .path = b->path, .read = true, .direct = place->direct, .size = FILE_BYTES, .seed = 1};
    clock_calibrate(&b->clock, 50, false);
    if (target_open(&b->target, &request, NULL, NULL, NULL, &e)) {
        fprintf(stderr, "file_loop: %s\n", e.msg);
        return -1;
    }
    int status = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields && !status; i++)
        if (fields[i].ops == &io_sync ? place->sync : place->uring)
            status = run_field(b, place, &fields[i]);
    target_close(&b->target);
    unlink(b->path);
    return status;
}

int main(int argc, char **argv)
{
    static struct bench b;
    for (size_t i = 0; argc == 3 && i < sizeof places / sizeof *places; i++)
        if (!strcmp(argv[1], places[i].name)) {
            b.path = argv[2];
            return measure(&b, &places[i]) ? 1 : 0;
        }
    fprintf(stderr, "usage: file_loop disk|tmpfs|cache FILE\n");
    return 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How late requests with Poisson arrivals are issued, by rate (Anderson et al., Buttress (2004),
 * Figure 7): a bare spin loop, `cupel run --rate_iops`, and fio by rate_process=poisson and by
 * replaying an iolog of the same kind. On a target that does nothing, and for random reads of 4 KiB
 * of a file with O_DIRECT. All are pinned to the same processor and take turns; nobody is given
 * priority by this program.
 *
 *   issue_error CUPEL PRELOAD FOLDER [RATE...]    a file of 1 GiB is made in FOLDER and removed
 *
 * PRELOAD is stamp_issues.so. What is told of fio is the best that its issue instants can be
 * called: see issue_figures_best and fio_issue.h.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_file.h"
#include "csv_row.h"
#include "figure.h"
#include "fio_issue.h"
#include "iolog.h"
#include "issue_figures.h"
#include "spin_loop.h"

#define FILE_BYTES   ((uint64_t)1 << 30)
#define ROUNDS       3
#define REQUESTS_MAX ((size_t)1 << 20)
#define IODEPTH      "256" /* as many as the bare loop's slots */

#define MAX_MEDIAN_NS 1000
#define MIN_OF_BARE   0.98
#define SHARE_JUDGED  1 /* of issue_limits_ns: within 10 us */

/* Rates between and above those that are judged, for the curve. */
struct step {
    double rate, seconds;
    bool judged;
};
static const struct step steps[] = {{1000, 4, true},   {5000, 3, true},  {10000, 2, true},
                                    {20000, 1, false}, {50000, 2, true}, {100000, 1, false}};

enum contender { BARE, CUPEL, FIO_POISSON, FIO_REPLAY, CONTENDERS };
static const char *const names[CONTENDERS] = {"bare spin loop", "cupel", "fio poisson",
                                              "fio replay"};

struct bench {
    char *cupel;
    char file[1100], iolog[1100];
    struct target target;
    struct clock clock;
    struct fio_issue fio;
    int cpu;
    uint64_t *due_ns;
    double *late_ns, *schedule_ns;
    size_t scheduled; /* of schedule_ns, at this step's rate */
};

static size_t requests_of(const struct step *s)
{
    size_t n = (size_t)(s->rate * s->seconds);
    return n < REQUESTS_MAX ? n : REQUESTS_MAX;
}

static int run_bare(struct bench *b, bool null, const struct step *s, unsigned round,
                    struct issue_figures *f)
{
    struct spin_loop loop = {.fd = null ? -1 : b->target.fd,
                             .cpu = b->cpu,
                             .clock = &b->clock,
                             .blocks = FILE_BYTES / SPIN_BLOCK,
                             .due_ns = b->due_ns,
                             .count = requests_of(s),
                             .late_ns = b->late_ns};
    spin_poisson(b->due_ns, loop.count, s->rate, round + 1);
    if (spin_loop_run(&loop))
        return -1;
    *f = issue_figures_of(b->late_ns, loop.count);
    return 0;
}

static int run_cupel(struct bench *b, bool null, const struct step *s, unsigned round,
                     struct issue_figures *f)
{
    static char csv[1 << 20];
    char rate[40], cpu[16], seed[16], seconds[16], limit[16];
    snprintf(rate, sizeof rate, "%.0f", s->rate);
    snprintf(cpu, sizeof cpu, "%d", b->cpu);
    snprintf(seed, sizeof seed, "%u", round + 1);
    snprintf(seconds, sizeof seconds, "%.0fs", s->seconds);
    snprintf(limit, sizeof limit, "%.0fs", s->seconds + 1);
    char *argv[] = {b->cupel,    "run",      b->file,       "--ioengine", null ? "null" : "uring",
                    "--rw",      "randread", "--bs",        "4k",         "--iodepth",
                    IODEPTH,     "--cpus",   cpu,           "--seed",     seed,
                    "--arrival", "poisson",  "--rate_iops", rate,         "--preset",
                    "quick",     "--ci",     "100%",        "--min-time", seconds,
                    "--limit",   limit,      "--overhead",  "0",          "--format",
                    "csv",       NULL};
    struct child_cost cost;
    if (csv_run(argv, csv, sizeof csv, &cost))
        return -1;
    *f = (struct issue_figures){
        csv_value(csv, "issue_error_p50"),
        csv_value(csv, "issue_error_p99"),
        {csv_value(csv, "issued_within_1us"), csv_value(csv, "issued_within_10us"),
         csv_value(csv, "issued_within_50us"), csv_value(csv, "issued_within_100us")}};
    if (f->median_ns >= 0 && f->within[SHARE_JUDGED] >= 0)
        return 0;
    fprintf(stderr, "cupel told no issue errors: %s\n", csv);
    return -1;
}

/* What fio stamped, against due_ns(i) from any origin. */
static struct issue_figures judge_fio(struct bench *b, const double schedule_ns[], size_t n)
{
    n = n < b->fio.stamps->count ? n : (size_t)b->fio.stamps->count;
    for (size_t i = 0; i < n; i++)
        b->late_ns[i] = fio_issue_ns(&b->fio, i) - schedule_ns[i];
    return issue_figures_best(b->late_ns, n);
}

static int run_fio_poisson(struct bench *b, bool null, const struct step *s,
                           struct issue_figures *f)
{
    if (fio_issue_poisson(&b->fio, null, s->rate, s->seconds))
        return -1;
    *f = judge_fio(b, b->schedule_ns, b->scheduled);
    return 0;
}

static int run_fio_replay(struct bench *b, bool null, const struct step *s, struct issue_figures *f)
{
    size_t n = requests_of(s);
    double *schedule_ns = malloc(n * sizeof *schedule_ns);
    spin_poisson(b->due_ns, n, s->rate, 1);
    int status = !schedule_ns || iolog_write(b->iolog, b->file, FILE_BYTES, b->due_ns, n) ? -1 : 0;
    for (size_t i = 0; i < n && !status; i++)
        schedule_ns[i] = (double)(b->due_ns[i] / 1000 * 1000);
    status = status || fio_issue_replay(&b->fio, null, b->iolog) ? -1 : 0;
    if (!status)
        *f = judge_fio(b, schedule_ns, n);
    free(schedule_ns);
    unlink(b->iolog);
    return status;
}

static int run_contender(struct bench *b, enum contender c, bool null, const struct step *s,
                         unsigned round, struct issue_figures *f)
{
    switch (c) {
    case BARE:
        return run_bare(b, null, s, round, f);
    case CUPEL:
        return run_cupel(b, null, s, round, f);
    case FIO_POISSON:
        return run_fio_poisson(b, null, s, f);
    default:
        return run_fio_replay(b, null, s, f);
    }
}

/* The median of every figure for itself. */
static struct issue_figures median_figures(const struct issue_figures f[], unsigned n)
{
    enum { FIGURES = sizeof *f / sizeof(double) };
    double column[ROUNDS] = {0}, median[FIGURES] = {0};
    for (size_t k = 0; k < FIGURES; k++) {
        for (unsigned i = 0; i < n; i++)
            memcpy(&column[i], (const char *)&f[i] + k * sizeof(double), sizeof(double));
        median[k] = figure_median(column, n);
    }
    struct issue_figures result;
    memcpy(&result, median, sizeof result);
    return result;
}

static void print_row(bool null, const struct step *s, enum contender c,
                      const struct issue_figures *f)
{
    printf("  %-4s %7.0f/s %-15s %12.2f %12.2f  ", null ? "null" : "file", s->rate, names[c],
           f->median_ns / 1e3, f->p99_ns / 1e3);
    for (int i = 0; i < ISSUE_LIMITS; i++)
        printf(" %7.4f", f->within[i]);
    putchar('\n');
    fflush(stdout);
}

static void print_judgement(bool null, const struct step *s,
                            struct issue_figures result[][CONTENDERS],
                            const struct issue_figures median[])
{
    char name[48];
    double ours[ROUNDS], bare[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        ours[i] = result[i][CUPEL].within[SHARE_JUDGED];
        bare[i] = result[i][BARE].within[SHARE_JUDGED];
    }
    snprintf(name, sizeof name, "%s %.0f/s", null ? "null" : "file", s->rate);
    char title[80];
    snprintf(title, sizeof title, "%s, within 10 us", name);
    struct figure within = {title, "", 4, names[BARE], FIGURE_AT_LEAST, MIN_OF_BARE};
    figure_pairs(&within, ours, bare, ROUNDS);
    snprintf(title, sizeof title, "%s, median late", name);
    figure_limit(title, "ns", 0, median[CUPEL].median_ns, MAX_MEDIAN_NS);
    snprintf(title, sizeof title, "%s, p99 late", name);
    enum contender better =
        median[FIO_POISSON].p99_ns < median[FIO_REPLAY].p99_ns ? FIO_POISSON : FIO_REPLAY;
    struct figure p99 = {title, "ns", 0, names[better], FIGURE_AT_MOST, 1};
    double other = median[better].p99_ns;
    figure_print(&p99, median[CUPEL].p99_ns, other, median[CUPEL].p99_ns / other, "");
}

/* fio's figures do not need three rounds: it is not near. */
static int run_step(struct bench *b, bool null, const struct step *s)
{
    static struct issue_figures result[ROUNDS][CONTENDERS];
    struct issue_figures median[CONTENDERS], column[ROUNDS];
    unsigned rounds = s->judged ? ROUNDS : 1;
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < CONTENDERS; i++) {
            enum contender c = round % 2 ? CONTENDERS - 1 - i : i;
            if ((c == BARE || c == CUPEL || round == 0) &&
                run_contender(b, c, null, s, round, &result[round][c]))
                return -1;
        }
    for (unsigned c = 0; c < CONTENDERS; c++) {
        unsigned n = c == BARE || c == CUPEL ? rounds : 1;
        for (unsigned round = 0; round < n; round++)
            column[round] = result[round][c];
        median[c] = median_figures(column, n);
        print_row(null, s, (enum contender)c, &median[c]);
    }
    if (s->judged)
        print_judgement(null, s, result, median);
    return 0;
}

static int measure(struct bench *b, const struct step all[], size_t count)
{
    printf("  issued late, us  %25s %12s %12s   within 1      10      50     100 us\n", "",
           "median", "p99");
    for (size_t i = 0; i < count; i++) {
        b->scheduled =
            fio_issue_schedule(&b->fio, all[i].rate, all[i].seconds, b->schedule_ns, REQUESTS_MAX);
        if (!b->scheduled || run_step(b, true, &all[i]) || run_step(b, false, &all[i]))
            return -1;
    }
    return 0;
}

/* The second processor that we may use, as cupel would choose: the first one has more to do. */
static int choose_cpu(void)
{
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    int found = 0, cpu = 0;
    for (int i = 0; i < CPU_SETSIZE && found < 2; i++)
        if (CPU_ISSET((unsigned)i, &allowed)) {
            found++;
            cpu = i;
        }
    return cpu;
}

static int measure_rates(struct bench *b, char *const rates[], int count)
{
    if (!count)
        return measure(b, steps, sizeof steps / sizeof *steps);
    for (int i = 0; i < count; i++) {
        struct step s = {.rate = strtod(rates[i], NULL), .seconds = 3, .judged = true};
        if (!(s.rate > 0) || measure(b, &s, 1))
            return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct bench b;
    if (argc < 4) {
        fprintf(stderr, "usage: issue_error CUPEL PRELOAD FOLDER [RATE...]\n");
        return 1;
    }
    b.cupel = argv[1];
    b.cpu = choose_cpu();
    snprintf(b.file, sizeof b.file, "%s/issue.data", argv[3]);
    snprintf(b.iolog, sizeof b.iolog, "%s/issue.iolog", argv[3]);
    clock_calibrate(&b.clock, 100, false);
    b.due_ns = malloc(REQUESTS_MAX * sizeof *b.due_ns);
    b.late_ns = malloc(REQUESTS_MAX * sizeof *b.late_ns);
    b.schedule_ns = malloc(REQUESTS_MAX * sizeof *b.schedule_ns);
    b.fio = (struct fio_issue){.preload = argv[2],
                               .file = b.file,
                               .file_bytes = FILE_BYTES,
                               .cpu = b.cpu,
                               .clock = &b.clock};
    int status = !b.due_ns || !b.late_ns || !b.schedule_ns || fio_issue_open(&b.fio) ||
                 bench_file_open(&b.target, b.file, FILE_BYTES);
    if (!status) {
        status = measure_rates(&b, argv + 4, argc - 4);
        target_close(&b.target);
        unlink(b.file);
    }
    return status ? 1 : 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cupel exec and another program that measures programs, on the same simulated rounds
 * (simulated_session.h): how long both take, how far from the truth they end, and how often their
 * intervals hold it. The other program runs whole, by a simulated clock; of exec it is the session
 * (simulated_exec.h), since its program is static and looks at its own clock.
 */
#ifndef TESTS_BENCH_BESIDE_H
#define TESTS_BENCH_BESIDE_H

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child.h"
#include "figure.h"
#include "simulated_exec.h"

/* What one session says. */
struct beside_result {
    double seconds;          /* that its program ran for */
    double value, low, high; /* NaN: the session had none */
    bool precise;            /* as asked for, at the end */
};

/* The file of a session, mapped. */
struct beside_file {
    char path[1024];
    struct simulated_session *session;
};

static inline int beside_open(struct beside_file *f, const char *folder)
{
    snprintf(f->path, sizeof f->path, "%s/session", folder);
    int fd = open(f->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    f->session = MAP_FAILED;
    if (fd >= 0 && !ftruncate(fd, sizeof *f->session))
        f->session = mmap(NULL, sizeof *f->session, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (f->session != MAP_FAILED)
        return 0;
    perror(f->path);
    return -1;
}

/* The rounds of a seed begin again. */
static inline void beside_begin(struct beside_file *f, const struct simulated_model *model,
                                unsigned seed)
{
    *f->session = (struct simulated_session){.model = *model, .random = seed};
}

/* Run by the simulated clock: a program that is linked with a shared C library. The exit status
   `not_precise` is no failure. */
static inline int beside_run_simulated(char *const argv[], const struct beside_file *f,
                                       const char *clock, int not_precise, bool *precise)
{
    struct child c;
    char text[4096];
    setenv(SIMULATED_SESSION_VARIABLE, f->path, 1);
    setenv("LD_PRELOAD", clock, 1);
    int failed = child_start(&c, argv);
    unsetenv("LD_PRELOAD");
    if (failed)
        return -1;
    int status = child_finish(&c, text, sizeof text).status;
    *precise = status == 0;
    if (*precise || status == not_precise)
        return 0;
    fprintf(stderr, "%s ended with status %d: %s\n", argv[0], status, text);
    return -1;
}

/* A session of exec over the same rounds. */
static inline int beside_run_cupel(struct beside_file *f, const struct simulated_request *asked,
                                   struct beside_result *r)
{
    struct exec_session *s = simulated_exec_run(f->session, asked);
    if (!s)
        return -1;
    const struct execution_index *index = &s->judged[0];
    *r = (struct beside_result){f->session->seconds, index->value, index->low, index->high,
                                exec_session_is_precise(s)};
    exec_session_free(s);
    return 0;
}

/* What many sessions of one of the two come to. */
struct beside_summary {
    double median_error, tenth_error; /* per cent of the truth: half and nine tenths are below */
    double held, precise;             /* shares of all sessions */
};

/* A session without a value is as far from the truth as can be. */
static inline struct beside_summary beside_summary_of(const struct beside_result r[], unsigned n,
                                                      double truth)
{
    double error[FIGURE_PAIRS_MAX] = {0}, held = 0, precise = 0;
    for (unsigned i = 0; i < n; i++) {
        error[i] = isnan(r[i].value) ? INFINITY : 100 * fabs(r[i].value / truth - 1);
        held += r[i].low <= truth && truth <= r[i].high;
        precise += r[i].precise;
    }
    return (struct beside_summary){quantile_of(error, n, 0.5), quantile_of(error, n, 0.9), held / n,
                                   precise / n};
}

static inline void beside_row(const char *name, const char *unit, int decimals, const char *other,
                              double ours, double theirs, enum figure_relation relation)
{
    struct figure f = {name, unit, decimals, other, relation, 1};
    figure_print(&f, ours, theirs, ours / theirs, "");
}

static inline void beside_print(const char *name, const char *other,
                                const struct beside_result ours[],
                                const struct beside_result theirs[], unsigned n, double truth)
{
    double a[FIGURE_PAIRS_MAX], b[FIGURE_PAIRS_MAX];
    char label[64];
    for (unsigned i = 0; i < n; i++) {
        a[i] = ours[i].seconds;
        b[i] = theirs[i].seconds;
    }
    snprintf(label, sizeof label, "%s: time", name);
    struct figure time = {label, "s", 1, other, FIGURE_AT_MOST, 1};
    figure_pairs(&time, a, b, n);
    struct beside_summary x = beside_summary_of(ours, n, truth),
                          y = beside_summary_of(theirs, n, truth);
    beside_row("  precise in the end", "1", 3, other, x.precise, y.precise, FIGURE_NO_TARGET);
    beside_row("  error, median", "%", 2, other, x.median_error, y.median_error, FIGURE_AT_MOST);
    beside_row("  error, worst tenth", "%", 2, other, x.tenth_error, y.tenth_error, FIGURE_AT_MOST);
    beside_row("  truth held", "1", 3, other, x.held, y.held, FIGURE_NO_TARGET);
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds that a program's function does: trial rounds find how much work one takes. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/units.h"
#include "library/internal.h"

/* Li et al., Pilot (2016), III-E: rounds below a length are not used, and work doubles. */
#define ROUND_NS 1000000u
#define WORK_MAX ((uint64_t)1 << 40)

struct took {
    uint64_t ns, processor_ns; /* of the clock on the wall, of this thread */
};

static struct took now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (struct took){clock_raw_ns(), (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec};
}

static int run_round(struct library_rounds *r, struct took *took, struct err *e)
{
    struct took begin = now();
    int status = r->function(r->context, &r->round);
    struct took end = now();
    *took = (struct took){end.ns - begin.ns, end.processor_ns - begin.processor_ns};
    if (status)
        return err_set(e, ERR_FAILED, "round %llu: its function returned %d",
                       (unsigned long long)r->round.number, status);
    r->round.number++;
    return 0;
}

/* A function that is done at once however much work it is given does always the same: one unit. */
static int run_trials(struct library_rounds *r, struct err *e)
{
    struct took took = {0};
    for (r->round.work = 1; r->round.work <= WORK_MAX; r->round.work *= 2) {
        if (run_round(r, &took, e))
            return -1;
        if (took.ns >= ROUND_NS)
            return 0;
    }
    r->round.work = 1;
    return 0;
}

int library_trials(struct library_rounds *r, struct err *e)
{
    r->round = (struct cupel_round){.session = r->session, .trial = 1};
    r->session->trial = true;
    int status = run_trials(r, e);
    r->session->trial = false;
    r->round.trial = 0;
    return status;
}

/* The readings that are the library's own. */
static int add_times(const struct library_rounds *r, const struct took *took, struct err *e)
{
    double work = (double)r->round.work;
    for (size_t i = 0; i < r->session->metric_count; i++) {
        struct library_metric *m = &r->session->metrics[i];
        bool processor = m->flags & CUPEL_PROCESSOR_TIME;
        /* A round that waits all the time may have had no processor: the clock's step stands in. */
        double ns = processor ? fmax((double)took->processor_ns, 1) : (double)took->ns;
        double seconds = ns * 1e-9;
        double reading = m->flags & CUPEL_LOWER_IS_BETTER ? seconds / work : work / seconds;
        if ((m->flags & CUPEL_TIMED) && metric_append(m, &reading, 1, e))
            return -1;
    }
    return 0;
}

int library_round(struct library_rounds *r, struct err *e)
{
    struct took took;
    return run_round(r, &took, e) || add_times(r, &took, e) ? -1 : 0;
}

/* What the first metric that is not enough lacks. */
static int say_undecided(struct cupel_session *s, struct library_metric *m, struct err *e)
{
    char limit[UNITS_BUFFER];
    format_time(limit, sizeof limit, s->plan.limit_seconds * 1e9);
    if (!m)
        return err_set(e, ERR_UNDECIDED, "the limit of %s came before the least time", limit);
    if (!m->count)
        return err_set(e, ERR_UNDECIDED,
                       "the limit of %s came, and nothing pushed readings of \"%s\"", limit,
                       m->name);
    if (library_judge(s, m, e))
        return -1;
    struct judge_config config = library_config(s, m);
    struct estimate decided = judge_decided(&m->judgement, &config);
    if (m->judgement.phase == PHASE_NO_STEADY_STATE)
        return err_set(e, ERR_UNDECIDED,
                       "the limit of %s came: \"%s\" has no level that holds for more than half of "
                       "%zu readings",
                       limit, m->name, m->count);
    return err_set(e, ERR_UNDECIDED,
                   "the limit of %s came: the interval of \"%s\" is %.3g %% of the mean wide on "
                   "%zu readings, worth %.4g independent ones; %.3g %% and %u are asked for",
                   limit, m->name, 100 * relative_width(&decided), m->count,
                   m->judgement.estimate.effective_n, 100 * s->plan.target_width,
                   s->plan.minimum_subsessions);
}

static int measure(struct library_rounds *r, struct err *e)
{
    struct cupel_session *s = r->session;
    uint64_t begin = clock_raw_ns();
    struct library_metric *lacking;
    if (library_enough(s, &lacking, e) || library_trials(r, e))
        return -1;
    for (uint64_t first = clock_raw_ns();;) {
        double measured = (double)(clock_raw_ns() - first) * 1e-9;
        if (library_enough(s, &lacking, e))
            return -1;
        if (!lacking && measured >= s->plan.minimum_seconds)
            return 0;
        if ((double)(clock_raw_ns() - begin) * 1e-9 >= s->plan.limit_seconds)
            return say_undecided(s, lacking, e);
        if (library_round(r, e))
            return -1;
    }
}

int cupel_measure(struct cupel_session *session, cupel_round_function round, void *context,
                  struct cupel_error *error)
{
    struct err e;
    struct library_rounds r = {.session = session, .function = round, .context = context};
    return measure(&r, &e) ? library_fail(error, &e) : 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs rounds of a program's function, first trial rounds that find how much work one round has to
   do. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/units.h"
#include "facts/change/level_claim.h"
#include "library/internal.h"

/* Li et al., Pilot (2016), III-E: rounds shorter than this, in ns, are not used, and their work is
   doubled. */
#define ROUND_NS 1000000u
#define WORK_MAX ((uint64_t)1 << 40)

/* Number of empty rounds. The shortest one shows how long reading the clocks takes; the others may
   have been interrupted. */
#define EMPTY_ROUNDS 200

struct took {
    uint64_t ns, processor_ns; /* wall-clock time, and processor time of this thread */
};

static uint64_t processor_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int run_round(struct library_rounds *r, struct took *took, struct err *e)
{
    /* The wall clock is read next to the call, because reading it takes less time than reading the
       processor time. */
    uint64_t processor_begin = processor_ns(), begin = clock_raw_ns();
    int status = r->function(r->context, &r->round);
    uint64_t end = clock_raw_ns(), processor_end = processor_ns();
    *took = (struct took){end - begin, processor_end - processor_begin};
    if (status)
        return err_set(e, ERR_FAILED, "round %llu: its function returned %d",
                       (unsigned long long)r->round.number, status);
    r->round.number++;
    return 0;
}

/* Finds the work of a round. If the function's duration does not depend on its work, the work is
   1. */
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

int library_may_measure(const struct library_rounds *r, struct err *e)
{
    if (library_is_there(r->session, e))
        return -1;
    if (!r->function)
        return err_set(e, ERR_USAGE, "the function of the rounds is NULL");
    return r->session->measuring
               ? err_set(e, ERR_USAGE, "the session is being measured: a round cannot do so, too")
               : 0;
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

/* Returns the seconds of a round, at least 1 ns: a round that only waits may have used no processor
   time. */
static double seconds_of(const struct took *took, unsigned flags)
{
    uint64_t ns = flags & CUPEL_PROCESSOR_TIME ? took->processor_ns : took->ns;
    return fmax((double)ns, 1) * 1e-9;
}

/* Adds the readings of metrics that the library times itself. */
static int add_times(const struct library_rounds *r, const struct took *took, struct err *e)
{
    double work = (double)r->round.work;
    for (size_t i = 0; i < r->session->metric_count; i++) {
        struct library_metric *m = &r->session->metrics[i];
        double seconds = seconds_of(took, m->flags);
        double reading = m->flags & CUPEL_LOWER_IS_BETTER ? seconds / work : work / seconds;
        if ((m->flags & CUPEL_TIMED) && metric_append(m, &reading, 1, e))
            return -1;
    }
    return 0;
}

int library_round(struct library_rounds *r, struct err *e)
{
    struct took took;
    struct cupel_session *s = r->session;
    bool varies = library_has_range(s);
    if (varies)
        r->round.work = cupel_next_work(s);
    if (run_round(r, &took, e) || add_times(r, &took, e))
        return -1;
    s->rounds_seconds += seconds_of(&took, 0);
    double seconds = seconds_of(&took, s->work_processor_time);
    return varies ? library_push_round(s, r->round.work, seconds, e) : 0;
}

static int say_speed_undecided(struct cupel_session *s, const char *limit, struct err *e)
{
    struct cupel_speed speed;
    cupel_speed(s, &speed, NULL);
    return err_set(e, ERR_UNDECIDED,
                   "the limit of %s came: the interval of the speed is +-%.3g %% on %zu "
                   "rounds, %zu of which count; +-%.3g %% on %u are asked for%s%s",
                   limit, 50 * speed.width, speed.rounds, speed.used,
                   50 * s->plan.statistics.target_width, s->plan.statistics.minimum_subsessions,
                   speed.note[0] ? "; " : "", speed.note);
}

static int say_limit_open(const struct library_metric *m, const char *limit, struct err *e)
{
    const struct library_limits *l = m->limits;
    size_t i = 0;
    while (i + 1 < l->clauses.count && l->verdicts[i].verdict != SEQUENTIAL_UNDECIDED)
        i++;
    const struct column_verdict *v = &l->verdicts[i];
    return err_set(e, ERR_UNDECIDED,
                   "the limit of %s came: \"%s\" at %.6g on %zu readings leaves %s open%s%s", limit,
                   m->name, v->value, m->count, l->clauses.clause[i].text, v->note[0] ? ": " : "",
                   v->note);
}

/* Sets the error of cupel_measure after its time limit: what the first metric, or the speed, still
   lacks. */
static int say_undecided(struct cupel_session *s, struct library_metric *m, bool enough,
                         struct err *e)
{
    char limit[UNITS_BUFFER];
    format_time(limit, sizeof limit, s->plan.ending.limit_seconds * 1e9);
    if (enough)
        return err_set(e, ERR_UNDECIDED, "the limit of %s came before the least time", limit);
    if (!m)
        return say_speed_undecided(s, limit, e);
    if (!m->count)
        return err_set(e, ERR_UNDECIDED,
                       "the limit of %s came, and nothing pushed readings of \"%s\"", limit,
                       m->name);
    if (library_judge(s, m, e))
        return -1;
    if (m->limits)
        return say_limit_open(m, limit, e);
    struct judge_config config = library_config(s, m);
    const struct stop_rule rule = judge_stop_rule(&config);
    struct estimate decided = judge_decided(&m->judgement, &config);
    if (m->judgement.phase == PHASE_NO_STEADY_STATE)
        return err_set(e, ERR_UNDECIDED,
                       "the limit of %s came: \"%s\" has no level that holds for more than half of "
                       "%zu readings",
                       limit, m->name, m->count);
    if (m->judgement.held_back) {
        char words[LEVEL_CLAIM_WORDS];
        struct level_claim claim = level_claim_unknown();
        claim.doubt = m->judgement.doubt;
        claim.readings_before = m->judgement.stable_begin;
        claim.readings = m->judgement.stable_end - m->judgement.stable_begin;
        return err_set(e, ERR_UNDECIDED, "the limit of %s came: \"%s\" is precise, but %s", limit,
                       m->name, level_doubt_words(words, sizeof words, &claim));
    }
    return err_set(e, ERR_UNDECIDED,
                   "the limit of %s came: the interval of \"%s\" is +-%.3g %% on "
                   "%zu readings, worth %.4g independent ones; +-%.3g %% and %u are asked for",
                   limit, m->name, 50 * relative_width(&decided), m->count,
                   m->judgement.estimate.effective_n,
                   50 * stop_target_width(&m->judgement.estimate, &rule),
                   s->plan.statistics.minimum_subsessions);
}

static int measure(struct library_rounds *r, struct err *e)
{
    struct cupel_session *s = r->session;
    uint64_t begin = clock_raw_ns();
    struct library_metric *lacking;
    if (library_enough(s, &lacking, e) < 0 || (!library_has_range(s) && library_trials(r, e)))
        return -1;
    for (uint64_t first = clock_raw_ns();;) {
        double measured = (double)(clock_raw_ns() - first) * 1e-9;
        int enough = library_enough(s, &lacking, e);
        if (enough < 0 || (enough && measured >= s->plan.ending.minimum_seconds))
            return enough < 0 ? -1 : 0;
        if ((double)(clock_raw_ns() - begin) * 1e-9 >= s->plan.ending.limit_seconds)
            return say_undecided(s, lacking, enough, e);
        if (library_round(r, e))
            return -1;
    }
}

int cupel_measure(struct cupel_session *session, cupel_round_function round, void *context,
                  struct cupel_error *error)
{
    struct err e;
    struct library_rounds r = {.session = session, .function = round, .context = context};
    if (library_may_measure(&r, &e))
        return library_fail(error, &e);
    session->measuring = true;
    int status = measure(&r, &e);
    session->measuring = false;
    return status ? library_fail(error, &e) : 0;
}

/* ---- the cost of measuring ---- */

static int do_nothing(void *context, const struct cupel_round *round)
{
    (void)context;
    (void)round;
    return 0;
}

int cupel_overhead(const struct cupel_session *session, struct cupel_overhead *overhead,
                   struct cupel_error *error)
{
    struct err e;
    if (library_is_there(session, &e))
        return library_fail(error, &e);
    struct library_rounds empty = {.function = do_nothing};
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < EMPTY_ROUNDS; i++) {
        struct took took;
        run_round(&empty, &took, NULL);
        shortest = took.ns < shortest ? took.ns : shortest;
    }
    double rounds = session->rounds_seconds, judging = (double)session->judging_ns * 1e-9;
    *overhead = (struct cupel_overhead){.rounds_seconds = rounds,
                                        .judging_seconds = judging,
                                        .share = rounds > 0 ? judging / (judging + rounds) : NAN,
                                        .empty_round_seconds = (double)shortest * 1e-9};
    return 0;
}

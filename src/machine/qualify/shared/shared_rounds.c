/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures drives alone and together, in turns. */
#include "base/clock.h"
#include "machine/qualify/shared/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "many/together/together.h"
#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/compare/ratio.h"

#if SHARING_DRIVES > TOGETHER_MAX
#error "all of them are measured at once"
#endif

static const struct load {
    enum plan_pattern pattern;
    uint32_t block_size, iodepth;
    uint32_t unit; /* bytes of the unit in which rates are counted */
} loads[SHARING_LOADS] = {
    [SHARING_READ] = {PATTERN_SEQUENTIAL, 128 << 10, 16, 1},
    [SHARING_RANDREAD] = {PATTERN_RANDOM, 4096, 32, 4096},
};

struct rounds {
    struct sharing *s;
    const struct shared_request *request;
    struct plan *plans; /* plans of the drives of a measurement, in their order */
    struct session_shared *shares[SHARING_DRIVES]; /* keeps each drive open, so that it is examined
                                                      only once */
    struct result *result;
    struct arena scratch;
    /* for each drive, the number of its measurements without a result */
    unsigned empty[SHARING_DRIVES];
    enum sharing_load load;
    unsigned round;   /* the current round */
    char words[160];  /* text with the time that all tests will still take */
    double began;     /* time at which the first measurement began, in seconds */
    double step_time; /* sum of the seconds of all measurements so far */
    unsigned steps;   /* number of measurements so far */
};

/* ---- progress ---- */

char *shared_announce(const struct sharing *s, char *to, size_t size)
{
    char time[32], beside[64] = "", fewest[16] = "";
    if (s->groups > 1)
        snprintf(beside, sizeof beside, " (up to %u at a time that share nothing)", s->groups);
    if (s->max_rounds > SHARING_MIN_ROUNDS)
        snprintf(fewest, sizeof fewest, "%d to ", SHARING_MIN_ROUNDS);
    snprintf(to, size,
             "%zu disks, sequential and then random reads: in each round every disk alone%s, then "
             "all together; %s%u rounds of %u x %.2g s: up to about %s",
             s->drive_count, beside, fewest, s->max_rounds, s->slots + 1, s->round_seconds,
             format_time_left(time, sizeof time, s->planned_seconds));
    return to;
}

/* Returns the time left. If earlier loads were decided early, it is less than was announced. */
static double time_left(const struct rounds *m, unsigned step)
{
    const struct sharing *s = m->s;
    unsigned in_round = s->slots + 1;
    double each = m->steps ? m->step_time / m->steps
                           : s->planned_seconds / (SHARING_LOADS * s->max_rounds * in_round);
    unsigned rounds = (SHARING_LOADS - 1 - m->load) * s->max_rounds + s->max_rounds - m->round;
    return each * (rounds * in_round - step);
}

static void show_step(struct rounds *m, unsigned step, unsigned slot, size_t count)
{
    const struct sharing *s = m->s;
    char time[32], how[32];
    snprintf(how, sizeof how,
             slot == s->slots ? "all %zu together"
             : count == 1     ? "%zu alone"
                              : "%zu apart",
             count);
    snprintf(m->words, sizeof m->words, "%s, round %u of %u, %s, up to %s left",
             sharing_load_words(m->load), m->round + 1, s->max_rounds, how,
             format_time_left(time, sizeof time, time_left(m, step)));
}

static void pass_progress(void *context, size_t target, const struct session_progress *now)
{
    const struct rounds *m = context;
    const struct shared_request *request = m->request;
    if (target)
        return;
    if (request->overall)
        request->overall(request->context, m->words);
    if (request->observer.progress)
        request->observer.progress(request->observer.context, now);
}

/* ---- one measurement: the drives of a slot, or all drives ---- */

static int make_plan(const struct rounds *m, size_t drive, struct plan *plan, struct err *e)
{
    const struct load *load = &loads[m->load];
    const struct shared_request *request = m->request;
    plan_init(plan);
    if (plan_apply_preset(plan, "quick", e))
        return -1;
    snprintf(plan->target, sizeof plan->target, "%s",
             request->path(request->owner, m->s->drives[drive].device));
    plan->pattern = load->pattern;
    plan->random_share = load->pattern == PATTERN_RANDOM ? 1 : 0;
    plan->block_size = load->block_size;
    plan->iodepth = load->iodepth;
    plan->ending.runtime_seconds = m->s->round_seconds;
    plan->allow_unwritten = request->allow_unwritten;
    plan->labels = *request->labels;
    plan->measure_overhead = false;
    /* no monitor: nobody would read its report, and it would examine all targets */
    plan->watch.cost = 0;
    plan->compare_block_layer = false;
    return plan_check(plan, e);
}

static void fail_drive(struct sharing_drive *drive, const char *why)
{
    snprintf(drive->failure, sizeof drive->failure, "%.199s", why);
}

/* A drive has failed after this number of measurements without a rate. Until then the round is
   repeated: the drive may be good if another drive failed, or if the machine was busy for a moment.
   */
#define EMPTY_MAX 3

/* Returns the rate of a drive; NaN if it has none, perhaps because it failed. */
static double take_rate(struct rounds *m, size_t drive, struct session *session, bool *interrupted)
{
    struct result *r = m->result;
    session_result(session, r);
    const struct result_row *row = result_find(r, METRIC_BANDWIDTH, r->headline_op);
    const struct result_row *errors = result_find(r, METRIC_ERRORS, "all");
    bool failed = errors && errors->value > 0;
    if (r->verdict == VERDICT_INTERRUPTED)
        *interrupted = true;
    else if (r->verdict == VERDICT_FAILED && r->failure[0])
        fail_drive(&m->s->drives[drive], r->failure);
    else if (failed)
        fail_drive(&m->s->drives[drive], "I/Os failed");
    else if (row && row->value > 0)
        return row->value / loads[m->load].unit;
    else if (++m->empty[drive] == EMPTY_MAX)
        fail_drive(&m->s->drives[drive], "nothing was measured, again and again");
    return (double)NAN;
}

/* Finds the drives that can no longer be opened when a measurement could not begin. */
static int find_culprit(struct rounds *m, const size_t drives[], size_t count, struct err *e)
{
    size_t found = 0;
    for (size_t k = 0; k < count; k++) {
        int fd = open(m->plans[k].target, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0)
            close(fd);
        else
            found++;
        if (fd < 0 || count == 1)
            fail_drive(&m->s->drives[drives[k]], fd < 0 ? strerror(errno) : e->msg);
    }
    if (!found && count > 1)
        return -1;
    *e = (struct err){0};
    return 0;
}

/* Stores the rates of a slot's drives in rates[drive]. Clears *whole if a drive failed or a stop
   came. */
static int measure_step(struct rounds *m, unsigned step, unsigned slot, double rates[],
                        bool *interrupted, bool *whole, struct err *e)
{
    struct sharing *s = m->s;
    struct session *sessions[TOGETHER_MAX] = {0};
    const struct plan *plans[TOGETHER_MAX];
    struct session_shared *shares[TOGETHER_MAX];
    size_t drives[TOGETHER_MAX], count = 0;
    for (size_t i = 0; i < s->drive_count; i++) {
        if (s->drives[i].failure[0] || (slot != s->slots && s->drives[i].slot != slot))
            continue;
        if (make_plan(m, i, &m->plans[count], e))
            return -1;
        plans[count] = &m->plans[count];
        shares[count] = m->shares[i];
        drives[count++] = i;
    }
    if (!count)
        return 0;
    const struct together_observer observer = {
        .progress = pass_progress, .context = m, .live = m->request->observer.live};
    const struct together_request request = {.count = count,
                                             .plans = plans,
                                             .shares = shares,
                                             .root = m->request->root,
                                             .stop = m->request->stop,
                                             .observer = &observer};
    show_step(m, step, slot, count);
    double begin = seconds_of_clock(CLOCK_MONOTONIC);
    if (together_run(sessions, &request, e)) {
        *whole = false;
        *interrupted |= *m->request->stop != 0;
        for (size_t k = 0; k < count; k++)
            session_free(sessions[k]);
        return *m->request->stop ? 0 : find_culprit(m, drives, count, e);
    }
    for (size_t k = 0; k < count; k++) {
        rates[drives[k]] = take_rate(m, drives[k], sessions[k], interrupted);
        *whole &= isfinite(rates[drives[k]]);
        session_free(sessions[k]);
    }
    m->step_time += seconds_of_clock(CLOCK_MONOTONIC) - begin;
    m->steps++;
    return 0;
}

/* ---- the share of its own speed that each drive keeps, and the load of each part ---- */

size_t shared_scratch_bytes(void)
{
    return ratio_scratch_bytes(SHARING_ROUNDS, SHARING_ROUNDS);
}

/* Compares rounds as pairs. Both measurements of a pair are interleaved with those of all other
   drives, so a drift affects both alike, and each reading is a measurement of its own. */
static struct sharing_measured measured_of(const double alone[], const double together[], size_t n,
                                           double confidence, struct arena *scratch)
{
    const struct ratio_config config = {
        .confidence = confidence, .once = true, .paired = true, .independent = true};
    struct ratio r = ratio_of_series(together, n, alone, n, &config, scratch);
    return (struct sharing_measured){.alone = mean_of(alone, n),
                                     .together = mean_of(together, n),
                                     .ratio = r.value,
                                     .low = r.low,
                                     .high = r.high};
}

static enum sharing_loss loss_of(const struct sharing_measured *m)
{
    if (isnan(m->ratio))
        return SHARING_NOT_MEASURED;
    return m->low >= SHARING_KEPT   ? SHARING_KEEPS
           : m->high < SHARING_KEPT ? SHARING_LOSES
                                    : SHARING_UNDECIDED;
}

/* Returns the number of drives that have not failed. */
static size_t shared_drives_left(const struct sharing *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->drive_count; i++)
        count += !s->drives[i].failure[0];
    return count;
}

/* Judges the sum of a part's drives, round by round. */
static void judge_part(struct sharing_part *part, const struct sharing *s, enum sharing_load load,
                       double confidence, struct arena *scratch)
{
    double alone[SHARING_ROUNDS] = {0}, together[SHARING_ROUNDS] = {0};
    size_t n = s->rounds[load], count = 0;
    for (size_t i = 0; i < s->drive_count; i++) {
        if (!part->member[i] || s->drives[i].loss[load] == SHARING_NOT_MEASURED)
            continue;
        count++;
        for (size_t round = 0; round < n; round++) {
            alone[round] += s->alone[load][i][round];
            together[round] += s->together[load][i][round];
        }
    }
    if (!count)
        return;
    part->load[load] = measured_of(alone, together, n, confidence, scratch);
    double mean = part->load[load].together;
    double arm = student_t_quantile((1 + confidence) / 2, (double)n - 1) *
                 sqrt(variance_of(together, n, mean) / (double)n);
    part->together_low[load] = mean - arm;
    double bytes = load == SHARING_READ ? 1 : s->block_size[load];
    part->used[load] = mean * bytes / part->limit;
}

/* Forgets earlier results, which may contain a drive that failed since, or rounds that no longer
   count. */
static void forget(struct sharing *s, enum sharing_load load)
{
    static const struct sharing_measured nothing = {NAN, NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < s->drive_count; i++) {
        s->drives[i].load[load] = nothing;
        s->drives[i].loss[load] = SHARING_NOT_MEASURED;
    }
    for (size_t p = 0; p < s->part_count; p++) {
        struct sharing_part *part = &s->parts[p];
        part->load[load] = nothing;
        part->together_low[load] = part->used[load] = NAN;
    }
}

void shared_judge_ratios(struct sharing *s, enum sharing_load load, struct arena *scratch)
{
    forget(s, load);
    size_t n = s->rounds[load], drives = shared_drives_left(s);
    if (n < 2 || !drives || !shared_looks(s))
        return;
    double confidence =
        1 - (1 - s->confidence) / (double)(drives * SHARING_LOADS * shared_looks(s));
    for (size_t i = 0; i < s->drive_count; i++) {
        struct sharing_drive *d = &s->drives[i];
        if (d->failure[0])
            continue;
        d->load[load] =
            measured_of(s->alone[load][i], s->together[load][i], n, confidence, scratch);
        d->loss[load] = loss_of(&d->load[load]);
    }
    for (size_t p = 0; p < s->part_count; p++)
        judge_part(&s->parts[p], s, load, confidence, scratch);
}

bool shared_is_decided(const struct sharing *s, enum sharing_load load)
{
    for (size_t i = 0; i < s->drive_count; i++)
        if (!s->drives[i].failure[0] && s->drives[i].loss[load] != SHARING_KEEPS &&
            s->drives[i].loss[load] != SHARING_LOSES)
            return false;
    return true;
}

/* ---- rounds ---- */

static int measure_round(struct rounds *m, bool *interrupted, bool *whole, struct err *e)
{
    struct sharing *s = m->s;
    double rates[SHARING_DRIVES];
    for (size_t i = 0; i < SHARING_DRIVES; i++)
        rates[i] = (double)NAN;
    for (unsigned step = 0; step <= s->slots && *whole && !*interrupted; step++) {
        unsigned slot = shared_step(s, m->round, step);
        if (*m->request->stop) {
            *interrupted = true;
            *whole = false;
            break;
        }
        if (measure_step(m, step, slot, rates, interrupted, whole, e))
            return -1;
        for (size_t i = 0; i < s->drive_count; i++)
            if (slot == s->slots)
                s->together[m->load][i][m->round] = rates[i];
            else if (s->drives[i].slot == slot)
                s->alone[m->load][i][m->round] = rates[i];
    }
    return 0;
}

/* Returns true if the load's part of the announced time is used up and the load has had at least
   SHARING_MIN_ROUNDS rounds. */
static bool is_time_over(const struct rounds *m)
{
    const struct sharing *s = m->s;
    double until = m->began + s->planned_seconds * (m->load + 1) / SHARING_LOADS;
    double round = m->steps ? m->step_time / m->steps * (s->slots + 1) : 0;
    return s->rounds[m->load] >= SHARING_MIN_ROUNDS &&
           seconds_of_clock(CLOCK_MONOTONIC) + round > until;
}

/* Announces a longer time if even the fewest rounds take longer than planned: the machine or its
   disks are slow to begin. */
static void announce_again(const struct rounds *m)
{
    const struct sharing *s = m->s;
    char words[120], time[32];
    double round = m->step_time / m->steps * (s->slots + 1);
    double least = round * SHARING_MIN_ROUNDS * SHARING_LOADS;
    if (least <= s->planned_seconds || !m->request->stage)
        return;
    snprintf(words, sizeof words, "measurements take longer to begin than planned: about %s in all",
             format_time_left(time, sizeof time, least));
    m->request->stage(m->request->context, words);
}

/* After a drive's failure, earlier rounds do not count: what a drive gets beside n others says
   nothing about what it gets beside n - 1. */
static void begin_again(struct sharing *s, enum sharing_load load, size_t *drives)
{
    const size_t left = shared_drives_left(s);
    if (left == *drives)
        return;
    *drives = left;
    s->broken_rounds[load] += s->rounds[load];
    s->rounds[load] = 0;
}

static int measure_load(struct rounds *m, bool *interrupted, struct err *e)
{
    struct sharing *s = m->s;
    unsigned *done = &s->rounds[m->load];
    unsigned max_rounds = s->max_rounds;
    size_t drives = shared_drives_left(s);
    int status = 0;
    while (!status && *done < s->max_rounds && !*interrupted && shared_drives_left(s) > 1) {
        bool whole = true;
        m->round = *done;
        status = measure_round(m, interrupted, &whole, e);
        if (!whole || status) {
            s->broken_rounds[m->load]++;
            begin_again(s, m->load, &drives);
            continue;
        }
        if (!*done && !m->load)
            announce_again(m);
        ++*done;
        if (is_time_over(m))
            s->max_rounds = *done;
        if (!shared_is_look(s, *done))
            continue;
        shared_judge_ratios(s, m->load, &m->scratch);
        if (shared_is_decided(s, m->load))
            break;
    }
    /* After a failure or a stop, the ratios may not have been judged since the last round, so
       max_rounds becomes the number of rounds done. */
    s->max_rounds =
        *done > 1 && *done < s->max_rounds && !shared_is_look(s, *done) ? *done : s->max_rounds;
    shared_judge_ratios(s, m->load, &m->scratch);
    shared_find_blame(s, m->load);
    s->max_rounds = max_rounds;
    return status;
}

int shared_measure(struct sharing *s, const struct shared_request *request, struct err *e)
{
    struct rounds m = {.s = s, .request = request, .began = seconds_of_clock(CLOCK_MONOTONIC)};
    bool interrupted = false;
    m.plans = calloc(s->drive_count, sizeof *m.plans);
    m.result = calloc(1, sizeof *m.result);
    bool memory = m.plans && m.result;
    for (size_t i = 0; i < s->drive_count; i++)
        if ((m.shares[i] = session_shared_new()))
            session_shared_look_once(m.shares[i]);
        else
            memory = false;
    int status = arena_init(&m.scratch, shared_scratch_bytes(), e);
    if (!status && !memory)
        status = err_no_memory(e, "measuring disks together");
    for (int load = 0; load < SHARING_LOADS && !status && !interrupted; load++) {
        m.load = (enum sharing_load)load;
        s->block_size[load] = loads[load].block_size;
        s->iodepth[load] = loads[load].iodepth;
        if (request->stage) {
            char words[80];
            snprintf(words, sizeof words, "alone and together: %s, %d of %d",
                     sharing_load_words(m.load), load + 1, SHARING_LOADS);
            request->stage(request->context, words);
        }
        status = measure_load(&m, &interrupted, e);
    }
    struct err nothing; /* stays unused: no setting of the machine was changed */
    for (size_t i = 0; i < s->drive_count; i++)
        if (m.shares[i])
            session_shared_end(m.shares[i], &nothing);
    arena_free(&m.scratch);
    free(m.plans);
    free(m.result);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests splits, with one thread for each processor. */
#include "stat/map/validation.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX    64
#define FEWEST_TRAINED 2
#define STACK_BYTES                                                                                \
    (4u << 20) /* methods have small matrices on the stack; the C library's default size is small  \
                */

/* One split of a map: the map is fitted to a share of its configurations, or without one level. */
struct job {
    size_t map;
    size_t share;         /* index of the share; share_count if a level is left out */
    uint64_t stream;      /* number that selects the stream of random numbers */
    size_t factor, level; /* the level that is left out */
    /* index of the job whose model this job copies slow estimates from; the job's own index if it
       copies none */
    size_t leader;
};

/* The result of a method in a split. Results are summed in the order of the splits, so that the sum
   does not depend on threads. */
struct outcome {
    struct split_errors errors;
    double share;  /* share of the configurations that the map was fitted to */
    char *problem; /* reason why the method could not be fitted, which the struct owns; or NULL */
};

struct validation {
    const struct configurations *c;
    const struct candidates *candidates;
    const struct validation_request *request;
    struct job *jobs;
    /* `job_count`: number of splits; `columns`: number of methods, plus one for the constant */
    size_t job_count, columns;
    _Atomic size_t next, done;
    _Atomic bool stopped;
    struct outcome *outcomes; /* [job_count][columns] */
    /* [job_count][columns], the models of leaders, whose slow estimates are reused */
    struct map_model **kept;
    bool leading; /* true while the leaders' jobs run */
};

/* ---- one split ---- */

static struct split cut_randomly(const struct validation *v, const struct job *job,
                                 size_t members[], size_t n)
{
    struct random random;
    double share = v->request->shares[job->share];
    random_seed(&random, v->request->seed, job->stream);
    shuffle_members(members, n, &random);
    size_t train = (size_t)llround(share * (double)n);
    return (struct split){members, members + train, train, n - train};
}

static struct split cut_level(const struct validation *v, const struct job *job, size_t members[],
                              size_t n)
{
    size_t train = 0;
    for (size_t i = 0; i < n; i++) {
        size_t member = members[i];
        if (v->c->level[member * v->c->stride + job->factor] == job->level)
            continue;
        members[i] = members[train];
        members[train++] = member;
    }
    return (struct split){members, members + train, train, n - train};
}

static bool is_stopped(void *validation)
{
    struct validation *v = validation;
    const struct map_observer *observer = v->request->observer;
    if (observer && observer->stop && *observer->stop)
        v->stopped = true;
    return v->stopped;
}

static void do_job(struct validation *v, const struct job *job, size_t members[])
{
    size_t n = map_members(v->c, job->map, members);
    struct split split = job->share < v->request->share_count ? cut_randomly(v, job, members, n)
                                                              : cut_level(v, job, members, n);
    struct outcome *outcome = v->outcomes + (size_t)(job - v->jobs) * v->columns;
    if (!split.test_count || split.train_count < FEWEST_TRAINED)
        return;
    for (size_t i = 0; i < v->columns; i++)
        outcome[i].share = (double)split.train_count / (double)n;
    for (size_t i = 0; i < v->candidates->count && !is_stopped(v); i++) {
        struct err problem = {0};
        size_t leader = job->leader * v->columns + i;
        const struct watch watch = {is_stopped, v};
        struct map_method method = v->candidates->list[i];
        method.watch = &watch;
        method.like = v->leading || split.train_count <= LIKE_FROM ? NULL : v->kept[leader];
        const struct split_wish wish = {.confidence = v->request->confidence,
                                        .kept = v->leading ? &v->kept[leader] : NULL};
        if (split_try(&outcome[i].errors, v->c, &split, &method, &wish, &problem))
            outcome[i].problem = strdup(problem.msg);
    }
    outcome[v->candidates->count].errors =
        split_try_constant(v->c, &split, v->candidates->list[0].logarithmic);
}

static void *work_off(void *argument)
{
    struct validation *v = argument;
    size_t *members = malloc(v->c->n * sizeof *members), at;
    while (members && !is_stopped(v) && (at = v->next++) < v->job_count) {
        if ((v->jobs[at].leader == at) != v->leading)
            continue;
        do_job(v, &v->jobs[at], members);
        v->done++;
    }
    free(members);
    return NULL;
}

/* ---- all splits ---- */

static int plan_jobs(struct validation *v, struct err *e)
{
    const struct validation_request *r = v->request;
    size_t levels = 0, at = 0;
    for (size_t f = 0; f < v->c->factor_count; f++)
        levels += v->c->factors[f].level_count > 1 ? v->c->factors[f].level_count : 0;
    v->job_count = v->c->map_count * (r->share_count * r->splits + levels);
    v->jobs = calloc(v->job_count, sizeof *v->jobs);
    v->outcomes = calloc(v->job_count * v->columns, sizeof *v->outcomes);
    v->kept = calloc(v->job_count * v->columns, sizeof(struct map_model *));
    if (!v->jobs || !v->outcomes || !v->kept)
        return err_no_memory(e, "%zu splits", v->job_count);
    for (size_t s = 0; s < r->share_count; s++)
        for (size_t map = 0; map < v->c->map_count; map++)
            for (size_t k = 0, leader = at; k < r->splits; k++, at++)
                v->jobs[at] = (struct job){.map = map, .share = s, .stream = at, .leader = leader};
    for (size_t f = 0; f < v->c->factor_count; f++)
        for (size_t map = 0; map < v->c->map_count && v->c->factors[f].level_count > 1; map++)
            for (size_t k = 0, leader = at; k < v->c->factors[f].level_count; k++, at++)
                v->jobs[at] = (struct job){.map = map,
                                           .share = r->share_count,
                                           .stream = at,
                                           .factor = f,
                                           .level = k,
                                           .leader = leader};
    return 0;
}

/* Runs the jobs in threads while the caller's thread reports the progress. */
static int run_threads(struct validation *v, struct err *e)
{
    const struct map_observer *observer = v->request->observer;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = processors < 1 ? 1 : processors > THREADS_MAX ? THREADS_MAX : (size_t)processors;
    pthread_t threads[THREADS_MAX];
    pthread_attr_t attributes;
    size_t started = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (started < count && !pthread_create(&threads[started], &attributes, work_off, v))
        started++;
    pthread_attr_destroy(&attributes);
    if (!started)
        return err_set(e, ERR_MACHINE, "no thread can be started");
    while (!is_stopped(v) && v->next < v->job_count) {
        const struct timespec pause = {.tv_nsec = 50000000};
        if (observer && observer->progress)
            observer->progress(observer->context, "trying splits",
                               (double)v->done / (double)v->job_count);
        nanosleep(&pause, NULL);
    }
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

/* Runs the leaders first, then the jobs that reuse their estimates. */
static int run_jobs(struct validation *v, struct err *e)
{
    v->leading = true;
    if (run_threads(v, e))
        return -1;
    v->next = 0;
    v->leading = false;
    if (run_threads(v, e))
        return -1;
    if (v->done < v->job_count && !v->stopped)
        return err_no_memory(e, "splits");
    return 0;
}

static struct map_score score_of(const struct validation *v, size_t share, size_t column)
{
    bool random = share < v->request->share_count, constant = column == v->candidates->count;
    const struct map_method *method =
        constant ? &v->candidates->list[0] : &v->candidates->list[column];
    struct map_score s = {.method = constant ? "constant" : method->method->name,
                          .scale = method->logarithmic ? "log" : "raw",
                          .scheme = random ? "random" : "leave-level-out",
                          .coverage = NAN};
    double relative = 0, trained = 0;
    size_t covered = 0, intervals = 0;
    for (size_t i = 0; i < v->job_count; i++) {
        const struct outcome *o = &v->outcomes[i * v->columns + column];
        if (v->jobs[i].share != share)
            continue;
        if (o->problem && !s.problem[0])
            snprintf(s.problem, sizeof s.problem, "%.150s", o->problem);
        if (!o->errors.count)
            continue;
        relative += o->errors.relative / (double)o->errors.count;
        trained += o->share;
        covered += o->errors.covered;
        intervals += o->errors.intervals;
        s.splits++;
    }
    s.are_percent = s.splits ? 100 * relative / (double)s.splits : (double)NAN;
    s.share = random ? v->request->shares[share] : s.splits ? trained / (double)s.splits : NAN;
    if (intervals)
        s.coverage = (double)covered / (double)intervals;
    return s;
}

/* Writes the scores of the methods, of the method that "auto" chose, and of the two references,
   share by share. */
static int write_scores(struct map_validation *out, const struct validation *v, size_t best,
                        struct err *e)
{
    size_t shares = v->request->share_count + 1, count = 0;
    struct map_score *scores = calloc(shares * (v->columns + 2), sizeof *scores);
    if (!scores)
        return err_no_memory(e, "the errors of the methods");
    for (size_t s = 0; s < shares; s++) {
        struct map_score last = {.scheme = ""};
        for (size_t column = 0; column < v->columns; column++) {
            struct map_score score = score_of(v, s, column);
            if (column == best) {
                last = score;
                last.method = "auto";
            }
            if (score.splits || score.problem[0])
                scores[count++] = score;
        }
        if (last.splits)
            scores[count++] = last;
        if (count && scores[count - 1].splits && isfinite(v->c->mean_noise)) {
            struct map_score noise = scores[count - 1];
            noise.method = "noise_floor";
            noise.scale = "";
            noise.are_percent = 100 * v->c->mean_noise;
            noise.coverage = NAN;
            scores[count++] = noise;
        }
    }
    out->scores = scores;
    out->score_count = count;
    return 0;
}

static int validate(struct map_validation *out, struct validation *v, struct err *e)
{
    size_t best = SIZE_MAX;
    struct map_score chosen[CANDIDATES_MAX];
    v->columns = v->candidates->count + 1;
    if (v->candidates->choose) {
        if (candidates_choose(chosen, &best, v->candidates, v->c, v->request->confidence,
                              v->request->seed, v->request->observer, e))
            return -1;
        out->chosen = chosen[best].method;
    }
    if (plan_jobs(v, e) || run_jobs(v, e) || write_scores(out, v, best, e))
        return -1;
    if (v->stopped)
        return err_set(e, ERR_UNDECIDED, "stopped by a signal after %zu of %zu splits",
                       (size_t)v->done, v->job_count);
    return 0;
}

int validation_make(struct map_validation *out, struct configurations *c,
                    const struct candidates *candidates, const struct validation_request *request,
                    struct err *e)
{
    struct validation v = {.c = c, .candidates = candidates, .request = request};
    *out = (struct map_validation){
        .response = c->response.name, .measured = c->n, .map_count = c->map_count};
    int status = validate(out, &v, e);
    for (size_t i = 0; v.outcomes && i < v.job_count * v.columns; i++)
        free(v.outcomes[i].problem);
    for (size_t i = 0; v.kept && i < v.job_count * v.columns; i++)
        map_model_free(v.kept[i]);
    free(v.kept);
    free(v.outcomes);
    free(v.jobs);
    out->notes = c->notes.data ? c->notes.data : "";
    return status;
}

void validation_free(struct map_validation *v)
{
    free(v->scores);
    *v = (struct map_validation){0};
}

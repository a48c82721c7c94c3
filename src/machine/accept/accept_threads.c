/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the stages of all disks, each disk in a thread of its own, when it is their turn (turns.h),
 * and shows the progress of all in one line. Disks do not affect each other. Only a journal that
 * cannot be kept ends the work of all.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/units.h"
#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"
#include "machine/accept/turns.h"

struct joint_progress {
    const struct accept_request *request;
    struct turns *turns;
    /* protects this struct; also serialises the calls of the request's functions */
    pthread_mutex_t lock;
    struct joint_disk {
        struct joint_progress *all;
        struct session_observer observer; /* the disk's own observer */
        /* seconds that later stages of the disk will write, and will measure */
        double writes, measures;
        double now;     /* seconds left of the disk's current stage */
        bool measuring; /* the disk's current stage measures */
        uint64_t seen;  /* time of the disk's last progress report, ns; 0: none */
    } disks[ACCEPT_DISKS_MAX];
};

#define REPORTS_NS UINT64_C(3000000000) /* a disk that reports less often is not at work */

/* As in many/together/together.c: the default stack of 128 KiB is too small for a session. */
#define STACK_BYTES ((size_t)1 << 20)
#define FILES_EACH  192
#define LOOK_NS     100000000

struct work {
    const struct accept_request *request;
    struct accept_journal *journal; /* the journal of all disks; nobody uses it while the threads
                                       work */
    struct turns turns;
    struct joint_progress progress;
    volatile sig_atomic_t stop; /* stops all disks: a signal came, or the journal cannot be kept */
    struct worker {
        struct work *all;
        struct accept_disk *disk;
        pthread_t thread;
        bool started;
        /* why the work could not begin or the journal could not be kept; no code: no error */
        struct err lost;
    } workers[ACCEPT_DISKS_MAX];
};

/* ---- time left ---- */

static double left_of(const struct joint_disk *d)
{
    return d->writes + d->measures + d->now;
}

static void describe(struct joint_progress *p, char *to, size_t size)
{
    double writes[ACCEPT_DISKS_MAX], measures[ACCEPT_DISKS_MAX];
    char words[64], time[32];
    for (size_t i = 0; i < p->turns->count; i++) {
        const struct joint_disk *d = &p->disks[i];
        writes[i] = d->writes + (d->measuring ? 0 : d->now);
        measures[i] = d->measures + (d->measuring ? d->now : 0);
    }
    snprintf(to, size, "%s; %s left", turns_words(p->turns, words, sizeof words),
             format_time_left(time, sizeof time, turns_seconds(p->turns, writes, measures)));
}

/* Returns true if no other disk has more time left. Only disks that report progress count: one that
   waits for its turn or does not answer reports nothing. */
static bool is_last(const struct joint_progress *p, const struct joint_disk *d)
{
    for (size_t i = 0; i < p->turns->count; i++) {
        const struct joint_disk *other = &p->disks[i];
        if (other->seen && d->seen - other->seen < REPORTS_NS && left_of(other) > left_of(d))
            return false;
    }
    return true;
}

/* ---- the functions of a disk's observer ---- */

static void show(void *context, const struct session_progress *now)
{
    struct joint_disk *d = context;
    struct joint_progress *p = d->all;
    const struct session_observer *to = p->request->observer;
    char words[100];
    pthread_mutex_lock(&p->lock);
    d->seen = clock_raw_ns();
    if (isfinite(now->left_seconds))
        d->now = now->left_seconds;
    if (is_last(p, d)) {
        struct session_progress shown = *now;
        shown.left_seconds = shown.bytes_rate = shown.mean = shown.rate = NAN;
        shown.measuring = false; /* only the name of the stage fits on the line */
        describe(p, words, sizeof words);
        if (p->request->overall)
            p->request->overall(p->request->context, words);
        to->progress(to->context, &shown);
    }
    pthread_mutex_unlock(&p->lock);
}

static void notice(void *context, const char *words)
{
    struct joint_disk *d = context;
    const struct session_observer *to = d->all->request->observer;
    pthread_mutex_lock(&d->all->lock);
    to->notice(to->context, words);
    pthread_mutex_unlock(&d->all->lock);
}

/* Needs `request` and `turns` to be set. */
static void joint_progress_init(struct joint_progress *p)
{
    const struct session_observer *to = p->request->observer;
    pthread_mutex_init(&p->lock, NULL);
    for (size_t i = 0; i < p->turns->count; i++) {
        struct joint_disk *d = &p->disks[i];
        *d = (struct joint_disk){.all = p};
        if (to)
            d->observer = (struct session_observer){.progress = to->progress ? show : NULL,
                                                    .context = d,
                                                    .notice = to->notice ? notice : NULL};
    }
}

/* Notes that a disk begins its next stage; if `words` is NULL nothing is reported. Any thread may
   call it. */
static void joint_progress_stage(struct joint_progress *p, size_t disk, const char *words,
                                 double seconds, bool measuring, double writes, double measures)
{
    struct joint_disk *d = &p->disks[disk];
    pthread_mutex_lock(&p->lock);
    d->writes = writes;
    d->measures = measures;
    d->now = isfinite(seconds) ? seconds : 0;
    d->measuring = measuring;
    if (words && p->request->stage)
        p->request->stage(p->request->context, words);
    pthread_mutex_unlock(&p->lock);
}

/* ---- one stage ---- */

enum { STAGE_IS_LOST = -2 }; /* the end of the stage is not in the journal */

static void announce(struct work *w, const struct accept_disk *d, const struct accept_stage *stage)
{
    char words[400], time[UNITS_BUFFER], about[64] = "";
    double seconds = stage->estimate_seconds ? stage->estimate_seconds(d) : NAN, writes, measures;
    if (!isnan(seconds))
        snprintf(about, sizeof about, "; about %s", format_time(time, sizeof time, seconds * 1e9));
    snprintf(words, sizeof words, "%.60s: %s: %s%s", d->name, stage->name, stage->words, about);
    accept_stages_left(d, stage, &writes, &measures);
    joint_progress_stage(&w->progress, d->number, words, seconds, accept_stage_measures(stage),
                         writes, measures);
}

/* Waits until it is the disk's turn for the stage. */
static int take_turn(struct work *w, struct accept_disk *d, const struct accept_stage *stage,
                     struct err *e)
{
    const bool measures = accept_stage_measures(stage);
    struct turn *turn = &w->turns.disks[d->number];
    double writes, left;
    accept_stages_left(d, NULL, &writes, &left);
    joint_progress_stage(&w->progress, d->number, NULL, 0, measures, writes, left);
    if (accept_disk_stopped(d) ||
        !turns_begin(&w->turns, d->number, measures ? TURN_MEASURES : TURN_WRITES, d->stop))
        return err_set(e, ERR_UNDECIDED, "%.200s: stopped before stage %s", d->path, stage->name);
    if (!measures)
        return 0;
    memcpy(d->plan.cpus, turn->cpus, sizeof d->plan.cpus);
    d->plan.cpus_given = turn->cpu_count > 0;
    return 0;
}

/* Runs a stage and records its end in the journal, with success or not. Returns -1 if it failed, or
   STAGE_IS_LOST. */
static int run_stage(struct work *w, struct accept_disk *d, const struct accept_stage *stage,
                     struct err *e)
{
    char quoted[ACCEPT_QUOTED], words[240];
    if (take_turn(w, d, stage, e))
        return -1;
    announce(w, d, stage);
    uint64_t began = clock_raw_ns();
    if (accept_journal_add(d->journal, d->number, e, "begin", "stage=%s at=%lld", stage->name,
                           (long long)time(NULL)))
        return STAGE_IS_LOST;
    struct err why = {0};
    int status = accept_disk_check(d, &why) || stage->run(d, &why) ? -1 : 0;
    if (accept_log_keep(d, stage->name, e))
        return STAGE_IS_LOST;
    snprintf(words, sizeof words, "%.239s", why.msg);
    if (accept_journal_add(d->journal, d->number, e, "end",
                           "stage=%s status=%s code=%u seconds=%.3f words=%s", stage->name,
                           status ? "failed" : "done", (unsigned)why.code,
                           (double)(clock_raw_ns() - began) * 1e-9,
                           accept_journal_quote(quoted, status ? words : "")) ||
        accept_journal_reload(d->journal, e))
        return STAGE_IS_LOST;
    if (status)
        *e = why;
    return status;
}

/* ---- one disk ---- */

static int run_stages(struct work *w, struct accept_disk *d, struct err *e)
{
    int status = 0;
    if (!accept_journal_last(d->journal, d->number, "health") && accept_health_keep(d, "before", e))
        return STAGE_IS_LOST;
    for (size_t i = 0; accept_stages[i] && !status; i++)
        if (accept_stage_asked(d->request->stages, accept_stages[i]->name) &&
            !accept_stage_is_done(d, accept_stages[i]))
            status = run_stage(w, d, accept_stages[i], e);
    if (status != STAGE_IS_LOST && accept_health_keep(d, "after", e))
        status = STAGE_IS_LOST;
    return status;
}

static void *run_disk(void *context)
{
    struct worker *worker = context;
    struct accept_disk *d = worker->disk;
    struct work *w = worker->all;
    struct err why;
    /* --verify repeats reading back, and does not record the drive's health */
    int status =
        d->request->reads_only ? run_stage(w, d, &stage_verify, &why) : run_stages(w, d, &why);
    if (status == STAGE_IS_LOST) {
        worker->lost = why;
        w->stop = 1;
    }
    turns_end(&w->turns, d->number);
    joint_progress_stage(&w->progress, d->number, NULL, 0, false, 0, 0);
    return NULL;
}

/* ---- all disks ---- */

static int give_view(struct work *w, struct accept_disk *d, struct err *e)
{
    d->turns = &w->turns;
    d->stop = &w->stop;
    if (w->turns.count > 1)
        d->observer = &w->progress.disks[d->number].observer;
    return accept_journal_view(&d->journal, w->journal, d->number, e);
}

static void start(struct work *w)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (size_t i = 0; i < w->turns.count; i++) {
        struct worker *worker = &w->workers[i];
        if (worker->disk->left_out) {
            turns_end(&w->turns, i);
            continue;
        }
        int error = pthread_create(&worker->thread, &attributes, run_disk, worker);
        worker->started = !error;
        if (!error)
            continue;
        err_set(&worker->lost, ERR_MACHINE, "%.200s: cannot start a thread: %s", worker->disk->path,
                strerror(error));
        turns_end(&w->turns, i);
    }
    pthread_attr_destroy(&attributes);
}

/* Waits for a disk's thread. A disk that writes no line for hours must end too when the common
   journal is lost. */
static void join_one(struct work *w, const struct worker *worker)
{
    /* Waits in short steps, not for a point in time: the clock of a new machine may be set
       meanwhile. */
    const struct timespec look = {.tv_nsec = LOOK_NS};
    while (pthread_tryjoin_np(worker->thread, NULL) == EBUSY) {
        if (w->request->stop && *w->request->stop)
            w->stop = 1;
        nanosleep(&look, NULL);
    }
}

static int join(struct work *w, struct err *e)
{
    int status = 0;
    for (size_t i = 0; i < w->turns.count; i++) {
        const struct worker *worker = &w->workers[i];
        if (worker->started)
            join_one(w, worker);
        if (!worker->lost.code || status)
            continue;
        *e = worker->lost;
        status = -1;
    }
    return status;
}

int accept_work(struct accept_disk disks[], size_t count, struct accept_journal *journal,
                const struct accept_request *request, struct err *e)
{
    struct work *w = calloc(1, sizeof *w);
    size_t viewed = 0;
    if (!w)
        return err_no_memory(e, "the work on %zu disks", count);
    w->request = request;
    w->journal = journal;
    w->turns = (struct turns){.at_once = request->at_once,
                              .count = count,
                              .workers = accept_workers_of(request),
                              .root = ""};
    for (size_t i = 0; i < count; i++) {
        w->turns.disks[i].group = disks[i].group;
        w->turns.disks[i].node = disks[i].numa_node;
        w->workers[i] = (struct worker){.all = w, .disk = &disks[i]};
    }
    w->turns.slots = turns_slots(&w->turns);
    turns_init(&w->turns);
    w->progress.request = request;
    w->progress.turns = &w->turns;
    joint_progress_init(&w->progress);
    int status = 0;
    for (; !status && viewed < count; viewed += !status)
        status = give_view(w, &disks[viewed], e);
    if (!status) {
        files_permit(count * FILES_EACH);
        start(w);
        status = join(w, e);
    }
    for (size_t i = 0; i < viewed; i++) {
        accept_journal_close(disks[i].journal);
        disks[i].journal = journal;
    }
    for (size_t i = 0; i < count; i++)
        disks[i].stop = request->stop;
    free(w);
    return status;
}

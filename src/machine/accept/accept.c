/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs an acceptance from beginning to end: disks, permission, journal, stages. */
#include "machine/accept/accept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "base/version.h"
#include "io/target/guard.h"
#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"
#include "machine/accept/turns.h"

struct acceptor {
    /* the caller's request, completed by values from the journal when resuming */
    struct accept_request request;
    char stages[200], purge[16];
    struct accept_journal *journal;
    struct accept_disk *disks;
    size_t count;
};

/* ---- work before the first write ---- */

static double share_of(const struct accept_line *line)
{
    double share = accept_line_number(line, "verify_share");
    return share > 0 ? share : 1;
}

static enum accept_at_once at_once_of(const struct accept_line *line)
{
    uint64_t number = accept_line_count(line, "at_once");
    return number <= ACCEPT_ONE ? (enum accept_at_once)number : ACCEPT_APART;
}

/* Returns true if the request is that of the command that began the work. */
static bool is_same_request(const struct accept_request *r, const struct acceptor *a,
                            const struct accept_line *line)
{
    return !strcmp(r->stages, a->stages) && !strcmp(r->purge, a->purge) &&
           r->passes == accept_line_count(line, "passes") &&
           r->client == (accept_line_count(line, "client") == 1) &&
           !(fabs(r->hours - accept_line_number(line, "hours")) > 0) &&
           !(fabs(r->cell_seconds - accept_line_number(line, "cell_seconds")) > 0) &&
           r->at_once == at_once_of(line) && !(fabs(r->verify_share - share_of(line)) > 0);
}

/* Reads the requested work from the journal, so that the user need not state it again. */
static int take_up(struct acceptor *a, struct err *e)
{
    struct accept_request *r = &a->request;
    if (accept_journal_open(&a->journal, r->folder, true, e))
        return -1;
    const struct accept_line *line = accept_journal_last(a->journal, 0, "request");
    if (!line || !accept_line_text(line, "stages", a->stages, sizeof a->stages))
        return err_set(e, ERR_USAGE,
                       "%.300s: nothing was begun by its " ACCEPT_JOURNAL_FILE
                       ": remove the folder and begin anew",
                       r->folder);
    accept_line_text(line, "purge", a->purge, sizeof a->purge);
    if (r->name_count && !r->reads_only && !is_same_request(r, a, line))
        return err_set(e, ERR_USAGE,
                       "%.200s: its work was begun with other options (--stages %.100s): cupel "
                       "accept --resume goes on with those; for others name another -o",
                       r->folder, a->stages);
    r->stages = a->stages;
    r->purge = a->purge;
    r->passes = (unsigned)accept_line_count(line, "passes");
    r->client = accept_line_count(line, "client") == 1;
    r->hours = accept_line_number(line, "hours");
    r->cell_seconds = accept_line_number(line, "cell_seconds");
    r->at_once = r->reads_only ? r->at_once : at_once_of(line);
    r->verify_share = r->reads_only ? r->verify_share : share_of(line);
    return r->passes > 0
               ? accept_stages_check(r->stages, e)
               : err_set(e, ERR_USAGE, "%.300s: it does not say how many passes", r->folder);
}

static int begin_journal(struct acceptor *a, struct err *e)
{
    const struct accept_request *r = &a->request;
    if (accept_journal_open(&a->journal, r->folder, false, e))
        return -1;
    for (size_t i = 0; i < a->count; i++) {
        a->disks[i].journal = a->journal;
        if (accept_disk_keep(&a->disks[i], e) || accept_resume_keep(&a->disks[i], e))
            return -1;
    }
    /* written last: without this line no work has begun, and the journal cannot be resumed */
    return accept_journal_add(a->journal, 0, e, "request",
                              "version=%s at=%lld stages=%s purge=%s passes=%u client=%d "
                              "hours=%.17g cell_seconds=%.17g verify_share=%.17g at_once=%u",
                              cupel_version, (long long)time(NULL), r->stages, r->purge, r->passes,
                              r->client, r->hours, r->cell_seconds, r->verify_share,
                              (unsigned)r->at_once) ||
                   accept_journal_reload(a->journal, e)
               ? -1
               : 0;
}

/* ---- the remaining work ---- */

static bool has_work(const struct acceptor *a, const struct accept_disk *d)
{
    for (size_t i = 0; accept_stages[i]; i++)
        if (accept_stage_asked(a->request.stages, accept_stages[i]->name) &&
            !accept_stage_is_done(d, accept_stages[i]))
            return true;
    return false;
}

static int permit_and_hold(struct acceptor *a, struct err *e)
{
    for (size_t i = 0; i < a->count; i++)
        if (!a->disks[i].left_out && accept_disk_permit(&a->disks[i], e))
            return -1;
    for (size_t i = 0; i < a->count; i++)
        if (!a->disks[i].left_out && accept_disk_hold(&a->disks[i], e))
            return -1;
    for (size_t i = 0; i < a->count && a->request.resume; i++) {
        const struct accept_disk *d = &a->disks[i];
        if (!d->left_out && has_work(a, d) && !accept_disk_is_given(d) && accept_resume_check(d, e))
            return -1;
    }
    return 0;
}

/* ---- the whole acceptance ---- */

/* Refuses an impossible request before the first byte is written. */
static int check_request(const struct acceptor *a, struct err *e)
{
    const struct accept_request *r = &a->request;
    if (accept_stage_asked(r->stages, ACCEPT_VERIFY) &&
        !accept_stage_asked(r->stages, ACCEPT_PRECONDITION))
        return err_set(e, ERR_USAGE,
                       "--stages %.150s: verify reads back what precondition writes: name both",
                       r->stages);
    for (size_t i = 0; i < a->count; i++)
        for (const struct accept_stage *const *s = accept_stages; *s; s++)
            if (accept_stage_asked(r->stages, (*s)->name) && (*s)->check &&
                (*s)->check(&a->disks[i], e))
                return -1;
    return 0;
}

static int prepare(struct acceptor *a, struct err *e)
{
    if (a->request.resume && take_up(a, e))
        return -1;
    if (accept_disks_choose(a->disks, &a->count, &a->request, a->journal, e) ||
        (!a->request.resume && check_request(a, e)) || permit_and_hold(a, e))
        return -1;
    return a->request.resume ? 0 : begin_journal(a, e);
}

int accept_run(const struct accept_request *request, struct err *e)
{
    struct acceptor a = {.request = *request, .disks = calloc(ACCEPT_DISKS_MAX, sizeof *a.disks)};
    if (!a.disks)
        return err_no_memory(e, "the disks");
    int status = prepare(&a, e);
    if (!status)
        status = accept_work(a.disks, a.count, a.journal, &a.request, e);
    for (size_t i = 0; i < a.count; i++)
        accept_disk_release(&a.disks[i]);
    accept_journal_close(a.journal);
    free(a.disks);
    return status;
}

/* ---- only reading back ---- */

static int verify_disks(struct acceptor *a, struct err *e)
{
    struct guard_sight reading = {.allow_unseen = true};
    for (size_t i = 0; i < a->count; i++)
        if (!a->disks[i].left_out &&
            (accept_disk_hold(&a->disks[i], e) || verify_check(&a->disks[i], e) ||
             guard_unused("", a->disks[i].device, a->disks[i].path, &reading, e)))
            return -1;
    return accept_work(a->disks, a->count, a->journal, &a->request, e);
}

int accept_verify(const struct accept_request *request, struct err *e)
{
    struct acceptor a = {.request = *request, .disks = calloc(ACCEPT_DISKS_MAX, sizeof *a.disks)};
    if (!a.disks)
        return err_no_memory(e, "the disks");
    a.request.resume = a.request.reads_only = true;
    int status = take_up(&a, e);
    if (!status)
        status = accept_disks_choose(a.disks, &a.count, &a.request, a.journal, e);
    if (!status)
        status = verify_disks(&a, e);
    for (size_t i = 0; i < a.count; i++)
        accept_disk_release(&a.disks[i]);
    accept_journal_close(a.journal);
    free(a.disks);
    return status;
}

/* ---- only the plan ---- */

static void add_disk_words(const struct accept_disk *d, const struct accept_request *r,
                           struct text *out)
{
    char size[UNITS_BUFFER], time[UNITS_BUFFER];
    struct err why;
    double writes, measures;
    text_addf(out, "%s  %s%s%s, %s%s\n", d->path, d->model, d->model[0] ? ", " : "",
              format_size(size, sizeof size, (double)d->size),
              d->serial[0] ? "serial number " : "no serial number", d->serial);
    struct guard_sight sight = {.allow_unseen = r->allow_unseen};
    if (guard_unused("", d->device, d->path, &sight, &why))
        text_addf(out, "  refused        %s\n", why.msg);
    for (size_t i = 0; accept_stages[i]; i++) {
        const struct accept_stage *s = accept_stages[i];
        if (!accept_stage_asked(r->stages, s->name))
            continue;
        double seconds = s->estimate_seconds ? s->estimate_seconds(d) : NAN;
        text_addf(out, "  %-14s %s; %s%s\n", s->name, s->words,
                  isnan(seconds) ? "its time is not known" : "about ",
                  isnan(seconds) ? "" : format_time(time, sizeof time, seconds * 1e9));
    }
    accept_stages_left(d, NULL, &writes, &measures);
    text_addf(out, "  in all         about %s, at %s\n",
              format_time(time, sizeof time, (writes + measures) * 1e9),
              format_rate(size, sizeof size, d->rate));
}

/* Adds which disks work at the same time, and how long the whole work takes that way. */
static int add_turns_words(const struct acceptor *a, struct text *out, struct err *e)
{
    static const char *const words[] = {
        [ACCEPT_APART] = "written at once; those that share a limited part measured in turns",
        [ACCEPT_ALL] = "written at once, then measured at once",
        [ACCEPT_ONE] = "one after the other"};
    char time[UNITS_BUFFER];
    double writes[ACCEPT_DISKS_MAX], measures[ACCEPT_DISKS_MAX];
    struct turns *t = calloc(1, sizeof *t);
    if (!t)
        return err_no_memory(e, "the disks");
    t->at_once = a->request.at_once;
    t->count = a->count;
    t->workers = accept_workers_of(&a->request);
    t->root = "";
    t->slots = turns_slots(t);
    for (size_t i = 0; i < a->count; i++) {
        t->disks[i].group = a->disks[i].group;
        accept_stages_left(&a->disks[i], NULL, &writes[i], &measures[i]);
    }
    text_addf(out, "%zu disks, %s: about %s\n", a->count, words[t->at_once],
              format_time(time, sizeof time, turns_seconds(t, writes, measures) * 1e9));
    free(t);
    return 0;
}

int accept_plan_words(const struct accept_request *request, struct text *out, struct err *e)
{
    struct acceptor a = {.request = *request, .disks = calloc(ACCEPT_DISKS_MAX, sizeof *a.disks)};
    if (!a.disks)
        return err_no_memory(e, "the disks");
    int status = accept_disks_choose(a.disks, &a.count, request, NULL, e);
    if (!status)
        status = check_request(&a, e);
    for (size_t i = 0; !status && i < a.count; i++)
        add_disk_words(&a.disks[i], request, out);
    if (!status && a.count > 1)
        status = add_turns_words(&a, out, e);
    if (!status)
        text_addf(out, "nothing was written (--dry-run)\n");
    free(a.disks);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the stages in the order in which they run, and finds those that a disk has not yet ended.
 */
#include <math.h>
#include <string.h>

#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"

const struct accept_stage *const accept_stages[] = {
    &stage_purge,  &stage_capacity, &stage_precondition, &stage_verify, &stage_pts_iops,
    &stage_pts_tp, &stage_pts_lat,  &stage_pts_wsat,     NULL,
};

static bool is_stage(const char *name, size_t length)
{
    for (size_t i = 0; accept_stages[i]; i++)
        if (strlen(accept_stages[i]->name) == length &&
            !memcmp(accept_stages[i]->name, name, length))
            return true;
    return false;
}

int accept_stages_check(const char *names, struct err *e)
{
    char all[200] = "";
    for (size_t i = 0; accept_stages[i]; i++) {
        strncat(all, *all ? ", " : "", sizeof all - strlen(all) - 1);
        strncat(all, accept_stages[i]->name, sizeof all - strlen(all) - 1);
    }
    if (!*names)
        return err_set(e, ERR_USAGE, "--stages: none is named; there are %s", all);
    for (const char *at = names;; at++) {
        size_t length = strcspn(at, ",");
        if (!is_stage(at, length))
            return err_set(e, ERR_USAGE, "--stages %.*s: there is no such stage; there are %s",
                           (int)length, at, all);
        at += length;
        if (!*at)
            return 0;
    }
}

/* ---- remaining stages ---- */

bool accept_stage_is_done(const struct accept_disk *d, const struct accept_stage *stage)
{
    const struct accept_line *line;
    bool done = false;
    for (size_t i = 0; (line = accept_journal_line(d->journal, i)); i++) {
        char name[24], status[16];
        if (line->disk != d->number)
            continue;
        /* after a later write, the data that were read back are no longer on the drive */
        done &= strcmp(line->event, "written") != 0 || strcmp(stage->name, ACCEPT_VERIFY) != 0;
        if (strcmp(line->event, "end") != 0)
            continue;
        accept_line_text(line, "stage", name, sizeof name);
        accept_line_text(line, "status", status, sizeof status);
        if (!strcmp(name, stage->name))
            done = !strcmp(status, "done");
    }
    return done;
}

void accept_stages_left(const struct accept_disk *d, const struct accept_stage *current,
                        double *writes, double *measures)
{
    bool later = !current;
    *writes = *measures = 0;
    for (size_t i = 0; accept_stages[i]; i++) {
        const struct accept_stage *s = accept_stages[i];
        if (later && accept_stage_asked(d->request->stages, s->name) &&
            !(d->journal && accept_stage_is_done(d, s)) && s->estimate_seconds) {
            double seconds = s->estimate_seconds(d);
            double *sum = accept_stage_measures(s) ? measures : writes;
            *sum += isnan(seconds) ? 0 : seconds;
        }
        later |= s == current;
    }
}

unsigned accept_workers_of(const struct accept_request *r)
{
    return r->client ? 2 : 4; /* the largest number of threads of a test */
}

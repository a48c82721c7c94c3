/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept of each session of a repeated run, once it has ended. */
#include "run/session/internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTES_MAX 64

struct repeat *repeat_new(const struct plan *plan, struct err *e)
{
    struct repeat *r = calloc(1, sizeof *r);
    if (r) {
        r->plan = *plan;
        r->result = calloc(1, sizeof *r->result);
        r->sessions = calloc(plan->repeat.sessions, sizeof *r->sessions);
        r->notes = calloc(NOTES_MAX, sizeof *r->notes);
    }
    if (r && r->result && r->sessions && r->notes)
        return r;
    repeat_free(r);
    err_set(e, ERR_MACHINE, "not enough memory for %u sessions", plan->repeat.sessions);
    return NULL;
}

void repeat_free(struct repeat *r)
{
    if (!r)
        return;
    for (size_t i = 0; r->sessions && i < r->session_count; i++)
        free(r->sessions[i].rows);
    inventory_free(&r->hardware);
    free(r->sessions);
    free(r->notes);
    free(r->result);
    free(r);
}

/* A warning that several sessions have alike is kept once, with the number of them. */
static void take_warning(struct repeat *r, const char *text)
{
    size_t i = 0;
    while (i < r->note_count && strcmp(r->notes[i].note.text, text) != 0)
        i++;
    if (i == NOTES_MAX)
        return;
    struct repeat_note *note = &r->notes[i];
    if (i == r->note_count) {
        *note = (struct repeat_note){.first = r->session_count, .note.warning = true};
        snprintf(note->note.text, sizeof note->note.text, "%s", text);
        r->note_count++;
    }
    note->sessions++;
}

/* What all sessions have alike, from the first. */
static void take_common(struct repeat *r, struct session *session)
{
    const struct result *from = r->result;
    struct result *to = &r->common;
    to->headline = from->headline;
    to->target_width = from->target_width;
    to->timed = from->timed;
    to->settings = from->settings;
    snprintf(to->target, sizeof to->target, "%s", from->target);
    snprintf(to->workload, sizeof to->workload, "%s", from->workload);
    snprintf(to->headline_op, sizeof to->headline_op, "%s", from->headline_op);
    to->path_limit_read = from->path_limit_read;
    to->path_limit_write = from->path_limit_write;
    r->hardware = session_take_hardware(session);
}

/* Only what ended in a mean counts in the mean over sessions. */
static bool counts(const struct result *r)
{
    const struct result_row *row = result_find(r, r->headline, r->headline_op);
    bool whole = r->verdict == VERDICT_PRECISE || r->verdict == VERDICT_LIMIT ||
                 r->verdict == VERDICT_COMPLETE || r->verdict == VERDICT_SATURATED;
    return whole && row && isfinite(row->value);
}

void repeat_take(struct repeat *r, struct session *session)
{
    const struct result *from = r->result;
    const struct plan *plan = session_plan(session);
    const char *date = facts_find(&from->settings, "origin", "date");
    if (r->session_count == r->plan.repeat.sessions)
        return;
    struct result_session *to = &r->sessions[r->session_count];
    *to = (struct result_session){.begin_seconds = plan->repeat.begin_seconds,
                                  .number = plan->repeat.index + 1,
                                  .seconds = session_length(session),
                                  .seed = plan->seed,
                                  .verdict = from->verdict,
                                  .counted = counts(from),
                                  .saturated = from->saturated,
                                  .others = from->others};
    snprintf(to->date, sizeof to->date, "%s", date ? date : "");
    snprintf(to->failure, sizeof to->failure, "%s", from->failure);
    snprintf(to->phase, sizeof to->phase, "%s", from->phase);
    snprintf(to->busy, sizeof to->busy, "%s", from->busy);
    to->rows = calloc(from->row_count + 1, sizeof *to->rows);
    if (to->rows) {
        memcpy(to->rows, from->rows, from->row_count * sizeof *to->rows);
        to->row_count = from->row_count;
    }
    to->counted = to->counted && to->rows;
    for (size_t i = 0; i < from->note_count; i++)
        if (from->notes[i].warning)
            take_warning(r, from->notes[i].text);
    const struct result_row *row = result_find(from, from->headline, from->headline_op);
    const char *bottleneck = row ? strstr(row->note, "bottleneck: ") : NULL;
    if (bottleneck)
        take_warning(r, bottleneck);
    if (r->session_count == 0)
        take_common(r, session);
    r->session_count++;
}

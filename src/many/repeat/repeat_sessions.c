/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the sessions of a repeated run: computes the seed of each, and stores the values that
   remain after each has ended. */
#include "many/repeat/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTES_MAX 64

/* splitmix64: consecutive numbers give unrelated seeds. */
uint64_t repeat_seed(uint64_t seed, uint32_t index)
{
    if (!index)
        return seed;
    uint64_t z = seed + index * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

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
    err_no_memory(e, "%u sessions", plan->repeat.sessions);
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

/* Keeps a session's warning. A warning that several sessions have is kept once, with the number of
   these sessions. */
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

void repeat_take(struct repeat *r, struct session *session)
{
    const struct result *from = r->result;
    const struct plan *plan = session_plan(session);
    if (r->session_count == r->plan.repeat.sessions)
        return;
    struct result_session *to = &r->sessions[r->session_count];
    *to = (struct result_session){.begin_seconds = plan->repeat.begin_seconds,
                                  .number = plan->repeat.index + 1,
                                  .seconds = session_length(session),
                                  .seed = plan->seed,
                                  .verdict = from->verdict,
                                  .saturated = from->saturated,
                                  .others = from->others};
    memcpy(to->date, from->key.date, sizeof to->date);
    snprintf(to->failure, sizeof to->failure, "%s", from->failure);
    snprintf(to->phase, sizeof to->phase, "%s", from->phase);
    snprintf(to->busy, sizeof to->busy, "%s", from->busy);
    to->rows = calloc(from->row_count + 1, sizeof *to->rows);
    if (to->rows) {
        memcpy(to->rows, from->rows, from->row_count * sizeof *to->rows);
        to->row_count = from->row_count;
    }
    /* Only a session that ended with a mean counts in the mean over sessions. */
    const struct result_row *row = result_find(from, from->headline, from->headline_op);
    bool whole = from->verdict == VERDICT_PRECISE || verdict_is_imprecise(from->verdict) ||
                 from->verdict == VERDICT_COMPLETE || from->verdict == VERDICT_MEASURED ||
                 from->verdict == VERDICT_SATURATED || from->verdict == VERDICT_BOTTLENECK;
    to->counted = to->rows && whole && row && isfinite(row->value);
    for (size_t i = 0; i < from->note_count; i++)
        if (from->notes[i].warning)
            take_warning(r, from->notes[i].text);
    const char *bottleneck = row ? strstr(row->note, "bottleneck: ") : NULL;
    if (bottleneck)
        take_warning(r, bottleneck);
    if (r->session_count == 0) {
        struct result *common = &r->common;
        common->headline = from->headline;
        common->goal = from->goal;
        common->target_width = from->target_width;
        common->timed = from->timed;
        common->labels = from->labels;
        common->key = from->key;
        common->options = from->options;
        common->settings = from->settings;
        snprintf(common->target, sizeof common->target, "%s", from->target);
        memcpy(common->rate_title, from->rate_title, sizeof common->rate_title);
        snprintf(common->workload, sizeof common->workload, "%s", from->workload);
        snprintf(common->headline_op, sizeof common->headline_op, "%s", from->headline_op);
        common->path_limit_read = from->path_limit_read;
        common->path_limit_write = from->path_limit_write;
        r->hardware = session_take_hardware(session);
    }
    r->session_count++;
}

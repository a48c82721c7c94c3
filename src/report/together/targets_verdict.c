/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds the paragraphs that text and page have in common: how the targets ended, each and all
 * together; which target each device of a trace was replayed on; warnings; and what the targets
 * share.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/run/sections.h"
#include "report/together/internal.h"

#define WORKLOADS_SHOWN 4
#define SHARED_SHOWN    8

/*
 * Returns the devices of a trace that were replayed on the target, separated by tabs
 * (plan.trace_devices). Returns NULL if none was.
 */
static const char *targets_devices_of(const struct result *r)
{
    const struct option_values *o = &r->options;
    for (size_t i = 0; i < o->count; i++)
        if (o->rows[i].kind == OPTION_VALUE_TEXT && !strcmp(o->rows[i].name, "trace_devices"))
            return o->text + o->rows[i].is.text;
    return NULL;
}

static void targets_add_devices(const struct result_targets *t, struct document *out)
{
    struct text words = {0};
    for (size_t i = 0; i < t->count; i++) {
        const char *devices = targets_devices_of(t->targets[i].result);
        if (!devices)
            continue;
        text_add(&words, words.length ? ", " : "");
        for (const char *c = devices; *c; c++)
            text_add_bytes(&words, *c == '\t' ? " + " : c, *c == '\t' ? 3 : 1);
        text_addf(&words, " on %s", t->targets[i].name);
    }
    if (words.length) {
        document_paragraph(out, "Devices of the trace: ", TONE_PLAIN, layout_string(&words));
        document_limit_lines(out, out->style.full ? 0 : 2);
    }
    out->failed |= words.failed;
    text_free(&words);
}

const enum metric_id targets_metrics[TARGETS_METRICS] = {METRIC_IOPS, METRIC_BANDWIDTH,
                                                         METRIC_LATENCY_P50, METRIC_LATENCY_P99};

const struct result_row *targets_row(const struct result *r, enum metric_id metric)
{
    const struct result_row *row = result_find(r, metric, "all");
    if (!row)
        row = result_find(r, metric, r->headline_op);
    if (!row)
        row = result_find(r, metric, "read");
    return row ? row : result_find(r, metric, "write");
}

const char *targets_rate_title(const struct result_targets *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (!t->targets[i].result->rate_title[0])
            return "IOPS";
    return "a second";
}

bool targets_did_nothing(const struct result_targets *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct result_row *rate = targets_row(t->targets[i].result, targets_metrics[0]);
        if (t->targets[i].result->verdict != VERDICT_COMPLETE || (rate && rate->value > 0))
            return false;
    }
    return true;
}

bool targets_is_bad(const struct result *r)
{
    return r->verdict == VERDICT_FAILED || r->verdict == VERDICT_DAMAGED;
}

static bool has_failed_clause(const struct result *r)
{
    for (size_t i = 0; i < r->clause_count; i++)
        if (r->clauses[i].verdict == CLAUSE_FAILED)
            return true;
    return false;
}

/* Returns true if a limit is undecided that a longer measurement could decide. A requested
   precision is not a limit. */
static bool has_open_limit(const struct result *r)
{
    for (size_t i = 0; i < r->clause_count; i++)
        if (!r->clauses[i].is_width && r->clauses[i].verdict == CLAUSE_UNDECIDED)
            return true;
    return false;
}

static bool is_at_end(const struct result *r)
{
    return r->verdict == VERDICT_PRECISE || r->verdict == VERDICT_MEASURED ||
           r->verdict == VERDICT_DECIDED || r->verdict == VERDICT_COMPLETE;
}

/* Returns true if the target ran for its whole time, but its SLA is still undecided. */
static bool is_open(const struct result *r)
{
    return (is_at_end(r) || verdict_is_imprecise(r->verdict)) && !has_failed_clause(r) &&
           has_open_limit(r);
}

static bool has_reached(const struct result *r)
{
    for (size_t i = 0; i < r->clause_count; i++)
        if (r->clauses[i].verdict != CLAUSE_PASSED)
            return false;
    return is_at_end(r);
}

const char *targets_verdict_words(const struct result *r)
{
    return has_failed_clause(r) ? "SLA failed" : is_open(r) ? "SLA open" : verdict_name(r->verdict);
}

enum tone targets_verdict_tone(const struct result *r)
{
    return targets_is_bad(r) || has_failed_clause(r) ? TONE_RED
           : is_open(r)                              ? TONE_YELLOW
                                                     : TONE_PLAIN;
}

/* Adds the workloads: one line if all are the same, otherwise as many lines as fit on a screen. */
static void add_workloads(const struct result_targets *t, struct document *out)
{
    const size_t room = out->style.full ? t->count : WORKLOADS_SHOWN;
    bool same = true;
    for (size_t i = 1; i < t->count; i++)
        same = same && !strcmp(t->targets[i].result->workload, t->targets[0].result->workload);
    for (size_t i = 0; i < t->count && i < (same ? 1 : room); i++)
        document_paragraph(out, "", TONE_PLAIN, t->targets[i].result->workload);
    if (!same && t->count > room)
        document_line(out, "and %zu other workloads (--full shows them)", t->count - room);
}

/* Adds the worst verdict of all targets. */
void targets_add_verdict(const struct result_targets *t, struct document *out)
{
    size_t failed = 0, broken = 0, open = 0, reached = 0;
    size_t unreached = 0; /* index of the first target that did not reach its goal */
    char length[NUMBER_BUFFER], lead[64];
    struct text words = {0};
    for (size_t i = 0; i < t->count; i++) {
        const struct result *r = t->targets[i].result;
        failed += targets_is_bad(r);
        broken += has_failed_clause(r);
        open += is_open(r);
        reached += has_reached(r);
        unreached += reached == i + 1;
    }
    const bool idle = targets_did_nothing(t);
    const bool whole = reached == t->count && !idle;
    snprintf(lead, sizeof lead, "%s: ",
             failed || idle ? "FAILED"
             : broken       ? "SLA FAILED"
             : open         ? "SLA NOT DECIDED"
             : whole        ? "DONE"
                            : "UNDECIDED");
    text_addf(&words, "%zu targets at the same time, %s %s; %zu of them %s", t->count,
              /* a replay: each target ends when its part of the trace ends */
              targets_devices_of(t->targets[0].result) ? "in"
              : failed                                 ? "all that did not fail under load for"
                                                       : "all under load for",
              number_seconds(length, sizeof length, t->seconds), reached,
              idle                                                ? "came to their end"
              : t->targets[0].result->verdict == VERDICT_MEASURED ? "measured as long as asked"
                                                                  : "reached what was asked for");
    if (failed)
        text_addf(&words, ", %zu failed", failed);
    if (idle)
        text_add(&words, "; no request was issued");
    document_paragraph(out, lead,
                       whole                      ? TONE_GREEN
                       : failed || broken || idle ? TONE_RED
                                                  : TONE_YELLOW,
                       layout_string(&words));
    add_workloads(t, out);
    targets_add_devices(t, out);
    if (!out->style.full)
        section_advice(t->targets[unreached < t->count ? unreached : 0].result, out);
    out->failed = out->failed || words.failed;
    text_free(&words);
}

/* ---- warnings ---- */

/* The number of warnings that were shown, and of those that did not fit. */
struct warnings {
    size_t shown, more;
};

static bool has_warning(const struct result *r, const char *words)
{
    for (size_t i = 0; i < r->note_count; i++)
        if (r->notes[i].warning && !strcmp(r->notes[i].text, words))
            return true;
    return false;
}

/* Returns true if all targets have this warning, so that it is shown only once. */
static bool is_of_all(const struct result_targets *t, const char *words)
{
    for (size_t i = 0; i < t->count; i++)
        if (!has_warning(t->targets[i].result, words))
            return false;
    return t->count > 1;
}

static void add_warning(struct warnings *w, const char *name, bool failure, const char *text,
                        struct document *out)
{
    struct text words = {0};
    if (w->shown == TARGETS_WARNINGS_SHOWN && !out->style.full) {
        w->more++;
        return;
    }
    w->shown++;
    text_addf(&words, "%s: %s", name, text);
    document_paragraph_from(
        out, failure ? "Failed: " : "Warning: ", failure ? TONE_RED : TONE_YELLOW, &words);
    document_limit_lines(out, out->style.full ? 0 : 2);
}

/* Adds the warnings, failures first, each with the name of its target. */
void targets_add_warnings(const struct result_targets *t, struct document *out)
{
    struct warnings w = {0};
    for (size_t i = 0; i < t->count; i++)
        if (targets_is_bad(t->targets[i].result))
            add_warning(&w, t->targets[i].name, true, t->targets[i].result->failure, out);
    for (size_t i = 0; i < t->count; i++) {
        const struct result *r = t->targets[i].result;
        for (size_t k = 0; k < r->note_count; k++) {
            const char *words = r->notes[k].text;
            const bool of_all = r->notes[k].warning && is_of_all(t, words);
            if (r->notes[k].warning && (!of_all || i == 0))
                add_warning(&w, of_all ? "all" : t->targets[i].name, false, words, out);
        }
    }
    if (w.more)
        document_line(out, "         and %zu more warnings", w.more);
}

/* ---- parts that the targets share ---- */

static void add_use(const char *op, double used, double limit, struct text *out)
{
    char rate[NUMBER_BUFFER], most[NUMBER_BUFFER], share[NUMBER_BUFFER];
    if (!(used > 0) || !(limit > 0))
        return;
    text_addf(out, ", %s %s of %s (%s)", op,
              number_value(rate, sizeof rate, METRIC_KIND_BYTE_RATE, used),
              number_value(most, sizeof most, METRIC_KIND_BYTE_RATE, limit),
              number_percent(share, sizeof share, used / limit));
}

void targets_add_shared(const struct result_targets *t, struct document *out)
{
    const size_t shown = out->style.full ? SHARED_SHOWN : 2;
    for (size_t i = 0; i < t->shared_count && i < shown; i++) {
        const struct result_shared *s = &t->shared[i];
        const bool limits = s->limits;
        struct text words = {0};
        text_addf(&words, "%s (%s), %zu targets", s->name, node_kind_name(s->kind), s->targets);
        add_use("read", s->used_read, s->limit_read, &words);
        add_use("write", s->used_write, s->limit_write, &words);
        if (limits)
            text_add(&words, ": it limits them");
        document_paragraph_from(out, "Shared: ", limits ? TONE_YELLOW : TONE_PLAIN, &words);
    }
    const size_t all = t->shared_count + t->shared_left_out;
    if (all > shown)
        document_line(out, "        and %zu more shared part%s, in use less", all - shown,
                      all == shown + 1 ? "" : "s");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the result of a session's contents: rows, notes and series. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "run/history/history.h"
#include "run/plan/plan_values.h"
#include "run/result/internal.h"
#include "run/result/session_judgement.h"
#include "run/watch/other_programs.h"

static struct result_row *add_estimate(struct result *r, enum metric_id metric, int op,
                                       const struct estimate *e)
{
    struct result_row *row = result_add(r, metric, operation_names[op], e->mean);
    /* A complete pass, or the merged parts of one, was measured as a whole: so its value is not
       estimated and has no interval. */
    const bool is_whole =
        r->verdict == VERDICT_COMPLETE || (r->verdict == VERDICT_MERGED && isnan(e->confidence));
    row->n = e->n;
    row->effective_n = e->effective_n;
    row->confidence = e->confidence;
    if (isfinite(e->low) && isfinite(e->high)) {
        result_set_interval(row, e->low, e->high);
        row->memory = e->memory;
        result_set_prediction(row, e->next_low, e->next_high);
    } else if (!is_whole) {
        snprintf(row->note, sizeof row->note, "not enough readings for an interval");
    }
    return row;
}

/* Returns true if the metric applies to the plan. If requests move no bytes, only their number and
   time do. */
static bool is_counted(const struct plan *plan, enum metric_id metric)
{
    return plan_has_bytes(plan) || (metric != METRIC_BANDWIDTH && metric != METRIC_BPS);
}

/* Adds the efficiency: the bandwidth divided by the limit of the whole path. */
static void summary_add_efficiency(struct result *r, const struct contents *c,
                                   const struct judged *j)
{
    const double limits[] = {
        [OPERATION_READ] = r->path_limit_read, [OPERATION_WRITE] = r->path_limit_write};
    for (int op = OPERATION_READ; op <= OPERATION_WRITE; op++) {
        struct estimate e = judged_efficiency(j, &c->watch, op);
        if (!result_find(r, METRIC_BANDWIDTH, operation_names[op]) || isnan(e.mean))
            continue;
        struct result_row *row = add_estimate(r, METRIC_EFFICIENCY, op, &e);
        char rate[UNITS_BUFFER];
        if (e.low > WATCH_REFUTED) {
            row->value = row->low = row->high = NAN;
            snprintf(row->note, sizeof row->note,
                     "more was measured than the %s that the data path says it lets through",
                     format_rate(rate, sizeof rate, limits[op]));
        }
        if (!row->note[0])
            snprintf(row->note, sizeof row->note, "of the %s that the data path lets through%s",
                     format_rate(rate, sizeof rate, limits[op]),
                     r->path_complete ? "" : ", as far as its limits are known");
    }
}

/* Appends words to a note, as far as there is room. */
static void note_add(char *note, size_t size, const char *words)
{
    size_t used = strlen(note);
    if (words[0] && used + 2 + strlen(words) < size)
        snprintf(note + used, size - used, "%s%s", used ? "; " : "", words);
}

/* Completes the note of the headline's row: first whether the machine was busy, what keeps the
   headline from being precise, and its bottleneck. A narrow interval does not mean that the number
   shows the target alone. */
static void mark_headline(struct result *r)
{
    const struct result_part *part = result_bottleneck(r, NULL);
    for (size_t i = 0; i < r->row_count; i++) {
        struct result_row *row = &r->rows[i];
        char note[sizeof row->note] = "", claim[LEVEL_CLAIM_WORDS],
                         bottleneck[sizeof row->note] = "";
        if (row->metric != r->headline || strcmp(row->op, r->headline_op) != 0)
            continue;
        if (r->busy[0])
            snprintf(note, sizeof note, "busy machine: %.100s", r->busy);
        note_add(note, sizeof note, level_note(r, claim, sizeof claim));
        if (part)
            snprintf(bottleneck, sizeof bottleneck, "bottleneck: %s, saturated %.0f %% of the time",
                     part->name, 100 * part->saturated);
        note_add(note, sizeof note, bottleneck);
        note_add(note, sizeof note, row->note);
        memcpy(row->note, note, sizeof note);
    }
}

static void summary_add_totals(struct result *r, const struct contents *c)
{
    const struct measurement *m = &c->measurement;
    uint64_t errors = 0, ios = 0;
    double begin = NAN, end = NAN;
    for (size_t i = 0; i < m->round_count; i++) {
        const struct round *round = &m->rounds[i];
        for (int op = 0; op < OPERATIONS; op++) {
            errors += round->total.op[op].errors;
            ios += round->total.op[op].ios;
        }
        if (isnan(begin))
            begin = round->begin_seconds;
        end = round->begin_seconds + round->seconds;
    }
    struct result_row *row = result_add(r, METRIC_ERRORS, "all", (double)errors);
    row->n = errors + ios;
    row = result_add(r, METRIC_ELAPSED, "all", isnan(begin) ? 0 : end - begin);
    const char *read_back = facts_find(&c->settings, "verify", "read back");
    if (read_back)
        snprintf(row->note, sizeof row->note, "%.119s", read_back);
    row->n = m->round_count;
    if (!isnan(c->overhead.null_ns)) {
        row = result_add(r, METRIC_OVERHEAD, "all", c->overhead.null_ns);
        snprintf(row->note, sizeof row->note, "on a target that does nothing");
    }
    if (errors && c->verdict != VERDICT_FAILED)
        result_note(r, true,
                    "%llu of %llu I/Os failed or were short; they count in BPS and errors only",
                    (unsigned long long)errors, (unsigned long long)(errors + ios));
}

/* Adds the results of pairs of equal rounds, one through the block layer and one bypassing it. */
static void summary_add_block_layer(struct result *r, const struct contents *c)
{
    const struct {
        enum metric_id metric;
        const struct block_layer_ratio *ratio;
        const char *note;
    } rows[] = {
        {METRIC_BLOCK_LAYER_IOPS, &c->block_layer.iops,
         "through the block layer (uring) over past it (nvme-uring)"},
        {METRIC_BLOCK_LAYER_CPU, &c->block_layer.cpu,
         "of processor time for an I/O, through the block layer over past it"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (isnan(rows[i].ratio->value))
            continue;
        struct result_row *row =
            result_add(r, rows[i].metric, r->headline_op, rows[i].ratio->value);
        row->low = rows[i].ratio->low;
        row->high = rows[i].ratio->high;
        row->confidence = c->plan.statistics.confidence;
        row->n = (uint64_t)c->block_layer.pairs;
        row->effective_n = c->block_layer.pairs;
        snprintf(row->note, sizeof row->note, "%s", rows[i].note);
    }
}

static void summary_add_rounds(struct result *r, const struct contents *c)
{
    const struct measurement *m = &c->measurement;
    for (size_t i = 0; i < m->round_count; i++) {
        const struct round *from = &m->rounds[i];
        struct result_round *to = &r->rounds[r->round_count++];
        *to = (struct result_round){
            .begin_seconds = from->begin_seconds, .seconds = from->seconds, .trial = from->trial};
        uint64_t latency = 0;
        for (int op = 0; op < OPERATIONS; op++) {
            to->errors += from->total.op[op].errors;
            if (!operation_has_bytes(op))
                continue;
            to->ios += from->total.op[op].ios;
            to->bytes += from->total.op[op].bytes;
            latency += from->total.op[op].latency_ns;
        }
        if (from->seconds > 0) {
            to->iops = (double)to->ios / from->seconds;
            to->bandwidth = (double)to->bytes / from->seconds;
        }
        to->response_time_ns = to->ios ? (double)latency / (double)to->ios : NAN;
    }
}

/* Adds a value by Welford's updates (Knuth, The Art of Computer Programming 2, 4.2.2). */
static void spread_add(struct result_spread *s, double *squares, double x)
{
    double delta = x - s->mean;
    s->min = s->n ? fmin(s->min, x) : x;
    s->max = s->n ? fmax(s->max, x) : x;
    s->mean += delta / (double)++s->n;
    *squares += delta * (x - s->mean);
    s->sd = s->n > 1 ? sqrt(*squares / (double)(s->n - 1)) : 0;
}

static void spread_of_slices(struct result_total *to, int op, const struct measurement *m,
                             const struct judged *j)
{
    double ios = 0, bytes = 0;
    for (size_t i = j->headline.stable_begin; i < j->headline.stable_end && i < m->slice_count;
         i++) {
        const double seconds = measurement_measured_seconds(m, i, i + 1);
        spread_add(&to->iops, &ios, (double)m->slices[i].op[op].ios / seconds);
        spread_add(&to->bandwidth, &bytes, (double)m->slices[i].op[op].bytes / seconds);
    }
}

static void summary_add_operations(struct result *r, const struct contents *c,
                                   const struct judged *j)
{
    const struct measurement *m = &c->measurement;
    for (int op = 0; op < OPERATIONS; op++) {
        struct result_total *to = &r->totals[r->total_count];
        *to = (struct result_total){.ios = 0};
        snprintf(to->op, sizeof to->op, "%s", operation_names[op]);
        for (size_t i = 0; i < m->round_count; i++) {
            const struct slice_op *from = &m->rounds[i].total.op[op];
            if (m->rounds[i].trial)
                continue;
            to->ios += from->ios;
            to->bytes += from->bytes;
            to->errors += from->errors;
        }
        if (j->any)
            spread_of_slices(to, op, m, j);
        r->total_count += to->ios || to->errors;
    }
}

/* Up to this number of suspensions are noted with their instants; more are noted together. */
#define SUSPENSIONS_SHOWN 3

static void summary_add_notes(struct result *r, const struct contents *c, const struct judged *j)
{
    static const char why[] = "(a signal, a paused virtual machine or sleep)";
    const struct overhead *o = &c->overhead;
    double seconds = 0;
    for (size_t i = 0; i < c->note_count; i++)
        result_note(r, c->notes[i].warning, "%s", c->notes[i].text);
    for (size_t i = 0; i < c->suspension_count; i++) {
        const struct suspended *s = &c->suspensions[i];
        seconds += s->seconds;
        if (c->suspension_count <= SUSPENSIONS_SHOWN)
            result_note(r, true,
                        "cupel was stopped for %.2f s at %.1f s %s: that stretch does not count",
                        s->seconds, s->begin_seconds, why);
    }
    if (c->suspension_count > SUSPENSIONS_SHOWN)
        result_note(
            r, true,
            "cupel was stopped %zu times, for %.1f s in all %s: these stretches do not count",
            c->suspension_count, seconds, why);
    if (j->still_slices)
        result_note(r, true,
                    "for %.3g s in a row nothing completed, which was taken for no level: the "
                    "figures are those of the whole measured time, warm-up and all",
                    (double)j->still_slices * j->slice_seconds);
    if (c->measurement.lost_slices)
        result_note(r, true,
                    "%llu time slices were lost: this program was kept from running for too long",
                    (unsigned long long)c->measurement.lost_slices);
    if (o->recorded_iops < o->unrecorded_iops * 0.99 &&
        1 - o->recorded_iops / o->unrecorded_iops > o->noise_share)
        result_note(r, true, "recording itself lowers the rate by %.1f %%",
                    (1 - o->recorded_iops / o->unrecorded_iops) * 100);
}

static void new_series(struct result *r, const struct judged *j, enum metric_id metric,
                       const double values[], size_t n)
{
    const struct metric *m = metric_of(metric);
    r->series[r->series_count++] =
        (struct result_series){.name = m->name,
                               .unit = m->unit,
                               .kind = m->kind,
                               .values = values,
                               .count = n,
                               .slice_seconds = j->slice_seconds,
                               .stable_begin = j->headline.stable_begin,
                               .stable_end = j->headline.stable_end,
                               .changepoints = j->headline.changepoints,
                               .changepoint_count = j->headline.changepoint_count};
}

static void summary_add_series(struct contents *c, struct result *r, const struct judged *j)
{
    const struct measurement *m = &c->measurement;
    double *iops = c->series.iops, *bandwidth = c->series.bandwidth;
    double *response = c->series.response_time;
    for (size_t i = 0; i < m->slice_count; i++) {
        const struct slice *slice = &m->slices[i];
        const struct slice_op all = slice_data(slice);
        double ios = (double)all.ios, bytes = (double)all.bytes;
        double latency = (double)all.latency_ns;
        const double seconds = measurement_measured_seconds(m, i, i + 1);
        iops[i] = ios / seconds;
        bandwidth[i] = bytes / seconds;
        response[i] = ios > 0 ? latency / ios : NAN;
    }
    new_series(r, j, METRIC_IOPS, iops, m->slice_count);
    if (is_counted(&c->plan, METRIC_BANDWIDTH))
        new_series(r, j, METRIC_BANDWIDTH, bandwidth, m->slice_count);
    new_series(r, j, METRIC_RESPONSE_TIME, response, m->slice_count);
}

/* Returns true if the row applies. A single operation is shown under its own name, and not again
   under "all"; operations without data have no bandwidth. */
static bool row_applies(const struct contents *c, enum metric_id metric, int op)
{
    if (op == JUDGED_ALL)
        return operation_set_moving(plan_operations(&c->plan)) > 1;
    return judged_op_used(&c->plan, op) && (metric != METRIC_BANDWIDTH || operation_has_bytes(op));
}

/* Adds rows and series of a session that has at least one slice. */
static void summary_add_measured(struct result *r, struct contents *c, struct judged *j,
                                 struct arena *arena)
{
    const struct measurement *m = &c->measurement;
    const struct {
        enum metric_id metric;
        const struct estimate *estimates;
    } rates[] = {{METRIC_IOPS, j->iops},
                 {METRIC_BANDWIDTH, j->bandwidth},
                 {METRIC_RESPONSE_TIME, j->response_time}};
    snprintf(r->phase, sizeof r->phase, "%s", phase_name(j->headline.phase));
    r->search = j->headline.search;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (int op = 0; is_counted(&c->plan, rates[i].metric) && op < JUDGED_OPS; op++)
            if (row_applies(c, rates[i].metric, op))
                add_estimate(r, rates[i].metric, op, &rates[i].estimates[op]);
    summary_add_efficiency(r, c, j);
    mark_headline(r);
    if (j->bps.n && j->bps.mean > 0 && is_counted(&c->plan, METRIC_BPS)) {
        struct result_row *row = add_estimate(r, METRIC_BPS, JUDGED_ALL, &j->bps);
        if (c->records_lost)
            snprintf(row->note, sizeof row->note,
                     "from the %.4g %% of I/Os whose records were kept",
                     100.0 * (double)c->records_seen / (double)(c->records_seen + c->records_lost));
    }
    latency_rows(c, j, r);
    latency_periods(c, r);
    priority_rows(c, j, r);
    if (r->timed)
        timing_rows(c, j, r);
    due_rows(c, r);
    if (plan_is_replay(&c->plan)) {
        struct fidelity_replay replay = {.slices = m->timings,
                                         .slice_count = m->slice_count,
                                         .slice_seconds = j->slice_seconds,
                                         .gaps = m->lost_slices > 0,
                                         .requests = c->timing.requests,
                                         .split = c->timing.split,
                                         .seconds = m->rounds[m->round_count - 1].seconds,
                                         .ended_early = r->verdict != VERDICT_COMPLETE,
                                         .response = c->latency};
        fidelity_rows(c->fidelity, &replay, r, arena);
    }
    summary_add_series(c, r, j);
    level_add_movement(r, j);
}

/* Returns true if workers wait for due instants by spinning. If the target does not keep up, or
   requests are issued as fast as possible, they do not wait. */
static bool workers_wait(const struct plan *plan, const struct result *r)
{
    bool at_once = plan_is_replay(plan) && plan->replay.speed <= 0;
    return plan_is_timed(plan) && plan->spin != SPIN_NEVER && !at_once && !r->saturated;
}

/*
 * Applies --strict-bottleneck: a result that another part limited, or may have limited, says
 * nothing about the target, no matter how narrow it is or what a clause decides. The same is true
 * for its widths.
 */
static void judge_strictly(struct result *r)
{
    static const enum verdict ends[] = {VERDICT_PRECISE, VERDICT_COMPLETE, VERDICT_SATURATED,
                                        VERDICT_DECIDED, VERDICT_MEASURED};
    const struct result_part *part = result_bottleneck(r, NULL);
    bool watched = false;
    for (size_t i = 0; i < r->part_count; i++)
        watched |= isfinite(r->parts[i].utilisation);
    if (part)
        snprintf(r->invalid, sizeof r->invalid, "not the %s: %s was saturated %.0f %% of the time",
                 result_target_word(r), part->name, 100 * part->saturated);
    else if (!watched)
        snprintf(r->invalid, sizeof r->invalid,
                 "no part of the machine was watched, and what limited it is not known");
    else
        return;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (r->verdict == ends[i] || verdict_is_imprecise(r->verdict)) {
            r->verdict = VERDICT_BOTTLENECK;
            break;
        }
    for (size_t i = 0; i < r->clause_count; i++) {
        struct result_clause *clause = &r->clauses[i];
        clause->verdict = CLAUSE_UNDECIDED;
        clause->more_seconds = INFINITY;
        snprintf(clause->note, sizeof clause->note, "no valid measurement");
    }
}

/* Adds the description of the workload. A section of a fio job file has a name, and a warning for
   each parameter that is not supported. */
static void describe_workload(const struct plan *plan, struct result *r)
{
    char words[sizeof r->workload - sizeof plan->section - 4];
    plan_describe(plan, words, sizeof words);
    snprintf(r->workload, sizeof r->workload, "%s%s%s%s", *plan->section ? "[" : "", plan->section,
             *plan->section ? "] " : "", words);
    for (const char *p = plan->left_out; *p;) {
        const char *end = strstr(p, "; ");
        int length = (int)(end ? end - p : (long)strlen(p));
        result_note(r, true, "left out of the job file: %.*s", length, p);
        p = end ? end + 2 : p + length;
    }
}

static struct result_clock clock_of(const struct clock_error *worst)
{
    struct result_clock clock = {.looked = worst->source[0], .error_ns = NAN};
    if (worst->error_ns >= 0 && clock.looked) {
        clock.error_ns = (double)worst->error_ns;
        snprintf(clock.source, sizeof clock.source, "%s", worst->source);
    }
    return clock;
}

/* Removes predictions from results that decide nothing, and from response times that grow with a
   backlog. Call it after the last row was added. */
static void prediction_drop_unfounded(struct result *r)
{
    for (size_t i = 0; i < r->row_count; i++)
        if (verdict_predicts_nothing(r->verdict) ||
            ((r->saturated || r->backlog) && metric_is_response(r->rows[i].metric)))
            result_set_prediction(&r->rows[i], NAN, NAN);
}

void summary_of_contents(struct contents *c, struct judged *j, struct arena *arena,
                         struct result *r)
{
    const struct plan *plan = &c->plan;
    memset(r, 0, sizeof *r);
    r->verdict = c->verdict;
    const char *real = facts_find(&c->settings, "target", "target");
    snprintf(r->target, sizeof r->target, "%.*s", (int)sizeof r->target - 1,
             real ? real : plan->target);
    describe_workload(plan, r);
    snprintf(r->rate_title, sizeof r->rate_title, "%s", plan_rate_title(plan));
    r->timed = plan_is_timed(plan);
    r->saturated = c->timing.saturated;
    r->headline = r->timed ? METRIC_RESPONSE_TIME : METRIC_IOPS;
    snprintf(r->headline_op, sizeof r->headline_op, "%s",
             operation_names[operation_set_moving(plan_operations(plan)) > 1 ? JUDGED_ALL
                             : plan->write_share <= 0                        ? OPERATION_READ
                                                      : (int)request_operation(plan_change(plan))]);
    r->goal = plan_is_one_pass(plan)             ? GOAL_PASS
              : plan->ending.runtime_seconds > 0 ? GOAL_RUNTIME
              : plan->ending.sla[0]              ? GOAL_CLAUSES
              : plan->ending.precise[0]          ? GOAL_WIDTHS
                                                 : GOAL_PRECISION;
    r->target_width = plan_has_precision(plan) ? plan->statistics.target_width : 0;
    r->width_given = plan->statistics.width_given;
    r->limit_seconds = plan->ending.limit_seconds;
    r->minimum_seconds = plan->ending.minimum_seconds;
    struct judge_config config = plan_judge_config(plan, true);
    struct stop_rule rule = judge_stop_rule(&config);
    r->minimum_readings = stop_min_n(&rule);
    snprintf(r->failure, sizeof r->failure, "%s", c->failure);
    r->clock = clock_of(&c->clock);
    r->judged_afterwards = c->judged_by[0];
    r->settings = c->settings;
    r->labels = plan->labels;
    r->key = plan_key(plan);
    plan_values_add(&r->options, plan);
    const char *date = facts_find(&c->settings, "origin", "date");
    format_date_iso(r->key.date, sizeof r->key.date, date ? date : "");
    r->hardware = &c->hardware;
    watch_result(&c->watch, workers_wait(plan, r), r);
    others_result(&c->hardware, r);

    judge_session(c, j);
    judge_clauses(c, j, r->clauses, &r->clause_count);
    r->clause_confidence = plan_sla_confidence(plan);
    level_take_claim(c, j, r);
    if (plan->watch.strict_bottleneck)
        judge_strictly(r);
    if (j->any)
        summary_add_measured(r, c, j, arena);
    prediction_drop_unfounded(r);
    summary_add_block_layer(r, c);
    summary_add_totals(r, c);
    summary_add_operations(r, c, j);
    summary_add_rounds(r, c);
    summary_add_slowest(r, c);
    summary_add_notes(r, c, j);
    history_of_result(r);
}

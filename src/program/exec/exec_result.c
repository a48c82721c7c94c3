/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the result of a session of rounds, for the report. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "program/exec/internal.h"
#include "run/watch/other_programs.h"

/* Rounds shorter than this measure the start of a process as much as the program. */
#define SHORT_SECONDS 0.005

enum { FEW_ROUNDS = 30 };

/* A higher cost of measuring, as a share of a round, gets a warning. */
#define COST_WARNED 0.01

static void set(struct facts *f, const char *key, const char *value)
{
    facts_add(f, "exec", key, value, "", "", FACT_OK);
}

static void describe_method(const struct exec_session *s, struct execution *x)
{
    static const char *const intervals[] = {
        [INTERVAL_SPECTRAL] = "spectral", [INTERVAL_PILOT] = "pilot"};
    const struct exec_plan *p = &s->plan;
    char value[160], time[UNITS_BUFFER];
    set(&x->settings, "command", p->command);
    snprintf(value, sizeof value, "%s, %.4g %% confidence, at least %zu rounds%s",
             intervals[p->config.estimate.method], p->config.estimate.confidence * 100,
             p->config.minimum_readings, p->program.shell ? ", run by /bin/sh" : "");
    set(&x->settings, "interval", value);
    snprintf(value, sizeof value, "%s for the whole session",
             format_time(time, sizeof time, p->limit_seconds * 1e9));
    set(&x->settings, "limit", value);
    if (p->program.timeout_seconds > 0)
        set(&x->settings, "timeout",
            format_time(time, sizeof time, p->program.timeout_seconds * 1e9));
    for (size_t i = 0; i < s->launch_count; i++)
        facts_add(&x->settings, "launch", s->launch[i].key, s->launch[i].value, "", "", FACT_OK);
}

/* Adds a note for each index whose level moves slowly: its mean then describes only the measured
   rounds. */
static void add_shifts(struct execution *x)
{
    for (size_t i = 0; i < x->index_count && x->good_count > 0; i++) {
        const struct execution_index *index = &x->indices[i];
        const struct level_shift *shift = &index->shift;
        double seconds = x->elapsed_seconds * (double)shift->readings / (double)x->good_count;
        char words[LEVEL_SHIFT_WORDS], time[UNITS_BUFFER];
        if (shift->found)
            execution_note(x, true,
                           "slow shift: %s %s within %zu rounds (%s): the number is of these "
                           "rounds alone; find what moves it",
                           index->name, level_shift_words(words, sizeof words, shift),
                           shift->readings, format_time(time, sizeof time, seconds * 1e9));
    }
}

/* Adds a note about the rounds that do not count for a reason outside the program, with the first
   of these reasons. */
static void add_left_out(const struct exec_session *s, struct execution *x)
{
    const struct execution_round *round = s->series.rounds;
    if (!s->left_out)
        return;
    while (!round->left_out)
        round++;
    if (s->left_out > 1)
        execution_note(x, true, "%zu rounds do not count; round %llu: %.150s", s->left_out,
                       (unsigned long long)round->number, round->why);
    else
        execution_note(x, true, "round %llu does not count: %.150s",
                       (unsigned long long)round->number, round->why);
}

/* Adds notes about the rounds on which the speed is based. */
static void note_speed(const struct exec_session *s, struct execution *x)
{
    const struct work_session *w = &s->work;
    const struct work_plan *p = &w->plan;
    if (w->count == 0)
        return;
    execution_note(x, false,
                   "%zu of %zu rounds count for the speed: those of a work amount of %.10g or more"
                   "%s",
                   w->rate.rounds, w->count, fmax(w->rate.bend, p->trial ? 0 : p->low),
                   p->too_short ? "" : " that were not too short");
    if (w->rate.bend > 0)
        execution_note(
            x, false, "below a work amount of %.10g a unit takes another time (a cache, a warm-up)",
            w->rate.bend);
    if (!w->rate.bounded)
        execution_note(x, true,
                       "the rounds do not show that more work takes longer, so that the speed is "
                       "unbounded: a larger MAX of -w shows more");
    if (w->rate.heavy_tailed)
        execution_note(x, false,
                       "a few rounds take much longer or shorter than the others, and the speed "
                       "includes them");
    if (w->rate.memory > 0)
        execution_note(x, false,
                       "the speed has long memory (d = %.2f): its interval narrows slowly, however "
                       "many rounds there are",
                       w->rate.memory);
    if (p->too_short)
        execution_note(x, true,
                       "few of the work amounts take %.3g s or longer (--shortest-round), so that "
                       "all rounds count: a larger MAX of -w makes them longer",
                       p->limits.shortest);
    if (w->rate.setup.high < 0)
        execution_note(x, false,
                       "wps_setup is below 0: smaller amounts take less time a unit (a cache that "
                       "takes the first of them), or work that is twice as much always takes more "
                       "than twice as long, and then there is no one speed");
    if (p->setup_dominates)
        execution_note(x, true,
                       "set-up takes longer than the work of half the range: a larger MAX of -w "
                       "shows the speed better");
}

static void add_notes(const struct exec_session *s, struct execution *x)
{
    const struct execution_index *duration = &s->judged[s->index_count - 1];
    const struct execution_round *failed = NULL;
    for (size_t i = 0; i < s->series.round_count && !failed; i++)
        if (s->series.rounds[i].why && !s->series.rounds[i].left_out)
            failed = &s->series.rounds[i];
    if (failed && s->series.count > 0)
        execution_note(
            x, true, "%zu of %zu rounds failed and do not count; the first was round %llu: %.150s",
            s->failed, s->series.round_count, (unsigned long long)failed->number, failed->why);
    add_left_out(s, x);
    if (s->series.count > 0 && !s->output_indices && !s->units.count &&
        duration->value < SHORT_SECONDS)
        execution_note(x, true,
                       "a round is so short that starting the process is a good part of it: let "
                       "the program repeat its work (%%WORK_AMOUNT%%)");
    if (exec_session_varies_work(s))
        note_speed(s, x);
    unit_session_notes(&s->units, x);
    if (!exec_session_varies_work(s) && s->verdict == VERDICT_PRECISE &&
        s->series.count < FEW_ROUNDS)
        execution_note(
            x, false,
            "of a program that is slow once in ten rounds, %zu rounds show nothing with a "
            "chance of %.0f %%; %s %d makes it 4 %%",
            s->series.count, 100 * pow(0.9, (double)s->series.count),
            s->units.count ? "--rounds" : "--min-samples", FEW_ROUNDS);
    if (s->own_cost.pairs)
        execution_note(
            x, s->own_cost.value > COST_WARNED && s->own_cost.low > 0,
            "measuring adds %.2g %% to a round (%.2g to %.2g %%, from %zu pairs of rounds "
            "with and without it)",
            100 * s->own_cost.value, 100 * s->own_cost.low, 100 * s->own_cost.high,
            s->own_cost.pairs);
    else if (s->plan.overhead_pairs)
        execution_note(x, true,
                       "what measuring adds to a round is not known: of the %llu pairs of "
                       "--overhead too few came to their end, or they differ too much",
                       (unsigned long long)s->plan.overhead_pairs);
    if (s->damaged)
        execution_note(x, true,
                       "the record is damaged after round %zu: what came later is not in it",
                       s->series.round_count);
}

/* Applies --strict-bottleneck: a result that another part limited, or may have limited, says
   nothing about a disk, even if its interval is narrow. */
static void judge_strictly(struct execution *x)
{
    const struct result_part *limits = NULL;
    const bool ended = x->verdict == VERDICT_PRECISE || x->verdict == VERDICT_MEASURED ||
                       verdict_is_imprecise(x->verdict);
    for (size_t i = 0; i < x->part_count; i++) {
        const struct result_part *part = &x->parts[i];
        if (part->bottleneck && !part->under_test &&
            (!limits || part->saturated > limits->saturated))
            limits = part;
    }
    if (!ended || (x->part_count > 0 && !limits))
        return;
    x->verdict = VERDICT_BOTTLENECK;
    if (limits)
        snprintf(x->failure, sizeof x->failure,
                 "not the disk: %s was saturated %.0f %% of the time", limits->name,
                 100 * limits->saturated);
    else
        snprintf(x->failure, sizeof x->failure,
                 "no part of the machine was watched, and what limited it is not known");
}

/* Stores how long a reading takes with what is known about the level of each index. If the level of
   an index is the reason why its width was not reached, the session gets the verdict for such a
   level. */
static void take_claims(const struct exec_session *s, struct execution *x)
{
    x->width_given = s->plan.width_given;
    x->limit_seconds = s->plan.limit_seconds;
    bool held_back = x->elapsed_seconds >= x->minimum_seconds;
    for (size_t i = 0; i < x->index_count; i++) {
        struct execution_index *index = &x->indices[i];
        index->claim.reading_seconds = x->elapsed_seconds / (double)x->round_count;
        held_back &= !(index->target_width > 0) || index->enough || index->held_back;
    }
    if (x->index_count && !s->plan.rounds)
        x->verdict = verdict_of_level(x->verdict, execution_slowest(x)->claim.state,
                                      held_back && execution_slowest(x)->held_back);
}

void exec_session_result(const struct exec_session *s, struct execution *x)
{
    const struct round_series *series = &s->series;
    *x = (struct execution){.verdict = s->verdict,
                            .minimum_rounds = s->plan.config.minimum_readings,
                            .minimum_seconds = s->plan.minimum_seconds,
                            .rounds = series->rounds,
                            .round_count = series->round_count,
                            .own_cost = s->own_cost,
                            .good_count = series->count,
                            .failed_count = s->failed,
                            .left_out_count = s->left_out};
    snprintf(x->command, sizeof x->command, "%s", s->plan.command);
    memcpy(x->date, s->plan.date, sizeof x->date);
    x->labels = s->plan.labels;
    memcpy(x->parameters, s->parameters, sizeof x->parameters);
    x->parameter_count = s->parameter_count;
    snprintf(x->failure, sizeof x->failure, "%s", s->failure);
    if (series->count > 0) {
        size_t units = s->units.count ? s->units.index_count : 0;
        memcpy(x->indices, s->units.judged, units * sizeof *x->indices);
        memcpy(x->indices + units, s->judged, s->index_count * sizeof *x->indices);
        x->index_count = units + s->index_count;
        memcpy(x->indices + x->index_count, s->durations, s->duration_count * sizeof *x->indices);
        x->index_count += s->duration_count;
        x->units = s->units.list;
        x->unit_count = s->units.count;
    }
    if (series->round_count > 0) {
        const struct execution_round *first = series->rounds,
                                     *last = first + series->round_count - 1;
        x->elapsed_seconds = last->begin_seconds + last->seconds - first->begin_seconds;
    }
    memcpy(x->parts, s->machine.parts, s->machine.part_count * sizeof *x->parts);
    x->part_count = s->machine.part_count;
    x->others = s->machine.others;
    others_words(&x->others, x->busy, sizeof x->busy);
    take_claims(s, x);
    if (s->plan.strict_bottleneck)
        judge_strictly(x);
    for (size_t i = 0; verdict_predicts_nothing(x->verdict) && i < x->index_count; i++)
        x->indices[i].next_low = x->indices[i].next_high = NAN;
    for (size_t i = 0; i < s->machine.note_count; i++)
        execution_note(x, true, "%s", s->machine.notes[i].text);
    describe_method(s, x);
    add_shifts(x);
    add_notes(s, x);
}

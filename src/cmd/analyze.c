/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel analyze: judges a column of numbers. */
#include "base/err.h"
#include "cmd/column/column.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/terminal/progress_line.h"
#include "facts/analysis.h"
#include "facts/clause.h"
#include "facts/result.h"
#include "run/plan/plan.h"
#include "stat/basic/descriptive.h"
#include "stat/column_verdict.h"
#include "stat/estimate/estimate.h"
#include "stat/judge.h"
#include "stat/level_seen.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

struct analyze_options {
    struct plan plan; /* options for statistics; must be the first member */
    char column[128], where[256];
    enum mean_kind mean;
    bool lower_is_better;
    char format[OUTPUT_FORMAT_MAX];
};

static const struct option_row analyze_options[] = {
    {.section = "Input",
     .name = "column",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct analyze_options, column),
     .value_words = "the only one",
     .help = COLUMN_HELP},
    {.name = "where",
     .argument = "CONDITIONS",
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct analyze_options, where),
     .value_words = "every row",
     .help = WHERE_HELP},
    {.name = "mean",
     .argument = "KIND",
     .kind = OPTION_CHOICE,
     OPTION_FIELD(struct analyze_options, mean),
     .value = "arithmetic",
     .choices = OPTION_CHOICES({"arithmetic", MEAN_ARITHMETIC}, {"harmonic", MEAN_HARMONIC},
                               {"proportion", MEAN_PROPORTION}),
     .help = "Harmonic is right for rates over equal amounts of work, arithmetic for rates over "
             "equal times and for everything else; proportion is for readings that are all 0 or 1, "
             "such as done or failed, and keeps the interval between these two."},
    {.name = "lower-is-better",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct analyze_options, lower_is_better),
     .help = "The numbers are times or costs: a rise is a slowdown. Otherwise a fall is."},
    OPTION_GROUP(PLAN_STATISTICS),
    {.section = "Limits to judge",
     .name = "sla",
     .argument = "CLAUSES",
     .words = WORDS_CLAUSES,
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct analyze_options, plan.ending.sla),
     .value_words = "none",
     .help =
         "Judge the mean and any percentile of the stable segment, in the column's own unit: "
         "'p99<500, mean<200'. The exit status is 0 when all pass, 1 when one fails, 5 when one "
         "is undecided. The confidence level holds for all of them together, however often one "
         "looks at readings that go on."},
    OUTPUT_PAGE_OPTION(struct analyze_options),
    OPTION_GROUP(PLAN_LABEL),
    {0},
};

/* The data that struct analysis points into, and the options that decide the exit status. */
struct work {
    struct column column;
    struct arena scratch;
    struct judgement judgement;
    size_t *changepoints; /* all change points */
    bool asked;           /* the user requested a precision */
};

static void *scratch_array(struct work *w, size_t count, size_t size, struct err *e)
{
    void *array = arena_alloc(&w->scratch, count, size);
    if (!array)
        err_no_memory(e, "the readings of a column");
    return array;
}

static int describe_spread(struct work *w, struct analysis *a, struct err *e)
{
    const double *x = w->column.values + a->stable_begin;
    size_t n = a->stable_end - a->stable_begin;
    double *sorted = scratch_array(w, n, sizeof *sorted, e);
    if (!sorted)
        return -1;
    double scale = safe_scale_of(x, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = x[i] * scale;
    a->harmonic_mean = harmonic_mean_of(sorted, n) / scale;
    a->median = median_of(sorted, n) / scale;
    a->min = a->max = x[0];
    for (size_t i = 1; i < n; i++) {
        a->min = fmin(a->min, x[i]);
        a->max = fmax(a->max, x[i]);
    }
    return 0;
}

static const char *choice_name(const struct option_set *set, const char *option, int value)
{
    for (const struct option_row *row = set->rows; row->name; row++)
        for (const struct option_choice *c = row->choices;
             c && c->name && !strcmp(row->name, option); c++)
            if (c->value == value)
                return c->name;
    return "";
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static int judge_column(struct work *w, const struct analyze_options *o,
                        const struct clauses *clauses, struct analysis *a, struct err *e)
{
    struct judge_config config = plan_judge_config(&o->plan, !o->lower_is_better);
    size_t n = w->column.count;
    size_t own = arena_bytes(n, sizeof(size_t)) + arena_bytes(n, sizeof(double));
    size_t shared = larger(judge_scratch_bytes(n), column_limits_scratch_bytes(n));
    if (arena_init(&w->scratch, own + shared, e))
        return -1;
    w->changepoints = scratch_array(w, n, sizeof *w->changepoints, e);
    if (!w->changepoints)
        return -1;
    config.stopping = w->asked;
    config.changepoints = w->changepoints;
    config.changepoint_capacity = n;
    struct judgement *j = &w->judgement;
    if (judge_mean_kind(j, w->column.values, n, o->mean, &config, &w->scratch, e))
        return -1;
    a->values = w->column.values;
    a->n = w->column.count;
    a->stable_begin = j->stable_begin;
    a->stable_end = j->stable_end;
    a->changepoints = w->changepoints;
    a->changepoint_count = j->changepoints_found;
    a->phase = phase_name(j->phase);
    a->search = j->search;
    a->search_name = change_search_name(j->search);
    a->mean = j->estimate.mean;
    a->low = j->estimate.low;
    a->high = j->estimate.high;
    a->confidence = j->estimate.confidence;
    const bool predicts = judge_predicts(j);
    a->next_low = predicts ? j->estimate.next_low : (double)NAN;
    a->next_high = predicts ? j->estimate.next_high : (double)NAN;
    a->target_width = o->plan.statistics.target_width;
    a->width_given = o->plan.statistics.width_given;
    struct estimate decided = judge_decided(j, &config);
    a->decided_width = relative_width(&decided);
    a->asked = w->asked;
    a->enough = j->enough;
    a->held_back = j->held_back;
    a->required_n = j->required_n;
    a->minimum_n = o->plan.statistics.minimum_subsessions;
    struct stop_rule rule = judge_stop_rule(&config);
    a->min_n = stop_min_n(&rule);
    a->claim = level_seen(w->column.values, j, &j->estimate, j->required_n, &rule, NAN, 0);
    a->autocorrelation = j->estimate.autocorrelation;
    a->subsession_size = j->estimate.subsession_size;
    a->effective_n = j->estimate.effective_n;
    a->sd = j->estimate.sd;
    a->shift_found = j->shift.found;
    a->shift = j->shift.slope;
    a->shift_low = j->shift.low;
    a->shift_high = j->shift.high;
    a->shift_change = j->shift.change;
    a->shift_readings = j->shift.end - j->shift.begin;
    column_limits(a, clauses, j, &decided, o->mean, &w->scratch);
    return describe_spread(w, a, e);
}

/* Returns the exit status. A precision that was not reached is an error only if the user requested
   one. */
static int precision_status(const struct work *w, const struct analysis *a, struct err *e)
{
    if (a->enough || !w->asked)
        return ERR_NONE;
    if (!strcmp(a->phase, phase_name(PHASE_NO_STEADY_STATE)))
        return err_set(e, ERR_UNDECIDED,
                       "no steady state: no level holds for more than half of the readings");
    char level[LEVEL_CLAIM_WORDS];
    if (*level_claim_words(level, sizeof level, &a->claim))
        return err_set(e, ERR_UNDECIDED, "%s", level);
    if (a->held_back)
        return err_set(e, ERR_UNDECIDED, "precise for these readings only: %s",
                       level_doubt_words(level, sizeof level, &a->claim));
    char width[80] = "", worth[80] = "", seen[80] = "";
    size_t n = a->stable_end - a->stable_begin;
    if (!(a->decided_width <= a->target_width))
        snprintf(width, sizeof width, "; +-%.3g %%, asked for: +-%.3g %%", a->decided_width * 50,
                 a->target_width * 50);
    if (a->effective_n < (double)a->minimum_n)
        snprintf(worth, sizeof worth, "; %.4g independent readings, asked for: %zu",
                 floor(a->effective_n), a->minimum_n);
    if (n < a->min_n)
        snprintf(seen, sizeof seen, "; %zu reading%s, the least: %zu", n, n == 1 ? "" : "s",
                 a->min_n);
    return err_set(e, ERR_UNDECIDED, "not as precise as asked%s%s%s", width, worth, seen);
}

static int run_analyze(const struct option_set *set, struct err *e)
{
    struct analyze_options o = {0};
    struct work w = {.asked = options_given(set, "ci") || options_given(set, "preset") ||
                              options_given(set, "min-samples")};
    struct clauses clauses = {0};
    if (plan_options_store(set, &o.plan, e) || plan_refuse_width(&o.plan, e))
        return -1;
    o.plan.statistics.width_given = options_given(set, "ci") != NULL;
    if (o.plan.statistics.period_seconds > 0)
        return err_set(e, ERR_USAGE,
                       "--interval %g s: readings without times have no intervals of time; give a "
                       "method, as in --interval pilot",
                       o.plan.statistics.period_seconds);
    if (o.plan.ending.sla[0] && column_clauses_parse(&clauses, o.plan.ending.sla, o.mean, e))
        return err_context(e, "--sla");
    const char *source = set->operands[0];
    struct progress progress;
    progress_begin(&progress, "reading numbers");
    const struct column_request request = {.column = o.column[0] ? o.column : NULL,
                                           .where = o.where[0] ? o.where : NULL};
    if (column_read(&w.column, source, &request, e)) {
        progress_end(&progress);
        return -1;
    }
    column_say_lone(&w.column, source);
    progress_words(&progress, "judging them", NAN);
    struct analysis a = {
        .labels = o.plan.labels,
        .source = source,
        .column = w.column.name[0] ? w.column.name : o.column,
        .mean_method = choice_name(set, "mean", (int)o.mean),
        .interval_method = choice_name(set, "interval", (int)o.plan.statistics.interval),
        .changepoint_method = choice_name(set, "changepoint", (int)o.plan.statistics.changepoint)};
    int status = judge_column(&w, &o, &clauses, &a, e);
    progress_end(&progress);
    if (!status)
        status = output_analysis(&a, o.format, e);
    if (!status)
        status = output_clauses_status(a.clauses, a.clause_count, false, e);
    if (!status)
        status = precision_status(&w, &a, e);
    arena_free(&w.scratch);
    column_free(&w.column);
    return status;
}

const struct command command_analyze = {
    .name = "analyze",
    .operands = "FILE|-",
    .summary = "judge any column of numbers",
    .description =
        (const char *const[]){
            "Reads numbers in the order in which they were measured, from FILE or with - from "
            "standard input: one number a line, or a table with --column, also as time=1.42, "
            "1.5 ms or 00:02:15 (units become that of the first reading); JSON, an array of "
            "numbers or "
            "objects with the column as a member. Fields are parted by "
            "tabs, semicolons, bars, commas or blanks; lines that start with # are skipped.",
            "Known are the files of hyperfine, Google Benchmark, pytest-benchmark, Criterion.rs "
            "(sample.json, also beside estimates.json, and raw.csv), k6 (csv, json, summary), "
            "elbencho (--livecsv) and sacct --parsable: which column and rows count needs no words "
            "then, and --column may be the name or number of what was measured.",
            "Finds the change points, the stable segment and the phase (flat, warmup, slowdown or "
            "no_steady_state), and the mean of the stable segment with an interval that accounts "
            "for autocorrelation. Without a steady state, the numbers are those of the whole "
            "series. Indices count from 0; a segment's end is the first index after it.",
            "A width that was asked for by --ci, --preset or --min-samples and is not reached is "
            "exit status 5; without these options the status is 0 for any width. The "
            "result is printed in full in both cases. Such readings are taken for a series that "
            "went on until it was precise enough, which needs a slightly wider interval.",
            "--sla judges limits: each clause passes or fails once the readings refute the other, "
            "with "
            "a test that allows for looking again and again.",
            "Readings that are all equal have an interval of no width. A mean of 0 has no width "
            "relative to it, so that no interval counts as precise enough.",
            NULL},
    .options = analyze_options,
    .examples =
        (const struct help_item[]){
            {"cupel analyze latencies.txt --lower-is-better", "Times, one a line."},
            {"cupel analyze runs.csv --column iops --ci 5% --format csv",
             "A column of a table; exit status 5 unless the interval's width is within 5 % of the "
             "mean."},
            {"cupel analyze latencies.txt --sla 'p99<500, mean<200'",
             "Limits, in the unit of the readings."},
            {"awk '{print $3}' log | cupel analyze -", "From a pipe."},
            {0}},
    .statuses =
        (const struct help_item[]){{"0", "Done, and as precise as asked if asked; every clause of "
                                         "--sla passes."},
                                   {"1", "A clause of --sla fails."},
                                   {"2", "Wrong options, or input that is no column of "
                                         "numbers: the message names the line."},
                                   {"4", "Standard output could not be written."},
                                   {"5", "A precision was asked for and not reached, or a clause "
                                         "of --sla is undecided."},
                                   {"6", "Not enough memory."},
                                   {0}},
    .min_operands = 1,
    .max_operands = 1,
    .beginnings =
        (const struct help_item[]){
            {"cupel analyze numbers.txt", "the same statistics on numbers of your own"}, {0}},
    .run = run_analyze,
    .foresee = command_only_reads,
};

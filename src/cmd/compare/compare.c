/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel compare: compares stored results, columns of numbers, baselines and plans that it measures
   now. */
#include "many/compare/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file/file.h"
#include "base/invariant.h"
#include "cmd/column/column.h"
#include "cmd/compare/compare_plans.h"
#include "cmd/compare/internal.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/terminal/progress_line.h"
#include "facts/comparison.h"
#include "facts/result.h"
#include "report/compare/comparison.h"
#include "run/plan/plan.h"
#include "stat/judge.h"

/* clang-format off */
static const struct option_rule compare_rules[] = {
    EXCLUDES("correlate", "output expect metric", "it compares no alternatives"),
    {0},
};
/* clang-format on */

static const struct option_row compare_options[] = {
    {.section = "Input",
     .name = "metric",
     .argument = "NAME",
     .words = WORDS_METRICS,
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct compare_options, metric),
     .value_words = "those that all have",
     .help =
         "Compare this metric alone, by its name in the CSV of cupel run: iops, bandwidth, "
         "response_time, bps, lat_p99; of mixed workloads read.iops as well. It also names what "
         "a column of numbers or a baseline is beside a record."},
    {.name = "column",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct compare_options, column),
     .value_words = "the only one",
     .help = COLUMN_HELP},
    {.name = "where",
     .argument = "CONDITIONS",
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct compare_options, where),
     .value_words = "every row",
     .help = WHERE_HELP},
    {.name = "lower-is-better",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct compare_options, lower_is_better),
     .help = "The numbers are times or costs. Otherwise more is faster, unless they have a unit of "
             "time."},
    {.name = "paired",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct compare_options, paired),
     .help = "Line N of every file was measured in the same block of rounds: their differences "
             "are judged, which leaves out any change that affects all of them."},
    {.section = "Judgement",
     .name = "same",
     .argument = "SHARE",
     .kind = OPTION_SHARE,
     OPTION_FIELD(struct compare_options, margin),
     .min = 0,
     .max = 0.5,
     .value = "1%",
     .help = "Two are the same when the whole interval of their ratio lies this near to 1. A "
             "difference that is not significant is undecided, not the same."},
    {.name = "once",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct compare_options, once),
     .help = "The number of readings was settled beforehand, and nobody looked before: verdicts "
             "and intervals are those of Welch's test. Otherwise they hold however often one "
             "looks, which takes wider intervals."},
    {.name = "independent",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct compare_options, independent),
     .help = "No reading depends on those before it, which is known from elsewhere: with --once "
             "verdicts are those of Welch's and of the paired t-test. Otherwise readings that "
             "follow each other may be alike, which few of them leave open."},
    {.name = "expect",
     .argument = "ORDER",
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct compare_options, expect),
     .value_words = "none",
     .help =
         "'A faster than B by 5%', 'A not slower than B by 2%', 'A same as B within 1%', where a "
         "share is one of what was measured: a time that may not be slower by 10% rises by 10% at "
         "most; for "
         "stored sessions also 'B repeats A' (B is within what a repetition of A gives) and 'B "
         "repeats A or is faster'; of alternatives in their order or by name. It is judged by "
         "the metric of --metric, or "
         "the first one, for every disk; the exit status is 0 when it holds, 1 when it does "
         "not, 5 when it is undecided."},
    {.name = "correlate",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct compare_options, correlate),
     .help = "Instead of comparing: the correlation of IOPS, bandwidth, response time, BPS and "
             "percentiles with the execution time of at least 4 stored runs, or of every index "
             "over the rounds of "
             "one folder of exec -o; and whether its sign is the expected one."},
    {.name = "confidence"},
    {.name = "changepoint"},
    {.section = "Rounds of plans",
     .name = "limit",
     .help = "The longest that all rounds together may take, set-up included."},
    {.name = "round",
     .argument = "TIME",
     .kind = OPTION_TIME,
     OPTION_FIELD(struct compare_options, round_seconds),
     .min = 0.05,
     .max = 86400,
     .value_words = "at least 1 s, and at least as long as the set-up of a round",
     .help = "How long each round of cupel's own I/O measures."},
    {.name = "order",
     .argument = "KIND",
     .kind = OPTION_CHOICE,
     OPTION_FIELD(struct compare_options, fixed_order),
     .value = "random",
     .choices = OPTION_CHOICES({"random", 0}, {"fixed", 1}),
     .help = "Of the rounds in a block: random, or A B, then B A, in turns."},
    {.name = "ci",
     .argument = "WIDTH",
     .kind = OPTION_WIDTH,
     OPTION_FIELD(struct compare_options, target_width),
     .min = 0.0001,
     .max = 2,
     .value_words = "any",
     .help = "Go on until the interval of every alternative's own mean is as narrow, as well: its "
             "full width over the mean, 10%, or half of it, +-5%."},
    {.name = "seed"},
    OPTION_GROUP(PLAN_LABEL),
    OUTPUT_PAGE_OPTION(struct compare_options),
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct compare_options, folder),
     .value_words = "standard output only",
     .help = "Write comparison.txt, .csv and .json into DIR as well, which is made and must not "
             "exist; of plans every round's readings too, in rounds.csv."},
    OPTION_RULES(compare_rules),
    {0},
};

/* ---- alternatives ---- */

static int read_stored(struct compare_alternative *a, const struct compare_options *o,
                       const struct column_unit **unit, struct err *e)
{
    const char *metric = o->metric[0] ? o->metric : "value";
    if (!a->name[strspn(a->name, " ")])
        return err_set(e, ERR_USAGE, "an alternative's name is empty");
    if (compare_plan_is(a->name))
        return 0; /* a plan: its rounds are measured later */
    if (compare_is_baseline(a->name) && access(a->name, F_OK))
        return compare_add_baseline(a, metric, !o->lower_is_better, a->name, e);
    if (compare_is_stored(a->name))
        return compare_add_stored(a, a->name, o->metric, e);
    return compare_add_column(a, a->name, NULL, o, unit, e);
}

/* ---- output ---- */

static int print_as(const struct comparison *c, const char *format, struct err *e)
{
    struct report_style style = output_style();
    struct text out = {0};
    report_print(&comparison_report, c, format, &style, &out);
    return output_text(&out, e);
}

/* Writes every reading of the rounds, so that cupel compare can judge them again. */
static int write_rounds(const struct compare_alternative alternatives[], size_t count,
                        const char *folder, struct err *e)
{
    struct text out = {0};
    text_add(&out, "block,alternative,metric,value\n");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < alternatives[i].count; k++) {
            const struct compare_quantity *q = &alternatives[i].quantities[k];
            for (size_t n = 0; q->in_blocks && n < q->n; n++) {
                text_addf(&out, "%zu,%c,", n + 1, (char)('A' + i));
                text_add_csv(&out, q->metric);
                text_addf(&out, ",%.17g\n", q->values[n]);
            }
        }
    return output_file(folder, "rounds.csv", &out, e);
}

static int write_folder(const struct comparison *c, const struct compare_alternative alternatives[],
                        const char *folder, struct err *e)
{
    static const char *const names[] = {"comparison.txt", "comparison.csv", "comparison.json",
                                        NULL};
    const struct report_style style = {.width = 80};
    int status = output_report(&comparison_report, c, &style, names, folder, output_file, e);
    if (!status && c->ending != COMPARISON_STORED)
        status = write_rounds(alternatives, c->alternative_count, folder, e);
    return status;
}

static int expectation_status(const struct comparison *c, struct err *e)
{
    if (!c->expected || c->expectation.verdict == CLAUSE_PASSED)
        return ERR_NONE;
    bool failed = c->expectation.verdict == CLAUSE_FAILED;
    return err_set(e, failed ? ERR_FAILED : ERR_UNDECIDED, "'%s' %s: %s", c->expectation.text,
                   failed ? "does not hold" : "is undecided", c->expectation.words);
}

static int undecided_status(const struct comparison *c, const struct comparison_quantity *q,
                            const struct comparison_pair *p, struct err *e)
{
    const char *first = c->names[q->sides[p->first].alternative];
    const char *second = c->names[q->sides[p->second].alternative];
    const char *space = *q->group ? " " : "";
    if (p->wanders)
        return err_set(e, ERR_UNDECIDED,
                       "%s%s%s: the levels of %s and %s wander by as much as they differ; rounds "
                       "that take turns, or sessions spread over a longer time, decide it",
                       q->group, space, q->metric, first, second);
    return err_set(e, ERR_UNDECIDED,
                   "%s%s%s: %s and %s cannot be told apart; more readings, a wider --same, or "
                   "--expect decide it",
                   q->group, space, q->metric, first, second);
}

/*
 * Returns the exit status for stored alternatives. It is undecided if any pair of the first metric
 * is undecided; with folders of qualify, these are the pairs of every disk and test. With --expect,
 * the expectation decides instead.
 */
static int stored_status(const struct comparison *c, struct err *e)
{
    for (size_t i = 0; i < c->quantity_count && !c->expected; i++) {
        const struct comparison_quantity *q = &c->quantities[i];
        for (size_t k = 0; k < q->pair_count && !strcmp(q->metric, c->quantities[0].metric); k++)
            if (q->pairs[k].verdict == COMPARISON_UNDECIDED)
                return undecided_status(c, q, &q->pairs[k], e);
    }
    return ERR_NONE;
}

/* Returns the exit status for the way in which the rounds ended. */
static int ending_status(const struct comparison *c, struct err *e)
{
    switch (c->ending) {
    case COMPARISON_STORED:
        return stored_status(c, e);
    case COMPARISON_DECIDED:
        return ERR_NONE;
    case COMPARISON_FAILED:
        return err_set(e, ERR_TARGET, "%s", c->failure);
    case COMPARISON_LIMIT:
        return err_set(
            e, ERR_UNDECIDED, "the limit came first, after %llu block%s of rounds%s (see --limit)",
            (unsigned long long)c->blocks, c->blocks == 1 ? "" : "s",
            c->quantities[0].pairs[0].wanders ? ": the levels wander by as much as they differ"
                                              : "");
    case COMPARISON_INTERRUPTED:
        return err_set(e, ERR_UNDECIDED, "stopped by a signal, after %llu block%s of rounds",
                       (unsigned long long)c->blocks, c->blocks == 1 ? "" : "s");
    }
    INVARIANT_BROKEN("every ending of a comparison has a case");
}

/* ---- the command ---- */

static int print_and_keep(const struct comparison *c,
                          const struct compare_alternative alternatives[],
                          const struct compare_options *o, struct err *e)
{
    int status = o->folder[0] ? write_folder(c, alternatives, o->folder, e) : 0;
    if (!status)
        status = print_as(c, o->format, e);
    if (!status)
        status = expectation_status(c, e);
    return status ? status : ending_status(c, e);
}

static int compare_all(struct compare_alternative alternatives[], size_t count,
                       const struct compare_options *o, struct err *e)
{
    const struct compare_config config = {
        o->plan.statistics.confidence, o->margin, o->once, o->paired, o->independent, o->expect};
    struct comparison c;
    bool live = false;
    for (size_t i = 0; i < count; i++)
        live = live || compare_plan_is(alternatives[i].name);
    if (o->folder[0] && dir_make_new(o->folder, e))
        return -1;
    struct progress progress;
    if (!live)
        progress_begin(&progress, "comparing");
    int status = live ? compare_plans_run(&c, alternatives, count, &config, o, e)
                      : compare_judge(&c, alternatives, count, &config, e);
    if (!live)
        progress_end(&progress);
    if (status) {
        if (o->folder[0])
            rmdir(o->folder);
        return -1;
    }
    c.labels = o->plan.labels;
    status = print_and_keep(&c, alternatives, o, e);
    comparison_free(&c);
    return status;
}

static int print_correlations(const struct option_set *set, const struct compare_options *o,
                              struct err *e)
{
    struct comparison_correlations c;
    struct report_style style = output_style();
    struct text out = {0};
    if (compare_correlate(&c, set->operands, set->operand_count, o->plan.statistics.confidence, e))
        return -1;
    report_print(&correlations_report, &c, o->format, &style, &out);
    return output_text(&out, e);
}

/* Makes an alternative of each name in a file. names->names must outlive the alternatives. Fails
   with ERR_USAGE if the file has only one name. */
static int compare_one_file(struct compare_alternative alternatives[], size_t *count,
                            const char *path, const struct compare_options *o,
                            struct column_names *names, struct err *e)
{
    const struct column_request request = {.where = o->where[0] ? o->where : NULL};
    const struct column_unit *unit = NULL;
    const bool is_file = strcmp(path, "-") != 0 && !compare_plan_is(path) &&
                         !compare_is_stored(path) && !access(path, F_OK);
    if (is_file && column_names_read(names, path, &request, e))
        return -1;
    if (names->count < 2)
        return err_set(e, ERR_USAGE,
                       "a second alternative is missing; usage: cupel compare A B "
                       "[C...] [options]");
    if (names->count > COMPARISON_ALTERNATIVES)
        return err_set(e, ERR_USAGE,
                       "%s has the readings of %zu, and %d alternatives are possible: --where "
                       "chooses some",
                       path, names->count, COMPARISON_ALTERNATIVES);
    for (*count = 0; *count < names->count; ++*count) {
        alternatives[*count].name = names->names[*count];
        if (compare_add_column(&alternatives[*count], path, names->names[*count], o, &unit, e))
            return -1;
    }
    return 0;
}

static int run_compare(const struct option_set *set, struct err *e)
{
    struct compare_options o = {0};
    struct compare_alternative alternatives[COMPARISON_ALTERNATIVES] = {0};
    size_t count = set->operand_count, pipes = 0;
    const struct column_unit *unit = NULL;
    struct column_names names = {.count = 0};
    int status = 0;
    if (plan_options_store(set, &o.plan, e) || plan_refuse_width(&o.plan, e))
        return -1;
    if (o.correlate)
        return print_correlations(set, &o, e);
    if (count > COMPARISON_ALTERNATIVES)
        return err_set(e, ERR_USAGE, "%d alternatives are possible", COMPARISON_ALTERNATIVES);
    for (size_t i = 0; i < count; i++)
        pipes += !strcmp(set->operands[i], "-");
    if (pipes > 1)
        return err_set(e, ERR_USAGE, "standard input can be one alternative only");
    struct progress progress;
    progress_begin(&progress, "reading");
    if (count == 1)
        status = compare_one_file(alternatives, &count, set->operands[0], &o, &names, e);
    for (size_t i = 0; set->operand_count > 1 && i < count && !status; i++) {
        alternatives[i].name = set->operands[i];
        status = read_stored(&alternatives[i], &o, &unit, e);
    }
    progress_end(&progress);
    if (!status)
        status = compare_all(alternatives, count, &o, e);
    for (size_t i = 0; i < count; i++)
        compare_alternative_free(&alternatives[i]);
    return status;
}

/* A plan may do anything, so it counts as another program that the command starts. */
static int foresee_compare(const struct option_set *set, struct command_effect *effect,
                           struct err *e)
{
    (void)e;
    for (size_t i = 0; i < set->operand_count; i++)
        effect->starts_program = effect->starts_program || compare_plan_is(set->operands[i]);
    return 0;
}

const struct command command_compare = {
    .name = "compare",
    .operands = "A B [C...]",
    .summary = "which of several is faster, by how much, and how sure",
    .description =
        (const char *const[]){
            "Each alternative is a record.cupel or program.cupel, a folder of cupel run -o, exec "
            "-o or qualify -o "
            "(compared disk by disk, test by test), a file with a column of numbers (- is standard "
            "input), or what an old report says: mean=104.2,sd=3.1,n=30. Any mix of them goes. One "
            "file alone, of hyperfine, pytest-benchmark or Google Benchmark, is an alternative for "
            "each command or benchmark in it.",
            "A plan is measured while it is compared: 'run TARGET --bs 8k', 'replay TRACE TARGET' "
            "or "
            "'exec -- CMD', an argument that begins with one of these words and holds blanks. "
            "Rounds take turns in blocks, one of each plan; a round of replay is the whole trace. "
            "After every block the differences of that block's rounds are judged, until every pair "
            "is decided, what --expect asks for is, or --limit comes.",
            "For each metric that two of them have: the ranking, and the ratio of the first to the "
            "second with its interval, which accounts for autocorrelation. Of more than two, "
            "neighbours in the ranking are compared, corrected for their number by Holm's "
            "procedure.",
            "Verdicts hold however often one looks at readings that go on (an always-valid "
            "interval); the p-value is that of Welch's test for one look. With --once the verdict "
            "is that of Welch's test too. Of a column of numbers the stable segment counts.",
            "Of stored alternatives without --expect the status is 5 while a pair of the first "
            "metric "
            "is undecided, else 0.",
            NULL},
    .options = compare_options,
    .examples =
        (const struct help_item[]){
            {"cupel compare before/ after/", "Two folders of cupel run -o, every metric."},
            {"cupel compare old new --lower-is-better --expect 'B not slower than A'",
             "A gate against regressions: exit status 1 when it is slower."},
            {"cupel compare 'run /dev/sdb --bs 4k' 'run /dev/sdb --bs 8k'",
             "Two block sizes, in rounds that take turns."},
            {"cupel compare 'exec -- ./old' 'exec -- ./new' --limit 5m", "Two programs."},
            {"cupel compare 'replay t sdb.img --closed' 'replay t sdc.img --closed'",
             "The requests of a trace, as fast as two targets answer them."},
            {"cupel compare may/ june/ --metric bandwidth --format csv",
             "Two qualifications of a machine, disk by disk."},
            {"cupel compare --correlate replay-1 replay-2 replay-3 replay-4",
             "Which metric follows the execution time of these runs?"},
            {"cupel compare mean=104.2,sd=3.1,n=30 times.txt --once",
             "An old report beside new readings."},
            {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "Done; what --expect asked for holds."},
            {"1", "What --expect asked for does not hold."},
            {"2", "Wrong options, or input that cannot be read or compared: the message names the "
                  "file and the line."},
            {"3", "A plan is refused, because data could be lost."},
            {"4", "A plan's rounds failed, or the output could not be written."},
            {"5", "What --expect asked for is undecided, or --limit came before plans were "
                  "decided."},
            {"6", "Not enough memory."},
            {0}},
    .files = (const struct help_item[]){{"DIR/comparison.txt, .csv, .json", "The result."},
                                        {"DIR/rounds.csv", "Of plans: every reading."},
                                        {0}},
    .min_operands = 1,
    .max_operands = OPERANDS_MAX,
    .run = run_compare,
    .foresee = foresee_compare,
};

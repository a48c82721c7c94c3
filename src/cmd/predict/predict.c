/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel predict: fits maps of variability to measured configurations. */
#include <string.h>

#include "cmd/options/command.h"
#include "cmd/predict/internal.h"
#include "stat/map/candidates.h"

#define FIELD_OF(member) OPTION_FIELD(struct predict_options, member)

#define KINDS "each prints something else"

/* clang-format off */
static const struct option_rule predict_rules[] = {
    ONE_OF("query test validate anova heatmap lines plot rank drift convergence", KINDS),
    EXCLUDES("plan", "test validate anova heatmap lines plot rank drift convergence", KINDS),
    NEEDS("svg", "heatmap lines plot", "it is the file of the picture"),
    NEEDS("at change per", "heatmap lines", "it is about these figures"),
    {0},
};
/* clang-format on */

static const struct option_row predict_options[] = {
    {.section = "Measurements",
     .name = "data",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     FIELD_OF(data),
     .value_words = "none: it must be given",
     .help =
         "A table with named columns (CSV): the runs that cupel sweep keeps, or any rows with a "
         "level of each factor and a result. - is standard input."},
    {.name = "factors",
     .argument = "NAMES",
     .kind = OPTION_TEXT,
     FIELD_OF(factors),
     .value_words = "none: they must be given",
     .help = "The columns to predict from, with commas between. A column of texts becomes an "
             "indicator for each of its levels."},
    {.name = "response",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     FIELD_OF(response),
     .value = "sd",
     .help = "What to predict: a column, or a statistic of the runs of a configuration: mean, sd, "
             "variance, cv, median, min, max, or a percentile such as p99. A column of that name "
             "comes first."},
    {.name = "value",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     FIELD_OF(value),
     .value_words = "the only one that it can be",
     .help = "The column with the result of each run, which a statistic is of."},
    {.name = "runs",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     FIELD_OF(runs),
     .value_words = "the column n, if there is one",
     .help = "Of a table with one row a configuration: the column with the number of runs of "
             "each, from which the noise of a standard deviation follows."},
    {.name = "maps-by",
     .argument = "NAMES",
     .kind = OPTION_TEXT,
     FIELD_OF(maps_by),
     .value_words = "one map",
     .help = "Columns whose levels divide the configurations into maps of their own, such as mode "
             "and scheduler, with commas between."},
    {.section = "Prediction",
     .name = "query",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     FIELD_OF(query),
     .value_words = "all combinations of levels that were not measured",
     .help =
         "A table with the configurations to predict; it may have other columns, too, which the "
         "result repeats."},
    {.name = "test",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     FIELD_OF(test),
     .value_words = "none",
     .help = "Predict the configurations of another table of measurements, with the columns of "
             "--data, and report the relative error of each, with their mean and median."},
    {.name = "method",
     .argument = "NAMES",
     .words = WORDS_METHODS,
     .kind = OPTION_TEXT,
     FIELD_OF(method),
     .value = "auto",
     .help =
         "lr (linear regression), lsp (linear Shepard), mars (splines), delaunay (triangulation), "
         "gp (Gaussian process), or auto: the one whose predictions of configurations left out "
         "are the best. With --validate several, with commas between."},
    {.name = "scale",
     .argument = "KIND",
     .kind = OPTION_CHOICE,
     FIELD_OF(scale),
     .value = "auto",
     .choices = OPTION_CHOICES({"auto", SCALE_AUTO}, {"log", SCALE_LOG}, {"raw", SCALE_RAW}),
     .help =
         "Take factors and response as they are, or their logarithms: auto takes logarithms "
         "where every response is above 0. A factor with a level of 0 or below stays as it is."},
    {.name = "degree",
     .argument = "N",
     .kind = OPTION_UNSIGNED,
     FIELD_OF(degree),
     .min = 0,
     .max = 8,
     .value = "0",
     .help = "Factors in a product at most, for mars; 0 leaves it to the method."},
    {.name = "confidence",
     .argument = "SHARE",
     .kind = OPTION_SHARE,
     FIELD_OF(confidence),
     .min = 0.5,
     .max = 0.9999,
     .value = "95%",
     .help = "Share of measurements that the intervals are to hold."},
    {.name = "seed",
     .argument = "N",
     .kind = OPTION_UNSIGNED,
     FIELD_OF(seed),
     .value = "1",
     .help = "Of random splits: the same seed, the same result."},
    {.section = "Validation",
     .name = "validate",
     .kind = OPTION_FLAG,
     FIELD_OF(validate),
     .help =
         "How good maps are: fit them to a share of the configurations and try them on the "
         "others, in random splits and with each level of each factor left out; beside them the "
         "error of a constant and that of a measurement."},
    {.name = "shares",
     .argument = "LIST",
     .kind = OPTION_TEXT,
     FIELD_OF(shares),
     .value = ".9,.5,.1",
     .help = "Shares of the configurations to fit to, with commas between."},
    {.name = "splits",
     .argument = "N",
     .kind = OPTION_UNSIGNED,
     FIELD_OF(splits),
     .min = 1,
     .max = 10000,
     .value = "20",
     .help = "Random splits for each share."},
    {.section = "Analysis",
     .name = "anova",
     .kind = OPTION_FLAG,
     FIELD_OF(anova),
     .help = "Which factors the response varies with: an analysis of variance with sums of squares "
             "of types I and II, effect sizes and the means by level. Every level counts as a "
             "class; responses count as they are unless --scale log is given."},
    {.name = "main-effects",
     .kind = OPTION_FLAG,
     FIELD_OF(main_effects),
     .help = "With --anova: leave the interactions of two factors out."},
    {.name = "heatmap",
     .argument = "X,Y",
     .kind = OPTION_TEXT,
     FIELD_OF(heat_map),
     .value_words = "none",
     .help =
         "The response by two factors, in characters: the mean over the other factors, or at the "
         "levels of --at."},
    {.name = "lines",
     .argument = "X,Y",
     .kind = OPTION_TEXT,
     FIELD_OF(lines),
     .value_words = "none",
     .help = "The response over factor X, a line for each level of Y, or one line without Y: the "
             "mean over the other factors, or at the levels of --at."},
    {.name = "at",
     .argument = "LEVELS",
     .kind = OPTION_TEXT,
     FIELD_OF(at),
     .value_words = "all levels",
     .help = "Of --heatmap and --lines: levels that other factors are held at, as in "
             "threads=4,bs=4k."},
    {.name = "change",
     .argument = "LEVELS",
     .kind = OPTION_TEXT,
     FIELD_OF(change),
     .value_words = "none",
     .help = "Of --heatmap and --lines: how much higher the response is at the second level of a "
             "factor than at the first, as in threads=64,256."},
    {.name = "per",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     FIELD_OF(per),
     .value_words = "none",
     .help = "Of --heatmap and --lines: divide each response by the level of a factor, as in "
             "threads for what each thread gets."},
    {.name = "plot",
     .kind = OPTION_FLAG,
     FIELD_OF(plot),
     .help = "Predicted against measured: each configuration by a map of others."},
    {.name = "svg",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     FIELD_OF(svg),
     .value_words = "none",
     .help = "Of --heatmap, --lines and --plot: keep the picture in FILE, which must not exist."},
    {.name = "rank",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     FIELD_OF(rank),
     .value_words = "none",
     .help =
         "The levels of a factor, such as mode, by their response, the lowest first. It must be "
         "one of --factors or --maps-by."},
    {.name = "drift",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     FIELD_OF(drift),
     .value_words = "none",
     .help =
         "How the response changed between the campaigns that a column names (block and host of "
         "cupel sweep), over the configurations that they have in common, control runs "
         "included."},
    {.section = "Design of experiments",
     .name = "plan",
     .kind = OPTION_FLAG,
     FIELD_OF(plan),
     .help = "How many runs each configuration of --query, or each that was not measured, needs "
             "until the interval of the mean of --value is as narrow as --ci, in runs and in time: "
             "from measured means and standard deviations, or predicted ones."},
    {.name = "convergence",
     .kind = OPTION_FLAG,
     FIELD_OF(convergence),
     .help = "How many runs each measured configuration needs until the interval of --response "
             "(mean, sd, median or a percentile of its runs) is as narrow as --ci: by resampling, "
             "by the law 1 / sqrt(n), and of the median by CONFIRM."},
    {.name = "ci",
     .argument = "SHARE",
     .kind = OPTION_SHARE,
     FIELD_OF(width),
     .min = 1e-4,
     .max = 10,
     .value = "10%",
     .help =
         "Of --plan and --convergence: the full width of the interval over the mean, or over the "
         "response."},
    {.name = "run-time",
     .argument = "TIME",
     .kind = OPTION_TIME,
     FIELD_OF(run_seconds),
     .value_words = "the column seconds, if there is one",
     .help = "Of --plan: how long a run takes."},
    {.name = "budget",
     .argument = "TIME",
     .kind = OPTION_TIME,
     FIELD_OF(budget_seconds),
     .value_words = "none",
     .help = "Of --plan: mark what to measure next within this time, first the configurations "
             "whose standard deviation is least certain."},
    OUTPUT_PAGE_OPTION(struct predict_options),
    OPTION_RULES(predict_rules),
    {0},
};

static int check_data(const struct predict_options *o, struct err *e)
{
    if (!o->data[0])
        return err_set(e, ERR_USAGE, "--data is missing: a table of measurements");
    if (!o->factors[0])
        return err_set(e, ERR_USAGE, "--factors is missing: the columns to predict from");
    if (o->plan && !strcmp(o->data, "-"))
        return err_set(e, ERR_USAGE,
                       "--plan reads the table more than once: --data must be a file");
    return 0;
}

static int run_predict(const struct option_set *set, struct err *e)
{
    struct predict_options o = {0};
    if (options_store_defaults(set->rows, &o, e) || options_store(set, &o, e) || check_data(&o, e))
        return -1;
    return predict_options_run(&o, e);
}

const struct command command_predict = {
    .name = "predict",
    .operands = "",
    .summary = "predict how much unmeasured configurations vary",
    .description =
        (const char *const[]){
            "Makes a map of variability (Cameron et al., MOANA, 2019) from measured configurations "
            "and predicts others: those of --query, or all combinations of the levels that were "
            "not measured. A prediction has an interval that is to hold a new measurement, and a "
            "mark where it lies outside of what was measured.",
            "The table has one row a run, or one row a configuration. Numbers may be sizes (4k). "
            "Rows without a result are left out, and so are control runs of cupel sweep.",
            "--validate shows what the maps are worth, beside the error that a measurement has by "
            "itself because its runs are few.",
            NULL},
    .options = predict_options,
    .examples =
        (const struct help_item[]){
            {"cupel predict --data runs.csv --factors threads,bs --value throughput",
             "The standard deviation of all unmeasured combinations."},
            {"cupel predict --data runs.csv --factors threads,bs --query new.csv",
             "That of the configurations in new.csv."},
            {"cupel predict --data runs.csv --factors threads,bs --validate",
             "How good each method is."},
            {"cupel predict --data runs.csv --factors threads,bs --heatmap threads,bs",
             "Where it varies."},
            {0}},
    .statuses = (const struct help_item[]){{"0", "Done."},
                                           {"2", "Wrong options, or a table that cannot be used: "
                                                 "the message names the line."},
                                           {"4", "Standard output could not be written."},
                                           {"5", "A signal came before the end of --validate."},
                                           {"6", "Not enough memory."},
                                           {0}},
    .max_operands = 0,
    .run = run_predict,
    .foresee = command_only_reads,
};

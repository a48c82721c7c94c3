/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel predict: maps of variability out of measured configurations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/pool.h"
#include "cmd/internal.h"
#include "cmd/options/command.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "cmd/signals.h"
#include "map/prediction.h"
#include "map/validation.h"
#include "report/predict/prediction_report.h"

#define NAMES_MAX 40

struct predict_options {
    char data[1024];
    char factors[1024], maps_by[512];
    char response[64], value[64], runs[64];
    char query[1024];
    char method[128];
    enum map_scale scale;
    uint32_t degree;
    double confidence;
    uint64_t seed;
    bool validate;
    char shares[128];
    uint32_t splits;
    char format[OUTPUT_FORMAT_MAX];
};

#define FIELD_OF(member) OPTION_FIELD(struct predict_options, member)

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
     .help = "Of a table with one row a configuration: the column with the number of runs behind "
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
    {.name = "method",
     .argument = "NAMES",
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
    OUTPUT_FORMAT_OPTION(struct predict_options),
    {0},
};

/* What the work needs beside the options. Points into itself. */
struct predict_work {
    struct pool pool;
    const char *factors[NAMES_MAX + 1], *maps_by[NAMES_MAX + 1];
    struct configurations configurations;
    struct candidates candidates;
    struct progress progress;
    struct map_observer observer;
};

/* Names with commas between, which may be quoted as in a table. */
static int split_names(struct predict_work *w, const char *text, const char *option,
                       const char *names[NAMES_MAX + 1], struct err *e)
{
    struct span rest = span_of(text), name;
    size_t count = 0;
    bool more = rest.length > 0;
    while (row_next_field(&rest, ',', &more, &name)) {
        if (count == NAMES_MAX)
            return err_set(e, ERR_USAGE, "--%s has more than %d names", option, NAMES_MAX);
        names[count] = row_keep_field(&w->pool, name);
        if (!names[count++])
            return err_set(e, ERR_MACHINE, "there is no memory left");
    }
    names[count] = NULL;
    return 0;
}

static int parse_shares(const char *text, struct validation_request *r, struct err *e)
{
    struct span rest = span_of(text), field;
    bool more = true;
    while (row_next_field(&rest, ',', &more, &field)) {
        double share;
        if (number_parse(field.text, field.length, &share) != NUMBER_OK || !(share > 0) ||
            !(share < 1))
            return err_set(e, ERR_USAGE,
                           "--shares %s: shares between 0 and 1 are expected, as in "
                           ".9,.5,.1",
                           text);
        if (r->share_count == VALIDATION_SHARES)
            return err_set(e, ERR_USAGE, "--shares has more than %d shares", VALIDATION_SHARES);
        r->shares[r->share_count++] = share;
    }
    return 0;
}

static int print_prediction(const struct predict_options *o, struct predict_work *w, struct err *e)
{
    struct configurations *c = &w->configurations;
    struct places places;
    struct prediction p;
    struct prediction_request request = {o->confidence, o->seed, &w->observer};
    if (w->candidates.count > 1 && !w->candidates.choose)
        return err_set(e, ERR_USAGE, "--method %s: one method predicts; several go with --validate",
                       o->method);
    if (o->query[0] ? places_of_query(&places, c, o->query, e) : places_unmeasured(&places, c, e))
        return -1;
    if (prediction_make(&p, c, &places, &w->candidates, &request, e)) {
        places_free(&places);
        return -1;
    }
    struct report_style style = output_style();
    struct text out = {0};
    progress_end(&w->progress);
    prediction_sink_find(o->format)->prediction(&p, &style, &out);
    prediction_free(&p);
    places_free(&places);
    return output_text(&out, e);
}

static int print_validation(const struct predict_options *o, struct predict_work *w, struct err *e)
{
    struct map_validation v;
    struct validation_request request = {.splits = o->splits,
                                         .confidence = o->confidence,
                                         .seed = o->seed,
                                         .observer = &w->observer};
    if (parse_shares(o->shares, &request, e))
        return -1;
    w->observer.stop = signals_install();
    int status = validation_make(&v, &w->configurations, &w->candidates, &request, e);
    progress_end(&w->progress);
    if (v.score_count) {
        struct report_style style = output_style();
        struct text out = {0};
        prediction_sink_find(o->format)->validation(&v, &style, &out);
        status = output_text(&out, status ? NULL : e) ? -1 : status;
    }
    validation_free(&v);
    return status;
}

static int predict(const struct predict_options *o, struct predict_work *w, struct err *e)
{
    struct configurations *c = &w->configurations;
    struct configurations_request request = {.factors = w->factors,
                                             .maps_by = w->maps_by,
                                             .response = o->response,
                                             .value = o->value[0] ? o->value : NULL,
                                             .runs = o->runs[0] ? o->runs : NULL,
                                             .seed = o->seed};
    if (split_names(w, o->factors, "factors", w->factors, e) ||
        split_names(w, o->maps_by, "maps-by", w->maps_by, e))
        return -1;
    if (!w->factors[0])
        return err_set(e, ERR_USAGE, "--factors is missing: the columns to predict from");
    if (configurations_read(c, o->data, &request, e))
        return -1;
    progress_begin(&w->progress);
    w->observer = (struct map_observer){.progress = progress_words, .context = &w->progress};
    if (candidates_parse(&w->candidates, c, o->method, o->scale, o->degree, o->seed, &c->notes, e))
        return -1;
    return o->validate ? print_validation(o, w, e) : print_prediction(o, w, e);
}

static int run_predict(const struct option_set *set, struct err *e)
{
    struct predict_options o = {0};
    struct predict_work w = {0};
    if (options_store_defaults(set->rows, &o, e) || options_store(set, &o, e))
        return -1;
    if (!o.data[0])
        return err_set(e, ERR_USAGE, "--data is missing: a table of measurements");
    int status = predict(&o, &w, e);
    progress_end(&w.progress);
    configurations_free(&w.configurations);
    pool_free(&w.pool);
    return status;
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
            {"cupel predict --data runs.csv --factors threads,bs --response sd",
             "The standard deviation of all unmeasured combinations."},
            {"cupel predict --data runs.csv --factors threads,bs --query new.csv",
             "That of the configurations in new.csv."},
            {"cupel predict --data runs.csv --factors threads,bs --validate",
             "How good each method is."},
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes and prints the results of cupel predict. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/number_parse.h"
#include "base/pool.h"
#include "cmd/output/output.h"
#include "cmd/predict/internal.h"
#include "cmd/terminal/progress_line.h"
#include "cmd/terminal/signals.h"
#include "report/predict/prediction_report.h"
#include "stat/map/analysis.h"
#include "stat/map/prediction.h"
#include "stat/map/validation.h"

#define NAMES_MAX 40

/* The data that the command works on, in addition to the options. */
struct predict_work {
    struct pool pool;
    const char *factors[NAMES_MAX + 1], *maps_by[NAMES_MAX + 1];
    struct configurations configurations;
    struct candidates candidates;
    struct progress progress;
    struct map_observer observer;
};

/* Splits names at commas. Names may be quoted as in a table. */
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
            return err_no_memory(e, "the names of --%s", option);
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

/* Reads a table of measurements, in the same way as that of --data. */
static int read_table(const struct predict_options *o, struct predict_work *w, const char *path,
                      struct configurations *c, struct err *e)
{
    bool drift = o->drift[0] != '\0';
    const char *campaign[] = {o->drift, NULL};
    struct configurations_request request = {.factors = w->factors,
                                             .maps_by = drift ? campaign : w->maps_by,
                                             .response = o->plan ? "mean" : o->response,
                                             .value = o->value[0] ? o->value : NULL,
                                             .runs = o->runs[0] ? o->runs : NULL,
                                             .seed = o->seed,
                                             .with_controls = drift};
    return configurations_read(c, path, &request, e);
}

/* Finds the configurations to predict: those of --query, those of the table of --test, or all
   unmeasured ones. */
static int find_places(const struct predict_options *o, struct predict_work *w,
                       struct configurations *test, struct places *places, struct err *e)
{
    struct configurations *c = &w->configurations;
    if (o->query[0])
        return places_of_query(places, c, o->query, e);
    if (!o->test[0])
        return places_unmeasured(places, c, e);
    if (read_table(o, w, o->test, test, e))
        return -1;
    for (const char *note = test->notes.data; note && *note; note = strchr(note, '\n') + 1)
        text_addf(&c->notes, "%s: %.*s\n", o->test, (int)strcspn(note, "\n"), note);
    return places_of_test(places, c, test, o->test, e);
}

static int print_prediction(const struct predict_options *o, struct predict_work *w, struct err *e)
{
    struct configurations *c = &w->configurations, test = {0};
    struct places places = {0};
    struct prediction p;
    struct prediction_request request = {o->confidence, o->seed, &w->observer};
    if (w->candidates.count > 1 && !w->candidates.choose)
        return err_set(e, ERR_USAGE,
                       "--method %s: a prediction uses one method; several need --validate",
                       o->method);
    if (find_places(o, w, &test, &places, e)) {
        configurations_free(&test);
        return -1;
    }
    if (o->query[0] && places.query.last_line_open)
        text_addf(&c->notes, "The last line of %s has no line end: was the file cut?\n", o->query);
    int status = prediction_make(&p, c, &places, &w->candidates, &request, e);
    struct report_style style = output_style();
    struct text out = {0};
    progress_end(&w->progress);
    if (!status) {
        report_print(&prediction_report, &p, o->format, &style, &out);
        prediction_free(&p);
    }
    places_free(&places);
    configurations_free(&test);
    return status ? -1 : output_text(&out, e);
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
        report_print(&validation_report, &v, o->format, &style, &out);
        status = output_text(&out, status ? NULL : e) ? -1 : status;
    }
    validation_free(&v);
    return status;
}

static int print_variance(const struct predict_options *o, struct predict_work *w, struct err *e)
{
    struct variance_analysis v;
    struct report_style style = output_style();
    struct text out = {0};
    if (variance_make(&v, &w->configurations, !o->main_effects, o->scale == SCALE_LOG,
                      o->confidence, e))
        return -1;
    report_print(&variance_report, &v, o->format, &style, &out);
    variance_free(&v);
    return output_text(&out, e);
}

/* ---- pictures ---- */

/* Writes a picture to a new file. Never replaces an existing file. */
static int write_picture(const char *path, struct text *picture, struct err *e)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int status = -1;
    if (picture->failed)
        err_no_memory(e, "the picture in %s", path);
    else if (fd < 0)
        err_set(e, errno == EEXIST ? ERR_USAGE : ERR_TARGET, "--svg %s: %s", path, strerror(errno));
    else
        status = write_all(fd, picture->data, picture->length, path, e);
    if (fd >= 0 && close(fd) && !status)
        status = err_set(e, ERR_TARGET, "%s: %s", path, strerror(errno));
    text_free(picture);
    return status;
}

/* Prints a page, or drops it if its picture could not be written. */
static int print_or_drop(struct text *out, int status, struct err *e)
{
    if (!status)
        return output_text(out, e);
    text_free(out);
    return status;
}

/* Prints a heat map, or the same numbers as lines. */
static int print_heat_map(const struct predict_options *o, struct predict_work *w, struct err *e)
{
    const bool lines = o->lines[0] != '\0';
    const struct heat_map_request request = {.axes = lines ? o->lines : o->heat_map,
                                             .one_axis = lines,
                                             .at = o->at,
                                             .change = o->change,
                                             .per = o->per};
    struct heat_map h;
    struct report_style style = output_style();
    struct text out = {0}, picture = {0};
    int status = 0;
    if (heat_map_make(&h, &w->configurations, &request, e))
        return -1;
    report_print(lines ? &lines_report : &heat_map_report, &h, o->format, &style, &out);
    if (o->svg[0]) {
        if (lines)
            lines_print_svg(&h, &picture);
        else
            heat_map_print_svg(&h, &picture);
        status = write_picture(o->svg, &picture, e);
    }
    heat_map_free(&h);
    return print_or_drop(&out, status, e);
}

static int print_scatter(const struct predict_options *o, struct predict_work *w, struct err *e)
{
    struct map_scatter s;
    struct report_style style = output_style();
    struct text out = {0}, picture = {0};
    int status = 0;
    if (scatter_make(&s, &w->configurations, &w->candidates, o->seed, &w->observer, e))
        return -1;
    progress_end(&w->progress);
    report_print(&scatter_report, &s, o->format, &style, &out);
    if (o->svg[0]) {
        scatter_print_svg(&s, &picture);
        status = write_picture(o->svg, &picture, e);
    }
    scatter_free(&s);
    return print_or_drop(&out, status, e);
}

/* ---- analyses ---- */

static int print_ranking(const struct predict_options *o, struct predict_work *w, struct err *e)
{
    struct map_ranking r;
    struct report_style style = output_style();
    struct text out = {0};
    if (ranking_make(&r, &w->configurations, o->rank, o->confidence, e))
        return -1;
    report_print(&ranking_report, &r, o->format, &style, &out);
    ranking_free(&r);
    return output_text(&out, e);
}

static int print_drift(const struct predict_options *o, struct predict_work *w, struct err *e)
{
    struct map_drift d;
    struct report_style style = output_style();
    struct text out = {0};
    if (drift_make(&d, &w->configurations, o->confidence, e))
        return -1;
    report_print(&drift_report, &d, o->format, &style, &out);
    drift_free(&d);
    return output_text(&out, e);
}

/* ---- the number of runs still needed ---- */

/* Reads the table again for another statistic of the runs. */
static int read_statistic(struct configurations *c, const struct predict_options *o,
                          const struct predict_work *w, const char *response, const char *value,
                          struct err *e)
{
    struct configurations_request request = {.factors = w->factors,
                                             .maps_by = w->maps_by,
                                             .response = response,
                                             .value = value,
                                             .seed = o->seed};
    return configurations_read(c, o->data, &request, e);
}

static int print_run_plan(const struct predict_options *o, struct predict_work *w, struct err *e)
{
    const char *value = o->value[0] ? o->value : NULL;
    struct configurations *mean = &w->configurations, sd = {0}, seconds = {0};
    struct places places = {0};
    struct run_plan p = {0};
    bool timed = !(o->run_seconds > 0) && !read_statistic(&seconds, o, w, "mean", "seconds", NULL);
    struct run_plan_request request = {.sd = &sd,
                                       .seconds = timed ? &seconds : NULL,
                                       .run_seconds =
                                           o->run_seconds > 0 ? o->run_seconds : (double)NAN,
                                       .width = o->width,
                                       .confidence = o->confidence,
                                       .budget_seconds = o->budget_seconds,
                                       .methods = o->method,
                                       .seed = o->seed,
                                       .observer = &w->observer};
    int status = read_statistic(&sd, o, w, "sd", value, e);
    if (!status)
        status = o->query[0] ? places_of_query(&places, mean, o->query, e)
                             : places_unmeasured(&places, mean, e);
    if (!status)
        status = run_plan_make(&p, mean, &places, &request, e);
    progress_end(&w->progress);
    if (!status) {
        struct report_style style = output_style();
        struct text out = {0};
        report_print(&run_plan_report, &p, o->format, &style, &out);
        status = output_text(&out, e);
    }
    run_plan_free(&p);
    places_free(&places);
    configurations_free(&sd);
    configurations_free(&seconds);
    return status;
}

static int print_convergence(const struct predict_options *o, struct predict_work *w, struct err *e)
{
    struct map_convergence m;
    const struct convergence_wish wish = {o->width, o->confidence, o->seed, &w->observer};
    struct report_style style = output_style();
    struct text out = {0};
    if (map_convergence_make(&m, &w->configurations, &wish, e))
        return -1;
    progress_end(&w->progress);
    report_print(&convergence_report, &m, o->format, &style, &out);
    map_convergence_free(&m);
    return output_text(&out, e);
}

/* ---- the whole command ---- */

static int predict(const struct predict_options *o, struct predict_work *w, struct err *e)
{
    struct configurations *c = &w->configurations;
    if (split_names(w, o->factors, "factors", w->factors, e) ||
        split_names(w, o->maps_by, "maps-by", w->maps_by, e) || read_table(o, w, o->data, c, e))
        return -1;
    if (o->anova)
        return print_variance(o, w, e);
    if (o->heat_map[0] || o->lines[0])
        return print_heat_map(o, w, e);
    if (o->rank[0])
        return print_ranking(o, w, e);
    if (o->drift[0])
        return print_drift(o, w, e);
    progress_begin(&w->progress, "reading the table");
    w->observer = (struct map_observer){.progress = progress_words, .context = &w->progress};
    if (o->plan)
        return print_run_plan(o, w, e);
    if (o->convergence)
        return print_convergence(o, w, e);
    if (candidates_parse(&w->candidates, c, o->method, (enum map_scale)o->scale, o->degree, o->seed,
                         &c->notes, e))
        return -1;
    return o->validate ? print_validation(o, w, e)
           : o->plot   ? print_scatter(o, w, e)
                       : print_prediction(o, w, e);
}

int predict_options_run(const struct predict_options *o, struct err *e)
{
    struct predict_work w = {0};
    int status = predict(o, &w, e);
    progress_end(&w.progress);
    configurations_free(&w.configurations);
    pool_free(&w.pool);
    return status;
}

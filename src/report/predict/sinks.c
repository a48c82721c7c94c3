/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of formats. */
#include <string.h>

#include "report/html/html.h"
#include "report/predict/internal.h"

/* ---- pages: the marked text, with pictures instead of character plots ---- */

static void draw_heat_map(const void *h, size_t number, struct text *out)
{
    (void)number;
    heat_map_print_svg(h, out);
}

static void draw_scatter(const void *s, size_t number, struct text *out)
{
    (void)number;
    scatter_print_svg(s, out);
}

static void add_page(const char *title, struct text *marked, html_figure *figure,
                     const void *context, struct text *out)
{
    html_begin_plain(out, title, "");
    html_add_report(out, marked, figure, context);
    html_end(out);
}

#define PAGE(what, type, title, figure)                                                            \
    static void what##_page(const struct type *x, const struct report_style *style,                \
                            struct text *out)                                                      \
    {                                                                                              \
        struct text marked = html_marked();                                                        \
        (void)style;                                                                               \
        what##_print_text(x, &html_style, &marked);                                                \
        add_page(title, &marked, figure, x, out);                                                  \
    }
PAGE(prediction, prediction, x->response, NULL)
PAGE(validation, map_validation, x->response, NULL)
PAGE(variance, variance_analysis, x->response, NULL)
PAGE(heat_map, heat_map, x->response, draw_heat_map)
PAGE(scatter, map_scatter, x->response, draw_scatter)
PAGE(ranking, map_ranking, x->response, NULL)
PAGE(drift, map_drift, x->response, NULL)
PAGE(run_plan, run_plan, x->value ? x->value : "The runs still needed", NULL)
PAGE(convergence, map_convergence, x->response, NULL)

const struct prediction_sink prediction_sinks[] = {
    {"text", prediction_print_text, validation_print_text, variance_print_text, heat_map_print_text,
     scatter_print_text, ranking_print_text, drift_print_text, run_plan_print_text,
     convergence_print_text},
    {"csv", prediction_print_csv, validation_print_csv, variance_print_csv, heat_map_print_csv,
     scatter_print_csv, ranking_print_csv, drift_print_csv, run_plan_print_csv,
     convergence_print_csv},
    {"json", prediction_print_json, validation_print_json, variance_print_json, heat_map_print_json,
     scatter_print_json, ranking_print_json, drift_print_json, run_plan_print_json,
     convergence_print_json},
    {"html", prediction_page, validation_page, variance_page, heat_map_page, scatter_page,
     ranking_page, drift_page, run_plan_page, convergence_page},
    {.name = NULL},
};

const struct prediction_sink *prediction_sink_find(const char *name)
{
    for (const struct prediction_sink *sink = prediction_sinks; sink->name; sink++)
        if (!strcmp(sink->name, name))
            return sink;
    return NULL;
}

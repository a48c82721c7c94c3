/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Analysis of variance with the configurations as cells, and means by level. */
#include "stat/map/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stat/anova/anova.h"
#include "stat/basic/distribution.h"

/* Sums over the observations of each configuration. */
struct cells {
    double *count, *mean, *squares; /* [n]; `squares`: sum of squared deviations from the mean */
};

static bool has_observations(const struct configurations *c)
{
    return c->response.kind == RESPONSE_COLUMN || c->response.kind == RESPONSE_MEAN;
}

static int not_positive(double value, struct err *e)
{
    return err_set(e, ERR_USAGE, "--scale log needs responses above 0: one is %g", value);
}

static int fill_cell(struct cells *s, const struct configurations *c, size_t i, bool logarithmic,
                     struct err *e)
{
    const double *values = c->runs + c->run_begin[i];
    size_t n = c->run_begin[i + 1] - c->run_begin[i];
    if (!has_observations(c)) {
        values = &c->value[i];
        n = 1;
    }
    for (size_t k = 0; k < n; k++) {
        if (logarithmic && !(values[k] > 0))
            return not_positive(values[k], e);
        double value = logarithmic ? log(values[k]) : values[k], before = s->mean[i];
        s->count[i]++; /* mean and sum of squares by Welford's recurrence */
        s->mean[i] += (value - before) / s->count[i];
        s->squares[i] += (value - before) * (value - s->mean[i]);
    }
    return 0;
}

/* ---- rows ---- */

static struct variance_row row_of(const struct configurations *c, const struct anova_term *t,
                                  const char *type, const struct anova_squares *s)
{
    struct variance_row row = {.type = type,
                               .df = s->degrees,
                               .ss = s->squares,
                               .ms = s->mean_square,
                               .f = s->f,
                               .p = s->p,
                               .eta2 = s->eta2,
                               .partial_eta2 = s->partial_eta2,
                               .omega2 = s->omega2};
    if (t->first == t->second)
        snprintf(row.term, sizeof row.term, "%.64s", c->factors[t->first].name);
    else
        snprintf(row.term, sizeof row.term, "%.64s:%.64s", c->factors[t->first].name,
                 c->factors[t->second].name);
    return row;
}

static void fill_rows(struct variance_analysis *v, const struct configurations *c,
                      const struct anova *a)
{
    const double none = NAN;
    for (size_t t = 0; t < a->term_count; t++)
        v->rows[v->row_count++] = row_of(c, &a->terms[t], "I", &a->terms[t].type1);
    for (size_t t = 0; t < a->term_count; t++)
        v->rows[v->row_count++] = row_of(c, &a->terms[t], "II", &a->terms[t].type2);
    v->rows[v->row_count++] = (struct variance_row){"",
                                                    "Residuals",
                                                    a->residual_degrees,
                                                    a->residual,
                                                    a->residual_mean_square,
                                                    none,
                                                    none,
                                                    none,
                                                    none,
                                                    none};
    v->rows[v->row_count++] = (struct variance_row){
        "", "Total", a->observations - 1, a->total, none, none, none, none, none, none};
}

/* ---- levels ---- */

static void add_level(struct variance_analysis *v, const struct configurations *c,
                      const struct cells *s, size_t factor, size_t level, double mean_of_all)
{
    double count = 0, mean = 0, squares = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->level[i * c->stride + factor] != level)
            continue;
        double both = count + s->count[i], step = s->mean[i] - mean;
        squares += s->squares[i] + step * step * count * s->count[i] / both;
        mean += step * s->count[i] / both;
        count = both;
    }
    double arm = INFINITY;
    if (count > 1)
        arm = student_t_quantile((1 + v->confidence) / 2, count - 1) *
              sqrt(squares / (count - 1) / count);
    v->levels[v->level_count++] = (struct variance_level){.factor = c->factors[factor].name,
                                                          .level = c->factors[factor].words[level],
                                                          .count = count,
                                                          .mean = mean,
                                                          .effect = mean - mean_of_all,
                                                          .low = mean - arm,
                                                          .high = mean + arm};
}

static void fill_levels(struct variance_analysis *v, const struct configurations *c,
                        const struct cells *s)
{
    double mean = 0;
    for (size_t i = 0; i < c->n; i++)
        mean += s->mean[i] * s->count[i] / v->observations;
    for (size_t f = 0; f < c->factor_count; f++)
        for (size_t k = 0; k < c->factors[f].level_count; k++)
            add_level(v, c, s, f, k, mean);
}

static int analyse(struct variance_analysis *v, const struct configurations *c, struct cells *s,
                   bool interactions, bool logarithmic, struct anova *a, struct err *e)
{
    size_t level_count[FACTORS_MAX], levels = 0;
    double within = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (fill_cell(s, c, i, logarithmic, e))
            return -1;
        within += s->squares[i];
    }
    for (size_t f = 0; f < c->factor_count; f++) {
        level_count[f] = c->factors[f].level_count;
        levels += level_count[f];
    }
    struct anova_data data = {.cells = c->n,
                              .factors = c->factor_count,
                              .level = c->level,
                              .stride = c->stride,
                              .level_count = level_count,
                              .mean = s->mean,
                              .count = s->count,
                              .within = within};
    if (anova_make(a, &data, interactions, e))
        return -1;
    v->observations = a->observations;
    v->rows = calloc(2 * a->term_count + 2, sizeof *v->rows);
    v->levels = calloc(levels + 1, sizeof *v->levels);
    if (!v->rows || !v->levels)
        return err_no_memory(e, "%zu levels", levels);
    fill_rows(v, c, a);
    fill_levels(v, c, s);
    return 0;
}

int variance_make(struct variance_analysis *v, const struct configurations *c, bool interactions,
                  bool logarithmic, double confidence, struct err *e)
{
    struct cells s = {.count = calloc(c->n, sizeof(double)),
                      .mean = calloc(c->n, sizeof(double)),
                      .squares = calloc(c->n, sizeof(double))};
    struct anova *a = calloc(1, sizeof *a);
    *v = (struct variance_analysis){.response = c->response.name,
                                    .scale = logarithmic ? "log" : "raw",
                                    .confidence = confidence,
                                    .configurations = c->n,
                                    .notes = c->notes.data ? c->notes.data : ""};
    int status = s.count && s.mean && s.squares && a
                     ? analyse(v, c, &s, interactions, logarithmic, a, e)
                     : err_no_memory(e, "%zu configurations", c->n);
    free(s.count);
    free(s.mean);
    free(s.squares);
    free(a);
    if (status)
        variance_free(v);
    return status;
}

void variance_free(struct variance_analysis *v)
{
    free(v->rows);
    free(v->levels);
    *v = (struct variance_analysis){0};
}

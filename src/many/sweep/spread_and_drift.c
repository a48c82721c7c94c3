/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the result of a sweep: the spread of each configuration, and the drift of the controls. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "many/sweep/internal.h"
#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"

/* ---- spread ---- */

/* Maximum number of cells (a response of a configuration, over its runs) whose values are tested
   for more than one mode. A test takes some milliseconds. */
#define MODES_TESTED_MAX 5000

/* Computes the statistics of the n values of a cell, and sorts the values. `room` has space for 2 n
   values. */
static struct sweep_cell cell_of(const struct sweep_plan *plan, double x[], size_t n,
                                 bool test_modes, double room[])
{
    struct deviation d = deviation_of(x, n, SWEEP_CONFIDENCE);
    return (struct sweep_cell){.n = n,
                               .mean = mean_of(x, n),
                               .sd = d.sd,
                               .sd_low = d.low,
                               .sd_high = d.high,
                               .narrow = sweep_deviation_is_narrow(plan, &d, n),
                               .normality_p = normality_of(x, n, room).p,
                               .one_mode_p = test_modes ? one_mode_p(x, n, room) : (double)NAN};
}

/* Groups the values by configuration (a counting sort), and describes each group. */
static int fill_cells(const struct sweep *s, struct sweep_result *r, struct err *e)
{
    size_t *first = calloc(r->number_count + 1, sizeof *first);
    size_t *used = calloc(r->number_count + 1, sizeof *used);
    double *x = calloc(s->all.count + 1, sizeof *x);
    double *room = calloc(2 * s->all.count + 1, sizeof *room);
    bool test_modes = r->number_count * r->response_count <= MODES_TESTED_MAX;
    r->cells = calloc(r->number_count * r->response_count + 1, sizeof *r->cells);
    bool enough = first && used && x && room && r->cells;
    for (size_t i = 0; i < s->all.count && enough; i++)
        first[s->all.runs[i].configuration + 1]++;
    for (size_t i = 0; i < r->number_count && enough; i++)
        first[i + 1] += first[i];
    for (size_t k = 0; k < r->response_count && enough; k++) {
        for (size_t i = 0; i < r->number_count; i++)
            used[i] = 0;
        for (size_t i = 0; i < s->all.count; i++) {
            const struct sweep_run *run = &s->all.runs[i];
            if (!run->control && isfinite(run->values[k]))
                x[first[run->configuration] + used[run->configuration]++] = run->values[k];
        }
        for (size_t i = 0; i < r->number_count; i++)
            r->cells[i * r->response_count + k] =
                cell_of(s->plan, x + first[i], used[i], test_modes, room);
    }
    free(first);
    free(used);
    free(x);
    free(room);
    return enough ? 0 : err_no_memory(e, "the result of the sweep");
}

/* ---- drift ---- */

/* Fits a line to a control's values over time by least squares. */
static void fit_drift(struct sweep_drift *d, const struct sweep_runs *all)
{
    double t_sum = 0, y_sum = 0, tt = 0, ty = 0, yy = 0, first = NAN, last = NAN;
    double n = (double)d->n;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < all->count; i++) {
            const struct sweep_run *run = &all->runs[i];
            double y = run->values[d->response], t = (double)run->time_ns / 3.6e12;
            if (!run->control || run->configuration != d->configuration || run->host != d->host ||
                !isfinite(y))
                continue;
            if (!pass) {
                first = fmin(first, t);
                last = fmax(last, t);
                t_sum += t;
                y_sum += y;
                continue;
            }
            double dt = t - t_sum / n, dy = y - y_sum / n;
            tt += dt * dt;
            ty += dt * dy;
            yy += dy * dy;
        }
    d->hours = last - first;
    d->mean = y_sum / n;
    d->change = d->low = d->high = NAN;
    if (d->n < 3 || !(tt > 0) || d->mean == 0)
        return;
    double slope = ty / tt, rest = fmax(0, yy - slope * ty);
    double error = sqrt(rest / (n - 2) / tt);
    double arm = student_t_quantile(0.5 + SWEEP_CONFIDENCE / 2, n - 2) * error;
    double unit = d->hours / fabs(d->mean);
    d->change = slope * unit;
    d->low = (slope - arm) * unit;
    d->high = (slope + arm) * unit;
}

static int fill_drifts(const struct sweep *s, struct sweep_result *r, struct err *e)
{
    size_t hosts = s->all.host_count;
    r->drifts = calloc(s->list.control_count * hosts * r->response_count + 1, sizeof *r->drifts);
    if (!r->drifts)
        return err_no_memory(e, "the result of the sweep");
    for (size_t h = 0; h < hosts; h++)
        for (size_t c = 0; c < s->list.control_count; c++)
            for (size_t k = 0; k < r->response_count; k++) {
                struct sweep_drift d = {.configuration = s->list.controls[c],
                                        .response = k,
                                        .host = s->all.host_names[h]};
                for (size_t i = 0; i < s->all.count; i++)
                    d.n += s->all.runs[i].control &&
                           s->all.runs[i].configuration == d.configuration &&
                           s->all.runs[i].host == d.host && isfinite(s->all.runs[i].values[k]);
                fit_drift(&d, &s->all);
                if (d.n)
                    r->drifts[r->drift_count++] = d;
            }
    return 0;
}

/* ---- the whole result ---- */

static int fill_levels(const struct sweep *s, struct sweep_result *r, struct err *e)
{
    size_t cells = r->number_count * r->factor_count;
    r->level_text = calloc(cells + 1, sizeof *r->level_text);
    r->level_number = calloc(cells + 1, sizeof *r->level_number);
    struct sweep_column *columns = calloc(r->factor_count + r->response_count + 1, sizeof *columns);
    r->factors = columns;
    if (!r->level_text || !r->level_number || !columns)
        return err_no_memory(e, "the result of the sweep");
    r->responses = columns + r->factor_count;
    for (size_t i = 0; i < cells; i++) {
        const struct sweep_configuration *c = &s->list.configurations[i / r->factor_count];
        const struct sweep_level *level = sweep_level_of(s->plan, c, i % r->factor_count);
        r->level_text[i] = level->text;
        r->level_number[i] =
            s->plan->factors[i % r->factor_count].is_text ? (double)NAN : level->number;
    }
    for (size_t i = 0; i < r->factor_count; i++)
        columns[i] = (struct sweep_column){.name = s->plan->factors[i].name,
                                           .is_text = s->plan->factors[i].is_text};
    for (size_t i = 0; i < r->response_count; i++) {
        const struct sweep_response *response = &s->plan->responses[i];
        columns[r->factor_count + i] = (struct sweep_column){
            .name = response->name,
            .has_unit = !s->plan->exec || response->index < 0,
            .kind = s->plan->exec ? METRIC_KIND_SECONDS : metric_of(response->metric)->kind};
    }
    return 0;
}

int sweep_make_result(const struct sweep *s, struct sweep_result *r, struct err *e)
{
    *r = (struct sweep_result){.ending = s->ending,
                               .confidence = SWEEP_CONFIDENCE,
                               .configuration_count = s->list.count,
                               .number_count = s->list.number_count,
                               .factor_count = s->plan->factor_count,
                               .response_count = s->plan->response_count,
                               .runs = s->all.runs,
                               .run_count = s->all.count,
                               .planned_runs = sweep_schedule_total(&s->schedule),
                               .open_repeats = s->open_repeats,
                               .sd_width = s->plan->sd_width,
                               .failed_runs = s->all.failed - s->failed_before,
                               .ended_undecided = s->failure_code == ERR_UNDECIDED,
                               .undecided_runs = s->undecided,
                               .left_out_runs = s->left_out,
                               .shard = s->shard,
                               .shards = s->shards};
    snprintf(r->failure, sizeof r->failure, "%.230s",
             s->ending == SWEEP_FAILED ? s->failure : s->all.failure);
    snprintf(r->left_out_by, sizeof r->left_out_by, "%s", s->left_out_by);
    for (size_t i = 0; i < s->all.count; i++)
        r->seconds += s->all.runs[i].seconds;
    if (!fill_levels(s, r, e) && !fill_cells(s, r, e) && !fill_drifts(s, r, e))
        return 0;
    sweep_result_free(r);
    return -1;
}

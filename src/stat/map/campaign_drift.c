/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares campaigns with the first one, configuration by configuration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/basic/distribution.h"
#include "stat/map/analysis.h"

/* Returns the first configuration, in sorted order, with the same factors as `i`, in any campaign.
   All these configurations are adjacent, because the campaign is the last factor that
   configurations are sorted by. */
static size_t first_of(const struct configurations *c, size_t i)
{
    const uint32_t *mine = c->level + i * c->stride;
    while (i > 0 && !memcmp(c->level + (i - 1) * c->stride, mine, c->factor_count * sizeof *mine))
        i--;
    return i;
}

/* Computes the geometric mean, and its interval, of the ratios of a campaign's responses to those
   of the first campaign, over common configurations. */
static struct campaign compare_campaign(const struct configurations *c, size_t level,
                                        double confidence)
{
    struct campaign k = {
        .name = c->factors[c->factor_count].words[level], .ratio = NAN, .low = NAN, .high = NAN};
    double mean = 0, squares = 0, n = 0;
    for (size_t i = 0; i < c->n; i++) {
        size_t first = first_of(c, i);
        if (c->level[i * c->stride + c->factor_count] != level ||
            c->level[first * c->stride + c->factor_count] != 0)
            continue;
        double ratio = log(c->value[i] / c->value[first]), step = ratio - mean;
        n++;
        mean += step / n;
        squares += step * (ratio - mean);
    }
    k.common = (size_t)n;
    if (n < 1)
        return k;
    double arm = NAN;
    if (n > 1)
        arm = student_t_quantile((1 + confidence) / 2, n - 1) * sqrt(squares / (n - 1) / n);
    k.ratio = exp(mean);
    k.low = exp(mean - arm);
    k.high = exp(mean + arm);
    return k;
}

int drift_make(struct map_drift *d, const struct configurations *c, double confidence,
               struct err *e)
{
    const struct factor *campaign = &c->factors[c->factor_count];
    *d = (struct map_drift){.response = c->response.name,
                            .column = campaign->name,
                            .first = campaign->words[0],
                            .confidence = confidence,
                            .notes = c->notes.data ? c->notes.data : ""};
    if (campaign->level_count < 2)
        return err_set(e, ERR_USAGE, "--drift %.60s: there is one campaign, %.60s", campaign->name,
                       campaign->words[0]);
    for (size_t i = 0; i < c->n; i++)
        if (!(c->value[i] > 0))
            return err_set(e, ERR_USAGE, "--drift compares by ratios: a response is %g",
                           c->value[i]);
    d->campaigns = calloc(campaign->level_count, sizeof *d->campaigns);
    if (!d->campaigns)
        return err_no_memory(e, "%zu campaigns", campaign->level_count);
    /* Bonferroni: with this confidence for each interval, all of them hold at once with
       `confidence` */
    double each = 1 - (1 - confidence) / (double)(campaign->level_count - 1);
    for (size_t k = 1; k < campaign->level_count; k++)
        d->campaigns[d->count++] = compare_campaign(c, k, each);
    return 0;
}

void drift_free(struct map_drift *d)
{
    free(d->campaigns);
    *d = (struct map_drift){0};
}

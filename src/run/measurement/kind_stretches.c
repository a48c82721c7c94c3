/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latencies of kinds of requests, parallel to the measurement's stretches. */
#include <stdlib.h>

#include "run/measurement/measurement.h"

static struct kind_latency *kinds_of(const struct kind_stretches *k, size_t index)
{
    return k->count ? &k->at[index * k->count] : NULL; /* no kinds are kept */
}

static void clear(struct kind_stretches *k, struct kind_latency kinds[])
{
    for (unsigned i = 0; i < k->count; i++)
        kind_latency_clear(&kinds[i]);
}

int kind_stretches_init(struct kind_stretches *k, unsigned kinds)
{
    *k = (struct kind_stretches){.count = kinds};
    if (!kinds)
        return 0;
    k->at = calloc((MEASUREMENT_STRETCHES + 1) * (size_t)kinds, sizeof *k->at);
    k->reading = calloc(kinds, sizeof *k->reading);
    if (!k->at || !k->reading) {
        kind_stretches_free(k);
        return -1;
    }
    clear(k, kinds_of(k, MEASUREMENT_STRETCHES));
    clear(k, k->reading);
    return 0;
}

void kind_stretches_free(struct kind_stretches *k)
{
    free(k->at);
    free(k->reading);
    *k = (struct kind_stretches){0};
}

void kind_stretches_add(struct kind_stretches *k, const struct batch *batch)
{
    for (unsigned i = 0; i < k->count && i < batch->kind_count; i++)
        kind_latency_add(&kinds_of(k, MEASUREMENT_STRETCHES)[i], &batch->kinds[i]);
}

void kind_stretches_close(struct kind_stretches *k, size_t index)
{
    struct kind_latency *open = kinds_of(k, MEASUREMENT_STRETCHES);
    for (unsigned i = 0; i < k->count; i++)
        kinds_of(k, index)[i] = open[i];
    clear(k, open);
}

void kind_stretches_fold(struct kind_stretches *k, size_t n)
{
    for (size_t pair = 0; pair < n / 2; pair++)
        for (unsigned i = 0; i < k->count; i++) {
            struct kind_latency *to = &kinds_of(k, pair)[i], *first = &kinds_of(k, 2 * pair)[i];
            kind_latency_add(first, &kinds_of(k, 2 * pair + 1)[i]);
            if (pair)
                *to = *first;
        }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes by weight. */
#include "generator/internal.h"

void sizes_init(struct sizes *sizes, const struct size_spec spec[], unsigned count)
{
    double total = 0, below = 0;
    *sizes = (struct sizes){0};
    for (unsigned i = 0; i < count; i++)
        total += spec[i].weight;
    for (unsigned i = 0; i < count; i++) {
        if (spec[i].weight <= 0)
            continue;
        below += spec[i].weight / total;
        sizes->bytes[sizes->count] = spec[i].bytes;
        sizes->threshold[sizes->count++] = below < 1 ? (uint64_t)(below * 0x1p64) : UINT64_MAX;
    }
}

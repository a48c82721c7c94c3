/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of results from which nothing follows about a repetition. */
#include <math.h>

#include "run/result/internal.h"

void prediction_drop_unfounded(struct result *r)
{
    static const enum verdict undecided[] = {VERDICT_FAILED, VERDICT_DAMAGED, VERDICT_UNCONFIRMED,
                                             VERDICT_BOTTLENECK};
    bool decides_nothing = false;
    for (size_t i = 0; i < sizeof undecided / sizeof *undecided; i++)
        decides_nothing = decides_nothing || r->verdict == undecided[i];
    for (size_t i = 0; i < r->row_count; i++)
        if (decides_nothing ||
            ((r->saturated || r->backlog) && metric_is_response(r->rows[i].metric)))
            result_set_prediction(&r->rows[i], NAN, NAN);
}

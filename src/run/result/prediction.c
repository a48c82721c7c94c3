/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of results from which nothing follows about a repetition. */
#include <math.h>

#include "run/result/internal.h"

void prediction_drop_unfounded(struct result *r)
{
    for (size_t i = 0; i < r->row_count; i++)
        if (verdict_predicts_nothing(r->verdict) ||
            ((r->saturated || r->backlog) && metric_is_response(r->rows[i].metric)))
            result_set_prediction(&r->rows[i], NAN, NAN);
}

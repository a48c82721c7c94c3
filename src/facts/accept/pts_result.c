/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "facts/accept/pts_result.h"

const double pts_percentiles[PTS_PERCENTILES] = {.5, .9, .95, .99, .999, .9999, .99999, .999999, 1};

const char *pts_end_name(enum pts_end end)
{
    static const char *const names[] = {
        [PTS_UNFINISHED] = "unfinished", [PTS_STEADY] = "steady",   [PTS_NOT_STEADY] = "not_steady",
        [PTS_TIME_OVER] = "time_over",   [PTS_WRITTEN] = "written",
    };
    return names[end];
}

double pts_sample_value(const struct pts_result *r, const struct pts_sample *s)
{
    return r->kind == METRIC_KIND_TIME        ? s->mean_ns
           : r->kind == METRIC_KIND_BYTE_RATE ? s->bandwidth
                                              : s->iops;
}

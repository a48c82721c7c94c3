/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The screen of a running session: what is still missing, throughput and percentiles over time,
 * load, path, phases and clauses. A pure function: it writes at most `rows` lines, none wider than
 * `columns`, for any values of these. When there is little room, plots are left out first.
 *
 * With 8 KiB of room in `out` for a terminal of 80 x 24, or LIVE_SCREEN_BYTES for any terminal,
 * nothing is allocated.
 */
#ifndef CUPEL_REPORT_LIVE_LIVE_SCREEN_H
#define CUPEL_REPORT_LIVE_LIVE_SCREEN_H

#include "base/text.h"
#include "facts/live.h"
#include "report/report.h"

#define LIVE_SCREEN_BYTES 65536

/* Draws the screen. `status`: the progress line. `l` is NULL while there is only that line. */
void live_screen(const struct live *l, const char *status, const struct report_style *style,
                 size_t columns, size_t rows, struct text *out);

#endif

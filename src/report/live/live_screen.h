/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The screen of a running session: what is still missing, throughput and percentiles over time,
 * load, path, phases and clauses. The function is pure. It writes at most `rows` lines of at most
 * `columns` columns, for any values of these; if there is little room, it leaves out plots first.
 *
 * It allocates nothing if `out` has room for 8 KiB (a terminal of 80 x 24), or for
 * LIVE_SCREEN_BYTES (any terminal).
 */
#ifndef CUPEL_REPORT_LIVE_LIVE_SCREEN_H
#define CUPEL_REPORT_LIVE_LIVE_SCREEN_H

#include "base/text.h"
#include "facts/live_values.h"
#include "report/report.h"

#define LIVE_SCREEN_BYTES 65536

/* Draws the screen. `status` is the progress line. With `l` NULL, it draws only that line. */
void live_screen(const struct live *l, const char *status, const struct report_style *style,
                 size_t columns, size_t rows, struct text *out);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The screen of a session that goes on: what is still missing, throughput and percentiles over
 * time, load, path, phases and clauses. A pure function of its arguments: what it is given goes in,
 * lines come out, at most `rows` of them and none wider than `columns`, whatever these are. Where
 * there is little room the plots go first.
 *
 * 8 KiB of room in `out` are enough for a terminal of 80 x 24, and LIVE_SCREEN_BYTES for any:
 * nothing is allocated then.
 */
#ifndef CUPEL_REPORT_LIVE_LIVE_SCREEN_H
#define CUPEL_REPORT_LIVE_LIVE_SCREEN_H

#include "base/text.h"
#include "facts/live.h"
#include "report/report.h"

#define LIVE_SCREEN_BYTES 65536

/* `status`: the progress line. `l` is NULL before there is anything but that. */
void live_screen(const struct live *l, const char *status, const struct report_style *style,
                 size_t columns, size_t rows, struct text *out);

#endif

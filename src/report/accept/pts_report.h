/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report of a PTS test: its verdict, its cells, the values by which the steady state was judged
 * together with cupel's own interval, and everything that the PTS requires a report to state about
 * the measurement.
 */
#ifndef CUPEL_REPORT_ACCEPT_PTS_REPORT_H
#define CUPEL_REPORT_ACCEPT_PTS_REPORT_H

#include "base/json.h"
#include "facts/accept/pts_result.h"
#include "report/document/document.h"

void pts_print_text(const struct pts_result *r, struct document *out);

/* Adds figures to a page: values over rounds, or over the written bytes. */
void pts_add_charts(const struct pts_result *r, const char *disk, struct text *out);

/* Adds one line for each sample. The header line is PTS_CSV_HEADER. */
#define PTS_CSV_HEADER                                                                             \
    "disk,test,threads,queue_depth,round,read_percent,block,tracked,iops,bandwidth,response_time," \
    "lat_max,seconds,written,celsius,throttled\n"
void pts_print_csv(const struct pts_result *r, const char *disk, struct text *out);

/* Adds the members of a test to an object that the caller has opened. */
void pts_print_json(const struct pts_result *r, struct json *j);

#endif

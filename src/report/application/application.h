/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of a recording: what a program asked for, what reached the devices, and which files it
 * used. As in report.h: text is appended to what the caller owns, memory that runs out shows in
 * text.failed, there is no state.
 *
 * CSV has the columns of `run`. The rows of its metrics are of the program's calls, or of the
 * device that was recorded; n is the number of I/Os. Then come
 *   calls, bytes                  of each file that was used: op says which, note has its name
 *   device_requests, device_bytes, device_iops, device_bandwidth, device_response_time,
 *   device_lat_p99, device_busy, device_depth, device_depth_max, device_merges, device_own_requests
 *                                 of each device, whose name is in note
 *   processes, events, events_lost
 */
#ifndef CUPEL_REPORT_APPLICATION_APPLICATION_H
#define CUPEL_REPORT_APPLICATION_APPLICATION_H

#include "facts/application.h"
#include "report/report.h"

struct application_sink {
    const char *name; /* as --format takes it: text, csv, json */
    void (*print)(const struct application *a, const struct report_style *style, struct text *out);
};

extern const struct application_sink application_sinks[]; /* ends with a name of NULL */
const struct application_sink *application_sink_find(const char *name);

/* The formats: application_text.c, application_records.c. */
void application_print_text(const struct application *a, const struct report_style *style,
                            struct text *out);
void application_print_csv(const struct application *a, const struct report_style *style,
                           struct text *out);
void application_print_json(const struct application *a, const struct report_style *style,
                            struct text *out);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of a recording: what a program requested, what reached the devices, and which files it
 * used. As in report.h, functions append to the caller's text, set text.failed when memory runs
 * out, and keep no state.
 *
 * CSV has the columns of `run`. First come the metrics of the program's calls, or of the recorded
 * device; n is the number of I/Os. Then follow
 *   calls, bytes                  of each file that was used: op is the operation, note its name
 *   device_requests, device_bytes, device_iops, device_bandwidth, device_response_time,
 *   device_lat_p99, device_busy, device_depth, device_depth_max, device_merges, device_own_requests
 *                                 of each device, whose name is in note
 *   processes, events, events_lost
 */
#ifndef CUPEL_REPORT_RECORDING_RECORDING_H
#define CUPEL_REPORT_RECORDING_RECORDING_H

#include "facts/recording.h"
#include "report/document/document.h"

extern const struct report_kind recording_report;

/* Builds the document. In recording_document.c. */
void recording_document(const void *what, struct document *out);

#endif

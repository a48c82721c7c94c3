/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page of a fleet: verdict, what is slow with by how much and why, what could not be read. As
 * in report.h: text is appended to what the caller owns, memory that runs out shows in text.failed.
 *
 * CSV has one header line; `row` says what a line is: `slow` (a drive, or a machine whose drives
 * are slow together: disk is empty), `disk` (each drive, as it was read), `note` (a report, in
 * `cause`).
 */
#ifndef CUPEL_REPORT_QUALIFY_FLEET_H
#define CUPEL_REPORT_QUALIFY_FLEET_H

#include "facts/fleet.h"
#include "report/report.h"

/* In that format: text (one screen unless style->full), csv, json, html. */
void fleet_print(const struct fleet *f, const char *format, const struct report_style *style,
                 struct text *out);

/* "SRV7 bay 3 S6EX1 (nvme3n1): randread IOPS 20.3 % lower (19.1 to 21.4 %) than 159 peers: link
   ...", in one line without an end. */
void fleet_add_slow_words(const struct fleet *f, const struct fleet_slow *slow, struct text *out);

#endif

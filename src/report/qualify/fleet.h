/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report of a fleet: the verdict; what is slow, by how much and why; and what could not be
 * read. As in report.h, functions append to the caller's text, and set text.failed when memory runs
 * out.
 *
 * CSV has one header line; `row` is the kind of a line: `slow` (a drive, or a machine whose drives
 * are all slow: disk is empty), `disk` (each drive, as it was read), `unread` (a report that could
 * not be read) and `note` (a remark on a report). For `unread` and `note`, the column `cause` has
 * the text.
 */
#ifndef CUPEL_REPORT_QUALIFY_FLEET_H
#define CUPEL_REPORT_QUALIFY_FLEET_H

#include "facts/fleet.h"
#include "report/document/document.h"

/* The text fits on one screen unless style->full. */
extern const struct report_kind fleet_report;

#endif

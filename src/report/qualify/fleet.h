/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report of a fleet: the verdict; what is slow, by how much and why; what could not be read. As
 * in report.h, text is appended to a text of the caller, and running out of memory shows in
 * text.failed.
 *
 * CSV has one header line; `row` says what a line is: `slow` (a drive, or a machine whose drives
 * are slow together: disk is empty), `disk` (each drive, as it was read), `note` (a report, in
 * `cause`).
 */
#ifndef CUPEL_REPORT_QUALIFY_FLEET_H
#define CUPEL_REPORT_QUALIFY_FLEET_H

#include "facts/fleet.h"
#include "report/document/document.h"

/* Its text is one screen unless style->full. */
extern const struct report_kind fleet_report;

#endif

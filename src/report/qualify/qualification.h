/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of a qualification: one page for each machine, with the verdict first, then a line for
 * each device, then the deviations, then details. As in report.h, functions append to the caller's
 * text, set text.failed when memory runs out, and keep no state.
 *
 * CSV has one header line and these columns:
 *   row       kind of the line. machine, part, device: a verdict; check; measurement; shared part:
 *             a part that disks share (--together)
 *   device, model, serial
 *             of the device; machine: "", its product, its serial number; shared part: its name,
 *             its description, ""
 *   name      "verdict"; what was checked; or what was measured: "read bandwidth"
 *   grade     none, pass, warn, undecided, fail; measurements: ""
 *   unit, value, ci_low, ci_high, confidence, n
 *             of measurements; empty if not known
 *   found, expected, note
 *             of checks, in words. Verdict of a machine: its date, the file of expectations, and
 *             "not decided" or "interrupted". Verdict of a device: its firmware. Measurement: how
 *             its session ended
 */
#ifndef CUPEL_REPORT_QUALIFY_QUALIFICATION_H
#define CUPEL_REPORT_QUALIFY_QUALIFICATION_H

#include "facts/qualification.h"
#include "report/document/document.h"

extern const struct report_kind qualification_report;

/* Prints only the first page, in at most `max_lines` lines of a style that may be narrow. The worst
   deviations come first; those that do not fit are counted. `rest` says where to find them, after
   "and 9 more: ". */
void qualification_print_screen(const struct qualification *q, const struct report_style *style,
                                size_t max_lines, const char *rest, struct text *out);

/* ---- the parts of a machine that its first page judges (qualification_parts.c) ---- */

enum qualification_part {
    PART_LINKS,
    PART_DISKS,
    PART_MEMORY,
    PART_PROCESSORS,
    PART_NETWORK,
    PART_SENSORS,
    QUALIFICATION_PARTS
};

struct qualification_part_verdict {
    enum grade grade; /* worst grade of its checks; GRADE_NONE: nothing of it was examined */
    char words[240];  /* what to exchange and why, "nvme3n1 (slot 23): link", or what was found */
};

const char *qualification_part_name(enum qualification_part part); /* "links" */

/* Judges a part by its checks. If all passed, the words describe what was found. */
struct qualification_part_verdict qualification_part_judge(const struct qualification *q,
                                                           enum qualification_part part);

/* Returns the word for a verdict: "PASS", "FAIL", "NOT DECIDED", "WARN". */
const char *qualification_verdict_word(enum grade grade);

#endif

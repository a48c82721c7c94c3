/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of a qualification: one page per machine, verdict first, then a line per device, then the
 * deviations, then details. As in report.h, text is appended to a text of the caller, running out
 * of memory shows in text.failed, and there is no state.
 *
 * CSV has one header line and these columns; `row` is the kind of a line:
 *   row          machine, part and device: a verdict; check; measurement; shared part (of
 * --together: its name and words stand in device and model) device, model, serial   of the device;
 * for the machine: "", its product, its serial number name         "verdict", what was checked, or
 * "read bandwidth", "temperature most" grade        none, pass, warn, undecided, fail; "" of
 * measurements unit, value, ci_low, ci_high, confidence, n   of measurements; empty where there is
 * none found, expected, note   of checks, in words; a machine's verdict has its date and the file
 * of expectations here, and "not decided" or "interrupted"; a device's its firmware, a measurement
 * how its session ended
 */
#ifndef CUPEL_REPORT_QUALIFY_QUALIFICATION_H
#define CUPEL_REPORT_QUALIFY_QUALIFICATION_H

#include "facts/qualification.h"
#include "report/document/document.h"

extern const struct report_kind qualification_report;

/* Prints the first page alone, in at most `max_lines` lines of a style that may be narrow; the
   worst comes first, and what has no room is counted. `rest` follows "and 9 more: " and says where
   the others are. */
void qualification_print_screen(const struct qualification *q, const struct report_style *style,
                                size_t max_lines, const char *rest, struct text *out);

/* ---- the parts of a machine, by which its first screen judges it (qualification_parts.c) ---- */

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
    enum grade grade; /* the worst of its checks; GRADE_NONE: nothing of it was examined */
    char words[240];  /* what to exchange and why, "nvme3n1 (slot 23): link"; or what was found */
};

const char *qualification_part_name(enum qualification_part part); /* "links" */

/* Judges a part by its checks, and says what was found where they all pass. */
struct qualification_part_verdict qualification_part_judge(const struct qualification *q,
                                                           enum qualification_part part);

/* "PASS", "FAIL", "NOT DECIDED", "WARN". */
const char *qualification_verdict_word(enum grade grade);

#endif

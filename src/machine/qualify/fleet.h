/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the odd ones out in a fleet of machines, or among the drives of one machine, without an
 * expectation. Drives of one model that were measured alike are compared (stat/outlier/odd_ones.h).
 * Each drive that is slower than its peers is named, with everything else in which it differs from
 * them.
 */
#ifndef CUPEL_MACHINE_QUALIFY_FLEET_H
#define CUPEL_MACHINE_QUALIFY_FLEET_H

#include "base/err.h"
#include "facts/fleet.h"
#include "facts/qualification.h"

/*
 * Reads every report of a qualification (qualification.json) in `folder` and below it. Links are
 * followed, and each folder is read once. If a machine or a drive has several reports, the newest
 * counts and a note says so; a report that cannot be read gets a note, too. ERR_USAGE: no such
 * folder, or no report in it; ERR_MACHINE: no memory. The caller frees `fleet` in any case.
 */
int fleet_read(struct fleet *fleet, const char *folder, struct err *e);

/* Adds one machine from the text of its qualification.json; notes call it `folder`. Returns false,
   and adds a note, if the text is no such report. */
bool fleet_read_report(struct fleet *fleet, const char *text, size_t length, const char *folder);

/* Adds a qualification that was just made as one more machine. */
void fleet_add_qualification(struct fleet *fleet, const struct qualification *q);

/* Finds the slow drives and machines and their causes. ERR_MACHINE: no memory. */
int fleet_judge(struct fleet *fleet, struct err *e);

/* Returns 1 if something is slow, 5 if fleet_is_undecided, else 0. */
enum err_code fleet_status(const struct fleet *fleet);

#endif

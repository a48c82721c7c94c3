/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The odd ones out of a fleet of machines, or among the drives of one, without any expectation:
 * drives of one model that were measured alike are compared (stat/outlier/odd_ones.h), those that
 * are slower than their peers are named, and of each what else differs from these.
 */
#ifndef CUPEL_MACHINE_QUALIFY_FLEET_H
#define CUPEL_MACHINE_QUALIFY_FLEET_H

#include "base/err.h"
#include "facts/fleet.h"
#include "facts/qualification.h"

/*
 * Every report of a qualification (qualification.json) in `folder` and below it, links included,
 * each folder once. Of several reports of one machine, and of one drive, the newest counts, and a
 * note says so; a report that cannot be read is a note, too. ERR_USAGE: no such folder, or no
 * report in it; ERR_MACHINE: no memory. The caller frees `fleet` in any case.
 */
int fleet_read(struct fleet *fleet, const char *folder, struct err *e);

/* The text of one qualification.json as one more machine; `folder` is what notes call it. False,
   with a note, when it is none. */
bool fleet_read_report(struct fleet *fleet, const char *text, size_t length, const char *folder);

/* A qualification that was just made as one more machine. */
void fleet_add_qualification(struct fleet *fleet, const struct qualification *q);

/* Names the slow ones and their causes. ERR_MACHINE: no memory. */
int fleet_judge(struct fleet *fleet, struct err *e);

/* 1: something is slow; 5: fleet_is_undecided; 0. */
enum err_code fleet_status(const struct fleet *fleet);

#endif

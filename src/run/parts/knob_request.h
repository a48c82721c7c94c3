/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The settings of the machine that a plan asks for, without the disks that some of them apply to.
 */
#ifndef CUPEL_RUN_PARTS_KNOB_REQUEST_H
#define CUPEL_RUN_PARTS_KNOB_REQUEST_H

#include "hw/knob/knob.h"
#include "run/plan/plan.h"

/* The result points into the plan. */
struct knob_request knob_request_of(const struct plan *plan);

/* Returns the first option that applies to disks, "--scheduler", or NULL. */
const char *knob_request_of_disks(const struct knob_request *request);

#endif

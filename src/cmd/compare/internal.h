/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/cmd/compare: alternatives that are columns of numbers. */
#ifndef CUPEL_CMD_COMPARE_INTERNAL_H
#define CUPEL_CMD_COMPARE_INTERNAL_H

#include <stddef.h>

#include "cmd/column/column.h"
#include "cmd/compare/compare_plans.h"

/*
 * Adds the readings of a file. `name`: what was measured, in a file that has several; NULL: there
 * is one. *unit is that of the alternatives before, NULL: none, and of this one afterwards:
 * readings are put into it. ERR_USAGE.
 */
int compare_add_column(struct compare_alternative *a, const char *path, const char *name,
                       const struct compare_options *o, const struct column_unit **unit,
                       struct err *e);

#endif

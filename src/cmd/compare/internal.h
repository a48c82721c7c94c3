/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/cmd/compare share: alternatives that are columns of numbers.
 */
#ifndef CUPEL_CMD_COMPARE_INTERNAL_H
#define CUPEL_CMD_COMPARE_INTERNAL_H

#include <stddef.h>

#include "cmd/column/column.h"
#include "cmd/compare/compare_plans.h"

/*
 * Adds the readings of a file. `name` selects what was measured if the file has several; NULL: it
 * has one. *unit is the unit of the alternatives before (NULL: there are none), to which the
 * readings are converted; if NULL, it is set to the unit of this one. Fails with ERR_USAGE.
 */
int compare_add_column(struct compare_alternative *a, const char *path, const char *name,
                       const struct compare_options *o, const struct column_unit **unit,
                       struct err *e);

#endif

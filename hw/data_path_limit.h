/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a data path lets through: the limits of its parts, and of all of it in each direction.
 *
 * Data flow from the target to the machine. A part passes them on to its legs by a rule: a stripe
 * gives every member the same share, a mirror that is written gives every member all of it, a
 * mirror that is read, a bond or several ways to a disk let each take as much as it can. The
 * path's limit is the largest rate at the target for which no part has to carry more than its own
 * limit. So parts in series limit by the smallest, legs of a stripe add up, and a bridge that legs
 * share limits their sum.
 */
#ifndef CUPEL_HW_DATA_PATH_LIMIT_H
#define CUPEL_HW_DATA_PATH_LIMIT_H

#include "hw/data_path.h"

/*
 * Fills limit_read and limit_write of the parts and of the path, the limiting parts, and clears
 * `complete` where a part between target and machine has no known limit. The edges must have no
 * cycle, and those of one part must stand side by side.
 */
void data_path_limits(struct data_path *path, const struct inventory *v);

#endif

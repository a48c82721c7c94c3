/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a part of the data path divides its data among the legs below it. */
#ifndef CUPEL_HW_DATA_PATH_SPREAD_H
#define CUPEL_HW_DATA_PATH_SPREAD_H

#include <stdbool.h>

#include "base/inventory.h"

enum spread_kind {
    SPREAD_FREE,  /* whichever legs have room */
    SPREAD_FIXED, /* copies / (legs - parity) on each; one whole copy on each when copies is 0 */
    SPREAD_FIRST, /* the first leg alone: the active member of a bond */
};

struct spread {
    enum spread_kind kind;
    unsigned copies, parity;
};

/* By the level of an array, the mode of a bond; SPREAD_FREE for all else. */
struct spread data_path_spread(const struct inventory *v, int node, bool write);

#endif

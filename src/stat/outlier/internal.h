/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/stat/outlier. */
#ifndef CUPEL_STAT_OUTLIER_INTERNAL_H
#define CUPEL_STAT_OUTLIER_INTERNAL_H

#include "stat/outlier/odd_ones.h"

/* Makes every possible comparison, sorted by group, then from fast to slow. The caller frees the
   array. Returns NULL if there is no memory. */
struct odd_one *odd_hypotheses(const struct odd_drive drives[], size_t drive_count,
                               const struct odd_test tests[], size_t test_count, size_t *count);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which cuts does the long-run variance of the readings about their levels bear out?
 *
 * A level that holds for a while may be a cluster of rare stalls, or slow movement under fast
 * noise. Both show in the variance that a mean of many readings has, more than in the neighbours
 * that noise_level and confirm_cuts look at. For the series of deviations from the segment means
 * this is s0, as in mean_variance.h, with df degrees of freedom. A cut is worth
 *
 *     (df + 1) ln(1 + t^2 / df), t = step of the means / sqrt(s0 (1/n1 + 1/n2)),
 *
 * which is compared with the penalty of a cut: t^2 where s0 is well known, less where it rests on
 * few independent readings. n1 and n2 are the lengths of its two segments. Like confirm_cuts it is
 * lessened where the skewness of the noise favours a step of this sign; the skewness is that of
 * sums of 1, 2, 4 ... readings, whichever is the most in the long run, since stalls come in
 * clusters. The weakest cut goes first, as long as one is below `least_worth`. s0 is measured once,
 * about all the proposed levels, so that a cut which goes does not take better ones with it.
 */
#ifndef CUPEL_STAT_LONGRUN_H
#define CUPEL_STAT_LONGRUN_H

#include <stddef.h>

#include "base/arena.h"

size_t longrun_scratch_bytes(size_t n, size_t cut_count);

/* Drops cuts of x[0..n) from `cuts` and returns how many are left. */
size_t longrun_cuts(const double x[], size_t n, size_t cuts[], size_t cut_count, double least_worth,
                    struct arena *scratch);

#endif

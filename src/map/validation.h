/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How good maps are: fitted to a share of the configurations and tried on the others (Cameron et
 * al., *MOANA* (2019), section 3 and table 2), in random splits, and with each level of each factor
 * left out in turn, which is what predicting a new level means. Beside them two that know nothing:
 * the mean of the responses ("constant"), and the error that a measured response has itself, for
 * its runs are few ("noise_floor").
 */
#ifndef CUPEL_MAP_VALIDATION_H
#define CUPEL_MAP_VALIDATION_H

#include "map/candidates.h"

#define VALIDATION_SHARES 16

struct validation_request {
    double shares[VALIDATION_SHARES];
    size_t share_count;
    size_t splits; /* random ones a share */
    double confidence;
    uint64_t seed;
    const struct map_observer *observer;
};

/*
 * ERR_UNDECIDED when the observer's stop came first: what is finished stands in *out. Owner:
 * validation_free.
 */
int validation_make(struct map_validation *out, struct configurations *c,
                    const struct candidates *candidates, const struct validation_request *request,
                    struct err *e);
void validation_free(struct map_validation *v);

#endif

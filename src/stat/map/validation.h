/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the errors of maps. In random splits, maps are fitted to a share of the configurations
 * and tested on the others (Cameron et al., *MOANA* (2019), section 3 and table 2). In further
 * splits, each level of each factor is left out in turn, as in the prediction of a new level. There
 * are two references: the mean of the responses ("constant"), and the error of a measured response
 * due to its limited number of runs ("noise_floor").
 */
#ifndef CUPEL_STAT_MAP_VALIDATION_H
#define CUPEL_STAT_MAP_VALIDATION_H

#include "stat/map/candidates.h"

#define VALIDATION_SHARES 16

struct validation_request {
    double shares[VALIDATION_SHARES];
    size_t share_count;
    size_t splits; /* number of random splits for each share */
    double confidence;
    uint64_t seed;
    const struct map_observer *observer;
};

/*
 * Tests the candidates. ERR_UNDECIDED: the observer stopped it; *out then contains the finished
 * part. The caller releases *out with validation_free.
 */
int validation_make(struct map_validation *out, struct configurations *c,
                    const struct candidates *candidates, const struct validation_request *request,
                    struct err *e);
void validation_free(struct map_validation *v);

#endif

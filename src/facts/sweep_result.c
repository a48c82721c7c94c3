/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names the endings of a sweep, and frees its result. */
#include "facts/sweep_result.h"

#include <stdlib.h>

const char *sweep_ending_name(enum sweep_ending ending)
{
    static const char *const names[] = {[SWEEP_COMPLETE] = "complete",
                                        [SWEEP_INTERRUPTED] = "interrupted",
                                        [SWEEP_LIMIT] = "limit",
                                        [SWEEP_FAILED] = "failed"};
    return names[ending];
}

void sweep_result_free(struct sweep_result *r)
{
    free((void *)r->level_text);
    free(r->level_number);
    free((void *)r->factors);
    free(r->cells);
    free(r->drifts);
    *r = (struct sweep_result){0};
}

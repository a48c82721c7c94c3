/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defaults, preset, explicit options: in this order, whatever the order on the command line. */
#include "cmd/options/statistics_options.h"

int statistics_store(const struct option_set *set, void *options, struct plan *plan, struct err *e)
{
    plan_init(plan);
    if (options_store_defaults(set->rows, options, e) || options_store(set, options, e))
        return -1;
    if (options_given(set, "autocorr") && plan->interval != INTERVAL_PILOT)
        return err_set(e, ERR_USAGE,
                       "--autocorr goes with --interval pilot: spectral intervals take any "
                       "autocorrelation into account and have no limit of it");
    if (!options_given(set, "preset"))
        return 0;
    /* What was given comes again on top of the preset. */
    return plan_apply_preset(plan, plan->preset, e) ? -1 : options_store(set, options, e);
}

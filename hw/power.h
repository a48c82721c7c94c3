/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Power: battery or mains, and the limits that are set for what a processor may take. Both slow a
 * machine down.
 */
#ifndef CUPEL_HW_POWER_H
#define CUPEL_HW_POWER_H

#include "hw/prober.h"

/*
 * on_battery (yes, no) to `node`; no fact on a machine without a battery of its own. Yes: no mains
 * or USB supply is online and a battery is discharging, or there is none that says what it does.
 */
void power_add_battery(struct probe *p, int node);

/*
 * To each node "packageN": power_limit_long_term, _short_term, _peak_power (W), as powercap names
 * its constraints; of two interfaces for the same limit the lower one.
 */
void power_add_limits(struct probe *p);

#endif

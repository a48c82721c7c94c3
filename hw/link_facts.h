/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The link facts of a node (base/inventory.h), written the same way by every prober of a bus whose
 * links have one rate: SATA, SAS, USB. Pure, any thread with an inventory of its own.
 */
#ifndef CUPEL_HW_LINK_FACTS_H
#define CUPEL_HW_LINK_FACTS_H

#include <stdbool.h>

#include "base/inventory.h"
#include "hw/limit.h"

/* Rates are bits/s as the standard names them; NaN: not known. */
struct link_ends {
    double port;               /* what the host's side can */
    double device;             /* what the far side can */
    double negotiated;         /* what the link runs at; NaN: there is no link */
    unsigned lanes;            /* 0: not known */
    bool rates_are_per_lane;   /* as those of SAS; else of all lanes together */
    const char *device_word;   /* "drive" */
    const char *reason_slower; /* why it runs slower than both ends can; NULL: it does not show */
    struct link_rate (*limit)(double bits_per_second, unsigned lanes);
    const struct link_rate *limit_negotiated; /* instead of limit(); NULL: none */
    const char *source;
};

/*
 * Adds port_capable and DEVICE_capable where known, capable, negotiated, limit, limit_capable,
 * link_rate, degraded and degraded_reason. A link is degraded when it runs slower than the device
 * can: because it trained lower than both ends can, or because the port can no more. `degraded` is
 * absent when the port could more and what the device can is not known.
 */
void link_facts_add(struct inventory *v, int node, const struct link_ends *link);

#endif

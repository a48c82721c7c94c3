/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The link facts of a node (facts/inventory.h), written the same way by every prober of a bus whose
 * links have one rate: SATA, SAS, USB. Pure, any thread with an inventory of its own.
 */
#ifndef CUPEL_HW_LINK_LINK_FACTS_H
#define CUPEL_HW_LINK_LINK_FACTS_H

#include <stdbool.h>

#include "facts/inventory.h"
#include "hw/link/link_limit.h"
#include "hw/sysroot/sysroot.h"

/* No link is faster: a rate above comes from a damaged tree. */
#define LINK_RATE_MAX 1e12

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
    const char *negotiated_text;              /* instead of the rate; NULL: none */
    const struct link_rate *limit_negotiated; /* instead of limit(); NULL: none */
    const char *source;
    bool denied; /* what it runs at may not be seen */
};

/* Is the file there but may not be read? */
bool link_facts_denied(const struct sysroot *root, const char *folder, const char *file);

/*
 * Adds port_capable and DEVICE_capable where known, capable, negotiated, limit, limit_capable,
 * link_rate, degraded and degraded_reason, and limited_by when the port can less than the device.
 * `degraded` is left out when an end that is not known may be why the link is slow.
 */
void link_facts_add(struct inventory *v, int node, const struct link_ends *link);

#endif

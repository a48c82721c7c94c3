/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The link facts of a node (facts/inventory.h), which are the same for every bus whose links have
 * one rate: SATA, SAS, USB. Pure, any thread with an inventory of its own.
 */
#ifndef CUPEL_HW_LINK_LINK_FACTS_H
#define CUPEL_HW_LINK_LINK_FACTS_H

#include <stdbool.h>

#include "facts/inventory.h"
#include "hw/link/link_limit.h"
#include "hw/sysroot/sysroot.h"

/* No link is faster: a higher rate comes from a damaged tree. */
#define LINK_RATE_MAX 1e12

/* Rates are bits/s, named as in the standard; NaN: not known. */
struct link_ends {
    double port;               /* the fastest rate of the host's side */
    double device;             /* the fastest rate of the far side */
    double negotiated;         /* the present rate; NaN: there is no link */
    unsigned lanes;            /* 0: not known */
    bool rates_are_per_lane;   /* the rates are per lane, as for SAS; false: for all lanes
                                  together */
    const char *device_word;   /* "drive" */
    const char *reason_slower; /* why it runs slower than both ends can; NULL: not visible */
    struct link_rate (*limit)(double bits_per_second, unsigned lanes);
    const char *negotiated_text;              /* text instead of the rate; NULL: the rate is
                                                 written */
    const struct link_rate *limit_negotiated; /* the limit at the negotiated rate; NULL: limit()
                                                 computes it */
    const char *source;
    bool denied; /* the present rate may not be read */
};

/* Does the file exist, but may not be read? */
bool link_facts_denied(const struct sysroot *root, const char *folder, const char *file);

/*
 * Adds port_capable and DEVICE_capable where known, capable, negotiated, limit, limit_capable,
 * link_rate, degraded and degraded_reason, and limited_by when the port is slower than the device.
 * `degraded` is left out when an unknown end may be why the link is slow.
 */
void link_facts_add(struct inventory *v, int node, const struct link_ends *link);

#endif

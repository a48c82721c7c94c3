/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The link facts of a node (facts/inventory.h), which are the same for every bus whose links have
 * one rate: SATA, SAS, USB. No state: any thread may call, if no other thread uses the inventory.
 */
#ifndef CUPEL_HW_LINK_LINK_FACTS_H
#define CUPEL_HW_LINK_LINK_FACTS_H

#include <stdbool.h>

#include "facts/inventory.h"
#include "hw/link/link_limit.h"
#include "hw/sysroot/sysroot.h"

/* Maximum rate of any link, bits/s: a higher one comes from a damaged tree. */
#define LINK_RATE_MAX 1e12

/* The rates of a link and of its ends, in bits/s as the standard names them; NaN: not known. */
struct link_ends {
    double port;       /* fastest rate of the host's side */
    double device;     /* fastest rate of the far side */
    double negotiated; /* the present rate; NaN: there is no link */
    unsigned lanes;    /* 0: not known */
    /* the rates are per lane, as for SAS; false: for all lanes together */
    bool rates_are_per_lane;
    const char *device_word;   /* what the device is called, such as "drive" */
    const char *reason_slower; /* why the link runs slower than both ends can; NULL: not visible */
    struct link_rate (*limit)(double bits_per_second, unsigned lanes);
    /* text for the present rate; NULL: the rate itself is written */
    const char *negotiated_text;
    /* limit at the present rate; NULL: limit() computes it */
    const struct link_rate *limit_negotiated;
    const char *source;
    bool denied; /* the present rate may not be read */
};

/* Returns true if the file exists but may not be read. */
bool link_facts_denied(const struct sysroot *root, const char *folder, const char *file);

/*
 * Adds port_capable and DEVICE_capable where known, capable, negotiated, limit, limit_capable,
 * link_rate, degraded and degraded_reason, and limited_by when the port is slower than the device.
 * `degraded` is left out when the link may be slow because of an end that is not known.
 */
void link_facts_add(struct inventory *v, int node, const struct link_ends *link);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the two ends of an Ethernet link can do, as the driver of the interface tells it (ethtool's
 * link modes). Only of the running machine; needs no privilege.
 */
#ifndef CUPEL_HW_NETWORK_MODES_H
#define CUPEL_HW_NETWORK_MODES_H

#include <stdbool.h>
#include <stdint.h>

#define NETWORK_MODE_WORDS 128 /* the most that the kernel's interface can give */

/* The fastest full duplex rates in Mbit/s; 0: not told (a partner without autonegotiation). */
struct network_modes {
    unsigned supported; /* by this interface and the cable or module in it */
    unsigned partner;   /* advertised by the other end */
    unsigned both;      /* advertised by both */
};

/* False when the kernel or the driver does not tell. */
bool network_modes_read(const char *interface, struct network_modes *modes);

/* Out of three bit sets of `words` words, bits by ETHTOOL_LINK_MODE_... of linux/ethtool.h. */
struct network_modes network_modes_of(const uint32_t *supported, const uint32_t *advertised,
                                      const uint32_t *partner, unsigned words);

#endif

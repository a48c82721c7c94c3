/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/network share. */
#ifndef CUPEL_HW_NETWORK_INTERNAL_H
#define CUPEL_HW_NETWORK_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/prober.h"

/* ---- network_modes.c ---- */

/*
 * The rates that both ends of an Ethernet link support, as the interface's driver reports them
 * (ethtool's link modes). Only on the running machine; needs no privilege.
 */

/* maximum number of words that the kernel's interface can return */
#define NETWORK_MODE_WORDS 128

/* The fastest full duplex rates, in Mbit/s; 0: not known (a partner without autonegotiation). */
struct network_modes {
    unsigned supported; /* supported by this interface and its cable or module */
    unsigned partner;   /* advertised by the other end */
    unsigned both;      /* advertised by both */
};

/* Returns false when the kernel or the driver does not report link modes. */
bool network_modes_read(const char *interface, struct network_modes *modes);

/* Computes the rates from three bit sets of `words` words, with bits ETHTOOL_LINK_MODE_... of
   linux/ethtool.h. */
struct network_modes network_modes_of(const uint32_t *supported, const uint32_t *advertised,
                                      const uint32_t *partner, unsigned words);

#endif

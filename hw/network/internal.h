/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/network share. */
#ifndef CUPEL_HW_NETWORK_INTERNAL_H
#define CUPEL_HW_NETWORK_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/prober.h"

/* ---- network_bond.c ---- */

/* Bonds of network interfaces: their members, and the link that these make together. */

/* Adds to the node of a bond, whose files are in `folder`: its mode, members, and those in use as
   far as the kernel knows ("active"). */
void network_bond_add(struct probe *p, int node, const char *folder);

/*
 * Once all interfaces have their nodes, adds to such a node: member_NAME ("in use, 25 Gbit/s",
 * "idle, 10 Gbit/s", "standby, ...", "no link"); negotiated and limit, the sum of the members in
 * use (of mode broadcast, where all carry the same, the slowest); limited_by ("the members: ...")
 * when a member carries nothing that should, or is slower than another.
 */
void network_bond_add_link(struct probe *p, int node);

/* ---- network_modes.c ---- */

/*
 * The rates that both ends of an Ethernet link can run at, as the driver of the interface reports
 * them (ethtool's link modes). Only of the running machine; needs no privilege.
 */

#define NETWORK_MODE_WORDS 128 /* the most that the kernel's interface can give */

/* The fastest full duplex rates in Mbit/s; 0: not known (a partner without autonegotiation). */
struct network_modes {
    unsigned supported; /* by this interface and the cable or module in it */
    unsigned partner;   /* advertised by the other end */
    unsigned both;      /* advertised by both */
};

/* False when the kernel or the driver does not report them. */
bool network_modes_read(const char *interface, struct network_modes *modes);

/* Out of three bit sets of `words` words, bits by ETHTOOL_LINK_MODE_... of linux/ethtool.h. */
struct network_modes network_modes_of(const uint32_t *supported, const uint32_t *advertised,
                                      const uint32_t *partner, unsigned words);

#endif

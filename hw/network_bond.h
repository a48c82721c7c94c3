/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bonds of network interfaces: their members, and what they make of them. */
#ifndef CUPEL_HW_NETWORK_BOND_H
#define CUPEL_HW_NETWORK_BOND_H

#include "hw/prober.h"

/* Adds to the node of a bond, whose files are in `folder`: its mode, members, and those in use as
   far as the kernel tells ("active"). */
void network_bond_add(struct probe *p, int node, const char *folder);

/*
 * Once all interfaces have their nodes, adds to such a node: member_NAME ("in use, 25 Gbit/s",
 * "idle, 10 Gbit/s", "standby, ...", "no link"); negotiated and limit, the sum of the members in
 * use (of mode broadcast, where all carry the same, the slowest); limited_by ("the members: ...")
 * when a member carries nothing that should, or is slower than another.
 */
void network_bond_add_link(struct probe *p, int node);

#endif

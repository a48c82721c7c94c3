/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a bond makes of its members, once all interfaces have their nodes. */
#ifndef CUPEL_HW_NETWORK_BOND_H
#define CUPEL_HW_NETWORK_BOND_H

#include "hw/prober.h"

/*
 * Adds to a NODE_BOND that has its members: member_NAME ("in use, 25 Gbit/s", "idle, 10 Gbit/s",
 * "standby, ...", "no link"); negotiated and limit, the sum of the members in use (of mode
 * broadcast, where all carry the same, the slowest); limited_by ("the members: ...") when a member
 * carries nothing that should, or is slower than another.
 */
void network_bond_add_link(struct probe *p, int bond);

#endif

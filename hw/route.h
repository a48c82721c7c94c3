/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way that packets take out of this machine: the kernel's main routing tables. */
#ifndef CUPEL_HW_ROUTE_H
#define CUPEL_HW_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "hw/sysroot.h"

/*
 * The network interface by which packets to `address` leave ("192.0.2.7", "2001:db8::7",
 * "fe80::7%eth0"): that of the longest prefix and, of equal ones, of the smallest metric, out of
 * /proc/net/route and /proc/net/ipv6_route. Policy routing (other tables, source addresses) does
 * not show there. False, and "" in `interface`: no address, or no route to it.
 */
bool route_find(const struct sysroot *root, const char *address, char *interface, size_t size);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Ethernet interfaces of this machine (those of its own network namespace). Settings of the
 * kernel's: nothing here is owned. One thread.
 */
#ifndef CUPEL_INIT_NETWORK_INTERFACE_H
#define CUPEL_INIT_NETWORK_INTERFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define NETWORK_INTERFACES_MOST 32

struct network_interface {
    char name[16];
    unsigned index; /* the kernel's, in the order in which the interfaces came */
    uint8_t hardware[6];
};

/* At most `most` of them into `to`, by index; how many. `only`: the one of that name, "" or NULL
   for all. Without Ethernet's kind of address (loopback, InfiniBand, tunnels) it is none. */
unsigned network_interfaces(struct network_interface to[], unsigned most, const char *only);

/* Switch it on, without an address. ERR_MACHINE with the driver's reason. */
int network_interface_start(const struct network_interface *i, struct err *e);

/* Does it have a link? Seconds after it was switched on it may have one. */
bool network_interface_has_carrier(const struct network_interface *i);

#endif

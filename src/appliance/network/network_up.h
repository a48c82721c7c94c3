/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A network for posting reports (appliance/network/http.h sends them): brings an interface up and
 * gives it an address, by DHCP (RFC 2131) or a fixed one. It is only for a machine that cupel owns,
 * because every interface that is tried loses its address. One thread; everything has a time limit.
 *
 * Only IPv4 is configured here. With IPv6 the kernel gives itself an address where routers announce
 * a prefix (RFC 4862); a collector given as http://[ADDRESS]/ is then reached. DHCPv6 is not
 * supported: where there is no IPv4 at all, an address must be given for network_up to succeed.
 *
 * A lease is not renewed. The address gets the lease's length as its lifetime: the kernel removes
 * it at the end, so that another host's address is never used. A caller that posts long after
 * network_up calls it again; the server then usually gives the same address.
 */
#ifndef CUPEL_APPLIANCE_NETWORK_NETWORK_UP_H
#define CUPEL_APPLIANCE_NETWORK_NETWORK_UP_H

#include "base/err.h"

struct network_request {
    /* "eth0"; "" or NULL: all Ethernet interfaces with a carrier are tried at once, and the first
       one with an answer is used (with a fixed address: the first one with a carrier) */
    const char *interface;
    const char *address; /* "dhcp", or "192.0.2.7/24,192.0.2.1" (gateway may be left out) */
    /* time limit, in which drivers and switches must also bring up the link */
    unsigned seconds;
    /* folder of resolv.conf, which is made if it does not exist; NULL: "/etc" */
    const char *etc;
};

struct network {
    char interface[16];
    char address[20], gateway[16], server[16]; /* "192.0.2.7/24"; "" when there is none */
};

/*
 * Brings the network up. Returns 0 if the interface is up and its address, its default route and
 * (with DHCP) resolv.conf are set. A fixed address leaves resolv.conf unchanged: the collector's
 * address must then be numeric. ERR_MACHINE: no interface, no carrier, no answer. ERR_USAGE: the
 * address cannot be read.
 */
int network_up(struct network *n, const struct network_request *request, struct err *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A network for posting reports (appliance/network/http.h sends them): brings an interface up and
 * gives it an address, by DHCP (RFC 2131) or a given one. It is for a machine that is all ours,
 * because every interface that is tried loses its address. One thread; everything has a time limit.
 *
 * IPv4 is configured. With IPv6 the kernel gives itself an address where routers announce a prefix
 * (RFC 4862); a collector given as http://[ADDRESS]/ is then reached. DHCPv6 is not supported:
 * where there is no IPv4 at all, an address must be given for network_up to succeed.
 *
 * A lease is not renewed. The address is set with the lease's length: the kernel removes it at the
 * end, so that another host's address is never used. A caller that posts long after network_up
 * calls it again; the server then usually gives the same address.
 */
#ifndef CUPEL_APPLIANCE_NETWORK_NETWORK_H
#define CUPEL_APPLIANCE_NETWORK_NETWORK_H

#include "base/err.h"

struct network_request {
    const char *interface; /* "eth0"; "" or NULL: all Ethernet interfaces with a carrier are tried
                              at once, and the first one with an answer is used (with a given
                              address: the first one) */
    const char *address;   /* "dhcp", or "192.0.2.7/24,192.0.2.1" (gateway may be left out) */
    unsigned seconds;      /* time limit, which includes the time of drivers and switches to get a
                              link */
    const char *etc;       /* the folder of resolv.conf; NULL: "/etc"; made when it does not
                              exist */
};

struct network {
    char interface[16];
    char address[20], gateway[16], server[16]; /* "192.0.2.7/24"; "" when there is none */
};

/*
 * Brings the network up. Returns 0 if the interface is up and its address, default route and (DHCP)
 * resolv.conf are set. A given address leaves resolv.conf unchanged: the collector's address must
 * then be numeric. ERR_MACHINE: no interface, no carrier, no answer. ERR_USAGE: the address cannot
 * be read.
 */
int network_up(struct network *n, const struct network_request *request, struct err *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A network for posting reports (init/network/http.h sends them): bring an interface up and give it
 * an address, by DHCP (RFC 2131) or as given. For a machine that is all ours, as every interface
 * that is tried loses the address it had. One thread; everything has a time limit.
 *
 * IPv4 is what is set up. Over IPv6 the kernel gives itself an address where routers announce a
 * prefix (RFC 4862), and a collector given as http://[ADDRESS]/ is then reached. DHCPv6 is not
 * spoken: where there is no IPv4 at all, an address must be given for network_up to succeed.
 *
 * A lease is not renewed. The address is set with the lease's length: the kernel takes it away when
 * it is over, so that nobody else's address is ever used. Whoever posts long after network_up calls
 * it again; the server then gives the same address as a rule.
 */
#ifndef CUPEL_INIT_NETWORK_NETWORK_H
#define CUPEL_INIT_NETWORK_NETWORK_H

#include "base/err.h"

struct network_request {
    const char *interface; /* "eth0"; "" or NULL: all Ethernet interfaces that have a carrier at
                              once, the first that is answered (of a given address: the first) */
    const char *address;   /* "dhcp", or "192.0.2.7/24,192.0.2.1" (gateway may be left out) */
    unsigned seconds;      /* at most, drivers' and switches' time to get a link included */
    const char *etc;       /* the folder for resolv.conf; NULL: "/etc", made when it is not there */
};

struct network {
    char interface[16];
    char address[20], gateway[16], server[16]; /* "192.0.2.7/24"; "" when there is none */
};

/*
 * 0: the interface is up, its address, its default route and (DHCP) resolv.conf are set. A given
 * address leaves resolv.conf as it is: a collector is then given by its address.
 * ERR_MACHINE: no interface, no carrier, no answer. ERR_USAGE: an address that is none.
 */
int network_up(struct network *n, const struct network_request *request, struct err *e);

#endif

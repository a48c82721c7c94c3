/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HOST[:PORT] and what stands for it: numbers of the network. */
#ifndef CUPEL_IO_NET_ADDRESS_H
#define CUPEL_IO_NET_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"

#define NET_PORT          "7231" /* where none is given */
#define NET_ADDRESSES_MAX 8      /* of one name: what comes after them is not tried */
#define NET_ADDRESS_TEXT  64     /* "192.0.2.7", "fe80::7%eth0" */

struct net_address {
    struct sockaddr_storage number;
    socklen_t size;
};

struct net_addresses {
    struct net_address list[NET_ADDRESSES_MAX];
    unsigned count; /* at least 1 */
};

/*
 * "host", "host:80", "192.0.2.7:80", "2001:db8::7", "[2001:db8::7]:80"; and, `to_listen`, ":80" for
 * all addresses of this machine. Asks the name servers, which takes seconds where they do not
 * answer. ERR_USAGE: no such text or name; ERR_MACHINE: nobody could be asked.
 */
int net_addresses_find(struct net_addresses *found, const char *text, bool to_listen,
                       struct err *e);

/* The number as text; with its port, as it is typed. Both return `to`. */
char *net_address_text(const struct net_address *address, char to[NET_ADDRESS_TEXT]);
uint16_t net_address_port(const struct net_address *address);

/* Is it an address of this machine itself? Then packets to it leave by no interface. */
bool net_address_is_own(const struct net_address *address);

/* The far end of a session. */
struct net_peer {
    struct net_addresses addresses;
    uint64_t token; /* by which the far end knows which connections belong together */
};

/*
 * Keeps only the first of several addresses at which something listens, so that all connections of
 * a session go there and one that is silent costs its 5 s once. Nothing is sent. ERR_TARGET: nobody
 * listens at any of them. One alone is left as it is.
 */
int net_peer_settle(struct net_peer *peer, struct err *e);

/* Finds the addresses and makes a token. Errors of net_addresses_find. */
int net_peer_find(struct net_peer *peer, const char *text, struct err *e);

#endif

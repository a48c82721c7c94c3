/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves HOST[:PORT] to network addresses. */
#ifndef CUPEL_IO_NET_ADDRESS_H
#define CUPEL_IO_NET_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"

#define NET_PORT          "7231" /* used where no port is given */
#define NET_ADDRESSES_MAX 8      /* addresses of a name that are tried; further ones are ignored */
#define NET_ADDRESS_TEXT  64     /* bytes of an address as text, such as "fe80::7%eth0" */

struct net_address {
    struct sockaddr_storage number;
    socklen_t size;
};

struct net_addresses {
    struct net_address list[NET_ADDRESSES_MAX];
    unsigned count; /* at least 1 */
};

/*
 * Finds the addresses of "host", "host:80", "192.0.2.7:80", "2001:db8::7" or "[2001:db8::7]:80";
 * with `to_listen` also of ":80", which means all addresses of this machine. This asks the name
 * servers, which takes seconds if they do not answer. ERR_USAGE: the text has another form, or the
 * name is unknown. ERR_MACHINE: no name server could be asked.
 */
int net_addresses_find(struct net_addresses *found, const char *text, bool to_listen,
                       struct err *e);

/* net_address_text writes the numeric address without the port to `to`, and returns `to`.
   net_address_port returns the port. */
char *net_address_text(const struct net_address *address, char to[NET_ADDRESS_TEXT]);
uint16_t net_address_port(const struct net_address *address);

/* Returns true for an address of this machine. Packets to such an address pass no network
   interface. */
bool net_address_is_own(const struct net_address *address);

/* The host at the other end of a session. */
struct net_peer {
    struct net_addresses addresses;
    /* random number by which that host recognises the connections of one session */
    uint64_t token;
};

/*
 * Keeps only the first address at which a server listens. So all connections of a session go to the
 * same address, and the 5 s of waiting for an address that does not answer are spent only once. No
 * data are sent. A single address is kept without a test. ERR_TARGET: no server listens at any of
 * them.
 */
int net_peer_settle(struct net_peer *peer, struct err *e);

/* Finds the addresses and draws a token. Fails like net_addresses_find. */
int net_peer_find(struct net_peer *peer, const char *text, struct err *e);

#endif

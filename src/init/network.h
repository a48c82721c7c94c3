/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A network for posting reports: bring an interface up, get an address (DHCP, RFC 2131, or one
 * given), send a file by HTTP/1.1 (RFC 9112). No TLS: the collector stands in the same rack's
 * management network; what must not be read there must not be posted (see boot/README.md).
 *
 * Names are looked up through /etc/resolv.conf, which network_up writes (in the live system's
 * memory). One thread; everything has a time limit.
 */
#ifndef CUPEL_INIT_NETWORK_H
#define CUPEL_INIT_NETWORK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct network_request {
    const char *interface; /* "eth0"; "" or NULL: each that has a carrier, the first that answers */
    const char *address;   /* "dhcp", or "192.0.2.7/24,192.0.2.1" (gateway may be left out) */
    unsigned seconds;      /* at most */
};

struct network {
    char interface[16];
    char address[20], gateway[16], server[16]; /* "192.0.2.7/24"; "" when there is none */
};

/* ERR_MACHINE: no interface, no carrier, no answer. ERR_USAGE: an address that is none. */
int network_up(struct network *n, const struct network_request *request, struct err *e);

struct http_url {
    char host[256];
    char port[6];
    char path[512]; /* begins with '/' */
};

/* "http://host[:port]/path/"; ERR_USAGE (https is refused with the reason). */
int http_url_parse(struct http_url *url, const char *text, struct err *e);

/*
 * PUT `length` bytes to url->path + `name` (bytes that a path may not hold are percent-encoded).
 * ERR_TARGET unless the answer is 2xx: the message has the answer's status line.
 */
int http_put(const struct http_url *url, const char *name, const char *content_type,
             const void *data, size_t length, unsigned seconds, struct err *e);

#endif

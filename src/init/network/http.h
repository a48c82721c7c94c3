/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sending a file to a collector by HTTP/1.1 (RFC 9112): one PUT, one connection, one answer.
 *
 * Why there is no libcurl: a PUT with a length and an answer's first line are the few hundred lines
 * of http_*.c, and a library for them would be larger than this whole program and one more source
 * to build and to trust. Its one gain would be TLS, and that without use here: a live system has
 * no certificates, and often no right time, to check a collector by. The collector stands in the
 * rack's own management network; what must not be read there must not be posted.
 *
 * Names are looked up through /etc/resolv.conf (init/network/network.h). One thread.
 */
#ifndef CUPEL_INIT_NETWORK_HTTP_H
#define CUPEL_INIT_NETWORK_HTTP_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

struct http_url {
    char host[256]; /* a name or an address; of IPv6 without its brackets */
    char port[6];
    char path[512]; /* begins and ends with '/' */
};

/*
 * "http://host[:port][/path/]". The name of each file follows the path: '/' is added at its
 * end where it is missing. ERR_USAGE: another form; https, a user name and a query are refused.
 */
int http_url_parse(struct http_url *url, const char *text, struct err *e);

/* The URL of `name` below the path as text, percent-encoded (RFC 3986) but for '/'. */
void http_url_add(struct text *to, const struct http_url *url, const char *name);
/* Its parts, as a request has them: "host:port", and path with name. */
void http_url_add_host(struct text *to, const struct http_url *url);
void http_url_add_path(struct text *to, const struct http_url *url, const char *name);

/*
 * PUT `length` bytes to url->path + `name` ("folder/file" too), within `seconds`, of which looking
 * up a name may take some more (5 s per domain that is searched).
 * 0: the collector has all of it and said so (2xx). ERR_TARGET: not reached, too slow, or another
 * answer, whose status line is in the message; a redirect is not followed.
 */
int http_put(const struct http_url *url, const char *name, const char *content_type,
             const void *data, size_t length, unsigned seconds, struct err *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends a file to a collector by HTTP/1.1 (RFC 9112): one PUT, one connection, one answer.
 *
 * Why there is no libcurl: a PUT with a length and the first line of an answer are the few hundred
 * lines of http_*.c. A library would be larger than this whole program, and one more source to
 * build and to trust. It would add only TLS, which is useless here: a live system has no
 * certificates, and often a wrong clock, so it cannot verify a collector. The collector is in the
 * rack's own management network; data that must not be read there must not be posted.
 *
 * Names are looked up through /etc/resolv.conf (appliance/network/network_up.h). One thread.
 */
#ifndef CUPEL_APPLIANCE_NETWORK_HTTP_H
#define CUPEL_APPLIANCE_NETWORK_HTTP_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

struct http_url {
    char host[256]; /* a name or an address; an IPv6 address is without brackets */
    char port[6];
    char path[512]; /* begins and ends with '/' */
};

/*
 * Parses "http://host[:port][/path/]". A '/' is added at the path's end where it is missing,
 * because names of files are appended to it. ERR_USAGE: another form; https, a user name and a
 * query are refused.
 */
int http_url_parse(struct http_url *url, const char *text, struct err *e);

/* Appends the URL of `name` below the path, percent-encoded (RFC 3986) except '/'. */
void http_url_add(struct text *to, const struct http_url *url, const char *name);

/*
 * Sends `length` bytes by PUT to url->path + `name` ("folder/file" too) within `seconds`; looking
 * up a name may take longer than that (5 s for each domain that is searched). Returns 0 if the
 * collector confirmed that it has everything (2xx). ERR_TARGET: not reached, too slow, or another
 * answer, whose status line is in the message; a redirect is not followed.
 */
int http_put(const struct http_url *url, const char *name, const char *content_type,
             const void *data, size_t length, unsigned seconds, struct err *e);

#endif

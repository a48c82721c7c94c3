/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds routes: compares every line of the kernel's tables, and keeps the best route. */
#include "hw/path/internal.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/span.h"

/* Flags of a route (linux/route.h). */
#define ROUTE_UP     0x0001u
#define ROUTE_REJECT 0x0200u

#define NAME_BYTES 32 /* buffer size; the kernel's names have 15 bytes at most */
#define FIELDS_MAX 12

struct search {
    unsigned char address[16];
    bool found;
    uint32_t prefix, metric;
    char interface[NAME_BYTES];
};

struct route {
    unsigned char destination[16];
    uint32_t prefix, metric, flags;
    const char *interface;
};

static bool same_prefix(const unsigned char *a, const unsigned char *b, uint32_t bits)
{
    uint32_t bytes = bits / 8, rest = bits % 8;
    return !memcmp(a, b, bytes) && (!rest || !((a[bytes] ^ b[bytes]) >> (8 - rest)));
}

static void consider(struct search *search, const struct route *route)
{
    if (!(route->flags & ROUTE_UP) || (route->flags & ROUTE_REJECT) ||
        !same_prefix(search->address, route->destination, route->prefix))
        return;
    bool better = !search->found || route->prefix > search->prefix ||
                  (route->prefix == search->prefix && route->metric < search->metric);
    if (!better)
        return;
    search->found = true;
    search->prefix = route->prefix;
    search->metric = route->metric;
    snprintf(search->interface, sizeof search->interface, "%s", route->interface);
}

/* ---- lines of the tables ---- */

static size_t split(char *line, char *fields[FIELDS_MAX])
{
    size_t count = 0;
    for (char *field; count < FIELDS_MAX && (field = strsep(&line, " \t"));)
        if (*field)
            fields[count++] = field;
    return count;
}

static bool scan(const char *text, int base, uint32_t *value)
{
    char *end;
    unsigned long long number = strtoull(text, &end, base);
    *value = (uint32_t)number;
    return isxdigit((unsigned char)*text) && !*end && number <= UINT32_MAX;
}

/* Considers a line of /proc/net/route: interface destination gateway flags references use metric
   mask ... Addresses are 32-bit numbers whose bytes lie in memory in network byte order. */
static bool consider_ipv4(void *context, char *line)
{
    struct route route = {0};
    char *fields[FIELDS_MAX];
    uint32_t destination, mask;
    if (split(line, fields) < 8 || !scan(fields[1], 16, &destination) ||
        !scan(fields[3], 16, &route.flags) || !scan(fields[6], 10, &route.metric) ||
        !scan(fields[7], 16, &mask))
        return true; /* the heading, or a damaged line */
    memcpy(route.destination, &destination, sizeof destination);
    route.prefix = (unsigned)__builtin_popcount(mask);
    route.interface = fields[0];
    consider(context, &route);
    return true;
}

/* Considers a line of /proc/net/ipv6_route, in hexadecimal: destination prefix source prefix
   next-hop metric references use flags interface */
static bool consider_ipv6(void *context, char *line)
{
    struct route route = {0};
    char *fields[FIELDS_MAX];
    if (split(line, fields) < 10 || strlen(fields[0]) != 32)
        return true;
    for (size_t i = 0; i < 16; i++) {
        const char digits[3] = {fields[0][2 * i], fields[0][2 * i + 1], '\0'};
        uint32_t byte;
        if (!scan(digits, 16, &byte))
            return true;
        route.destination[i] = (unsigned char)byte;
    }
    if (!scan(fields[1], 16, &route.prefix) || route.prefix > 128 ||
        !scan(fields[5], 16, &route.metric) || !scan(fields[8], 16, &route.flags))
        return true;
    route.interface = fields[9];
    consider(context, &route);
    return true;
}

/* ---- the search ---- */

bool route_find(const struct sysroot *root, const char *address, char *interface, size_t size)
{
    static const unsigned char ipv6_loopback[16] = {[15] = 1};
    struct search search = {0};
    char text[64], *scope;
    if (size)
        interface[0] = '\0';
    if (strlen(address) >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%s", address);
    if ((scope = strchr(text, '%')))
        *scope++ = '\0';
    bool ipv4 = inet_pton(AF_INET, text, search.address) == 1;
    if (!ipv4 && inet_pton(AF_INET6, text, search.address) != 1)
        return false;

    if (scope && *scope)
        snprintf(search.interface, sizeof search.interface, "%s", scope);
    else if (ipv4 ? search.address[0] == 127
                  : !memcmp(search.address, ipv6_loopback, sizeof ipv6_loopback))
        /* Addresses of this machine have no route in /proc/net/route. */
        snprintf(search.interface, sizeof search.interface, "lo");
    else if (ipv4)
        sysroot_each_line(root, "/proc/net/route", consider_ipv4, &search);
    else
        sysroot_each_line(root, "/proc/net/ipv6_route", consider_ipv6, &search);
    if (!span_is_text(span_of(search.interface)))
        search.interface[0] = '\0';
    int length = snprintf(interface, size, "%s", search.interface);
    return length > 0 && (size_t)length < size;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes: every line of the kernel's tables is compared, the best one kept. */
#include "hw/route.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/span.h"

/* Flags of a route (linux/route.h). */
#define ROUTE_UP     0x0001u
#define ROUTE_REJECT 0x0200u

#define NAME_MOST 32 /* the kernel's names have 15 bytes at most */

struct search {
    unsigned char address[16];
    bool found;
    unsigned prefix;
    uint32_t metric;
    char interface[NAME_MOST];
};

struct route {
    unsigned char destination[16];
    unsigned prefix;
    uint32_t metric, flags;
    char interface[NAME_MOST];
};

static bool same_prefix(const unsigned char *a, const unsigned char *b, unsigned bits)
{
    unsigned bytes = bits / 8, rest = bits % 8;
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

/* eth0 000200C0 00000000 0001 0 0 0 00FFFFFF 0 0 0: numbers of 32 bits as the kernel holds them in
 * memory, which is the order of the network. */
static bool consider_ipv4(void *context, char *line)
{
    struct route route = {0};
    uint32_t destination, mask;
    if (sscanf(line, "%31s %8" SCNx32 " %*8x %8" SCNx32 " %*d %*u %10" SCNu32 " %8" SCNx32,
               route.interface, &destination, &route.flags, &route.metric, &mask) != 5)
        return true; /* the heading, or garbage */
    memcpy(route.destination, &destination, sizeof destination);
    route.prefix = (unsigned)__builtin_popcount(mask);
    consider(context, &route);
    return true;
}

static bool scan_ipv6(const char *text, unsigned char address[16])
{
    for (size_t i = 0; i < 16; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1)
            return false;
        address[i] = (unsigned char)byte;
    }
    return true;
}

/* destination prefix source prefix next-hop metric references use flags interface */
static bool consider_ipv6(void *context, char *line)
{
    struct route route = {0};
    char destination[33];
    if (sscanf(line, "%32s %2x %*32s %*2x %*32s %8" SCNx32 " %*8x %*8x %8" SCNx32 " %31s",
               destination, &route.prefix, &route.metric, &route.flags, route.interface) != 5)
        return true;
    if (strlen(destination) == 32 && route.prefix <= 128 &&
        scan_ipv6(destination, route.destination))
        consider(context, &route);
    return true;
}

/* Routes to the machine itself are not in the table that /proc/net/route shows. */
static bool is_loopback(const unsigned char *address, bool ipv4)
{
    static const unsigned char ipv6_loopback[16] = {[15] = 1};
    return ipv4 ? address[0] == 127 : !memcmp(address, ipv6_loopback, sizeof ipv6_loopback);
}

bool route_find(const struct sysroot *root, const char *address, char *interface, size_t size)
{
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
    else if (is_loopback(search.address, ipv4))
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

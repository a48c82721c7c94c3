/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits a network address into host and port, and lets the system's resolver look up the host. */
#include "io/net/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"

/* Splits HOST[:PORT]. Returns false when the text has another form. */
static bool split(const char *text, char *host, size_t size, char port[8])
{
    const char *colon = strrchr(text, ':'), *end = text + strlen(text);
    snprintf(port, 8, NET_PORT);
    if (*text == '[') {
        const char *bracket = strchr(++text, ']');
        if (!bracket || (bracket[1] && bracket[1] != ':'))
            return false;
        colon = bracket[1] ? bracket + 1 : NULL;
        end = bracket;
    } else if (colon && strchr(text, ':') != colon) {
        colon = NULL; /* several colons: an IPv6 address without a port */
    } else if (colon) {
        end = colon;
    }
    if (colon && snprintf(port, 8, "%s", colon + 1) >= 8)
        return false;
    if (strspn(port, "0123456789") != strlen(port) || !*port || strlen(port) > 5)
        return false;
    return (size_t)(end - text) < size &&
           snprintf(host, size, "%.*s", (int)(end - text), text) >= 0;
}

static int refuse_name(const char *text, int why, struct err *e)
{
    if (why == EAI_AGAIN || why == EAI_SYSTEM || why == EAI_MEMORY)
        return err_set(e, ERR_MACHINE,
                       "%.200s: no name server answered (%s): give the address as a number", text,
                       gai_strerror(why));
    return err_set(e, ERR_USAGE, "%.200s: there is no host of that name (%s)", text,
                   gai_strerror(why));
}

int net_addresses_find(struct net_addresses *found, const char *text, bool to_listen, struct err *e)
{
    char host[256], port[8];
    struct addrinfo *list = NULL;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0)};
    found->count = 0;
    bool is_read = split(text, host, sizeof host, port) && (*host || to_listen);
    unsigned long number = is_read ? strtoul(port, NULL, 10) : 0;
    if (!is_read || number > UINT16_MAX || (!number && !to_listen))
        return err_set(e, ERR_USAGE,
                       "%.200s: this is no HOST[:PORT], such as 192.0.2.7, storage1:7231 or "
                       "[2001:db8::7]:7231",
                       *text ? text : "\"\"");
    int why = getaddrinfo(*host ? host : "::", port, &hints, &list);
    if (why)
        return refuse_name(text, why, e);
    for (const struct addrinfo *a = list; a && found->count < NET_ADDRESSES_MAX; a = a->ai_next) {
        struct net_address *address = &found->list[found->count];
        if (a->ai_addrlen > sizeof address->number)
            continue;
        *address = (struct net_address){.size = a->ai_addrlen};
        memcpy(&address->number, a->ai_addr, a->ai_addrlen);
        found->count++;
    }
    freeaddrinfo(list);
    return found->count ? 0 : refuse_name(text, EAI_NONAME, e);
}

char *net_address_text(const struct net_address *address, char to[NET_ADDRESS_TEXT])
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address->number;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address->number;
    char scope[IF_NAMESIZE];
    bool is_v4 = address->number.ss_family == AF_INET;
    const void *number = is_v4 ? (const void *)&v4->sin_addr : &v6->sin6_addr;
    if (!inet_ntop(address->number.ss_family, number, to, NET_ADDRESS_TEXT))
        snprintf(to, NET_ADDRESS_TEXT, "?");
    else if (!is_v4 && IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
        inet_ntop(AF_INET, &v6->sin6_addr.s6_addr[12], to, NET_ADDRESS_TEXT);
    else if (!is_v4 && v6->sin6_scope_id && if_indextoname(v6->sin6_scope_id, scope)) {
        size_t used = strlen(to);
        snprintf(to + used, NET_ADDRESS_TEXT - used, "%%%s", scope);
    }
    return to;
}

uint16_t net_address_port(const struct net_address *address)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address->number;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address->number;
    return ntohs(address->number.ss_family == AF_INET ? v4->sin_port : v6->sin6_port);
}

/* Returns true for 127.0.0.0/8, and for the unspecified address, which means any address of this
   machine. The kernel uses another local address as the source of a connection to these. */
static bool is_loopback(const char *text)
{
    return !strncmp(text, "127.", 4) || !strcmp(text, "0.0.0.0") || !strcmp(text, "::");
}

/* Asks the kernel which source address a connection to this address would have. It is the address
   itself if this machine has that address. Nothing is sent. */
bool net_address_is_own(const struct net_address *address)
{
    struct net_address from = {.size = sizeof from.number}, to = *address;
    char a[NET_ADDRESS_TEXT], b[NET_ADDRESS_TEXT];
    if (is_loopback(net_address_text(&to, b)))
        return true;
    int fd = socket(to.number.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool own = fd >= 0 && !connect(fd, (const struct sockaddr *)&to.number, to.size) &&
               !getsockname(fd, (struct sockaddr *)&from.number, &from.size) &&
               !strcmp(net_address_text(&from, a), b);
    if (fd >= 0)
        close(fd);
    return own;
}

int net_peer_find(struct net_peer *peer, const char *text, struct err *e)
{
    if (getrandom(&peer->token, sizeof peer->token, GRND_NONBLOCK) != sizeof peer->token)
        peer->token = clock_raw_ns() ^ (uint64_t)getpid() << 32;
    return net_addresses_find(&peer->addresses, text, false, e);
}

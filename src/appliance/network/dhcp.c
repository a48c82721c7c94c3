/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implements a DHCP client: its states, and its socket, a plain UDP socket bound to the interface.
 * On Linux such a socket sends from 0.0.0.0 and receives packets to 255.255.255.255 while the
 * interface has no address, so no frames are built by hand. For that reason the client asks for
 * broadcast answers. The answer of a server that ignores this (against RFC 2131, 4.1) is not
 * received.
 */
#include "appliance/network/internal.h"

#include "base/endian.h"
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- messages ---- */

/* Offsets of the fixed fields. `file` and `sname` may hold options, too, if option 52 says so. */
enum {
    AT_OP = 0,
    AT_HARDWARE_TYPE = 1,
    AT_HARDWARE_LENGTH = 2,
    AT_TRANSACTION = 4,
    AT_SECONDS = 8,
    AT_FLAGS = 10,
    AT_YOUR_ADDRESS = 16,
    AT_HARDWARE = 28,
    AT_SNAME = 44,
    SNAME_LENGTH = 64,
    AT_FILE = 108,
    FILE_LENGTH = 128,
    AT_COOKIE = 236,
    AT_OPTIONS = 240,
};

enum { OP_REQUEST = 1, OP_REPLY = 2, ETHERNET = 1, BROADCAST_FLAG = 0x8000 };
enum { SHORTEST = 300 }; /* minimum bytes: relays of BOOTP (RFC 1542, 2.1) may drop less */
static const uint32_t cookie = 0x63825363;

enum {
    OPTION_PAD = 0,
    OPTION_NETMASK = 1,
    OPTION_ROUTER = 3,
    OPTION_DNS = 6,
    OPTION_DOMAIN = 15,
    OPTION_ADDRESS = 50,
    OPTION_LEASE = 51,
    OPTION_OVERLOAD = 52,
    OPTION_TYPE = 53,
    OPTION_SERVER = 54,
    OPTION_PARAMETERS = 55,
    OPTION_LONGEST = 57,
    OPTION_VENDOR = 60,
    OPTION_CLIENT = 61,
    OPTION_END = 255,
};

/* ---- writing */

static uint8_t *add_option(uint8_t *to, uint8_t code, const void *value, uint8_t length)
{
    to[0] = code;
    to[1] = length;
    memcpy(to + 2, value, length);
    return to + 2 + length;
}

static uint8_t *add_option_32(uint8_t *to, uint8_t code, uint32_t value)
{
    uint8_t bytes[4];
    store_be32(bytes, value);
    return add_option(to, code, bytes, sizeof bytes);
}

size_t dhcp_message_write(uint8_t to[DHCP_REQUEST], const struct dhcp_request *request)
{
    static const uint8_t parameters[] = {OPTION_NETMASK, OPTION_ROUTER, OPTION_DNS, OPTION_DOMAIN,
                                         OPTION_LEASE};
    static const char vendor[] = "cupel";
    uint8_t type = (uint8_t)request->type;
    uint8_t client[1 + DHCP_HARDWARE] = {ETHERNET};
    uint8_t longest[2];
    memcpy(client + 1, request->hardware, DHCP_HARDWARE);
    store_be16(longest, DHCP_ANSWER_MAX + 28); /* this length includes the headers of IP and UDP */

    memset(to, 0, DHCP_REQUEST);
    to[AT_OP] = OP_REQUEST;
    to[AT_HARDWARE_TYPE] = ETHERNET;
    to[AT_HARDWARE_LENGTH] = DHCP_HARDWARE;
    store_be32(to + AT_TRANSACTION, request->transaction);
    store_be16(to + AT_SECONDS, request->seconds);
    store_be16(to + AT_FLAGS, BROADCAST_FLAG);
    memcpy(to + AT_HARDWARE, request->hardware, DHCP_HARDWARE);
    store_be32(to + AT_COOKIE, cookie);

    uint8_t *end = to + AT_OPTIONS;
    end = add_option(end, OPTION_TYPE, &type, 1);
    end = add_option(end, OPTION_CLIENT, client, sizeof client);
    if (request->address)
        end = add_option_32(end, OPTION_ADDRESS, request->address);
    if (request->server)
        end = add_option_32(end, OPTION_SERVER, request->server);
    end = add_option(end, OPTION_LONGEST, longest, sizeof longest);
    end = add_option(end, OPTION_VENDOR, vendor, sizeof vendor - 1);
    end = add_option(end, OPTION_PARAMETERS, parameters, sizeof parameters);
    *end++ = OPTION_END;
    size_t length = (size_t)(end - to);
    return length < SHORTEST ? SHORTEST : length;
}

/* ---- reading */

/* One of up to three areas that hold options. */
struct area {
    const uint8_t *bytes;
    size_t length;
};

/* Returns the first option with that code; NULL if there is none before the end, or it is cut
   off. */
static const uint8_t *find_option_in(struct area a, uint8_t code, size_t *length)
{
    size_t at = 0;
    while (at < a.length && a.bytes[at] != OPTION_END) {
        if (a.bytes[at] == OPTION_PAD) {
            at++;
            continue;
        }
        if (a.length - at < 2 || a.length - at - 2 < a.bytes[at + 1])
            return NULL;
        if (a.bytes[at] == code) {
            *length = a.bytes[at + 1];
            return a.bytes + at + 2;
        }
        at += 2 + (size_t)a.bytes[at + 1];
    }
    return NULL;
}

struct options {
    struct area area[3];
    unsigned count;
};

static const uint8_t *find_option(const struct options *o, uint8_t code, size_t min, size_t *length)
{
    for (unsigned i = 0; i < o->count; i++) {
        const uint8_t *value = find_option_in(o->area[i], code, length);
        if (value)
            return *length >= min ? value : NULL;
    }
    return NULL;
}

static uint32_t find_option_32(const struct options *o, uint8_t code)
{
    size_t length;
    const uint8_t *value = find_option(o, code, 4, &length);
    return value ? load_be32(value) : 0;
}

/* Returns whether a host can have this address: not 0.x, loopback, multicast or beyond, and not
   link-local. Some management controllers give a link-local address to their host over an internal
   USB network card, which leads to no collector. */
static bool is_for_hosts(uint32_t address)
{
    uint32_t first = address >> 24;
    return first != 0 && first != 127 && first < 224 && address >> 16 != 0xA9FE;
}

/* Returns the server's mask if it is valid, otherwise the mask of the address's class. */
static uint32_t netmask_of(uint32_t given, uint32_t address)
{
    bool contiguous = (~given & (~given + 1)) == 0;
    if (given != 0 && contiguous)
        return given;
    if (address >> 31 == 0)
        return 0xFF000000;
    return address >> 30 == 2 ? 0xFFFF0000 : 0xFFFFFF00;
}

/* Reads the domain. Only plain characters are accepted, because it is written to a file of lines
   and words. */
static void read_domain(const struct options *o, char to[256])
{
    size_t length = 0;
    const uint8_t *value = find_option(o, OPTION_DOMAIN, 1, &length);
    to[0] = '\0';
    if (!value)
        return;
    if (value[length - 1] == '\0') /* some servers send a '\0' at the end and count it */
        length--;
    for (size_t i = 0; i < length; i++) {
        bool letter = (value[i] >= 'a' && value[i] <= 'z') || (value[i] >= 'A' && value[i] <= 'Z');
        bool digit = value[i] >= '0' && value[i] <= '9';
        if (!letter && !digit && value[i] != '-' && value[i] != '_' && value[i] != '.')
            return;
    }
    memcpy(to, value, length);
    to[length] = '\0';
}

enum dhcp_type dhcp_message_read(struct dhcp_lease *lease, const uint8_t *bytes, size_t length,
                                 uint32_t transaction, const uint8_t hardware[DHCP_HARDWARE])
{
    *lease = (struct dhcp_lease){0};
    if (length <= AT_OPTIONS || bytes[AT_OP] != OP_REPLY || bytes[AT_HARDWARE_TYPE] != ETHERNET ||
        bytes[AT_HARDWARE_LENGTH] != DHCP_HARDWARE ||
        load_be32(bytes + AT_TRANSACTION) != transaction ||
        memcmp(bytes + AT_HARDWARE, hardware, DHCP_HARDWARE) != 0 ||
        load_be32(bytes + AT_COOKIE) != cookie)
        return 0;
    /* The options field comes first, then options in `file` and in `sname` (RFC 2131, 4.1). */
    struct options o = {{{bytes + AT_OPTIONS, length - AT_OPTIONS}}, 1};
    size_t overload_length;
    const uint8_t *overload = find_option(&o, OPTION_OVERLOAD, 1, &overload_length);
    if (overload && (*overload & 1))
        o.area[o.count++] = (struct area){bytes + AT_FILE, FILE_LENGTH};
    if (overload && (*overload & 2))
        o.area[o.count++] = (struct area){bytes + AT_SNAME, SNAME_LENGTH};
    size_t type_length;
    const uint8_t *type = find_option(&o, OPTION_TYPE, 1, &type_length);
    lease->server = find_option_32(&o, OPTION_SERVER);
    if (!type || lease->server == 0)
        return 0;
    if (*type == DHCPNAK)
        return DHCPNAK;
    lease->address = load_be32(bytes + AT_YOUR_ADDRESS);
    if ((*type != DHCPOFFER && *type != DHCPACK) || !is_for_hosts(lease->address))
        return 0;
    lease->netmask = netmask_of(find_option_32(&o, OPTION_NETMASK), lease->address);
    lease->router = find_option_32(&o, OPTION_ROUTER);
    lease->seconds = find_option_32(&o, OPTION_LEASE);
    if (lease->seconds == 0)
        lease->seconds = DHCP_FOR_EVER;
    size_t dns_length = 0;
    const uint8_t *dns = find_option(&o, OPTION_DNS, 4, &dns_length);
    for (size_t at = 0; dns && dns_length - at >= 4 && lease->dns_count < DHCP_DNS_MAX; at += 4)
        if (load_be32(dns + at) != 0)
            lease->dns[lease->dns_count++] = load_be32(dns + at);
    read_domain(&o, lease->domain);
    return *type == DHCPACK ? DHCPACK : DHCPOFFER;
}

/* ---- the exchange ---- */

enum { SERVER_PORT = 67, CLIENT_PORT = 68 };
enum { AT_ONCE = 64 }; /* answers taken in one step: a flood must not delay messages */

/* The first messages follow each other faster than the 4 s of RFC 2131, 4.1: a switch that still
   examines a new link (spanning tree) drops them, and a person is waiting. */
enum { FIRST_WAIT_MS = 1000, LONGEST_WAIT_MS = 8000, REQUESTS_MAX = 4 };

static uint32_t random_number(void)
{
    uint32_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
        return 0; /* soon after power-on there are no random numbers yet */
    return number;
}

static void begin_selecting(struct dhcp *d, uint64_t now_ms)
{
    uint32_t address;
    memcpy(&address, d->hardware + 2, sizeof address);
    d->state = DHCP_SELECTING;
    /* Each attempt gets a different transaction number. The hardware address makes it differ
       between machines, even if there are no random numbers. */
    d->transaction = (random_number() ^ address) + d->transaction + 1;
    d->wait_ms = FIRST_WAIT_MS;
    d->next_ms = now_ms;
}

int dhcp_open(struct dhcp *d, const char *interface, const uint8_t hardware[DHCP_HARDWARE],
              uint64_t now_ms, struct err *e)
{
    int on = 1;
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(CLIENT_PORT)};
    *d = (struct dhcp){.begin_ms = now_ms};
    memcpy(d->hardware, hardware, DHCP_HARDWARE);
    begin_selecting(d, now_ms);
    d->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (d->fd >= 0 && !setsockopt(d->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
        !setsockopt(d->fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof on) &&
        !setsockopt(d->fd, SOL_SOCKET, SO_BINDTODEVICE, interface, (socklen_t)strlen(interface)) &&
        !bind(d->fd, (const struct sockaddr *)&here, sizeof here))
        return 0;
    err_set(e, ERR_MACHINE, "%s: no socket for DHCP: %s", interface, strerror(errno));
    dhcp_close(d);
    return -1;
}

void dhcp_close(struct dhcp *d)
{
    if (d->fd >= 0)
        close(d->fd);
    d->fd = -1;
}

void dhcp_answered(struct dhcp *d, const uint8_t *bytes, size_t length, uint64_t now_ms)
{
    struct dhcp_lease lease;
    enum dhcp_type type = dhcp_message_read(&lease, bytes, length, d->transaction, d->hardware);
    if (d->state == DHCP_SELECTING && type == DHCPOFFER) {
        d->lease = lease;
        d->state = DHCP_REQUESTING;
        d->requests = 0;
        d->wait_ms = FIRST_WAIT_MS;
        d->next_ms = now_ms;
    } else if (d->state == DHCP_REQUESTING && lease.server == d->lease.server) {
        if (type == DHCPACK) {
            d->lease = lease;
            d->state = DHCP_BOUND;
        } else if (type == DHCPNAK) {
            begin_selecting(d, now_ms);
        }
    }
}

bool dhcp_due(struct dhcp *d, uint64_t now_ms, struct dhcp_request *request)
{
    if (d->state == DHCP_BOUND || now_ms < d->next_ms)
        return false;
    if (d->state == DHCP_REQUESTING && d->requests == REQUESTS_MAX)
        begin_selecting(d, now_ms); /* the server that made the offer does not answer any more */
    bool taking = d->state == DHCP_REQUESTING;
    uint64_t seconds = (now_ms - d->begin_ms) / 1000;
    if (!taking)
        d->seconds = (uint16_t)(seconds < UINT16_MAX ? seconds : UINT16_MAX);
    *request = (struct dhcp_request){
        .type = taking ? DHCPREQUEST : DHCPDISCOVER,
        .transaction = d->transaction,
        .seconds = d->seconds,
        .address = taking ? d->lease.address : 0,
        .server = taking ? d->lease.server : 0,
    };
    memcpy(request->hardware, d->hardware, DHCP_HARDWARE);
    if (taking)
        d->requests++;
    /* Up to a quarter of the waiting time is added at random, so that the machines of a rack that
       was switched on at once do not ask at the same time. */
    d->next_ms = now_ms + d->wait_ms + random_number() % (d->wait_ms / 4);
    d->wait_ms = d->wait_ms * 2 < LONGEST_WAIT_MS ? d->wait_ms * 2 : LONGEST_WAIT_MS;
    return true;
}

enum dhcp_state dhcp_step(struct dhcp *d, uint64_t now_ms)
{
    uint8_t answer[DHCP_ANSWER_MAX], bytes[DHCP_REQUEST];
    ssize_t n;
    for (int i = 0; i < AT_ONCE && (n = recv(d->fd, answer, sizeof answer, 0)) >= 0; i++)
        dhcp_answered(d, answer, (size_t)n, now_ms);
    struct dhcp_request request;
    if (dhcp_due(d, now_ms, &request)) {
        struct sockaddr_in all = {.sin_family = AF_INET,
                                  .sin_port = htons(SERVER_PORT),
                                  .sin_addr.s_addr = htonl(INADDR_BROADCAST)};
        size_t length = dhcp_message_write(bytes, &request);
        /* A message that is lost, or that cannot be sent because the link is gone, is sent again
           later. */
        (void)sendto(d->fd, bytes, length, 0, (const struct sockaddr *)&all, sizeof all);
    }
    return d->state;
}

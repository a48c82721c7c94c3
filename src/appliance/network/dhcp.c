/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The DHCP client's states, and its socket: a plain UDP socket bound to the interface. On Linux
 * such a socket sends from 0.0.0.0 and receives packets to 255.255.255.255 while the interface has
 * no address, so no frames are built by hand. For that reason the client asks for broadcast
 * answers. The answer of a server that ignores this (against RFC 2131, 4.1) is not received.
 */
#include "appliance/network/internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SERVER_PORT = 67, CLIENT_PORT = 68 };
enum { AT_ONCE = 64 }; /* answers taken in one step: a flood must not stop the timing */

/* At first the messages are closer together than the 4 s of RFC 2131, 4.1: a switch that still
   examines a new link (spanning tree) drops the first ones, and a person is waiting. */
enum { FIRST_WAIT_MS = 1000, LONGEST_WAIT_MS = 8000, REQUESTS_MAX = 4 };

static uint32_t random_number(void)
{
    uint32_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
        return 0; /* too early after power-on: there are no random numbers */
    return number;
}

static void begin_selecting(struct dhcp *d, uint64_t now_ms)
{
    uint32_t address;
    memcpy(&address, d->hardware + 2, sizeof address);
    d->state = DHCP_SELECTING;
    /* Each attempt has a different number; hardware addresses differ even without randomness. */
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
        begin_selecting(d, now_ms); /* the server of the offer is gone */
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
    /* Up to a quarter is added at random, so that the machines of a rack that was switched on at
       once do not ask at the same time. */
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

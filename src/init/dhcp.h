/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A DHCP client on one interface: asks for an address until a server grants one (RFC 2131, 3.1),
 * sending again at growing intervals. Several run side by side in one thread: the caller polls
 * their descriptors and calls dhcp_step. Nothing is set up with what was granted, and nothing is
 * renewed (init/network.h). Nor is it asked whether another host uses the address (ARP, RFC 2131
 * 2.2): servers look themselves. Owner: dhcp_close.
 */
#ifndef CUPEL_INIT_DHCP_H
#define CUPEL_INIT_DHCP_H

#include <stdint.h>

#include "base/err.h"
#include "init/dhcp_message.h"

enum dhcp_state { DHCP_SELECTING, DHCP_REQUESTING, DHCP_BOUND };

struct dhcp {
    int fd;
    enum dhcp_state state;
    uint8_t hardware[DHCP_HARDWARE];
    uint32_t transaction;
    uint64_t begin_ms, next_ms; /* when the first was sent; when the next one is due */
    uint32_t wait_ms;           /* between the last and the next */
    uint16_t seconds;           /* from the first message to the last DHCPDISCOVER: its DHCPREQUEST
                                   must say the same (RFC 2131, 4.1) */
    unsigned requests;          /* sent for the offer that is being taken */
    struct dhcp_lease lease;    /* DHCP_REQUESTING: what is offered; DHCP_BOUND: what is granted */
};

/* The interface is up and has no address. Times are of any clock that only goes forward; the first
   message is due at once. ERR_MACHINE. */
int dhcp_open(struct dhcp *d, const char *interface, const uint8_t hardware[DHCP_HARDWARE],
              uint64_t now_ms, struct err *e);
void dhcp_close(struct dhcp *d);

/* Takes all answers that are there and sends what is due; to be called when d->fd can be read or
   d->next_ms has come. Returns the state. */
enum dhcp_state dhcp_step(struct dhcp *d, uint64_t now_ms);

/* The two parts of a step without a socket: an answer came; the time is now. dhcp_due is true when
   `request` is to be sent. */
void dhcp_answered(struct dhcp *d, const uint8_t *bytes, size_t length, uint64_t now_ms);
bool dhcp_due(struct dhcp *d, uint64_t now_ms, struct dhcp_request *request);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What both ends do with a connected socket: its options, whole messages, and the kernel's view. */
#ifndef CUPEL_IO_NET_LINK_H
#define CUPEL_IO_NET_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/net/message.h"

/* An end that neither sends nor takes a byte of a message for so long has gone. */
#define NET_SILENT_SECONDS 10
/* A wait looks this often whether the far end is still there. */
#define NET_LOOK_MS 500
/* For a connection, and for each message of its beginning. */
#define NET_GREETING_SECONDS 5

/*
 * No waiting for more to send (TCP_NODELAY), keepalive, and an end to what nobody acknowledges
 * after NET_SILENT_SECONDS. recv and send wait for no more than NET_LOOK_MS at a time.
 */
void net_link_prepare(int fd);

/* A whole message, or false: `seconds` are over, or the other end has gone (errno). */
bool net_link_send(int fd, const unsigned char *message, size_t size, double seconds);
bool net_link_receive(int fd, unsigned char *message, size_t size, double seconds);

/* The kernel's view of a connection. Zeros where it says nothing. */
struct net_link {
    uint32_t resent, sent; /* segments with data: retransmitted, and sent in all */
    uint32_t rtt_us, rtt_min_us;
    uint32_t window;    /* congestion window, segments */
    uint32_t segment;   /* bytes of a segment */
    char algorithm[16]; /* of congestion control */
};

void net_link_look(int fd, struct net_link *link);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What both ends do with a connected socket: its options, whole messages, and the kernel's
   statistics. */
#ifndef CUPEL_IO_NET_CONNECTED_SOCKET_H
#define CUPEL_IO_NET_CONNECTED_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/net/message.h"

/* Seconds after which a connection is given up if the far end neither sends a byte of a message nor
   accepts one. */
#define NET_SILENT_SECONDS 10
/* Interval in milliseconds at which a waiting call checks whether the far end is still there. */
#define NET_LOOK_MS 500
/* Time limit in seconds for opening a connection, and for each message of the handshake. */
#define NET_GREETING_SECONDS 5

/*
 * Sets the options of a socket: data are sent at once (TCP_NODELAY), keepalive, and the connection
 * ends when the far end acknowledges nothing for NET_SILENT_SECONDS. Calls of recv and send then
 * wait for at most NET_LOOK_MS.
 */
void net_link_prepare(int fd);

/* Send, or receive, a whole message. Return false with errno when `seconds` have passed, or the
   other end has closed the connection. */
bool net_link_send(int fd, const unsigned char *message, size_t size, double seconds);
bool net_link_receive(int fd, unsigned char *message, size_t size, double seconds);

/* The kernel's statistics of a connection. Fields that the kernel does not report are 0. */
struct net_link {
    /* numbers of segments with data: those that were retransmitted, and all that were sent */
    uint32_t resent, sent;
    uint32_t rtt_us, rtt_min_us;
    uint32_t window;    /* congestion window, segments */
    uint32_t segment;   /* bytes of a segment */
    char algorithm[16]; /* name of the congestion control algorithm */
};

void net_link_look(int fd, struct net_link *link);

#endif

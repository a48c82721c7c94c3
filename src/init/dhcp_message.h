/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * DHCP messages (RFC 2131, options of RFC 2132) to bytes and back: no sockets, no state. What comes
 * in is from anybody on the wire: every length is checked, and what is not understood is passed
 * over. Addresses of IPv4 are numbers in the host's byte order, 0 where there is none.
 */
#ifndef CUPEL_INIT_DHCP_MESSAGE_H
#define CUPEL_INIT_DHCP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DHCP_HARDWARE    6    /* bytes of an Ethernet address */
#define DHCP_REQUEST     400  /* bytes that dhcp_message_write may take */
#define DHCP_ANSWER_MOST 1472 /* bytes of an answer: what an Ethernet frame has room for */
#define DHCP_DNS_MOST    3    /* resolv.conf has no more */
#define DHCP_FOR_EVER    UINT32_MAX

enum dhcp_type { DHCPDISCOVER = 1, DHCPOFFER, DHCPREQUEST, DHCPDECLINE, DHCPACK, DHCPNAK };

struct dhcp_request {
    enum dhcp_type type; /* DHCPDISCOVER or DHCPREQUEST */
    uint32_t transaction;
    uint8_t hardware[DHCP_HARDWARE];
    uint16_t seconds; /* since the first one */
    uint32_t address; /* that was offered; of a DHCPDISCOVER one that would be welcome, or 0 */
    uint32_t server;  /* whose offer is taken, or 0 */
};

struct dhcp_lease {
    uint32_t address, netmask; /* the netmask is that of the address's class when none is told */
    uint32_t router, server;
    uint32_t dns[DHCP_DNS_MOST];
    unsigned dns_count;
    uint32_t seconds; /* DHCP_FOR_EVER also when the server does not tell */
    char domain[256]; /* letters, digits, '-', '_' and '.'; "" for any other */
};

/* Returns how many bytes it has. It asks for answers to be broadcast: see dhcp.c. */
size_t dhcp_message_write(uint8_t to[DHCP_REQUEST], const struct dhcp_request *request);

/*
 * What a server answers to that transaction of that hardware address: DHCPOFFER or DHCPACK with the
 * lease filled, DHCPNAK, or 0 for everything else, among that an offer without a server or without
 * an address that a host can have. Option codes that occur twice are not joined (RFC 3396): the
 * first counts.
 */
enum dhcp_type dhcp_message_read(struct dhcp_lease *lease, const uint8_t *bytes, size_t length,
                                 uint32_t transaction, const uint8_t hardware[DHCP_HARDWARE]);

#endif

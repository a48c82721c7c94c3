/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/init/network share. */
#ifndef CUPEL_INIT_NETWORK_INTERNAL_H
#define CUPEL_INIT_NETWORK_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "base/text.h"

/* ---- DHCP messages ---- */

/*
 * DHCP messages (RFC 2131, options of RFC 2132) to bytes and back: no sockets, no state. What comes
 * in is from anybody on the wire: every length is checked, and what is not understood is passed
 * over. Addresses of IPv4 are numbers in the host's byte order, 0 where there is none.
 */

#define DHCP_HARDWARE   6    /* bytes of an Ethernet address */
#define DHCP_REQUEST    400  /* bytes that dhcp_message_write may take */
#define DHCP_ANSWER_MAX 1472 /* bytes of an answer: what an Ethernet frame has room for */
#define DHCP_DNS_MAX    3    /* resolv.conf has no more */
#define DHCP_FOR_EVER   UINT32_MAX

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
    uint32_t address, netmask; /* the netmask is that of the address's class when none is given */
    uint32_t router, server;
    uint32_t dns[DHCP_DNS_MAX];
    unsigned dns_count;
    uint32_t seconds; /* DHCP_FOR_EVER also when the server gives no time */
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

/* ---- the DHCP client ---- */

/*
 * A DHCP client on one interface: asks for an address until a server grants one (RFC 2131, 3.1),
 * sending again at growing intervals. Several run side by side in one thread: the caller polls
 * their descriptors and calls dhcp_step. It neither sets up the interface with the lease nor renews
 * it (init/network/network.h), and does not ask whether another host uses the address (ARP, RFC
 * 2131 2.2): servers look themselves. Owner: dhcp_close.
 */

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

/* ---- the answer of a collector (http_put.c) ---- */

/* A server's answer as it comes in, of which only the status line (RFC 9112, 4) is looked at. */

enum http_progress {
    HTTP_INCOMPLETE, /* nothing decided yet */
    HTTP_ANSWERED,
    HTTP_GARBAGE, /* no HTTP/1 */
};

struct http_answer {
    int status;    /* 200 to 599 */
    char line[96]; /* "HTTP/1.1 404 Not Found", printable */
};

/* `got` is everything that came so far. Answers that are only on the way (1xx) are passed over. */
enum http_progress http_answer_read(struct http_answer *a, struct span got);

/* ---- IPv4 addresses ---- */

/*
 * As text, and given to an interface by rtnetlink(7). Numbers are in the host's byte order, 0 where
 * there is none. One thread.
 */

#define NETWORK_FOR_EVER UINT32_MAX

struct network_setting {
    uint32_t address;
    unsigned prefix;  /* bits of the network, 1 to 32 */
    uint32_t gateway; /* of the default route */
    uint32_t seconds; /* after which the kernel takes the address away, or NETWORK_FOR_EVER */
};

/* "192.0.2.7/24", or with its gateway "192.0.2.7/24,192.0.2.1". ERR_USAGE. */
int network_setting_parse(struct network_setting *s, const char *text, struct err *e);

/* A number of at most so many decimal digits; 0 for anything else and for what is above `max`. */
unsigned network_number(struct span s, size_t digits, unsigned max);

/* "192.0.2.7"; "" of 0. Returns `to`. */
char *network_address_text(char to[16], uint32_t address);

/* Give the interface of that index the address, and the default route over it. ERR_MACHINE. */
int network_setting_apply(const struct network_setting *s, unsigned interface_index, struct err *e);

/* What resolv.conf(5) has: the domain that is searched, if there is one, and the name servers. */
void network_add_resolver(struct text *to, const uint32_t dns[], unsigned count,
                          const char *domain);

/* ---- interfaces ---- */

/*
 * The Ethernet interfaces of this machine (those of its own network namespace). Settings of the
 * kernel's: nothing here is owned. One thread.
 */

#define NETWORK_INTERFACES_MAX 32

struct network_interface {
    char name[16];
    unsigned index; /* the kernel's, in the order in which the interfaces came */
    uint8_t hardware[6];
};

/* At most `max` of them into `to`, by index; how many. `only`: the one of that name, "" or NULL
   for all. Without Ethernet's kind of address (loopback, InfiniBand, tunnels) it is none. */
unsigned network_interfaces(struct network_interface to[], unsigned max, const char *only);

/* Switch it on, without an address. ERR_MACHINE with the driver's reason. */
int network_interface_start(const struct network_interface *i, struct err *e);

/* Does it have a link? It may take seconds to get one after it was switched on. */
bool network_interface_has_carrier(const struct network_interface *i);

#endif

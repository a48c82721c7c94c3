/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/appliance/network. */
#ifndef CUPEL_APPLIANCE_NETWORK_INTERNAL_H
#define CUPEL_APPLIANCE_NETWORK_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "base/text.h"

/* ---- DHCP messages ---- */

/*
 * Converts DHCP messages (RFC 2131, options of RFC 2132) to bytes and back: no sockets, no state.
 * Incoming bytes may be from anybody on the network: every length is checked, and unknown parts are
 * skipped. IPv4 addresses are numbers in the host's byte order, 0 where there is none.
 */

#define DHCP_HARDWARE   6    /* bytes of an Ethernet address */
#define DHCP_REQUEST    400  /* maximum number of bytes that dhcp_message_write produces */
#define DHCP_ANSWER_MAX 1472 /* maximum bytes of an answer, which fits an Ethernet frame */
#define DHCP_DNS_MAX    3    /* resolv.conf takes no more */
#define DHCP_FOR_EVER   UINT32_MAX

enum dhcp_type { DHCPDISCOVER = 1, DHCPOFFER, DHCPREQUEST, DHCPDECLINE, DHCPACK, DHCPNAK };

struct dhcp_request {
    enum dhcp_type type; /* DHCPDISCOVER or DHCPREQUEST */
    uint32_t transaction;
    uint8_t hardware[DHCP_HARDWARE];
    uint16_t seconds; /* seconds since the first message */
    uint32_t address; /* the offered address; in a DHCPDISCOVER the preferred address, or 0 */
    uint32_t server;  /* the server whose offer is accepted, or 0 */
};

struct dhcp_lease {
    /* `netmask`: that of the address's class, if the server gives none */
    uint32_t address, netmask;
    uint32_t router, server;
    uint32_t dns[DHCP_DNS_MAX];
    unsigned dns_count;
    uint32_t seconds; /* DHCP_FOR_EVER also when the server states no time */
    /* consists of letters, digits, '-', '_' and '.'; "" if it had other characters */
    char domain[256];
};

/* Writes a message that asks for broadcast answers (see dhcp.c). Returns its length. */
size_t dhcp_message_write(uint8_t to[DHCP_REQUEST], const struct dhcp_request *request);

/*
 * Reads a server's answer to this transaction of this hardware address. Returns DHCPOFFER or
 * DHCPACK with the lease filled in, or DHCPNAK. Returns 0 for everything else, such as an offer
 * without a server or without an address that a host can have. If an option code occurs twice, the
 * first one counts; the two are not joined (RFC 3396).
 */
enum dhcp_type dhcp_message_read(struct dhcp_lease *lease, const uint8_t *bytes, size_t length,
                                 uint32_t transaction, const uint8_t hardware[DHCP_HARDWARE]);

/* ---- the DHCP client ---- */

/*
 * A DHCP client on one interface: asks for an address until a server grants one (RFC 2131, 3.1),
 * and repeats the message at growing intervals. Several clients run in parallel in one thread: the
 * caller polls their descriptors and calls dhcp_step. The client neither configures the interface
 * nor renews the lease (appliance/network/network_up.h), and does not check whether another host
 * uses the address (ARP, RFC 2131 2.2): servers check that themselves. The caller closes it with
 * dhcp_close.
 */

enum dhcp_state { DHCP_SELECTING, DHCP_REQUESTING, DHCP_BOUND };

struct dhcp {
    int fd;
    enum dhcp_state state;
    uint8_t hardware[DHCP_HARDWARE];
    uint32_t transaction;
    uint64_t begin_ms, next_ms; /* when the first message was sent; when the next one is due */
    uint32_t wait_ms;           /* time between the last message and the next */
    uint16_t seconds;           /* time from the first message to the last DHCPDISCOVER: its
                                   DHCPREQUEST must state the same (RFC 2131, 4.1) */
    unsigned requests;          /* number of requests sent for the present offer */
    /* in DHCP_REQUESTING, the offered lease; in DHCP_BOUND, the granted one */
    struct dhcp_lease lease;
};

/* Begins to ask for an address. The interface must be up and have no address. Times are from any
   clock that never goes back; the first message is due at once. Errors: ERR_MACHINE. */
int dhcp_open(struct dhcp *d, const char *interface, const uint8_t hardware[DHCP_HARDWARE],
              uint64_t now_ms, struct err *e);
void dhcp_close(struct dhcp *d);

/* Takes all answers that are there and sends a message if one is due. Call it when d->fd can be
   read or d->next_ms has come. Returns the state. */
enum dhcp_state dhcp_step(struct dhcp *d, uint64_t now_ms);

/* The two parts of a step that need no socket. dhcp_answered handles an answer. dhcp_due handles
   the time, and returns true if `request` must be sent. */
void dhcp_answered(struct dhcp *d, const uint8_t *bytes, size_t length, uint64_t now_ms);
bool dhcp_due(struct dhcp *d, uint64_t now_ms, struct dhcp_request *request);

/* ---- the answer of a collector (http_put.c) ---- */

/* A server's answer while it is being received; only the status line (RFC 9112, 4) is examined. */

enum http_progress {
    HTTP_INCOMPLETE, /* not decided so far */
    HTTP_ANSWERED,
    HTTP_GARBAGE, /* not HTTP/1 */
};

struct http_answer {
    int status;    /* 200 to 599 */
    char line[96]; /* "HTTP/1.1 404 Not Found", printable */
};

/* `got`: all bytes that were received so far. Interim answers (1xx) are skipped. */
enum http_progress http_answer_read(struct http_answer *a, struct span got);

/* ---- IPv4 addresses ---- */

/*
 * IPv4 addresses as text, and their assignment to an interface by rtnetlink(7). Addresses are
 * numbers in the host's byte order, 0 where there is none. One thread.
 */

#define NETWORK_FOR_EVER UINT32_MAX

struct network_setting {
    uint32_t address;
    unsigned prefix;  /* bits of the network part, 1 to 32 */
    uint32_t gateway; /* gateway of the default route */
    uint32_t seconds; /* time after which the kernel removes the address, or NETWORK_FOR_EVER */
};

/* Parses "192.0.2.7/24", or with a gateway "192.0.2.7/24,192.0.2.1". Errors: ERR_USAGE. */
int network_setting_parse(struct network_setting *s, const char *text, struct err *e);

/* Returns a number of at most `digits` decimal digits; 0 for anything else and for numbers above
   `max`. */
unsigned network_number(struct span s, size_t digits, unsigned max);

/* Writes "192.0.2.7", or "" for 0. Returns `to`. */
char *network_address_text(char to[16], uint32_t address);

/* Appends the lines of resolv.conf(5): the search domain, if there is one, and the name servers. */
void network_add_resolver(struct text *to, const uint32_t dns[], unsigned count,
                          const char *domain);

#endif

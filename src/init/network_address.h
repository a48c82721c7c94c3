/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IPv4 addresses: as text, and given to an interface by rtnetlink (rtnetlink(7)). Numbers are in
 * the host's byte order, 0 where there is none. One thread.
 */
#ifndef CUPEL_INIT_NETWORK_ADDRESS_H
#define CUPEL_INIT_NETWORK_ADDRESS_H

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

#define NETWORK_FOR_EVER UINT32_MAX

struct network_setting {
    uint32_t address;
    unsigned prefix;  /* bits of the network, 1 to 32 */
    uint32_t gateway; /* of the default route */
    uint32_t seconds; /* after which the kernel takes the address away, or NETWORK_FOR_EVER */
};

/* "192.0.2.7/24", or with its gateway "192.0.2.7/24,192.0.2.1". ERR_USAGE. */
int network_setting_parse(struct network_setting *s, const char *text, struct err *e);

/* "192.0.2.7"; "" of 0. Returns `to`. */
char *network_address_text(char to[16], uint32_t address);

/* Give the interface of that index the address, and the default route over it. ERR_MACHINE. */
int network_setting_apply(const struct network_setting *s, unsigned interface_index, struct err *e);

/* What resolv.conf(5) has: the domain that is searched, if there is one, and the name servers. */
void network_add_resolver(struct text *to, const uint32_t dns[], unsigned count,
                          const char *domain);

#endif

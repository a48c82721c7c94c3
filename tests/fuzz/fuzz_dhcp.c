/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A DHCP server's answer. */
#include "appliance/network/internal.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>

#define TRANSACTION 0x63757065u

static const uint8_t hardware[DHCP_HARDWARE] = {0x52, 0x54, 0, 0x12, 0x34, 0x56};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dhcp_lease lease;
    enum dhcp_type type = dhcp_message_read(&lease, data, size, TRANSACTION, hardware);
    FUZZ_CHECK(type == 0 || type == DHCPOFFER || type == DHCPACK || type == DHCPNAK,
               "an answer of another type");
    if (type != DHCPOFFER && type != DHCPACK)
        return 0;
    FUZZ_CHECK(lease.address != 0 && lease.server != 0, "a lease of nothing");
    FUZZ_CHECK(lease.dns_count <= DHCP_DNS_MAX, "too many name servers");
    FUZZ_CHECK(memchr(lease.domain, 0, sizeof lease.domain), "a domain without an end");
    for (const char *c = lease.domain; *c; c++)
        FUZZ_CHECK((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                       (*c >= '0' && *c <= '9') || strchr("-_.", *c),
                   "a domain for resolv.conf that has other characters");
    return 0;
}

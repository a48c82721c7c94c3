/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses as text. Setting them is network_rtnetlink.c. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "init/network/internal.h"

char *network_address_text(char to[16], uint32_t address)
{
    to[0] = '\0';
    if (address)
        snprintf(to, 16, "%u.%u.%u.%u", address >> 24, address >> 16 & 255, address >> 8 & 255,
                 address & 255);
    return to;
}

/* Four decimal numbers; 0 when it is no address that a host or a gateway can have. */
static uint32_t address_of(struct span s)
{
    char text[INET_ADDRSTRLEN];
    struct in_addr a;
    if (s.length >= sizeof text)
        return 0;
    span_copy(text, s);
    if (inet_pton(AF_INET, text, &a) != 1)
        return 0;
    uint32_t address = ntohl(a.s_addr);
    uint32_t first = address >> 24;
    return first != 0 && first != 127 && first < 224 ? address : 0;
}

/* 1 to 32, 0 for anything else. */
static unsigned prefix_of(struct span s)
{
    unsigned bits = 0;
    if (s.length < 1 || s.length > 2)
        return 0;
    for (size_t i = 0; i < s.length; i++) {
        if (s.text[i] < '0' || s.text[i] > '9')
            return 0;
        bits = bits * 10 + (unsigned)(s.text[i] - '0');
    }
    return bits <= 32 ? bits : 0;
}

int network_setting_parse(struct network_setting *s, const char *text, struct err *e)
{
    static const char form[] =
        "give dhcp, or an address as 192.0.2.7/24, or with its gateway as 192.0.2.7/24,192.0.2.1";
    char shown[64];
    struct span whole = span_trimmed(span_of(text));
    const char *end = whole.text + whole.length;
    const char *comma = memchr(whole.text, ',', whole.length);
    const char *slash = memchr(whole.text, '/', whole.length);
    const char *prefix_end = comma ? comma : end;
    *s = (struct network_setting){.seconds = NETWORK_FOR_EVER};
    if (slash && slash < prefix_end) {
        s->address = address_of((struct span){whole.text, (size_t)(slash - whole.text)});
        s->prefix =
            prefix_of(span_trimmed((struct span){slash + 1, (size_t)(prefix_end - slash) - 1}));
    }
    if (comma)
        s->gateway = address_of(span_trimmed((struct span){comma + 1, (size_t)(end - comma) - 1}));
    if (s->address == 0 || s->prefix == 0 || (comma && s->gateway == 0))
        return err_set(e, ERR_USAGE, "network %s: %s", span_printable(shown, sizeof shown, whole),
                       form);
    return 0;
}

void network_add_resolver(struct text *to, const uint32_t dns[], unsigned count, const char *domain)
{
    char address[16];
    if (*domain)
        text_addf(to, "search %s\n", domain);
    for (unsigned i = 0; i < count; i++)
        text_addf(to, "nameserver %s\n", network_address_text(address, dns[i]));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A DHCP server for tests: it builds answers option by option, correct or faulty. */
#ifndef TESTS_UNIT_DHCP_SERVER_H
#define TESTS_UNIT_DHCP_SERVER_H

#include <stdint.h>
#include <string.h>

struct server_answer {
    uint8_t bytes[600];
    size_t length;
};

static inline void server_put_32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static inline uint32_t server_get_32(const uint8_t *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static inline void server_add(struct server_answer *a, uint8_t code, const void *value, uint8_t n)
{
    a->bytes[a->length++] = code;
    a->bytes[a->length++] = n;
    memcpy(a->bytes + a->length, value, n);
    a->length += n;
}

static inline void server_add_32(struct server_answer *a, uint8_t code, uint32_t value)
{
    uint8_t bytes[4];
    server_put_32(bytes, value);
    server_add(a, code, bytes, 4);
}

static inline void server_end(struct server_answer *a)
{
    a->bytes[a->length++] = 255;
}

static inline void server_answer_begin(struct server_answer *a, uint8_t type, uint32_t transaction,
                                       const uint8_t hardware[6], uint32_t address)
{
    memset(a, 0, sizeof *a);
    a->bytes[0] = 2;
    a->bytes[1] = 1;
    a->bytes[2] = 6;
    server_put_32(a->bytes + 4, transaction);
    server_put_32(a->bytes + 16, address);
    memcpy(a->bytes + 28, hardware, 6);
    server_put_32(a->bytes + 236, 0x63825363);
    a->length = 240;
    server_add(a, 53, &type, 1);
}

/* Returns the four bytes of an option in a client's message, or 0 if the option is missing. */
static inline uint32_t server_option_32(const uint8_t *bytes, size_t length, uint8_t code)
{
    for (size_t at = 240; at + 6 <= length && bytes[at] != 255; at += 2 + (size_t)bytes[at + 1])
        if (bytes[at] == code && bytes[at + 1] == 4)
            return server_get_32(bytes + at + 2);
    return 0;
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts messages of the protocol to bytes, and bytes to messages. */
#include "io/net/message.h"

#include <string.h>

#include "base/endian.h"

/* The first byte of every header. It reveals an end that has lost its place in the stream. */
#define HEADER_MARK 0x6cu

static const char hello_mark[] = "cupelnet";
enum { MARK_BYTES = sizeof hello_mark - 1 };

void net_header_write(unsigned char to[NET_HEADER_BYTES], const struct net_header *header)
{
    memset(to, 0, NET_HEADER_BYTES);
    to[0] = HEADER_MARK;
    to[1] = header->op;
    store_le32(to + 4, header->length);
    store_le32(to + 8, header->sequence);
    to[12] = (unsigned char)header->id;
    to[13] = (unsigned char)(header->id >> 8);
}

bool net_header_read(struct net_header *header, const unsigned char from[NET_HEADER_BYTES])
{
    *header = (struct net_header){.length = load_le32(from + 4),
                                  .sequence = load_le32(from + 8),
                                  .id = load_le16(from + 12),
                                  .op = from[1]};
    return from[0] == HEADER_MARK && from[1] < NET_OPS && !load_le16(from + 2) &&
           !load_le16(from + 14) && header->length <= NET_LENGTH_MAX;
}

void net_hello_write(unsigned char to[NET_HELLO_BYTES], const struct net_hello *hello)
{
    memset(to, 0, NET_HELLO_BYTES);
    memcpy(to, hello_mark, MARK_BYTES);
    store_le32(to + 8, hello->version);
    store_le32(to + 12, hello->answer);
    store_le32(to + 16, hello->connections);
    store_le32(to + 20, hello->length);
    store_le64(to + 24, hello->token);
}

bool net_hello_read(struct net_hello *hello, const unsigned char from[NET_HELLO_BYTES])
{
    *hello = (struct net_hello){.version = load_le32(from + 8),
                                .answer = load_le32(from + 12),
                                .connections = load_le32(from + 16),
                                .length = load_le32(from + 20),
                                .token = load_le64(from + 24)};
    return !memcmp(from, hello_mark, MARK_BYTES);
}

void net_summary_write(unsigned char to[NET_SUMMARY_BYTES], const struct net_summary *summary)
{
    memset(to, 0, NET_SUMMARY_BYTES);
    for (unsigned op = 0; op < 2; op++) {
        store_le64(to + 8 * op, summary->requests[op]);
        store_le64(to + 16 + 8 * op, summary->bytes[op]);
    }
    store_le32(to + 32, summary->resent);
    store_le32(to + 36, summary->sent);
    store_le32(to + 40, summary->rtt_us);
}

void net_summary_read(struct net_summary *summary, const unsigned char from[NET_SUMMARY_BYTES])
{
    for (unsigned op = 0; op < 2; op++) {
        summary->requests[op] = load_le64(from + 8 * op);
        summary->bytes[op] = load_le64(from + 16 + 8 * op);
    }
    summary->resent = load_le32(from + 32);
    summary->sent = load_le32(from + 36);
    summary->rtt_us = load_le32(from + 40);
}

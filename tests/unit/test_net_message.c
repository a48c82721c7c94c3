/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between cupel run --net and cupel serve: encoding, decoding, and invalid ones. */
#include "check.h"

#include "base/random.h"
#include "io/net/message.h"

static void check_header(void)
{
    unsigned char bytes[NET_HEADER_BYTES];
    struct net_header got;
    const struct net_header sent = {
        .length = 1 << 20, .sequence = 0xfedcba98, .id = 0xabcd, .op = NET_WRITE};
    net_header_write(bytes, &sent);
    CHECK(net_header_read(&got, bytes));
    CHECK_INT(got.length, 1 << 20);
    CHECK_INT(got.sequence, 0xfedcba98);
    CHECK_INT(got.id, 0xabcd);
    CHECK_INT(got.op, NET_WRITE);

    /* One changed byte: either another request number, or an invalid header. */
    for (unsigned i = 0; i < NET_HEADER_BYTES; i++) {
        unsigned char other[NET_HEADER_BYTES];
        memcpy(other, bytes, sizeof other);
        other[i] ^= 0xf0;
        bool is_number = (i >= 4 && i < 7) || (i >= 8 && i < 14);
        CHECK_INT(net_header_read(&got, other), is_number);
    }
    const struct net_header too_long = {.length = NET_LENGTH_MAX + 1};
    net_header_write(bytes, &too_long);
    CHECK(!net_header_read(&got, bytes));
}

static void check_hello(void)
{
    unsigned char bytes[NET_HELLO_BYTES];
    struct net_hello got;
    const struct net_hello sent = {.version = 7,
                                   .answer = NET_TOO_LONG,
                                   .connections = 256,
                                   .length = 1 << 20,
                                   .token = 0x0123456789abcdef};
    net_hello_write(bytes, &sent);
    CHECK(net_hello_read(&got, bytes));
    CHECK_INT(got.version, 7);
    CHECK_INT(got.answer, NET_TOO_LONG);
    CHECK_INT(got.connections, 256);
    CHECK_INT(got.length, 1 << 20);
    CHECK(got.token == 0x0123456789abcdef);
    bytes[0] = 'G'; /* as at the begin of "GET / HTTP/1.1" */
    CHECK(!net_hello_read(&got, bytes));
}

static void check_summary(void)
{
    unsigned char bytes[NET_SUMMARY_BYTES];
    struct net_summary got;
    const struct net_summary sent = {
        .requests = {1, 2}, .bytes = {UINT64_MAX, 4}, .resent = 5, .sent = 6, .rtt_us = 7};
    net_summary_write(bytes, &sent);
    net_summary_read(&got, bytes);
    for (unsigned op = 0; op < 2; op++) {
        CHECK(got.requests[op] == sent.requests[op]);
        CHECK(got.bytes[op] == sent.bytes[op]);
    }
    CHECK_INT(got.resent, 5);
    CHECK_INT(got.sent, 6);
    CHECK_INT(got.rtt_us, 7);
}

int main(void)
{
    check_header();
    check_hello();
    check_summary();
    return check_result();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The protocol between `cupel run --net` and `cupel serve`, over TCP. All numbers are little
 * endian.
 *
 * A connection begins with a hello of the measuring end and the answer of the serving end. Then
 * the measuring end sends requests, any number at a time; they are done and answered in order:
 *
 *   read   a header asks for `length` bytes; the answer is the same header and that many bytes
 *   write  a header and `length` bytes; the answer is the same header after all bytes have come
 *   end    a header; the answer is the same header and a summary of the serving end's counts
 *
 * Functions that read a message accept any bytes: they refuse bytes that are no message, and the
 * content of a message never decides how much is allocated. Pure: any thread.
 */
#ifndef CUPEL_IO_NET_MESSAGE_H
#define CUPEL_IO_NET_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#define NET_VERSION    1u
#define NET_LENGTH_MAX (16u << 20) /* bytes of a request */

enum net_op { NET_READ, NET_WRITE, NET_END, NET_OPS };

#define NET_HEADER_BYTES 16

struct net_header {
    uint32_t length; /* bytes, at most NET_LENGTH_MAX */
    uint32_t sequence;
    uint16_t id; /* the request's slot on the measuring machine */
    uint8_t op;  /* enum net_op */
};

void net_header_write(unsigned char to[NET_HEADER_BYTES], const struct net_header *header);
/* Returns false when the bytes are no header of this protocol. */
bool net_header_read(struct net_header *header, const unsigned char from[NET_HEADER_BYTES]);

/* The answer to a hello: the session is accepted, or the reason why it is refused. */
enum net_answer { NET_ACCEPTED, NET_OTHER_VERSION, NET_FULL, NET_TOO_LONG };

#define NET_HELLO_BYTES 40

/* The hello, and its answer. The first three fields are the same in every version. */
struct net_hello {
    uint32_t version;
    uint32_t answer; /* enum net_answer; 0 in a hello */
    /* in a hello: number of the session's connections; in an answer: the limit of the serving
       end */
    uint32_t connections;
    /* in a hello: bytes of the longest request; in an answer: the limit of the serving end */
    uint32_t length;
    uint64_t token; /* random number that is the same for all connections of a session */
};

void net_hello_write(unsigned char to[NET_HELLO_BYTES], const struct net_hello *hello);
/* Returns false if the bytes are no hello of cupel. */
bool net_hello_read(struct net_hello *hello, const unsigned char from[NET_HELLO_BYTES]);

#define NET_SUMMARY_BYTES 48

/* What one end has counted on a connection; arrays are indexed by NET_READ and NET_WRITE. */
struct net_summary {
    uint64_t requests[2], bytes[2];
    uint32_t resent; /* segments that this end retransmitted */
    uint32_t sent;   /* segments with data that this end sent */
    uint32_t rtt_us; /* smoothed round trip time, from the kernel */
};

void net_summary_write(unsigned char to[NET_SUMMARY_BYTES], const struct net_summary *summary);
void net_summary_read(struct net_summary *summary, const unsigned char from[NET_SUMMARY_BYTES]);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The layout of cupel's own trace format, version 1. All numbers are little endian; a "varint" is
 * LEB128 (seven bits a byte, the lowest first), a signed one is folded first (0, -1, 1, -2 ...).
 *
 * File:   magic, 8 bytes; u32 version; u32 CRC-32C of these 12 bytes; chunks; the last is an END.
 *
 * Chunk:  u32 marker; u32 kind; u32 bytes of the payload; u32 events in it; u64 number of its first
 *         event in the file, from 1; u32 CRC-32C of the payload; u32 CRC-32C of these 28 bytes; the
 *         payload. Chunks do not depend on each other: after damage a reader looks for the next
 *         marker, and the number there tells how many events are missing.
 *
 * Payload of an EVENTS chunk: records. The first byte tells which:
 *   0xxxxxxx  an event: bits 0-1 operation, 2 level, 3 durable, 4 failed, 5 has a response time, 6
 *             of the same device and process as the event before it. Then: signed varint, ns since
 *             the event before (the first: since 0); unless bit 6: varints device, process; signed
 *             varint, first byte less the end of the event before on the same device (the first:
 * 0); varint length: twice the number of 512 bytes, or twice the bytes and 1; with bit 5 varint
 * response time in ns. others    varint length of what follows. RECORD_DEVICE: varints device,
 * size, and its name. RECORD_NOTE: text. RECORD_LOST: varint, events that were lost here.
 * RECORD_FOREIGN: varint, 1: the events from here on were handed in by others than the recorded
 * program, 0: by itself (as at the beginning of a chunk). A reader passes over those it does not
 * know. An END has no payload; its number is one more than that of the last event.
 */
#ifndef CUPEL_TRACE_CUPEL_FORMAT_H
#define CUPEL_TRACE_CUPEL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUPEL_MAGIC         "\211cupelt\n"
#define CUPEL_MAGIC_BYTES   8
#define CUPEL_TRACE_VERSION 1
#define CUPEL_HEADER_BYTES  16 /* of the file */
#define CUPEL_CHUNK_MARKER  0xc5a3c7e1u
#define CUPEL_CHUNK_BYTES   32 /* before its payload */
#define CUPEL_PAYLOAD_BYTES 65536
#define CUPEL_DEVICES       256 /* whose last ends are remembered; the others' are 0 */

enum { CUPEL_CHUNK_EVENTS = 1, CUPEL_CHUNK_END = 2 };

enum {
    CUPEL_EVENT_OP = 0x03,
    CUPEL_EVENT_LEVEL = 0x04,
    CUPEL_EVENT_DURABLE = 0x08,
    CUPEL_EVENT_FAILED = 0x10,
    CUPEL_EVENT_RESPONSE = 0x20,
    CUPEL_EVENT_SAME = 0x40,
    CUPEL_RECORD_DEVICE = 0x80,
    CUPEL_RECORD_NOTE = 0x81,
    CUPEL_RECORD_LOST = 0x82,
    CUPEL_RECORD_FOREIGN = 0x83,
};

#define CUPEL_VARINT_BYTES 10 /* at most */

/* What an event is told against; zeros at the beginning of a chunk. */
struct cupel_before {
    uint64_t time_ns;
    uint64_t end[CUPEL_DEVICES];
    uint32_t process;
    uint16_t device;
    bool foreign;
};

struct cupel_chunk {
    uint32_t kind;
    uint32_t bytes;
    uint32_t events;
    uint64_t first;
    uint32_t payload_crc;
};

static inline void cupel_store32(unsigned char *p, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(value >> (8 * i));
}

static inline void cupel_store64(unsigned char *p, uint64_t value)
{
    cupel_store32(p, (uint32_t)value);
    cupel_store32(p + 4, (uint32_t)(value >> 32));
}

static inline uint32_t cupel_load32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t cupel_load64(const unsigned char *p)
{
    return cupel_load32(p) | (uint64_t)cupel_load32(p + 4) << 32;
}

static inline unsigned char *cupel_put(unsigned char *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (unsigned char)(value | 0x80);
    *to++ = (unsigned char)value;
    return to;
}

/* The varint at *p; false when it does not end before `end` or is longer than 64 bits. */
static inline bool cupel_get(const unsigned char **p, const unsigned char *end, uint64_t *value)
{
    uint64_t v = 0;
    for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
        uint64_t byte = *(*p)++;
        if (shift == 63 && byte > 1)
            return false;
        v |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = v;
            return true;
        }
    }
    return false;
}

/* A difference as an unsigned number that is small when the difference is. */
static inline uint64_t cupel_fold(uint64_t difference)
{
    return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t cupel_unfold(uint64_t folded)
{
    return folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
}

#endif

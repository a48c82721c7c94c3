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
 *         marker, and the number there says how many events are missing.
 *
 * Payload of an EVENTS chunk: records. The first byte says which:
 *   0xxxxxxx  an event: bits 0-1 operation, 2 level, 3 durable, 4 failed, 5 has a response time, 6
 *             same device and process as the event before it. Then: signed varint, ns since the
 *             event before (the first: since 0); without bit 6: varints device, process; signed
 *             varint, first byte minus the end of the event before on the same device (the first:
 *             0); varint length: twice the number of 512 bytes, or twice the bytes plus 1; with
 *             bit 5 varint response time in ns.
 *   others    varint, length of the rest. RECORD_DEVICE: varints device, size, and its name.
 *             RECORD_NOTE: text. RECORD_LOST: varint, events that were lost here. RECORD_FOREIGN:
 *             varint, 1: events from here on were submitted by others than the recorded program,
 *             0: by the program itself (as at the beginning of a chunk). RECORD_HOST: varints, the
 *             first and the last 8 bytes of the host's boot id (0, 0: not known), and the host's
 *             name. RECORD_CLOCK: varint, ns since 0; varint, the wall clock at that instant in ns
 *             since 1970; signed varint, the bound of its error in ns, -1: not known.
 *             RECORD_ATTEMPT: an attempt that counts in BPS and is no event: varint, ns since 0;
 *             varints response time, requested bytes (for a short call those that were not moved),
 *             operation. A reader skips records that it does not know.
 *
 * An END has no payload; its number is that of the last event plus one.
 */
#ifndef CUPEL_TABLES_CUPEL_TRACE_H
#define CUPEL_TABLES_CUPEL_TRACE_H

#define CUPEL_MAGIC         "\211cupelt\n"
#define CUPEL_MAGIC_BYTES   8
#define CUPEL_TRACE_VERSION 1
#define CUPEL_HEADER_BYTES  16 /* bytes of the file's header */
#define CUPEL_CHUNK_MARKER  0xc5a3c7e1u
#define CUPEL_CHUNK_BYTES   32 /* before its payload */
#define CUPEL_PAYLOAD_BYTES 65536
#define CUPEL_DEVICES       256 /* devices whose last end is remembered; for others it is 0 */

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
    CUPEL_RECORD_HOST = 0x84,
    CUPEL_RECORD_CLOCK = 0x85,
    CUPEL_RECORD_ATTEMPT = 0x86,
};

#endif

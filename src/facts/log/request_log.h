/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file in which an application or a middleware says what it asked for (He et al., *BPS* (2013),
 * III-B, step 1: process, size, begin, end of each request), so that data sieving and collective
 * buffering count by what was asked for, not by what was moved.
 *
 * Records of 32 bytes, little endian, in any order, so that many threads and processes may append
 * to one file (O_APPEND):
 *
 *    0  u64  begin, ns since 1970 (CLOCK_REALTIME)
 *    8  u64  end
 *   16  u64  bytes
 *   24  u32  process
 *   28  u16  0 read, 1 write, 2 sync, 3 trim
 *   30  u16  0, or 1: it failed
 *
 * The first record is a head, and so is any other that begins with its mark:
 *
 *    0  "CUPELREQ"
 *    8  u32  version, 1
 *   12  char[20]  name of the host, ended by zeros unless it has 20 bytes
 */
#ifndef CUPEL_FACTS_LOG_REQUEST_LOG_H
#define CUPEL_FACTS_LOG_REQUEST_LOG_H

#define REQUEST_LOG_MARK    "CUPELREQ"
#define REQUEST_LOG_VERSION 1

enum {
    REQUEST_LOG_BYTES = 32,
    REQUEST_LOG_MARK_BYTES = 8,
    REQUEST_LOG_HOST = 12,
    REQUEST_LOG_HOST_BYTES = 20
};

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file in which an application or a middleware logs the requests that the user's code made (He
 * et al., *BPS* (2013), III-B, step 1: process, size, begin, end of each request). With it, data
 * sieving and collective buffering count by the bytes that were requested, not by those that were
 * moved.
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
 * The first record is a head. Any other record that begins with the mark is a head, too:
 *
 *    0  "CUPELREQ"
 *    8  u32  version, 1
 *   12  char[20]  name of the host, padded with zeros
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

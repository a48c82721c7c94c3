/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Theoretical limits of links, computed from the rows of tables/. All rates are bytes per second in
 * one direction. Pure arithmetic: no state, any thread. For a rate that is in no table the result
 * is NaN.
 */
#ifndef CUPEL_HW_LINK_LINK_LIMIT_H
#define CUPEL_HW_LINK_LINK_LIMIT_H

#include <stddef.h>

struct link_rate {
    double line;        /* rate after the line's encoding, including protocol headers */
    double payload;     /* maximum rate of payload */
    const char *source; /* standard that the row is from */
};

/*
 * Returns the limit of a PCIe link. `gigatransfers`: 2.5, 5, 8, 16, 32, 64 GT/s per lane (PCI
 * Express 1.0 to 6.0). `payload_bytes`: negotiated Max_Payload_Size, 128 .. 4096; 0: not known, and
 * the largest is used, so that the result is still an upper limit. The payload is that of memory
 * writes of this size with a 64-bit address header. Of DLLPs and SKP Ordered Sets only those are
 * subtracted that a port must send; Acks of the payload go in the other direction (tables/pcie.h).
 */
struct link_rate limit_pcie(double gigatransfers, unsigned lanes, unsigned payload_bytes);

struct link_rate limit_sata(double gigabits);                /* 1.5, 3, 6 */
struct link_rate limit_sas(double gigabits, unsigned lanes); /* 1.5, 3, 6, 12, 22.5 per lane */
/* Accepts 10 to 400000 Mbit/s; `mtu` 0 means 1500. The payload is everything inside the frames. */
struct link_rate limit_ethernet(double megabits, unsigned mtu);
/* Returns the limit of Ethernet without the headers of IPv4 and TCP: for NFS, iSCSI and NVMe over
   TCP. */
struct link_rate limit_tcp(double megabits, unsigned mtu);
/* Accepts 1.5, 12, 480, 5000, 10000 and 20000 Mbit/s, the rate of all lanes together. `lanes` 0:
   not known; the row with one lane is then used if there is one. */
struct link_rate limit_usb(double megabits, unsigned lanes);

/* Write a rate as "16.0 GT/s x4" (PCIe), or as "6.0 Gbit/s", "25 Gbit/s" (other links). Return
   `to`. */
char *limit_format_pcie(char *to, size_t size, double gigatransfers, unsigned lanes);
char *limit_format_bits(char *to, size_t size, double bits_per_second);

#endif

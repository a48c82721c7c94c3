/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Serial Attached SCSI physical links, one row for each rate.
 *
 * SAS_RATE(gigabits, data, coded, source)
 *   gigabits     of one phy, in Gbit/s
 *   data, coded  the encoding: `data` of `coded` bits on the wire are data. 128b/150b has 2 bits
 *                of header and 20 of forward error correction for 128 bits of data
 */
#ifndef CUPEL_TABLES_SAS_H
#define CUPEL_TABLES_SAS_H

#define SAS_ROWS(SAS_RATE)                                                                         \
    SAS_RATE(1.5, 8, 10, "SAS-1 (INCITS 376): physical link 1.5 Gbit/s, 8b/10b; SSP frame")        \
    SAS_RATE(3.0, 8, 10, "SAS-1 (INCITS 376): physical link 3 Gbit/s, 8b/10b; SSP frame")          \
    SAS_RATE(6.0, 8, 10, "SAS-2 (INCITS 457): physical link 6 Gbit/s, 8b/10b; SSP frame")          \
    SAS_RATE(12.0, 8, 10, "SAS-3 (INCITS 519), SPL-3: 12 Gbit/s, 8b/10b; SSP frame")               \
    SAS_RATE(22.5, 128, 150, "SAS-4 (INCITS 534), SPL-4: 22.5 Gbit/s, 128b/150b; SSP frame")

/* An SSP DATA frame carries at most 1024 bytes (SPL: SSP frame format, information unit). */
#define SAS_SSP_DATA_BYTES 1024

/* Bytes around the data: SOF 4, frame header 24, CRC 4, EOF 4 (SPL: SSP frame format). Acks and
   credits go in the other direction. Deletable primitives for the clocks depend on the rate and are
   not subtracted. */
#define SAS_SSP_OVERHEAD 36

#endif

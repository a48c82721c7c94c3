/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Serial ATA links, one row for each generation.
 *
 * SATA_GENERATION(gigabits, data, coded, source)
 *   gigabits     on the wire, in Gbit/s
 *   data, coded  the encoding: `data` of `coded` bits on the wire are data
 */
#ifndef CUPEL_TABLES_SATA_H
#define CUPEL_TABLES_SATA_H

#define SATA_ROWS(SATA_GENERATION)                                                                 \
    SATA_GENERATION(1.5, 8, 10, "Serial ATA 1.0a: 6.6.1 1.5 Gbit/s, 8b/10b; 8.5 Data FIS")         \
    SATA_GENERATION(3.0, 8, 10, "Serial ATA 2.5: 7.1 3 Gbit/s, 8b/10b; 10.3 Data FIS")             \
    SATA_GENERATION(6.0, 8, 10, "Serial ATA 3.0: 7.1 6 Gbit/s, 8b/10b; 10.3 Data FIS")

/* A Data FIS carries at most 8192 bytes after a header of one doubleword (Serial ATA 3.0, Data -
   Bidirectional). */
#define SATA_DATA_FIS_BYTES 8192

/*
 * Bytes that are sent with each Data FIS in the same direction, one doubleword each: X_RDY, SOF,
 * header, CRC, EOF, WTRM, SYNC, each primitive once (Serial ATA 3.0, Link layer: frame
 * transmission). HOLD, and waiting for R_RDY and R_OK of the other end, depend on the devices and
 * are not subtracted.
 */
#define SATA_DATA_FIS_OVERHEAD 28

/* There are two ALIGN primitives in every 256 doublewords (Serial ATA 3.0, Link layer: clock
   skew). */
#define SATA_ALIGN       2
#define SATA_ALIGN_AMONG 256

#endif

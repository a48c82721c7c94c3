/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PCI Express links, one row for each generation. Sections are those of the PCI Express Base
 * Specification of the revision in the row.
 *
 * PCIE_GENERATION(code, gigatransfers, data, coded, framing, integrity, skip, between, source)
 *   code           of the Link Capabilities, Status and Control registers (7.5.3.6, 7.5.3.8)
 *   gigatransfers  per lane and direction, in GT/s
 *   data, coded    the encoding: `data` of `coded` units on the wire are data. From 6.0 on a FLIT
 *                  of 256 bytes carries 236 bytes of TLPs; DLLPs, CRC and FEC take the other 20
 *   framing        bytes around each TLP: STP, sequence number and END symbols; from 3.0 on the
 *                  STP token of 4 bytes, with the sequence number in it; none in a FLIT
 *   integrity      bytes of LCRC after each TLP; none in a FLIT, which has a CRC of its own
 *   skip, between  of `between` symbols or blocks, at least `skip` are SKP Ordered Sets, which
 *                  compensate for the clocks of both ends. 0: not included for FLIT mode
 *   source         the standard
 */
#ifndef CUPEL_TABLES_PCIE_H
#define CUPEL_TABLES_PCIE_H

#define PCIE_ROWS(PCIE_GENERATION)                                                                 \
    PCIE_GENERATION(1, 2.5, 8, 10, 4, 4, 4, 1542,                                                  \
                    "PCI Express Base 1.1: 4.2.1 8b/10b, 3.5.2 framing, 4.2.7 SKP")                \
    PCIE_GENERATION(2, 5.0, 8, 10, 4, 4, 4, 1542,                                                  \
                    "PCI Express Base 2.0: 4.2.1 8b/10b, 3.5.2 framing, 4.2.7 SKP")                \
    PCIE_GENERATION(3, 8.0, 128, 130, 4, 4, 1, 376,                                                \
                    "PCI Express Base 3.0: 4.2.2 128b/130b and STP token, 4.2.7 SKP")              \
    PCIE_GENERATION(4, 16.0, 128, 130, 4, 4, 1, 376,                                               \
                    "PCI Express Base 4.0: 4.2.2 128b/130b and STP token, 4.2.7 SKP")              \
    PCIE_GENERATION(5, 32.0, 128, 130, 4, 4, 1, 376,                                               \
                    "PCI Express Base 5.0: 4.2.2 128b/130b and STP token, 4.2.7 SKP")              \
    PCIE_GENERATION(6, 64.0, 236, 256, 0, 0, 0, 1,                                                 \
                    "PCI Express Base 6.0: 4.2.3 1b/1b and FLIT of 236 + 20 bytes")

/* A header of four doublewords, which a memory write above 4 GiB has (PCI Express Base 2.2.4.1);
   below 4 GiB it has three: 12 bytes. */
#define PCIE_HEADER_BYTES 16

/* Max_Payload_Size and Max_Read_Request_Size are 128 bytes times two to the power of the field's
   value, up to 5 (PCI Express Base 7.5.3.3, 7.5.3.4). Every device must support 128. */
#define PCIE_PAYLOAD_MIN       128U
#define PCIE_PAYLOAD_MAX       4096U
#define PCIE_PAYLOAD_FIELD_MAX 5

/*
 * Data Link Layer Packets in the direction of the payload. Acks and credits for the payload go in
 * the other direction; a port must still send an UpdateFC for each of the three kinds of credits
 * every 30 us, which may be 50 % late (PCI Express Base 2.6.1.2). A DLLP has 8 bytes with its
 * framing (3.4.1, 4.2.2.3.1).
 */
#define PCIE_DLLP_BYTES                8
#define PCIE_UPDATE_CREDIT_KINDS       3
#define PCIE_UPDATE_CREDIT_MICROSECOND 45.0

#endif

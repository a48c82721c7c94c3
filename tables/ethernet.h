/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ethernet links, one row for each speed. The speed is that of the MAC: the encoding of the lanes
 * below it (4b/5b, 8b/10b, 64b/66b, 256b/257b with FEC) comes on top and does not reduce it.
 *
 * ETHERNET_SPEED(megabits, source)
 *   source  IEEE 802.3-2022 unless another is named; with the clause of the first medium
 */
#ifndef CUPEL_TABLES_ETHERNET_H
#define CUPEL_TABLES_ETHERNET_H

#define ETHERNET_ROWS(ETHERNET_SPEED)                                                              \
    ETHERNET_SPEED(10, "IEEE 802.3 clause 14 (10BASE-T); 4.2.3, 4.4.2 frame and gap")              \
    ETHERNET_SPEED(100, "IEEE 802.3 clause 24 (100BASE-X); 4.2.3, 4.4.2 frame and gap")            \
    ETHERNET_SPEED(1000, "IEEE 802.3 clause 36 (1000BASE-X); 4.2.3, 4.4.2 frame and gap")          \
    ETHERNET_SPEED(2500, "IEEE 802.3 clause 126 (2.5GBASE-T); 4.2.3, 4.4.2 frame and gap")         \
    ETHERNET_SPEED(5000, "IEEE 802.3 clause 126 (5GBASE-T); 4.2.3, 4.4.2 frame and gap")           \
    ETHERNET_SPEED(10000, "IEEE 802.3 clause 49 (10GBASE-R); 4.2.3, 4.4.2 frame and gap")          \
    ETHERNET_SPEED(25000, "IEEE 802.3 clause 107 (25GBASE-R); 4.2.3, 4.4.2 frame and gap")         \
    ETHERNET_SPEED(40000, "IEEE 802.3 clause 82 (40GBASE-R); 4.2.3, 4.4.2 frame and gap")          \
    ETHERNET_SPEED(50000, "IEEE 802.3 clause 133 (50GBASE-R); 4.2.3, 4.4.2 frame and gap")         \
    ETHERNET_SPEED(100000, "IEEE 802.3 clause 82 (100GBASE-R); 4.2.3, 4.4.2 frame and gap")        \
    ETHERNET_SPEED(200000, "IEEE 802.3 clause 119 (200GBASE-R); 4.2.3, 4.4.2 frame and gap")       \
    ETHERNET_SPEED(400000, "IEEE 802.3 clause 119 (400GBASE-R); 4.2.3, 4.4.2 frame and gap")

/* Bytes in addition to the MTU of each frame: preamble with start delimiter, header (two addresses
   and the type), check sequence, gap to the next frame (IEEE 802.3: 3.1.1, 4.4.2). */
#define ETHERNET_PREAMBLE       8
#define ETHERNET_HEADER         14
#define ETHERNET_CHECK_SEQUENCE 4
#define ETHERNET_GAP            12

/* The MTU if it is not known: the largest payload of a basic frame (IEEE 802.3, 3.2.7). */
#define ETHERNET_MTU 1500

/* Headers inside the MTU for data over TCP: IPv4 (RFC 791, 3.1) and TCP (RFC 9293, 3.1), both
   without options. */
#define ETHERNET_TCP_IP_HEADERS 40

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * USB links, one row for each speed and number of lanes.
 *
 * USB_SPEED(megabits, lanes, data, coded, payload, wire, source)
 *   megabits       of all lanes together, in Mbit/s, as the kernel reports it
 *   data, coded    the encoding: `data` of `coded` bits on the wire are data. Up to high speed it
 *                  is NRZI with bit stuffing, which depends on the data and is included in the
 *                  figures of the standard
 *   payload, wire  up to high speed: the most bytes of payload in a frame of `wire`
 *                  microseconds. Above: bytes of a data packet's payload, and with all around
 *                  it: Gen 1 has a header packet of 20 and payload framing of 12; Gen 2 has 4
 *                  more for the copy of the length. Both have two link commands of 8 bytes for
 *                  the other end's acknowledgement
 */
#ifndef CUPEL_TABLES_USB_H
#define CUPEL_TABLES_USB_H

#define USB_ROWS(USB_SPEED)                                                                        \
    USB_SPEED(1.5, 1, 1, 1, 24, 1000.0, "USB 2.0: 5.5.4 table 5-1, low speed control")             \
    USB_SPEED(12, 1, 1, 1, 1216, 1000.0, "USB 2.0: 5.8.4 table 5-9, full speed bulk")              \
    USB_SPEED(480, 1, 1, 1, 6656, 125.0, "USB 2.0: 5.8.4 table 5-10, high speed bulk")             \
    USB_SPEED(5000, 1, 8, 10, 1024, 1072.0, "USB 3.2: 6.3.1 Gen 1 8b/10b, 7.2.1 packet framing")   \
    USB_SPEED(10000, 1, 128, 132, 1024, 1076.0,                                                    \
              "USB 3.2: 6.3.2 Gen 2 128b/132b, 7.2.1 packet framing")                              \
    USB_SPEED(10000, 2, 8, 10, 1024, 1072.0,                                                       \
              "USB 3.2: 6.3.1 Gen 1x2 8b/10b, 7.2.1 packet framing")                               \
    USB_SPEED(20000, 2, 128, 132, 1024, 1076.0,                                                    \
              "USB 3.2: 6.3.2 Gen 2x2 128b/132b, 7.2.1 packet framing")

/* Up to this speed, in Mbit/s, the row's payload is that of a frame (see above). */
#define USB_FRAMES_UP_TO 480

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of hw/usb share. */
#ifndef CUPEL_HW_USB_INTERNAL_H
#define CUPEL_HW_USB_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

/*
 * The fastest speed in bits/s that a Binary Object Store descriptor lists (USB 3.2, 9.6.2):
 * 5e9 of a SuperSpeed capability, and the fastest lane of a SuperSpeedPlus capability times its
 * lanes. NaN: it lists none, as that of a USB 2 device. Pure decoding of bytes that hold anything.
 */
double usb_store_speed(const uint8_t *bytes, size_t length);

#endif

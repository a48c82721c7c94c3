/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/usb share. */
#ifndef CUPEL_HW_USB_INTERNAL_H
#define CUPEL_HW_USB_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the fastest speed in bits/s in a Binary Object Store descriptor (USB 3.2, 9.6.2): 5e9 for
 * a SuperSpeed capability; for a SuperSpeedPlus capability the speed of one lane, 5e9 or 10e9, also
 * if the device has two lanes. NaN: it lists no speed, as with a USB 2 device. Pure decoding of any
 * bytes.
 */
double usb_store_speed(const uint8_t *bytes, size_t length);

#endif

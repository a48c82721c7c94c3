/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The modaliases of the devices that the kernel knows now. */
#ifndef CUPEL_INIT_DEVICE_MODALIASES_H
#define CUPEL_INIT_DEVICE_MODALIASES_H

/*
 * Calls `found` with each modalias of each device: bus/BUS/devices/DEVICE/modalias below `sys`
 * ("/sys", or a tree for tests), and those of the processors and of the board, which are on no bus.
 * The buses have every device once in a flat list; all of /sys/devices has ten times as many
 * folders. A device may have several modaliases, one a line.
 */
void device_modaliases(const char *sys, void (*found)(void *context, const char *modalias),
                       void *context);

#endif

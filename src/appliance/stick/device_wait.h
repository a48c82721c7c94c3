/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waiting for devices: drivers find disks some time after they were loaded. The kernel's uevents
 * (netlink, NETLINK_KOBJECT_UEVENT) show when a device came, and modules are loaded for its
 * modaliases.
 *
 * Devices have settled when none came for a while, no module is being inserted (the kernel stays in
 * that call until all its probing is done) and no disk is incomplete (disks_awaited). None of these
 * shows a USB device that its hub has not noticed yet, which takes 100 ms after power and then 100
 * to 200 ms; a quiet time of 300 ms covers that. One thread. The caller ends it with
 * device_wait_close.
 */
#ifndef CUPEL_APPLIANCE_STICK_DEVICE_WAIT_H
#define CUPEL_APPLIANCE_STICK_DEVICE_WAIT_H

#include <stdbool.h>

#include "appliance/module/modules.h"
#include "base/err.h"

struct device_wait {
    int fd;
    unsigned events; /* number of devices that came, went or changed their size, since open */
    bool walk; /* all present devices must be examined: at first, and after events were lost */
    const char *sys; /* "/sys", or the root of a tree for tests */
};

/* Begins to receive events. Called before the first module is loaded, so that no event is missed.
   Errors: ERR_MACHINE. */
int device_wait_open(struct device_wait *s, struct err *e);
void device_wait_close(struct device_wait *s);

/*
 * Loads modules for present and new devices, until no device came for `quiet_ms` or until `max_ms`
 * are over (USB disks come seconds late: a caller that waits for one calls again). Returns the
 * milliseconds that this took. Modules that still hang in the kernel then are `busy` in
 * modules_counts. The limit always holds, because nothing here waits for a device.
 */
unsigned device_wait_quiet(struct device_wait *s, struct modules *m, unsigned quiet_ms,
                           unsigned max_ms);

#endif

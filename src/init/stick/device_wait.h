/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waiting for devices: drivers find disks some time after they were loaded. The kernel's uevents
 * (netlink, NETLINK_KOBJECT_UEVENT) say when something came, and their modaliases are loaded for.
 *
 * It has settled when nothing came for a while, no module is being inserted (the kernel stays in
 * that call until all it probes is done) and no disk is half there
 * (disks_awaited). None of these shows a USB device that its hub has not noticed yet: 100 ms after
 * power, then 100 to 200 ms; a quiet time of 300 ms covers that. One thread. Owner:
 * device_wait_close.
 */
#ifndef CUPEL_INIT_STICK_DEVICE_WAIT_H
#define CUPEL_INIT_STICK_DEVICE_WAIT_H

#include <stdbool.h>

#include "base/err.h"
#include "init/module/modules.h"

struct device_wait {
    int fd;
    unsigned events; /* of things that came, went or changed their size, since open */
    bool walk; /* the devices that are there are to be looked at: at first, and after a loss */
    const char *sys; /* "/sys", or a tree for tests */
};

/* Before the first module is loaded, so that no event is missed. ERR_MACHINE. */
int device_wait_open(struct device_wait *s, struct err *e);
void device_wait_close(struct device_wait *s);

/*
 * Load modules for what is there and for what comes, until nothing came for `quiet_ms` or
 * `max_ms` are over (USB disks are seconds late: the caller that waits for one calls again).
 * Returns the milliseconds it took. Modules that still hang in the kernel then are `busy` in
 * modules_counts. The limit holds whatever a device does: nothing here waits for one.
 */
unsigned device_wait_quiet(struct device_wait *s, struct modules *m, unsigned quiet_ms,
                           unsigned max_ms);

#endif

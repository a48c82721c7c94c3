/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waiting for devices: drivers find disks some time after they were loaded. The kernel's uevents
 * (netlink, NETLINK_KOBJECT_UEVENT) say when something came; it has settled when nothing came for a
 * while and no driver says that it is still at work. One thread. Owner: settle_close.
 */
#ifndef CUPEL_INIT_SETTLE_H
#define CUPEL_INIT_SETTLE_H

#include "base/err.h"
#include "init/modules.h"

struct settle {
    int fd;
    unsigned events; /* since open */
};

/* Before the first module is loaded, so that no event is missed. ERR_MACHINE. */
int settle_open(struct settle *s, struct err *e);
void settle_close(struct settle *s);

/*
 * Load modules for what is there and for what comes, until nothing came for `quiet_ms` or
 * `most_ms` are over (USB disks are seconds late: the caller that waits for one calls again).
 * Returns the milliseconds it took.
 */
unsigned settle_wait(struct settle *s, struct modules *m, unsigned quiet_ms, unsigned most_ms);

#endif

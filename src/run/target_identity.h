/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --destroy-serial: the target is the disk that somebody meant, or nothing is written to it.
 *
 * It is judged by the number of the block device that is open, not by a name, for names are given
 * again to others. In sysfs of this machine, whatever --sysroot says.
 */
#ifndef CUPEL_RUN_TARGET_IDENTITY_H
#define CUPEL_RUN_TARGET_IDENTITY_H

#include "base/err.h"
#include "io/target.h"
#include "run/plan.h"

/* Before the target is opened, for a file would be made and filled: is it a device at all?
   ERR_USAGE: there is nothing; ERR_UNSAFE: something else. 0 when no serial number was given. */
int target_identity_expect(const struct plan *plan, struct err *e);

/* Of the open target, before its first write: see hw/disk_serial.h. ERR_UNSAFE. 0 when no serial
   number was given. */
int target_identity_check(const struct plan *plan, const struct target *t, struct err *e);

#endif

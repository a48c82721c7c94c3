/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The target's serial number held against the one that was given. */
#include "run/session/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "hw/disk/disk_serial.h"

static int no_disk(const char *path, struct err *e)
{
    return err_set(e, ERR_UNSAFE,
                   "%s: it is no block device, and --destroy-serial is for disks; nothing was "
                   "written",
                   path);
}

int target_identity_expect(const struct plan *plan, struct err *e)
{
    struct stat st;
    if (!plan->destroy_serial[0])
        return 0;
    if (stat(plan->target, &st))
        return err_set(e, ERR_USAGE, "%s: %s", plan->target, strerror(errno));
    return S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode) ? 0 : no_disk(plan->target, e);
}

int target_identity_check(const struct plan *plan, const struct target *t, struct err *e)
{
    struct sysroot machine;
    if (!plan->destroy_serial[0])
        return 0;
    if ((t->kind != TARGET_BLOCK_DEVICE && t->kind != TARGET_NVME_GENERIC) || !t->device)
        return no_disk(t->path, e);
    if (sysroot_open(&machine, NULL, e))
        return -1;
    return disk_serial_check(&machine, t->device, plan->destroy_serial, t->path, e);
}

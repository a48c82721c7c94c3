/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a block device has zones, and how strict it is about them. */
#include "io/device/zone_model.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "io/device/block_device.h"

enum zone_model zone_model_of(const char *root, dev_t device)
{
    char queue[512], model[32];
    /* A partition has its queue in the disk's folder above. */
    for (int partition = 0; partition < 2; partition++) {
        snprintf(queue, sizeof queue, "%.400s/sys/dev/block/%u:%u/%squeue", root, major(device),
                 minor(device), partition ? "../" : "");
        sysfs_line(queue, "zoned", model, sizeof model);
        if (!strcmp(model, "host-managed"))
            return ZONES_HOST_MANAGED;
        if (!strcmp(model, "host-aware"))
            return ZONES_HOST_AWARE;
    }
    return ZONES_NONE;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds in sysfs the character devices of NVMe namespaces and SCSI disks, and their block
   devices. */
#include "io/device/block_device.h"
#include "io/scsi/scsi_unit.h"
#include "io/target/internal.h"

bool target_is_generic(dev_t device)
{
    struct nvme_place place;
    return scsi_is_generic("", device) ||
           nvme_place_of("", true, device, &place) == NVME_PLACE_NAMESPACE;
}

int guard_generic_device(const char *root, dev_t device, dev_t *block, char name[64], struct err *e)
{
    return scsi_is_generic(root, device) ? scsi_block_device_of(root, device, block, name, e)
                                         : nvme_block_device_of(root, device, block, name, e);
}

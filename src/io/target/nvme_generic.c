/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds in sysfs which character devices are the generic ones of NVMe namespaces. */
#include "io/device/block_device.h"
#include "io/target/internal.h"

bool target_is_nvme_generic(dev_t device)
{
    struct nvme_place place;
    return nvme_place_of("", true, device, &place) == NVME_PLACE_NAMESPACE;
}

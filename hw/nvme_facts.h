/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What NVMe controllers answer, as facts: pure decoding of buffers that hold anything.
 *
 * Offsets and codes are those of the NVM Express Base Specification 2.0c and the NVM Command Set
 * Specification 1.0c; numbers are least significant byte first at any address. No state.
 */
#ifndef CUPEL_HW_NVME_FACTS_H
#define CUPEL_HW_NVME_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/inventory.h"
#include "base/nvme_admin.h"

/*
 * Identify Controller: nvme_version, firmware (unless it is a fact already), mdts,
 * temperature_warning and temperature_critical (absent when 0). `page_size` is what MDTS counts in:
 * the smallest memory page of the controller (CAP.MPSMIN) in bytes. An mdts of 0 means no limit.
 */
void nvme_add_controller(struct inventory *v, int node,
                         const uint8_t identify[static NVME_IDENTIFY_BYTES], uint64_t page_size);

/* Has it version 1.3 or later, which may retain events when a log is read? */
bool nvme_retains_events(const uint8_t identify[static NVME_IDENTIFY_BYTES]);

/* Get Features, Power Management: power_state, and power_limit in watts of that state. `identify`
   is that of the controller. */
void nvme_add_power_state(struct inventory *v, int node,
                          const uint8_t identify[static NVME_IDENTIFY_BYTES], uint32_t result);

/* SMART / Health Information: temperature, health in words, and the rows of tables/nvme_health.h */
void nvme_add_health(struct inventory *v, int node, const uint8_t log[static NVME_HEALTH_BYTES]);

/* Identify Namespace: lba_formats as "data bytes + metadata bytes", those that perform best marked
   where that differs; lba_format: the one in use. */
void nvme_add_namespace(struct inventory *v, int disk,
                        const uint8_t identify[static NVME_IDENTIFY_BYTES]);

#endif

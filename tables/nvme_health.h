/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The SMART / Health Information log: NVM Express Base Specification 2.0c, 5.16.1.3, figure 207.
 *
 * NVME_WARNING(bit, text)    bits of the critical warning, byte 0
 * NVME_COUNTER(key, offset, bytes, max, unit)
 *   numbers, least significant byte first; `max` is the largest plausible one, 0: any
 */
#ifndef CUPEL_TABLES_NVME_HEALTH_H
#define CUPEL_TABLES_NVME_HEALTH_H

#define NVME_WARNING_ROWS(NVME_WARNING)                                                            \
    NVME_WARNING(0, "spare low")                                                                   \
    NVME_WARNING(1, "temperature beyond a threshold")                                              \
    NVME_WARNING(2, "reliability degraded")                                                        \
    NVME_WARNING(3, "media read-only")                                                             \
    NVME_WARNING(4, "volatile memory backup failed")                                               \
    NVME_WARNING(5, "persistent memory region read-only or unreliable")

#define NVME_COUNTER_ROWS(NVME_COUNTER)                                                            \
    NVME_COUNTER("critical_warning", 0, 1, 0, "")                                                  \
    NVME_COUNTER("available_spare", 3, 1, 100, "%")                                                \
    NVME_COUNTER("available_spare_threshold", 4, 1, 100, "%")                                      \
    NVME_COUNTER("percentage_used", 5, 1, 0, "%")                                                  \
    NVME_COUNTER("media_errors", 160, 16, 0, "")                                                   \
    NVME_COUNTER("error_log_entries", 176, 16, 0, "")                                              \
    NVME_COUNTER("power_on_hours", 128, 16, 0, "h")                                                \
    NVME_COUNTER("unsafe_shutdowns", 144, 16, 0, "")                                               \
    NVME_COUNTER("throttled_light", 216, 4, 0, "")                                                 \
    NVME_COUNTER("throttled_heavy", 220, 4, 0, "")

#endif

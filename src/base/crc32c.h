/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CRC-32C (Castagnoli): polynomial 0x1EDC6F41, reflected, as in RFC 3720 (iSCSI) appendix B.4.
 *
 * Start with crc 0; pass the result as `crc` to continue with the bytes that follow. There is no
 * state: any thread may call it.
 */
#ifndef CUPEL_BASE_CRC32C_H
#define CUPEL_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(uint32_t crc, const void *data, size_t length);

/* Like crc32c, without special instructions, which not all processors have. */
uint32_t crc32c_by_table(uint32_t crc, const void *data, size_t length);

#endif

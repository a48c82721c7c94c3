/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's messages as text. */
#ifndef CUPEL_CMD_KERNEL_LOG_H
#define CUPEL_CMD_KERNEL_LOG_H

#include "base/text.h"

/* Everything that the kernel still has (/dev/kmsg); `path` is another file in tests. What cannot be
   read is told in the text. */
void kernel_log_read(const char *path, struct text *out);

/*
 * One record of /dev/kmsg (Documentation/ABI/testing/dev-kmsg), "6,339,5140900,-;NET: ...\n" with
 * lines of properties behind it, as "[    5.140900] NET: ...". Nothing for what is no record.
 */
void kernel_log_add(struct text *out, const char *record, size_t length);

#endif

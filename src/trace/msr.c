/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of Microsoft Research Cambridge, 2007, and others of SNIA's repository in the same form:
   Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime; times in 100 ns since 1601. */
#include "trace/internal.h"

static const struct columns columns = {.separator = ',',
                                       .join = '.',
                                       .column = {{"the time", COLUMN_TIME, 100},
                                                  {"the host", COLUMN_DEVICE, 1},
                                                  {"the disk", COLUMN_DEVICE, 1},
                                                  {"the type", COLUMN_OP_WORD, 1},
                                                  {"the offset", COLUMN_OFFSET, 1},
                                                  {"the size", COLUMN_LENGTH, 1},
                                                  {"the response time", COLUMN_RESPONSE, 100}}};

const struct trace_format trace_format_msr = {
    .name = "msr", .title = "MSR Cambridge CSV", .columns = &columns};

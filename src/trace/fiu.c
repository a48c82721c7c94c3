/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of Florida International University: time in ns, pid, program, LBA and size in sectors of
   512 bytes, W or R, major, minor, and MD5 sums of the contents. */
#include "trace/internal.h"

static const struct columns columns = {.separator = ' ',
                                       .join = ',',
                                       .more = true,
                                       .column = {{"the time", COLUMN_TIME, 1},
                                                  {"the process", COLUMN_PROCESS, 1},
                                                  {"the program", COLUMN_PROGRAM, 1},
                                                  {"the LBA", COLUMN_OFFSET, 512},
                                                  {"the size", COLUMN_LENGTH, 512},
                                                  {"the operation", COLUMN_OP_WORD, 1},
                                                  {"the major number", COLUMN_DEVICE, 1},
                                                  {"the minor number", COLUMN_DEVICE, 1}}};

const struct trace_format trace_format_fiu = {.name = "fiu", .title = "FIU", .columns = &columns};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Storage Performance Council's trace file format, revision 1.0.1, as the UMass traces have it:
   ASU,LBA,size,opcode,seconds, and fields of one's own behind them. */
#include "trace/internal.h"

static const struct columns columns = {.separator = ',',
                                       .more = true,
                                       .column = {{"the ASU", COLUMN_DEVICE, 1},
                                                  {"the LBA", COLUMN_OFFSET, 512},
                                                  {"the size", COLUMN_LENGTH, 1},
                                                  {"the opcode", COLUMN_OP_WORD, 1},
                                                  {"the time", COLUMN_SECONDS, 1}}};

const struct trace_format trace_format_spc = {
    .name = "spc", .title = "SPC/UMass", .columns = &columns};

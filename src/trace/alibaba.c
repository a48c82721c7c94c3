/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alibaba's block traces of 2020: device,opcode,offset,length,time in us. */
#include "trace/internal.h"

static const struct columns columns = {.separator = ',',
                                       .column = {{"the device", COLUMN_DEVICE, 1},
                                                  {"the opcode", COLUMN_OP_WORD, 1},
                                                  {"the offset", COLUMN_OFFSET, 1},
                                                  {"the length", COLUMN_LENGTH, 1},
                                                  {"the time", COLUMN_TIME, 1000}}};

const struct trace_format trace_format_alibaba = {
    .name = "alibaba", .title = "Alibaba 2020 CSV", .columns = &columns};

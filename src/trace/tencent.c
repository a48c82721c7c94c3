/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tencent's traces of cloud block storage: seconds,offset,size,type,volume, in sectors of 512
   bytes. Its times are whole seconds: events of one second come all at once. */
#include "trace/internal.h"

static const struct columns columns = {.separator = ',',
                                       .column = {{"the time", COLUMN_TIME, 1000000000},
                                                  {"the offset", COLUMN_OFFSET, 512},
                                                  {"the size", COLUMN_LENGTH, 512},
                                                  {"the type", COLUMN_OP_DIGIT, 1},
                                                  {"the volume", COLUMN_DEVICE, 1}}};

const struct trace_format trace_format_tencent = {
    .name = "tencent", .title = "Tencent CBS CSV", .columns = &columns};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats of one event a line in columns. */
#include "trace/internal.h"

/* Traces of Microsoft Research Cambridge, 2007, and others of SNIA's repository in the same form:
   Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime; times in 100 ns since 1601. */
static const struct columns msr_columns = {.separator = ',',
                                           .join = '.',
                                           .column = {{"the time", COLUMN_TIME, 100},
                                                      {"the host", COLUMN_DEVICE, 1},
                                                      {"the disk", COLUMN_DEVICE, 1},
                                                      {"the type", COLUMN_OP_WORD, 1},
                                                      {"the offset", COLUMN_OFFSET, 1},
                                                      {"the size", COLUMN_LENGTH, 1},
                                                      {"the response time", COLUMN_RESPONSE, 100}}};

const struct trace_format trace_format_msr = {
    .name = "msr", .title = "MSR Cambridge CSV", .columns = &msr_columns};

/* Alibaba's block traces of 2020: device,opcode,offset,length,time in us. */
static const struct columns alibaba_columns = {.separator = ',',
                                               .column = {{"the device", COLUMN_DEVICE, 1},
                                                          {"the opcode", COLUMN_OP_WORD, 1},
                                                          {"the offset", COLUMN_OFFSET, 1},
                                                          {"the length", COLUMN_LENGTH, 1},
                                                          {"the time", COLUMN_TIME, 1000}}};

const struct trace_format trace_format_alibaba = {
    .name = "alibaba", .title = "Alibaba 2020 CSV", .columns = &alibaba_columns};

/* Tencent's traces of cloud block storage: seconds,offset,size,type,volume, in sectors of 512
   bytes. Its times are whole seconds: events of one second come all at once. */
static const struct columns tencent_columns = {.separator = ',',
                                               .column = {{"the time", COLUMN_TIME, 1000000000},
                                                          {"the offset", COLUMN_OFFSET, 512},
                                                          {"the size", COLUMN_LENGTH, 512},
                                                          {"the type", COLUMN_OP_DIGIT, 1},
                                                          {"the volume", COLUMN_DEVICE, 1}}};

const struct trace_format trace_format_tencent = {
    .name = "tencent", .title = "Tencent CBS CSV", .columns = &tencent_columns};

/* The Storage Performance Council's trace file format, revision 1.0.1, as the UMass traces have it:
   ASU,LBA,size,opcode,seconds, and fields of one's own after them. */
static const struct columns spc_columns = {.separator = ',',
                                           .more = true,
                                           .column = {{"the ASU", COLUMN_DEVICE, 1},
                                                      {"the LBA", COLUMN_OFFSET, 512},
                                                      {"the size", COLUMN_LENGTH, 1},
                                                      {"the opcode", COLUMN_OP_WORD, 1},
                                                      {"the time", COLUMN_SECONDS, 1}}};

const struct trace_format trace_format_spc = {
    .name = "spc", .title = "SPC/UMass", .columns = &spc_columns};

/* Traces of Florida International University: time in ns, pid, program, LBA and size in sectors of
   512 bytes, W or R, major, minor, and MD5 sums of the contents. */
static const struct columns fiu_columns = {.separator = ' ',
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

const struct trace_format trace_format_fiu = {
    .name = "fiu", .title = "FIU", .columns = &fiu_columns};

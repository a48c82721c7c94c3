/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The SCSI commands that the backend `sg` may send. Opcodes are only in this file, so no other
 * command ever reaches a disk.
 *
 * SCSI_IO_COMMAND(request, short, long, form, source)
 *
 * request: the requests that become this command (source/request_kind.h). short: the opcode of the
 * form of 10 bytes, which has 32 bits for the address and 16 for the number of blocks. long: the
 * opcode of the form of 16 bytes; 0: the command has no such form. form: what it carries, and by
 * which limit of the disk (src/io/scsi/scsi_io.c). source: its name in SBC-3.
 */
#ifndef CUPEL_TABLES_SCSI_IO_COMMANDS_H
#define CUPEL_TABLES_SCSI_IO_COMMANDS_H

#define SCSI_IO_COMMAND_ROWS(SCSI_IO_COMMAND)                                                      \
    SCSI_IO_COMMAND(REQUEST_READ, 0x28, 0x88, FORM_DATA, "READ")                                   \
    SCSI_IO_COMMAND(REQUEST_WRITE, 0x2a, 0x8a, FORM_DATA, "WRITE")                                 \
    SCSI_IO_COMMAND(REQUEST_WRITE_DURABLE, 0x2a, 0x8a, FORM_FORCED, "WRITE with FUA")              \
    SCSI_IO_COMMAND(REQUEST_WRITE_ZEROES, 0x41, 0x93, FORM_BLOCK, "WRITE SAME")                    \
    SCSI_IO_COMMAND(REQUEST_VERIFY, 0x2f, 0x8f, FORM_ADDRESSES, "VERIFY")                          \
    SCSI_IO_COMMAND(REQUEST_FLUSH, 0x35, 0, FORM_WHOLE, "SYNCHRONIZE CACHE")                       \
    SCSI_IO_COMMAND(REQUEST_TRIM, 0x42, 0, FORM_RANGES, "UNMAP")

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One I/O as a SCSI command, for the backend `sg`. All functions are pure except scsi_perform.
 * Opcodes are rows of tables/scsi_io_commands.h: no other command is ever built.
 */
#ifndef CUPEL_IO_SCSI_SCSI_IO_H
#define CUPEL_IO_SCSI_SCSI_IO_H

#include <scsi/sg.h>
#include <stddef.h>
#include <stdint.h>

#include "io/io.h"
#include "io/scsi/scsi_unit.h"

#define SCSI_SENSE_BYTES  64
#define SCSI_RANGES_BYTES 24        /* of the parameters of UNMAP with one range */
#define SCSI_BLOCK_MAX    (1 << 16) /* bytes of a block */

/* A command and what it needs in memory while it is in flight. */
struct scsi_command {
    struct sg_io_hdr header;
    uint8_t bytes[16]; /* the command descriptor block */
    uint8_t ranges[SCSI_RANGES_BYTES];
    uint8_t sense[SCSI_SENSE_BYTES];
};

/* Has the disk the command for that kind of request? */
bool scsi_has_command(const struct scsi_unit *u, unsigned request);

/* The most bytes that one command of that kind may cover. */
uint64_t scsi_length_max(const struct scsi_unit *u, unsigned request);

/*
 * Build the command for a request. The form of 10 bytes is used where address and number of blocks
 * fit. `buffer` has `buffer_size` bytes; VERIFY, UNMAP and flushes use none, and WRITE SAME sends
 * one block of zeros.
 *
 * Returns 0, or -1 when nothing may be sent: offset or length are no multiple of the block, or
 * reach beyond the disk or the buffer; the request is longer than one command may be; or the disk
 * lacks the command, or is not `writable`.
 */
int scsi_build(const struct scsi_unit *u, const struct io_req *request, unsigned char *buffer,
               size_t buffer_size, struct scsi_command *c);

/*
 * The result of a command that the kernel has completed: 0 or an errno, and the bytes that it
 * moved. The failure is counted.
 */
int scsi_result(const struct sg_io_hdr *header, const struct io_req *request, uint32_t *bytes,
                struct io_statuses *statuses);

/* Send a request by SG_IO and wait for it. Returns 0 or an errno, and the bytes that it moved. */
int scsi_perform(const struct scsi_unit *u, int fd, const struct io_req *request,
                 unsigned char *buffer, size_t buffer_size, uint32_t *bytes,
                 struct io_statuses *statuses);

#endif

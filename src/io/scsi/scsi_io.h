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
#define SCSI_RANGES_BYTES 24        /* bytes of the parameter list of UNMAP with one range */
#define SCSI_BLOCK_MAX    (1 << 16) /* bytes of a block */

/* A command and the memory that it needs while it is in flight. */
struct scsi_command {
    struct sg_io_hdr header;
    uint8_t bytes[16]; /* the command descriptor block */
    uint8_t ranges[SCSI_RANGES_BYTES];
    uint8_t sense[SCSI_SENSE_BYTES];
};

/* Returns true if the disk has a command for that kind of request. */
bool scsi_has_command(const struct scsi_unit *u, unsigned request);

/* Returns the bytes that one command of that kind may cover at most. */
uint64_t scsi_length_max(const struct scsi_unit *u, unsigned request);

/*
 * Builds the command for a request, in the form of 10 bytes if address and number of blocks fit.
 * `buffer` has `buffer_size` bytes. VERIFY, UNMAP and flushes do not use it, and WRITE SAME sends
 * one block of zeros.
 *
 * Returns 0, or -1 if nothing may be sent: offset or length is not a multiple of the block size,
 * or reach beyond the disk or the buffer; the request is longer than one command may be; or the
 * disk lacks the command, or is not `writable`.
 */
int scsi_build(const struct scsi_unit *u, const struct io_req *request, unsigned char *buffer,
               size_t buffer_size, struct scsi_command *c);

/*
 * Interprets the result of a command that the kernel has completed: returns 0 or an errno, sets
 * *bytes to the bytes that the command moved, and counts a failure.
 */
int scsi_result(const struct sg_io_hdr *header, const struct io_req *request, uint32_t *bytes,
                struct io_statuses *statuses);

/* Sends a request by SG_IO and waits for its end. Returns 0 or an errno, and sets *bytes to the
   bytes moved. */
int scsi_perform(const struct scsi_unit *u, int fd, const struct io_req *request,
                 unsigned char *buffer, size_t buffer_size, uint32_t *bytes,
                 struct io_statuses *statuses);

#endif

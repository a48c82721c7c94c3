/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One I/O as NVMe commands: what both passthrough backends share. Pure but for nvme_send.
 *
 * A request larger than one command may be is split; its parts are contiguous and none is larger
 * than transfer_most. Opcodes are rows of tables/nvme_io_commands.h: nothing else is ever built.
 */
#ifndef CUPEL_IO_NVME_IO_H
#define CUPEL_IO_NVME_IO_H

#include <linux/nvme_ioctl.h>
#include <stddef.h>

#include "io/io.h"
#include "io/nvme_namespace.h"

/* Hands one I/O command to the device and waits: 0, a positive NVMe status, or -errno. Tests put a
   script in its place. */
typedef int nvme_send_function(void *context, struct nvme_passthru_cmd64 *command);

/* How many commands a request of `length` bytes is split into. */
unsigned nvme_parts(const struct nvme_namespace *n, uint32_t length);

/*
 * Build the command for part `part` of a request. `buffer` and `metadata` are the request's own
 * (room for length bytes, and for the metadata of all its LBAs; NULL when none is moved);
 * `buffer_size` is how much room there is, and is checked. 0, or -1 when offset or length are no
 * multiple of the LBA, reach past the namespace or past the buffer: nothing may be sent then.
 */
int nvme_build(const struct nvme_namespace *n, const struct io_req *request, unsigned part,
               unsigned char *buffer, size_t buffer_size, unsigned char *metadata,
               struct nvme_passthru_cmd64 *command);

/* Bytes of part `part`. */
uint32_t nvme_part_bytes(const struct nvme_namespace *n, uint32_t length, unsigned part);

/* The errno that stands for an NVMe status (as the kernel's block layer would give it), 0 for 0. */
int nvme_errno(int status);

#endif

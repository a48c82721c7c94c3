/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One I/O as NVMe commands, for both passthrough backends. All functions are pure except those that
 * send.
 *
 * A request that is larger than the limit of one command is split; its parts are contiguous, and
 * none is larger than transfer_max. Opcodes are rows of tables/nvme_io_commands.h: no other command
 * is ever built.
 */
#ifndef CUPEL_IO_NVME_NVME_IO_H
#define CUPEL_IO_NVME_NVME_IO_H

#include <linux/nvme_ioctl.h>
#include <stddef.h>

#include "io/io.h"
#include "io/nvme/nvme_namespace.h"

/* Sends one I/O command to the device and waits for its end. Returns 0, a positive NVMe status, or
   -errno. Tests use a function with scripted results instead. */
typedef int nvme_send_function(void *context, struct nvme_passthru_cmd64 *command);

/* Sends by ioctl on a descriptor that the caller owns. `context` is a struct nvme_device. */
struct nvme_device {
    int fd;
    bool old_kernel; /* the kernel has rejected the 64-bit form of the command */
};
int nvme_send(void *context, struct nvme_passthru_cmd64 *command);

/* Returns true if the controller has the NVMe command for that kind of request. */
bool nvme_has_command(const struct nvme_namespace *n, unsigned command);

/* Returns the number of commands into which a read or write of `length` bytes is split; 1 for a
   flush and a trim. */
unsigned nvme_parts(const struct nvme_namespace *n, unsigned op, uint32_t length);

/* Returns the bytes of part `part`. All parts but the last have the same size, chosen so that the
   last one is not much smaller: 512 KiB with a limit of 508 KiB are two commands of 256 KiB. */
uint32_t nvme_part_bytes(const struct nvme_namespace *n, uint32_t length, unsigned part);

/* Returns the bytes of metadata that are moved in a separate buffer with `length` bytes of data; 0
   when no metadata are. */
size_t nvme_metadata_bytes(const struct nvme_namespace *n, size_t length);

/*
 * Builds the command for part `part` of a request. `buffer` and `metadata` belong to the request.
 * `buffer` must have at least request->length bytes, and `metadata` as many as
 * nvme_metadata_bytes returns (NULL if that is 0). `buffer_size` is the size of `buffer`, which
 * is checked. A write sends the metadata that the caller put into `metadata`; they must not be
 * metadata that a read returned for another LBA.
 *
 * Returns 0, or -1 if nothing may be sent: offset or length is not a multiple of the LBA size, or
 * reach beyond the namespace or the buffer; `metadata` is NULL although it is needed; or a write,
 * flush or trim goes to a namespace that is not `writable`. A flush is one command without data.
 * A trim is one command whose ranges go to the beginning of the buffer. Write Zeroes and the like
 * have no data either, and use no buffer.
 */
int nvme_build(const struct nvme_namespace *n, const struct io_req *request, unsigned part,
               unsigned char *buffer, size_t buffer_size, unsigned char *metadata,
               struct nvme_passthru_cmd64 *command);

/* Builds a flush: it writes the volatile write cache to the medium. */
void nvme_build_flush(const struct nvme_namespace *n, struct nvme_passthru_cmd64 *command);

/*
 * Sends a flush, unless the namespace is known to have no active volatile write cache, counts its
 * status, and stores the result in b->flush. To be called after the last command of a backend that
 * wrote.
 */
void nvme_flush(const struct nvme_namespace *n, nvme_send_function *send, void *context,
                struct io_backend *b);

/*
 * Converts the kernel's result for a command (of nvme_send, or cqe->res) to an NVMe status or
 * -errno. The kernel reports a command that it aborted (after a timeout, a reset, or the removal of
 * the device) as -EINTR; this becomes Command Aborted By Host.
 */
int nvme_status_of(int result);

/* Returns the positive errno for an NVMe status, the same as the kernel's block layer uses; for
   -errno that errno; 0 for 0. */
int nvme_errno(int status);

/*
 * Explains an errno that came without a status of the device: returns "no path ..." if the kernel
 * refuses a command with this errno, and NULL for other errnos. When no path of a multipath
 * namespace is left, io_uring returns EINVAL and ioctl EAGAIN.
 */
const char *nvme_refusal_words(int error);

/* Sends a request part by part until one fails, and counts its status. Returns 0, or the errno
   (EINVAL when the command cannot be built). */
int nvme_perform(const struct nvme_namespace *n, nvme_send_function *send, void *context,
                 const struct io_req *request, unsigned char *buffer, size_t buffer_size,
                 unsigned char *metadata, struct io_statuses *statuses);

/* For tests: opens the backend `nvme` with the function `send`, by which it sends its commands. */
int nvme_open_through(struct io_backend *b, const struct io_setup *setup, nvme_send_function *send,
                      void *context, struct err *e);

#endif

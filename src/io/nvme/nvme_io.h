/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One I/O as NVMe commands: what both passthrough backends share. Pure but for nvme_send.
 *
 * A request larger than one command may be is split; its parts are contiguous and none is larger
 * than transfer_max. Opcodes are rows of tables/nvme_io_commands.h: nothing else is ever built.
 */
#ifndef CUPEL_IO_NVME_NVME_IO_H
#define CUPEL_IO_NVME_NVME_IO_H

#include <linux/nvme_ioctl.h>
#include <stddef.h>

#include "io/io.h"
#include "io/nvme/nvme_namespace.h"

/* Hands one I/O command to the device and waits: 0, a positive NVMe status, or -errno. Tests put a
   script in its place. */
typedef int nvme_send_function(void *context, struct nvme_passthru_cmd64 *command);

/* The real one: an ioctl on a descriptor that stays the caller's. The context is this. */
struct nvme_device {
    int fd;
    bool old_kernel; /* it has answered that it only takes the older form of the command */
};
int nvme_send(void *context, struct nvme_passthru_cmd64 *command);

/* Has the controller the command of that operation? */
bool nvme_has_command(const struct nvme_namespace *n, unsigned op);

/* How many commands a read or write of `length` bytes is split into; a flush and a trim are one. */
unsigned nvme_parts(const struct nvme_namespace *n, unsigned op, uint32_t length);

/* Bytes of part `part`. All but the last are of equal size, so that none is a small rest: 512 KiB
   at 508 KiB a command are two of 256 KiB. */
uint32_t nvme_part_bytes(const struct nvme_namespace *n, uint32_t length, unsigned part);

/* Bytes of metadata that are moved beside `length` bytes of data: 0 when none is. */
size_t nvme_metadata_bytes(const struct nvme_namespace *n, size_t length);

/*
 * Build the command for part `part` of a request. `buffer` and `metadata` are the request's own
 * (room for length bytes, and for nvme_metadata_bytes of them; NULL when that is 0); `buffer_size`
 * is how much room there is, and is checked. A write sends the metadata as it is: what a read
 * brought of another LBA does not belong there. 0, or -1 and nothing may be sent: offset or length
 * are no multiple of the LBA, or reach past the namespace or the buffer; metadata has no room; a
 * write, flush or trim to a namespace that is not `writable`. A flush is one command and has no
 * data; so is a trim, whose ranges go to the begin of the buffer. Writes of zeroes and the like
 * have no data either, and use no buffer.
 */
int nvme_build(const struct nvme_namespace *n, const struct io_req *request, unsigned part,
               unsigned char *buffer, size_t buffer_size, unsigned char *metadata,
               struct nvme_passthru_cmd64 *command);

/* Build a flush: what the volatile write cache holds goes to the medium. */
void nvme_build_flush(const struct nvme_namespace *n, struct nvme_passthru_cmd64 *command);

/*
 * After the last command of a backend that wrote: send a flush unless the namespace is known to
 * have no volatile write cache that is on, count its status, and leave the result in b->flush.
 */
void nvme_flush(const struct nvme_namespace *n, nvme_send_function *send, void *context,
                struct io_backend *b);

/*
 * What the kernel returned for a command, as an NVMe status or -errno: a command that the kernel
 * took back (a timeout, a reset, a device that was removed) comes as -EINTR, and is Command Aborted
 * By Host. For the result of nvme_send and for cqe->res.
 */
int nvme_status_of(int result);

/* The errno that stands for an NVMe status (as the kernel's block layer would give it), positive;
   for -errno that errno, 0 for 0. */
int nvme_errno(int status);

/*
 * What an errno says that came without a status of the device: "no path ..." for those by which the
 * kernel refuses a command, NULL for others. Joined paths of which none is left are EINVAL by
 * io_uring and EAGAIN by ioctl.
 */
const char *nvme_refusal_words(int error);

/* Send a request part by part until one fails, and count its status. 0, or the errno (EINVAL when
   it cannot be built). */
int nvme_perform(const struct nvme_namespace *n, nvme_send_function *send, void *context,
                 const struct io_req *request, unsigned char *buffer, size_t buffer_size,
                 unsigned char *metadata, struct io_statuses *statuses);

/* Opens the backend `nvme` with commands that go through `send`: for tests. */
int nvme_open_through(struct io_backend *b, const struct io_setup *setup, nvme_send_function *send,
                      void *context, struct err *e);

#endif

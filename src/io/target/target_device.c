/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets that are devices: block devices, and the generic character device of an NVMe namespace or
   a SCSI disk. Only passthrough uses a generic device, and the kernel does not protect it from
   other users, so this file applies the rules of its block device. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file/device_number.h"
#include "base/file/file_identity.h"
#include "io/device/block_device.h"
#include "io/nvme/device_failures.h"
#include "io/nvme/nvme_io.h"
#include "io/scsi/scsi_io.h"
#include "io/target/guard.h"
#include "io/target/internal.h"
#include "io/target/never_written_blocks.h"

/* A device counts as never written when more than this share of the sampled blocks are zeros. */
#define DEVICE_ZEROS_LIMIT 0.5

static int needs_destroy(const struct target *t, struct err *e)
{
    return err_set(e, ERR_UNSAFE,
                   "%s: writing destroys what is on this device; --destroy says that you mean it",
                   t->path);
}

/* Applies target_judge_unwritten to a device. */
static int judge_device(struct target *t, const struct target_request *request, struct err *e)
{
    /* a workload that follows the zones does not read blocks that were not written */
    if (request->zones)
        return 0;
    return target_judge_unwritten(t, request, DEVICE_ZEROS_LIMIT,
                                  "write it once from end to end (--rw write --bs 1m --destroy)",
                                  e);
}

/* Refuses to write a host-managed device: every write that is not at a write pointer would fail. */
static int refuse_zones(const struct target *t, const struct target_request *request, struct err *e)
{
    if (request->zones || !device_is_host_managed("", t->device))
        return 0;
    return err_set(e, ERR_MACHINE,
                   "%s: the device is host-managed (zoned): it takes writes at write pointers "
                   "alone; cupel run --zonemode zbd keeps these, and other work can only read it",
                   t->path);
}

int target_judge_device(struct target *t, const struct target_request *request, struct err *e)
{
    struct guard_sight sight = {.allow_unseen = request->allow_unseen};
    if (guard_unused("", t->device, t->path, &sight, e))
        return -1;
    t->unseen = sight.unseen;
    return request->destroy ? refuse_zones(t, request, e) : needs_destroy(t, e);
}

int target_open_device(struct target *t, const struct opening *o, struct err *e)
{
    const struct target_request *request = o->request;
    int read_only = 0;
    t->kind = TARGET_BLOCK_DEVICE;
    if (request->write && target_judge_device(t, request, e))
        return -1;
    if (target_open_fd(t, o, request->write ? O_EXCL : 0, e))
        return -1;
    if (request->write && !syscall(SYS_ioctl, t->fd, BLKROGET, &read_only) && read_only)
        return err_set(e, ERR_MACHINE, "%s: the device is read-only", t->path);
    if (syscall(SYS_ioctl, t->fd, BLKGETSIZE64, &t->size))
        return target_refusal(t->path, errno, e);
    if (!t->size)
        return err_set(e, ERR_TARGET, "%s: it has no capacity (no medium, or not set up)", t->path);
    if (unwritten_share_of_device(t->fd, t->size, request->seed, &t->unwritten_share, e))
        return err_context(e, "%s", t->path);
    if (judge_device(t, request, e))
        return -1;
    nvme_namespace_open(&t->nvme, t->fd);
    t->nvme.writable = t->nvme.usable && request->write;
    scsi_unit_open(&t->scsi, t->fd);
    t->scsi.writable = request->write;
    return 0;
}

/* ---- generic character devices ---- */

int target_guard_generic(const char *root, dev_t device, const char *path,
                         struct guard_sight *sight, dev_t *block, char name[64], struct err *e)
{
    if (guard_generic_device(root, device, block, name, e))
        return err_context(e, "%s", path);
    return guard_unused(root, *block, path, sight, e);
}

/* Opens the block device of the namespace or disk with O_EXCL, so that nobody can mount or claim it
   until target_close. This descriptor is for reading only. */
static int claim_generic(struct target *t, dev_t device, bool allow_unseen, struct err *e)
{
    struct guard_sight sight = {.allow_unseen = allow_unseen};
    dev_t block;
    char name[64];
    int read_only = 0;
    if (target_guard_generic("", device, t->path, &sight, &block, name, e))
        return -1;
    t->unseen = sight.unseen;
    t->exclusive_fd = device_number_open(name, false, block, O_RDONLY | O_EXCL);
    if (t->exclusive_fd < 0 && errno == EBUSY)
        return target_refusal(t->path, EBUSY, e);
    if (t->exclusive_fd < 0)
        return err_set(e, ERR_UNSAFE,
                       "%s: its block device %s cannot be held for the time of the run: %s",
                       t->path, name, strerror(errno));
    if (!syscall(SYS_ioctl, t->exclusive_fd, BLKROGET, &read_only) && read_only)
        return err_set(e, ERR_MACHINE, "%s: the device is read-only", t->path);
    return 0;
}

struct passthrough_reader {
    const struct nvme_namespace *n;
    struct nvme_device device;
    unsigned char *metadata;
};

static int read_by_passthrough(void *context, void *buffer, size_t length, uint64_t offset)
{
    struct passthrough_reader *r = context;
    struct io_req request = {.offset = offset, .length = (uint32_t)length, .command = REQUEST_READ};
    struct io_statuses statuses = {0};
    return nvme_perform(r->n, nvme_send, &r->device, &request, buffer, length, r->metadata,
                        &statuses);
}

/* Reads samples in the same way as the run will read, because the block device may have a size of 0
   if only passthrough works. */
static int sample_namespace(struct target *t, uint64_t seed, struct err *e)
{
    const struct nvme_namespace *n = &t->nvme;
    size_t block = n->block_size > UNWRITTEN_SAMPLE ? n->block_size : UNWRITTEN_SAMPLE;
    size_t beside = nvme_metadata_bytes(n, block);
    struct passthrough_reader reader = {
        .n = n, .device = {.fd = t->fd}, .metadata = beside ? malloc(beside) : NULL};
    if (beside && !reader.metadata)
        return err_no_memory(e, "one block");
    struct unwritten_source source = {
        .read = read_by_passthrough, .context = &reader, .block = block};
    int status = unwritten_share_sampled(&source, t->size, seed, &t->unwritten_share, e);
    free(reader.metadata);
    return status ? err_context(e, "%s", t->path) : 0;
}

/* ---- SCSI disks ---- */

struct scsi_reader {
    const struct scsi_unit *unit;
    struct io_statuses statuses;
};

static int read_by_scsi(void *context, void *buffer, size_t length, uint64_t offset)
{
    struct scsi_reader *r = context;
    const struct io_req request = {
        .offset = offset, .length = (uint32_t)length, .command = REQUEST_READ};
    uint32_t bytes;
    const int error =
        scsi_perform(r->unit, r->unit->fd, &request, buffer, length, &bytes, &r->statuses);
    return !error && bytes < length ? EIO : error;
}

static int sample_scsi(struct target *t, uint64_t seed, struct err *e)
{
    const uint32_t block = t->scsi.block_size;
    struct scsi_reader reader = {.unit = &t->scsi};
    const struct unwritten_source source = {.read = read_by_scsi,
                                            .context = &reader,
                                            .block = block > UNWRITTEN_SAMPLE ? block
                                                                              : UNWRITTEN_SAMPLE};
    char words[200];
    if (!unwritten_share_sampled(&source, t->size, seed, &t->unwritten_share, e))
        return 0;
    io_statuses_words(&reader.statuses, words, sizeof words);
    return err_context(e, "%s%s%s", t->path, *words ? ": " : "", words);
}

static int open_scsi(struct target *t, const struct target_request *request, struct err *e)
{
    struct stat st;
    scsi_unit_open(&t->scsi, t->fd);
    if (scsi_unit_check(&t->scsi, e))
        return err_context(e, "%s", t->path);
    t->device = t->scsi.block_device;
    if (t->exclusive_fd >= 0 && (fstat(t->exclusive_fd, &st) || st.st_rdev != t->device ||
                                 !scsi_is_same_unit(t->exclusive_fd, t->fd)))
        return err_set(e, ERR_UNSAFE, "%s: its block device belongs to another disk", t->path);
    t->logical_block = t->scsi.block_size;
    t->size = t->scsi.blocks * t->scsi.block_size;
    return sample_scsi(t, request->seed, e);
}

static int open_namespace(struct target *t, const struct target_request *request, struct err *e)
{
    /* checks that the descriptor leads to the same namespace as the claimed block device */
    struct stat st;
    nvme_namespace_open(&t->nvme, t->fd);
    if (!t->nvme.usable)
        return err_set(e, ERR_MACHINE, "%s: %s", t->path, t->nvme.why_not);
    if (t->exclusive_fd >= 0 &&
        (fstat(t->exclusive_fd, &st) || st.st_rdev != t->nvme.block_device ||
         syscall(SYS_ioctl, t->exclusive_fd, NVME_IOCTL_ID) != (long)t->nvme.nsid))
        return err_set(e, ERR_UNSAFE, "%s: its block device belongs to another namespace", t->path);
    t->device = t->nvme.block_device;
    t->logical_block = t->nvme.block_size;
    t->size = t->nvme.blocks * t->nvme.block_size;
    return sample_namespace(t, request->seed, e);
}

int target_open_generic(struct target *t, dev_t device, const struct opening *o, struct err *e)
{
    const struct target_request *request = o->request;
    t->kind = TARGET_GENERIC;
    if (request->write) {
        if (claim_generic(t, device, request->allow_unseen, e))
            return -1;
        if (!request->destroy)
            return needs_destroy(t, e);
    }
    t->fd = file_reopen(o->look, t->path, request->write ? O_RDWR : O_RDONLY);
    if (t->fd < 0)
        return target_refusal(t->path, errno, e);
    if (scsi_is_generic("", device) ? open_scsi(t, request, e) : open_namespace(t, request, e))
        return -1;
    if (request->write && refuse_zones(t, request, e))
        return -1;
    t->direct = true; /* I/O by passthrough never uses the page cache */
    t->nvme.writable = t->nvme.usable && request->write;
    t->scsi.writable = t->scsi.usable && request->write;
    return judge_device(t, request, e);
}

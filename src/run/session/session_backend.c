/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the backend: the requested one, or the one that a trial on the target shows to be the
   best. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/units.h"
#include "io/nvme/nvme_io.h"
#include "io/scsi/scsi_io.h"
#include "run/loop/placement.h"
#include "run/session/running.h"

#define REASON_BYTES 400 /* size of the reason for the choice */

/* Checks whether the engine may cut the file. A file that is cut at a write's offset loses
   everything after it, even outside of the region, and must get its size again. */
static int check_resize(const struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const struct target *t = &s->target;
    const uint64_t end = plan->offset + plan_regions_extent(plan, s->region);
    char size[UNITS_BUFFER];
    struct rlimit limit;
    struct stat st;
    if (!getrlimit(RLIMIT_FSIZE, &limit) && !fstat(t->fd, &st) &&
        limit.rlim_cur < (uint64_t)st.st_size)
        return err_set(e, ERR_USAGE,
                       "%s: --ioengine %s: a limit of this shell (ulimit -f) would not let it have "
                       "its size again; nothing was written",
                       t->path, s->ops->name);
    if (t->made_by_us || end >= t->size)
        return 0;
    return err_set(
        e, ERR_UNSAFE,
        "%s: --ioengine %s cuts off what is after its writes, and the last %s are not in "
        "the region (--offset, --size): leave --size out; nothing was written",
        t->path, s->ops->name, format_size(size, sizeof size, (double)(t->size - end)));
}

/* Refuses requests that are longer than the disk's longest SCSI command, because each request is
   one command. */
static int check_lengths(const struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    char most[UNITS_BUFFER];
    const uint32_t length = s->target.scsi.transfer_max;
    if (!s->ops->needs_scsi || plan->trims == TRIMS_ALONE || plan->block_size <= length)
        return 0;
    return err_set(e, ERR_MACHINE,
                   "%s: --bs %u: one SCSI command to it may move at most %s: choose a smaller --bs",
                   s->target.path, plan->block_size, format_size(most, sizeof most, length));
}

/* Chooses the requested backend, unless it cannot use the target. */
int session_choose_backend(struct session *s, struct err *e)
{
    char *chosen = s->own[SESSION_PART_BACKEND];
    const struct plan *plan = &s->contents.plan;
    s->sqpoll = (enum io_choice)(plan->sqpoll + 1);
    s->iopoll = (enum io_choice)(plan->iopoll + 1);
    if (strcmp(plan->engine, "auto") != 0) {
        const struct target *t = &s->target;
        const char *name = plan->engine;
        s->ops = io_backend_by_name(name);
        snprintf(chosen, REASON_BYTES, "as asked for");
        if (!s->ops)
            return err_set(e, ERR_USAGE, "--ioengine %s: there is no such backend", name);
        if (io_is_without_data(s->ops) && t->kind != TARGET_FILE && t->kind != TARGET_SCRATCH)
            return err_set(e, ERR_USAGE, "%s: --ioengine %s is about files, and this is none",
                           t->path, name);
        if (s->ops->resizes && check_resize(s, e))
            return -1;
        if (s->ops->needs_namespace && nvme_namespace_check(&t->nvme, e))
            return err_context(e, "%s: --ioengine %s", t->path, name);
        if (s->ops->needs_scsi && scsi_unit_check(&t->scsi, e))
            return err_context(e, "%s: --ioengine %s", t->path, name);
        if (s->ops->needs_target && !s->ops->bypasses_block_layer && t->kind == TARGET_GENERIC)
            return err_set(e, ERR_USAGE,
                           "%s: --ioengine %s goes through the block layer, and this device past "
                           "it; name its block device, or leave --ioengine out",
                           t->path, name);
        return check_lengths(s, e);
    }
    /* For `auto`, the backends are tried with a setup like a worker's, on one page of memory. */
    size_t mark = arena_mark(&s->arena);
    /* If there are only trims, workers have no memory for a block: one sector is read instead. */
    const size_t block = plan->trims == TRIMS_ALONE ? s->target.logical_block : plan->block_size;
    size_t stride = (block + 4095) / 4096 * 4096;
    unsigned char *memory = arena_alloc(&s->arena, plan->iodepth * stride + 4096, 1);
    if (!memory)
        return err_no_memory(e, "trying backends");
    int kernel_cpu = placement_kernel_cpu(plan, 0);
    const struct request_kinds kinds = plan_request_kinds(plan);
    const uint16_t values[REQUEST_KINDS_MAX] = {0}; /* a trial read has no priority */
    struct io_setup setup = {.clock = &s->clock,
                             .fd = s->target.fd,
                             .direct = s->target.direct,
                             .block_device = s->target.kind == TARGET_BLOCK_DEVICE,
                             /* --sync applies to opened files and block devices only. */
                             .nvme = plan->sync == SYNC_NONE ? &s->target.nvme : NULL,
                             .scsi = &s->target.scsi,
                             .iodepth = plan->iodepth,
                             .priorities = kinds.count ? values : NULL,
                             .block_layer = kinds.count || plan_priority(plan),
                             .buffers = memory + (4096 - (uintptr_t)memory % 4096) % 4096,
                             .buffer_stride = stride,
                             .sqpoll = s->sqpoll,
                             .sqpoll_placed = kernel_cpu >= 0,
                             .sqpoll_cpu = kernel_cpu >= 0 ? (unsigned)kernel_cpu : 0,
                             .iopoll = s->iopoll,
                             .workers = plan->jobs};
    SESSION_PARTS_CALL(s, ask_backend, s, &setup);
    s->ops = io_choose(&setup, chosen, REASON_BYTES);
    s->sqpoll = setup.sqpoll;
    s->iopoll = setup.iopoll;
    arena_reset(&s->arena, mark);
    return s->ops ? check_lengths(s, e) : err_set(e, ERR_MACHINE, "%s: %s", s->target.path, chosen);
}

/* Records everything that shapes the commands to a namespace that is measured without the block
   layer. */
static void settings_of_namespace(struct session *s)
{
    const struct nvme_namespace *n = &s->target.nvme;
    static const char *const caches[] = {
        [NVME_CACHE_UNKNOWN] = "not known",
        [NVME_CACHE_ABSENT] = "there is none",
        [NVME_CACHE_OFF] = "off",
        [NVME_CACHE_ON] = "on",
    };
    char size[UNITS_BUFFER], transfer[UNITS_BUFFER], features[160];

    session_setting(s, "namespace", "NVMe namespace", "%u of %s", n->nsid,
                    n->generic_path[0] ? n->generic_path : s->target.path);
    session_setting(s, "namespace", "LBA", "%u bytes%s", n->block_size,
                    n->protection
                        ? ", with protection information that the controller makes and checks"
                    : n->metadata_size ? ", with metadata that is moved as well"
                                       : "");
    session_setting(s, "namespace", "largest transfer",
                    "%s by the controller (MDTS); commands of %s",
                    n->mdts ? format_size(size, sizeof size, (double)n->mdts) : "no limit",
                    format_size(transfer, sizeof transfer, (double)n->transfer_max));
    session_setting(s, "namespace", "namespace features", "%s",
                    nvme_namespace_features(n, features, sizeof features));
    session_setting(s, "namespace", "volatile write cache", "%s", caches[n->write_cache]);
    session_setting(s, "namespace", "poll queues", "%s",
                    n->poll_queues ? "there are some" : "none");
}

static void settings_of_disk(struct session *s)
{
    const struct scsi_unit *u = &s->target.scsi;
    char size[UNITS_BUFFER];
    session_setting(s, "namespace", "SCSI disk", "%s%s%s", u->block_name,
                    *u->generic_name ? ", " : "", u->generic_name);
    session_setting(s, "namespace", "LBA", "%u bytes", u->block_size);
    session_setting(s, "namespace", "largest transfer", "%s",
                    format_size(size, sizeof size, u->transfer_max));
    session_setting(s, "namespace", "time for a command", "%u s", u->timeout_ms / 1000);
    session_setting(s, "namespace", "volatile write cache", "%s", u->write_cache ? "on" : "off");
}

bool session_has_command(const struct session *s, unsigned command)
{
    return s->ops->needs_scsi ? scsi_has_command(&s->target.scsi, command)
                              : nvme_has_command(&s->target.nvme, command);
}

static void settings_of_backend(struct session *s)
{
    if (s->ops->needs_namespace)
        settings_of_namespace(s);
    if (s->ops->needs_scsi)
        settings_of_disk(s);
    session_setting(s, "backend", "backend", "%s", s->ops->name);
    session_setting(s, "backend", "backend uses", "%s", s->group.workers->backend.description);
    session_setting(s, "backend", "backend chosen", "%s",
                    (const char *)s->own[SESSION_PART_BACKEND]);
}

const struct session_part part_backend = {.bytes = REASON_BYTES,
                                          .on[ON_START] = settings_of_backend,
                                          .of_workers = true,
                                          .after = session_note_statuses,
                                          .stuck = session_note_statuses};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the target before anything is written, and closes it after everything else has ended. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/units.h"
#include "hw/disk/disk_serial.h"
#include "io/device/block_device.h"
#include "run/plan/plan_iozone_mode.h"
#include "run/session/running.h"

/* Address space of the null backend: larger than any cache. */
#define NULL_TARGET_SIZE ((uint64_t)1 << 40)

/*
 * Writing a scratch file takes at most this share of a session's limit, if the file can be smaller.
 */
#define FILL_SHARE_OF_LIMIT 0.25

/* Shows the progress of filling. The rate of filling is the first number that is known. */
static void show_filling(void *session, uint64_t done, uint64_t total)
{
    struct session *s = session;
    double seconds = session_seconds(s) - *(double *)s->own[SESSION_PART_TARGET];
    s->progress.bytes_rate = done && seconds > 0 ? (double)done / seconds : NAN;
    session_show_share(
        s, s->target.kind == TARGET_SCRATCH ? "writing the scratch file" : "writing the file",
        total ? (double)done / (double)total : 1);
}

/* ---- the disk that --destroy-serial names ---- */

/* The disk is identified by the number of the open block device, not by a name, because names are
   reused. The number is looked up in sysfs of this machine, even with --sysroot. */

static int refuse_no_disk(const char *path, struct err *e)
{
    return err_set(e, ERR_UNSAFE,
                   "%s: it is no block device, and --destroy-serial is for disks; nothing was "
                   "written",
                   path);
}

/* Checks, before the target is opened, that it is a device: otherwise a file would be created and
   filled. */
static int expect_disk(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const struct io_ops *asked = io_backend_by_name(plan->engine);
    struct stat st;
    if (!plan->destroy_serial[0] || (asked && !asked->needs_target) ||
        (s->shared && s->shared->target_open))
        return 0;
    if (stat(plan->target, &st))
        return err_set(e, ERR_USAGE, "%s: %s", plan->target, strerror(errno));
    return S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode) ? 0 : refuse_no_disk(plan->target, e);
}

int session_may_write(const struct plan *plan, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(plan->engine);
    const struct target_request request = {.path = plan->target,
                                           .write = true,
                                           .destroy = plan->destroy || plan->destroy_serial[0],
                                           .overwrite = plan->overwrite,
                                           .allow_unseen = plan->allow_unseen,
                                           .zones = plan->zones.on,
                                           .seed = plan->seed};
    struct sysroot machine;
    dev_t device;
    if (ops && !ops->needs_target)
        return 0;
    if (target_may_write(&request, &device, e))
        return -1;
    if (!plan->destroy_serial[0] || !device)
        return 0;
    return sysroot_open(&machine, NULL, e) ||
                   disk_serial_check(&machine, device, plan->destroy_serial, plan->target, e)
               ? -1
               : 0;
}

/* Checks the serial number of the open target's disk, before its first write. */
static int check_serial(const struct plan *plan, const struct target *t, struct err *e)
{
    struct sysroot machine;
    if (!plan->destroy_serial[0])
        return 0;
    if ((t->kind != TARGET_BLOCK_DEVICE && t->kind != TARGET_GENERIC) || !t->device)
        return refuse_no_disk(t->path, e);
    if (sysroot_open(&machine, NULL, e))
        return -1;
    return disk_serial_check(&machine, t->device, plan->destroy_serial, t->path, e);
}

/* ---- the target ---- */

/*
 * Keeps a device or a scratch file open between sessions. A named file may be used by others in the
 * meantime, as swap or for a loop device: every session examines it anew, and it must be the same
 * file.
 */
static int share_target(struct session_shared *shared, const struct target *t, struct err *e)
{
    struct stat st;
    if (t->kind != TARGET_FILE) {
        shared->target = *t;
        shared->target_open = true;
        return 0;
    }
    if (fstat(t->fd, &st))
        return err_set(e, ERR_TARGET, "%s: %s", t->path, strerror(errno));
    if (shared->has_file && (shared->device != st.st_dev || shared->inode != st.st_ino))
        return err_set(e, ERR_UNSAFE,
                       "%s: it is another file than in the session before; nothing was written",
                       t->path);
    shared->has_file = true;
    shared->device = st.st_dev;
    shared->inode = st.st_ino;
    return 0;
}

int session_open_flag(const struct plan *plan)
{
    return plan->sync == SYNC_ALL ? O_SYNC : plan->sync == SYNC_DATA ? O_DSYNC : 0;
}

int session_open_target(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    struct target *t = &s->target;
    const struct io_ops *asked = io_backend_by_name(plan->engine);
    if (asked && !asked->needs_target) {
        *t = TARGET_NONE;
        t->logical_block = 1;
        t->size = plan->size ? plan->offset + plan->size : NULL_TARGET_SIZE;
        snprintf(t->path, sizeof t->path, "%s", asked->connects ? plan->target : asked->name);
        return 0;
    }
    const bool without_data = io_is_without_data(asked); /* the backend changes files without
                                                            reading data */
    bool in_folder = asked && asked->action && asked->action->in_folder;
    struct target_request request = {
        .path = plan->target,
        .read = (plan->write_share < 1) && !without_data,
        .write = (plan->write_share > 0) || without_data,
        .direct = plan->direct,
        .synchronous = session_open_flag(plan),
        .destroy = plan->destroy || plan->destroy_serial[0],
        .overwrite = plan->overwrite,
        .allow_unwritten = plan->allow_unwritten || without_data,
        .allow_unseen = plan->allow_unseen,
        .shared = s->meeting != NULL,
        .size = plan->size ? plan->offset + plan_regions_extent(plan, plan->size) : 0,
        .fill_seconds = FILL_SHARE_OF_LIMIT * plan->ending.limit_seconds,
        .entries = in_folder ? plan->entries : 0,
        .folders = plan->jobs,
        .seed = plan->seed};
    SESSION_PARTS_CALL(s, ask, s, &request);
    if (s->shared && s->shared->target_open) {
        *t = s->shared->target;
        s->target_open = true;
        /* For I/O through the page cache: every session starts without cached pages, like the first
           one after the filling. */
        if (!t->direct && t->kind == TARGET_SCRATCH)
            posix_fadvise(t->fd, 0, 0, POSIX_FADV_DONTNEED);
    } else {
        session_show(s, "opening the target");
        *(double *)s->own[SESSION_PART_TARGET] = session_seconds(s);
        if (target_open(t, &request, show_filling, s, (const volatile int *)s->stop, e))
            return -1;
        s->target_open = true;
        if (s->shared && share_target(s->shared, t, e))
            return -1;
    }
    if (check_serial(plan, t, e))
        return -1;
    s->progress.done_share = s->progress.bytes_rate = NAN;
    if (t->note[0])
        contents_note(&s->contents, t->in_memory || in_folder || t->unseen, "%s", t->note);
    return 0;
}

int session_find_region(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const struct target *t = &s->target;
    char have[UNITS_BUFFER];
    bool timed = plan_is_timed(plan);
    if (t->kind == TARGET_FOLDER) { /* each entry has a block in the region */
        s->region = plan->entries * plan->block_size;
        return 0;
    }
    /* The requests of a replay are fitted to the target's blocks. */
    uint32_t granule = !timed                 ? plan->block_size
                       : plan_is_replay(plan) ? t->logical_block
                                              : workload_spec_granularity(&s->workload);
    if (t->direct && t->logical_block && granule % t->logical_block)
        return err_set(e, ERR_USAGE,
                       "%s: %s of %u bytes are no multiple of its logical block of %u bytes",
                       t->path, timed ? "requests" : "--bs: blocks", granule, t->logical_block);
    if (t->direct && t->logical_block && plan->offset % t->logical_block)
        return err_set(e, ERR_USAGE, "%s: --offset is no multiple of its logical block of %u bytes",
                       t->path, t->logical_block);
    uint64_t smallest = plan_is_replay(plan) ? granule : plan->block_size;
    if (plan_find_region(plan, t->path, t->size, smallest, &s->region, e))
        return -1;
    if (t->direct && t->logical_block &&
        plan_check_region_unit(plan, t->path, t->logical_block, "its logical block", e))
        return -1;
    bool own = plan_pass(plan) == IO_PASS_NEW_FILE; /* each job has its own file of that size */
    if (!timed && !own && s->region / plan->block_size < plan_jobs_of_region(plan))
        return err_set(e, ERR_USAGE, "%s: %s is less than one block of --bs for each of %u jobs",
                       t->path, format_size(have, sizeof have, (double)s->region), plan->jobs);
    return 0;
}

static void settings_of_target(struct session *s)
{
    char real[PATH_MAX];
    static const char *const kinds[] = {[TARGET_FILE] = "file",
                                        [TARGET_BLOCK_DEVICE] = "block device",
                                        [TARGET_SCRATCH] = "scratch file",
                                        [TARGET_GENERIC] = "NVMe namespace",
                                        [TARGET_FOLDER] = "folder"};
    char size[UNITS_BUFFER];
    bool null = s->target.fd < 0;
    const char *path = null ? s->target.path : realpath(s->target.path, real);
    session_setting(s, "target", "target", "%s", path ? path : s->target.path);
    if (s->ops->connects)
        return;
    session_setting(s, "target", "kind of target", "%s",
                    null                                              ? "none"
                    : s->target.scsi.usable && s->target.scsi.generic ? "SCSI disk"
                                                                      : kinds[s->target.kind]);
    if (s->target.kind == TARGET_FOLDER)
        return;
    session_setting(s, "target", "size of target", "%s",
                    format_size(size, sizeof size, (double)s->target.size));
    if (!null)
        session_setting(s, "target", "direct I/O", "%s",
                        s->target.in_memory ? "the target is memory itself"
                        : s->ops->bypasses_block_layer
                            ? "passthrough: the page cache and the block layer are bypassed"
                        : s->target.direct ? "O_DIRECT: the page cache is bypassed"
                                           : "no: the page cache takes part");
}

static void close_target(struct session *s)
{
    const bool held = s->shared && s->shared->target_open;
    if (s->target_open && !held)
        target_close(&s->target);
}

/* The part's state: when the filling of the file began. */
const struct session_part part_target = {.bytes = sizeof(double),
                                         .prepare[AT_PLAN] = expect_disk,
                                         .on[ON_START] = settings_of_target,
                                         .of_workers = true,
                                         .end = close_target};

/* ---- the size of a file, which a backend may change ---- */

static void restore_size(struct session *s)
{
    struct err e = {0};
    if (target_restore_size(&s->target, s->ops->resizes, &e))
        contents_note(&s->contents, true,
                      "the file could not be given its size and mark again: %.220s", e.msg);
}

const struct session_part part_file_size = {.of_workers = true, .after = restore_size};

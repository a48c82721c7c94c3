/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trims and allocations of a session: whether the target can do them, and whether they had an
   effect. */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/units.h"
#include "io/device/block_device.h"
#include "io/scsi/scsi_io.h"
#include "run/session/running.h"

/* Share of the trims that find nothing to free, or of the allocations that find nothing to
   allocate, above which a note is added. */
#define AGAIN_SHARE 0.01

/* Checks that every offset and length of the trims is a multiple of `granule`. */
static int check_granule(const struct session *s, uint64_t granule, const char *what, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const uint64_t unit = plan_is_timed(plan)
                              ? workload_spec_granularity(&s->workload) / plan->num_range
                              : plan->block_size;
    char text[UNITS_BUFFER], size[UNITS_BUFFER];
    /* discards of a trace need no check, because they are fitted to the target's blocks */
    if (plan_is_replay(plan))
        return 0;
    if (!granule || (unit % granule == 0 && plan->offset % granule == 0 &&
                     plan_region_begin(plan, 1) % granule == 0))
        return 0;
    return err_set(e, ERR_USAGE,
                   "%s: trims of %s, or the --offset, are no multiple of %s of %s: it would leave "
                   "the rest as it is",
                   s->target.path, format_size(size, sizeof size, (double)unit), what,
                   format_size(text, sizeof text, (double)granule));
}

static int check_device(const struct session *s, struct err *e)
{
    uint64_t granularity;
    if (!device_discards("", s->target.device, &granularity))
        return err_set(e, ERR_MACHINE,
                       "%s: it takes no trims: the kernel sends it no discards "
                       "(queue/discard_max_bytes is 0)",
                       s->target.path);
    return check_granule(s, granularity, "its discard granularity", e);
}

/*
 * Punches a hole far after the end of a file, which changes nothing and shows whether the
 * filesystem can do it. Directly after the end there may be preallocated space
 * (FALLOC_FL_KEEP_SIZE). Returns -1 with errno.
 */
static int punch_after_end(int fd, off_t end, off_t block)
{
    int status = -1;
    errno = EFBIG;
    for (off_t ahead = 1 << 28; status && errno == EFBIG && ahead; ahead /= 256)
        status =
            fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, end + ahead * block, block);
    return status;
}

static int check_file(const struct session *s, struct err *e)
{
    struct stat st;
    struct statvfs v;
    const struct target *t = &s->target;
    if (fstat(t->fd, &st) || fstatvfs(t->fd, &v))
        return err_set(e, ERR_TARGET, "%s: %s", t->path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_set(e, ERR_USAGE, "%s: trims are of block devices and files", t->path);
    const off_t end = (st.st_size + (off_t)v.f_bsize) / (off_t)v.f_bsize * (off_t)v.f_bsize;
    if (punch_after_end(t->fd, end, (off_t)v.f_bsize))
        return err_set(e, ERR_MACHINE,
                       "%s: its filesystem punches no holes into files (fallocate: %s)", t->path,
                       strerror(errno));
    return check_granule(s, v.f_frsize, "the filesystem's block", e);
}

/* Checks that each job has enough blocks: a job that trims each block once needs one for each
   request that it starts with. */
static int check_blocks(const struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    if (!plan_is_one_pass(plan) || !plan_trims_in_order(plan) ||
        s->region / plan->block_size / plan_jobs_of_region(plan) >=
            (uint64_t)plan->iodepth * plan->num_range)
        return 0;
    return err_set(e, ERR_USAGE,
                   "%s: every block is trimmed once, and a job has fewer of them than %u in "
                   "flight x %u ranges: use a smaller --bs or fewer in flight, or a larger --size",
                   s->target.path, plan->iodepth, plan->num_range);
}

static int check_target(const struct session *s, struct err *e)
{
    const uint64_t most = scsi_length_max(&s->target.scsi, REQUEST_TRIM);
    char size[UNITS_BUFFER];
    if (!s->ops->trims)
        return err_set(e, ERR_USAGE, "%s: --ioengine %s has no trims", s->target.path,
                       s->ops->name);
    if (s->ops->bypasses_block_layer && !session_has_command(s, REQUEST_TRIM))
        return err_set(e, ERR_MACHINE, "%s: %s, which trims need", s->target.path,
                       s->ops->needs_scsi
                           ? "it does not report that it has UNMAP"
                           : "its controller has no Dataset Management command (ONCS)");
    if (s->ops->needs_scsi && most < s->contents.plan.block_size)
        return err_set(e, ERR_MACHINE, "%s: one UNMAP may cover at most %s: choose a smaller --bs",
                       s->target.path, format_size(size, sizeof size, (double)most));
    if (s->ops->bypasses_block_layer)
        return 0;
    return s->target.kind == TARGET_BLOCK_DEVICE ? check_device(s, e) : check_file(s, e);
}

static int check(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    if (plan->trims != TRIMS_NONE && check_blocks(s, e))
        return -1;
    if (plan->trims == TRIMS_NONE || !s->ops->needs_target || !check_target(s, e))
        return 0;
    if (!s->replay)
        return -1;
    if (replay_has_discards(s->replay)) {
        struct err why = *e;
        return err_set(e, why.code, "%.300s; --skip-discards leaves out those of the trace",
                       why.msg);
    }
    /* the part of the trace that was read so far has no discards */
    replay_leave_out_discards(s->replay);
    return 0;
}

/* Returns the number of different blocks that `trims` trims have reached: for random trims the
   expected number, otherwise one for each trim, up to all blocks. */
static double blocks_met(double trims, double blocks, bool random)
{
    return random ? -blocks * expm1(-trims / blocks) : fmin(trims, blocks);
}

/*
 * Returns the bytes that earlier sessions have trimmed. Holes in a file of cupel's own are filled
 * before each session; on a device, in a scratch file or in a foreign file, earlier trims are still
 * there.
 */
static double bytes_trimmed_before(struct session *s, double bytes)
{
    const bool is_filled_again = s->target.kind == TARGET_FILE && s->target.made_by_us;
    if (!s->shared || is_filled_again)
        return 0;
    const double before = s->shared->bytes_trimmed;
    s->shared->bytes_trimmed += bytes;
    return before;
}

/* Notes allocations of space that the file already had. Nothing is computed if other sessions run
   at the same time, because they may free what this one allocates. */
static void note_allocations(struct session *s)
{
    struct contents *c = &s->contents;
    const struct measurement *m = &c->measurement;
    double bytes = 0;
    if (!s->ops->allocates || c->plan.trims != TRIMS_NONE || s->meeting)
        return;
    for (size_t i = 0; i < m->round_count; i++)
        bytes += (double)(m->rounds[i].total.op[OPERATION_READ].bytes +
                          m->rounds[i].total.op[OPERATION_WRITE].bytes);
    const double fresh = s->target.unwritten_share * (double)s->target.size;
    const double again = bytes > 0 ? 1 - fmin(fresh, bytes) / bytes : 0;
    if (again > AGAIN_SHARE)
        contents_note(c, true,
                      "%.3g %% of the allocations or more were of space that the file had already, "
                      "where there is nothing to do: name a larger file of holes (truncate -s), "
                      "with --overwrite, or use --rw trimwrite",
                      100 * again);
}

/* Adds a note if trims were of blocks that had been trimmed before. */
static void after(struct session *s)
{
    struct contents *c = &s->contents;
    const struct plan *plan = &c->plan;
    const struct measurement *m = &c->measurement;
    double bytes = 0;
    char region[UNITS_BUFFER];
    if (!s->ops || !s->ops->needs_target)
        return;
    note_allocations(s);
    if (plan->trims != TRIMS_ALONE)
        return;
    for (size_t i = 0; i < m->round_count; i++)
        bytes += (double)m->rounds[i].total.op[OPERATION_TRIM].bytes;
    const unsigned regions = plan->jobs / plan_jobs_of_region(plan);
    const double step = plan->block_size, blocks = regions * (double)s->region / step;
    const bool random = plan->pattern == PATTERN_RANDOM && !plan_trims_in_order(plan);
    const double before = bytes_trimmed_before(s, bytes);
    const double met = blocks_met((before + bytes) / step, blocks, random) -
                       blocks_met(before / step, blocks, random);
    const double again = bytes > 0 ? 1 - met * step / bytes : 0;
    if (again > AGAIN_SHARE)
        contents_note(c, true,
                      "%.0f %% of the trims were of blocks that had been trimmed before, where "
                      "there is nothing to free: %s were trimmed %.1f times over. Use a larger "
                      "--size or a shorter --runtime, or --rw %s, which writes each block again",
                      100 * again, format_size(region, sizeof region, (double)s->region),
                      (before + bytes) / (regions * (double)s->region),
                      plan->pattern == PATTERN_RANDOM ? "randtrimwrite" : "trimwrite");
}

/* Asks for a backend that trims. It does not ask for one if the device takes no discards, because
   check() then refuses the session with a better message than a backend has. */
static void ask_backend(const struct session *s, struct io_setup *setup)
{
    uint64_t granularity;
    const bool refuses = s->target.kind == TARGET_BLOCK_DEVICE &&
                         !(s->ops && s->ops->bypasses_block_layer) &&
                         !device_discards("", s->target.device, &granularity);
    setup->trims = s->contents.plan.trims != TRIMS_NONE && !refuses;
}

const struct session_part part_trims = {
    .prepare[AT_TARGET] = check, .ask_backend = ask_backend, .after = after};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage `capacity`: finds a drive that holds less than it claims before it is written
   completely. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "machine/accept/accept_journal.h"
#include "machine/accept/capacity.h"
#include "machine/accept/internal.h"

#define STAGE "capacity"

static uint64_t dense_bytes(const struct accept_disk *d)
{
    uint64_t dense = d->size / 16 < CAPACITY_DENSE ? d->size / 16 : CAPACITY_DENSE;
    return dense - dense % CAPACITY_BUFFER;
}

static double estimate(const struct accept_disk *d)
{
    return 2 * (double)dense_bytes(d) / d->rate;
}

static int write_at(void *context, const unsigned char *data, uint32_t length, uint64_t lba,
                    struct err *e)
{
    const struct accept_disk *d = context;
    const ssize_t written = pwrite(d->target.fd, data, length, (off_t)(lba * d->logical_block));
    if (written == (ssize_t)length)
        return 0;
    const int error = written < 0 ? errno : EIO;
    return err_set(e, ERR_TARGET, "%.200s: a write failed at LBA %" PRIu64 ": %s%s", d->path, lba,
                   strerror(error), accept_drive_state(d->target.fd, error));
}

static int read_at(void *context, unsigned char *data, uint32_t length, uint64_t lba, bool *failed,
                   struct err *e)
{
    const struct accept_disk *d = context;
    *failed = pread(d->target.fd, data, length, (off_t)(lba * d->logical_block)) != (ssize_t)length;
    return *failed && errno != EIO ? accept_disk_check(d, e) : 0;
}

static int flush(void *context, struct err *e)
{
    const struct accept_disk *d = context;
    if (!fdatasync(d->target.fd))
        return 0;
    const int error = errno;
    return err_set(e, ERR_TARGET, "%.200s: a flush failed: %s%s", d->path, strerror(error),
                   accept_drive_state(d->target.fd, error));
}

static int watch(void *context, double share, struct err *e)
{
    const struct accept_disk *d = context;
    (void)share;
    return accept_disk_stopped(d)
               ? err_set(e, ERR_UNDECIDED, "%.200s: stopped while its capacity was looked at",
                         d->path)
               : 0;
}

/* Records the finding. A fake drive ends the work, since no later stage could succeed. */
static int find(struct accept_disk *d, const struct capacity_found *f, struct err *e)
{
    char real[UNITS_BUFFER], said[UNITS_BUFFER];
    format_size(said, sizeof said, (double)d->size);
    format_size(real, sizeof real, (double)f->real * d->logical_block);
    if (f->real)
        return err_set(
            e, ERR_TARGET, "%.200s: its capacity is fake: it says %s, and %s LBA %" PRIu64 ", %s",
            d->path, said, f->wraps ? "wraps around at" : "keeps nothing from", f->real, real);
    if (f->wrong)
        return accept_finding(d, GRADE_FAIL, STAGE, e,
                              "%u of %u samples are not what was written (%u unreadable), all over "
                              "the drive: it is damaged",
                              f->wrong, f->samples, f->failed);
    return accept_finding(d, GRADE_NONE, STAGE, e,
                          "%s: it does not wrap around, and %u samples, the last block among them, "
                          "hold what was written: at 95 %% less than %.2g %% of it is missing",
                          said, f->samples, 100 * -log(0.05) / f->samples);
}

static int run(struct accept_disk *d, struct err *e)
{
    struct capacity_probe p = {.run = accept_disk_stamp(d, 1),
                               .sectors = d->size / d->logical_block,
                               .dense = dense_bytes(d) / d->logical_block,
                               .buffer = aligned_alloc(4096, CAPACITY_BUFFER),
                               .context = d,
                               .write = write_at,
                               .read = read_at,
                               .flush = flush,
                               .watch = watch};
    struct capacity_found found;
    if (!p.buffer)
        return err_no_memory(e, "samples");
    random_seed(&p.random, clock_raw_ns(), d->salt);
    p.run.salt ^= random_u64(&p.random) | 1; /* makes data of an earlier call count as foreign */
    int status = accept_journal_add(d->journal, d->number, e, "probe", "salt=%" PRIu64, p.run.salt);
    if (status)
        ;
    else if (p.dense)
        status = capacity_probe(&p, &found, e) || find(d, &found, e) ? -1 : 0;
    else
        status = accept_finding(d, GRADE_NONE, STAGE, e, "it is too small for samples");
    free(p.buffer);
    return status;
}

const struct accept_stage stage_capacity = {
    .name = STAGE,
    .words = "looks by samples whether it holds as much as it says",
    .estimate_seconds = estimate,
    .run = run};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage `capacity`: measures the capacity of a drive by samples. So a drive that holds less than it
   claims is found before it is written completely. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"

enum {
    IN_DENSE = 64,     /* number of samples in the dense range */
    NARROW_ROUNDS = 3, /* each round divides the unknown range by NARROW_SAMPLES */
    NARROW_SAMPLES = 64,
    READS_MAX = 8192, /* reads in the search for a wrap; more if this many could miss one */
};

struct sample {
    uint64_t lba;
    uint32_t generation;
    bool wrong;
};

static uint64_t block_sectors(const struct capacity_probe *p)
{
    return CAPACITY_BLOCK / p->run.sector_bytes;
}

static uint64_t aligned(const struct capacity_probe *p, uint64_t lba)
{
    uint64_t last = p->sectors - block_sectors(p);
    lba -= lba % block_sectors(p);
    return lba < last ? lba : last - last % block_sectors(p);
}

static int write_stamped(struct capacity_probe *p, uint64_t lba, uint32_t length,
                         uint32_t generation, struct err *e)
{
    struct stamp_run run = p->run;
    run.generation = generation;
    stamp_fill(&run, p->buffer, length, lba);
    return p->write(p->context, p->buffer, length, lba, e);
}

static int fill_dense(struct capacity_probe *p, uint32_t generation, struct err *e)
{
    uint64_t step = CAPACITY_BUFFER / p->run.sector_bytes;
    for (uint64_t lba = 0; lba < p->dense; lba += step)
        if (write_stamped(p, lba, CAPACITY_BUFFER, generation, e) ||
            p->watch(p->context, (double)lba / (double)p->dense, e))
            return -1;
    return p->flush(p->context, e);
}

/* ---- wraps ---- */

/* Sets *is_other if `lba` holds the data of another sector, one of the dense range, and *at to that
   sector. */
static int look(struct capacity_probe *p, uint64_t lba, uint32_t generation, bool *is_other,
                uint64_t *at, struct err *e)
{
    bool failed = false;
    struct stamp_found found = {0};
    struct stamp_run run = p->run;
    run.generation = generation;
    *is_other = false;
    if (p->read(p->context, p->buffer, CAPACITY_BLOCK, lba, &failed, e))
        return -1;
    if (failed)
        return 0;
    *is_other = stamp_check(&run, p->buffer, lba, &found) == STAMP_MISDIRECTED &&
                found.kinds == 1u << STAMP_MISDIRECTED && found.lba < p->dense;
    *at = found.lba;
    return 0;
}

static int find_wrap(struct capacity_probe *p, struct capacity_found *found, struct err *e)
{
    uint64_t stride = p->dense / 4, wrap = 0, place = 0;
    if (p->sectors / READS_MAX > stride)
        stride = p->sectors / READS_MAX < p->dense ? p->sectors / READS_MAX : p->dense;
    for (uint64_t lba = p->dense; lba < p->sectors; lba += stride) {
        uint64_t at, x = aligned(p, lba);
        bool is_other;
        if (look(p, x, 1, &is_other, &at, e) ||
            p->watch(p->context, (double)lba / (double)p->sectors, e))
            return -1;
        if (is_other && (!wrap || x - at < wrap)) {
            wrap = x - at;
            place = at;
        }
    }
    /* Proves the wrap: after a write to one of the two sectors the other must change, too. */
    bool is_other = false;
    uint64_t at = 0;
    if (!wrap)
        return 0;
    if (write_stamped(p, place, CAPACITY_BLOCK, 2, e) || p->flush(p->context, e) ||
        look(p, place + wrap, 2, &is_other, &at, e))
        return -1;
    found->wraps = is_other && at == place;
    found->real = found->wraps ? wrap : 0;
    return 0;
}

/* ---- missing capacity ---- */

static void shuffle(struct capacity_probe *p, struct sample s[], unsigned n)
{
    for (unsigned i = n; i > 1; i--) {
        unsigned k = (unsigned)random_below(&p->random, i);
        struct sample other = s[i - 1];
        s[i - 1] = s[k];
        s[k] = other;
    }
}

static int read_samples(struct capacity_probe *p, struct sample s[], unsigned n,
                        struct capacity_found *found, struct err *e)
{
    shuffle(p, s, n);
    for (unsigned i = 0; i < n; i++) {
        bool failed = false;
        struct stamp_run run = p->run;
        run.generation = s[i].generation;
        if (p->read(p->context, p->buffer, CAPACITY_BLOCK, s[i].lba, &failed, e) ||
            p->watch(p->context, (double)i / n, e))
            return -1;
        s[i].wrong = failed;
        for (uint32_t at = 0; at < CAPACITY_BLOCK && !s[i].wrong; at += run.sector_bytes)
            s[i].wrong = stamp_check(&run, p->buffer + at, s[i].lba + at / run.sector_bytes,
                                     NULL) != STAMP_GOOD;
        found->failed += failed;
    }
    return 0;
}

/* Writes n samples in [begin, end), one in each of n equal parts, then fills the dense range again,
   so that the drive's cache no longer holds the samples. */
static int write_samples(struct capacity_probe *p, struct sample s[], unsigned n, uint64_t begin,
                         uint64_t end, uint32_t generation, struct err *e)
{
    double width = (double)(end - begin) / n;
    for (unsigned i = 0; i < n; i++) {
        double place = (i + random_unit(&p->random)) * width;
        s[i] =
            (struct sample){.lba = aligned(p, begin + (uint64_t)place), .generation = generation};
        if (i + 1 == n && end == p->sectors)
            s[i].lba = aligned(p, end);
        if (write_stamped(p, s[i].lba, CAPACITY_BLOCK, generation, e))
            return -1;
    }
    return p->flush(p->context, e) || fill_dense(p, generation, e) ? -1 : 0;
}

/* Narrows [*good, *bad) to the first wrong sample and the last good sample before it. */
static void find_edge(const struct sample s[], unsigned n, uint64_t *good, uint64_t *bad)
{
    for (unsigned i = 0; i < n; i++)
        if (s[i].wrong && s[i].lba < *bad)
            *bad = s[i].lba;
    for (unsigned i = 0; i < n; i++)
        if (!s[i].wrong && s[i].lba < *bad && s[i].lba >= *good)
            *good = s[i].lba;
}

static int find_missing(struct capacity_probe *p, struct capacity_found *found, struct err *e)
{
    struct sample s[CAPACITY_SAMPLES + IN_DENSE];
    unsigned n = CAPACITY_SAMPLES + IN_DENSE, beyond = 0;
    if (write_samples(p, s, CAPACITY_SAMPLES, p->dense, p->sectors, 3, e))
        return -1;
    for (unsigned i = CAPACITY_SAMPLES; i < n; i++)
        s[i] =
            (struct sample){.lba = aligned(p, random_below(&p->random, p->dense)), .generation = 3};
    if (read_samples(p, s, n, found, e))
        return -1;
    uint64_t good = 0, bad = p->sectors;
    find_edge(s, n, &good, &bad);
    for (unsigned i = 0; i < n; i++) {
        found->wrong += s[i].wrong;
        beyond += s[i].lba >= bad;
    }
    found->samples = n;
    found->scattered = found->wrong < beyond - beyond / 10;
    if (!found->wrong || found->scattered)
        return 0;
    struct capacity_found unused = {0};
    for (uint32_t round = 0; round < NARROW_ROUNDS && good >= p->dense &&
                             bad - good > NARROW_SAMPLES * block_sectors(p);
         round++) {
        if (write_samples(p, s, NARROW_SAMPLES, good, bad, 4 + round, e) ||
            read_samples(p, s, NARROW_SAMPLES, &unused, e))
            return -1;
        find_edge(s, NARROW_SAMPLES, &good, &bad);
    }
    found->known = good;
    found->real = bad;
    return 0;
}

int capacity_probe(struct capacity_probe *p, struct capacity_found *found, struct err *e)
{
    *found = (struct capacity_found){0};
    if (fill_dense(p, 1, e) || find_wrap(p, found, e))
        return -1;
    return found->wraps ? 0 : find_missing(p, found, e);
}

/* ---- the stage ---- */

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
    /* with a new salt, data of an earlier call count as foreign */
    p.run.salt ^= random_u64(&p.random) | 1;
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

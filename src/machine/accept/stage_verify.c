/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads back what preconditioning wrote: all of it, or a sample, 128 KiB at a time with 32 reads in
 * flight. The journal says what the drive must hold: the newest generation, and up to which offset
 * it was flushed.
 *
 * The findings name each kind of fault with its places, and what the absence of faults proves.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/units.h"
#include "io/io.h"
#include "io/readback/sector_read.h"
#include "io/readback/verify_tally.h"
#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"

#define STAGE "verify"

#define BLOCK_BYTES    (128u << 10)
#define DEPTH          32
#define ANSWER_SECONDS 120
#define FAILURES_SPLIT 64 /* failed blocks that are read again sector by sector, which is slow */
#define SAMPLE_BLOCKS  1024

struct verification {
    struct accept_disk *disk;
    struct tally tally;
    struct random random;
    unsigned char *sector; /* buffer for one aligned sector of a block that failed */
    uint64_t blocks, chosen, next;
    unsigned failures;
    int first_error;
    double began; /* seconds of the monotonic clock */
};

/* kinds of fault, the gravest first */
static const unsigned faults[] = {STAMP_CORRUPT, STAMP_TORN,    STAMP_STALE, STAMP_MISDIRECTED,
                                  STAMP_WRAPPED, STAMP_FOREIGN, STAMP_ZEROS, TALLY_UNREADABLE};

static int find_fault(struct accept_disk *d, const struct tally *t, size_t i, int first_error,
                      struct err *e)
{
    char places[96], extra[64] = "";
    unsigned kind = faults[i];
    uint64_t n = t->sectors[kind];
    if (!n)
        return 0;
    if (kind == STAMP_CORRUPT && t->unrecognised < n)
        snprintf(extra, sizeof extra, ", %" PRIu64 " bits flipped", t->bits_flipped);
    else if (kind == STAMP_CORRUPT)
        snprintf(extra, sizeof extra, ", nothing of what was written is left");
    else if (kind == TALLY_UNREADABLE)
        snprintf(extra, sizeof extra, ", %.60s", strerror(first_error));
    return accept_finding(d, GRADE_FAIL, STAGE, e, "%" PRIu64 " sector%s %s%s: %s", n,
                          n == 1 ? "" : "s", tally_fault_words(kind), extra,
                          tally_places(t, kind, places, sizeof places));
}

static int find_wrap_and_tears(struct accept_disk *d, const struct tally *t, struct err *e)
{
    char size[UNITS_BUFFER];
    uint64_t wrap = t->expected.run.wrap_sectors;
    if (wrap &&
        accept_finding(d, GRADE_FAIL, STAGE, e,
                       "its capacity is fake: it wraps around at LBA %" PRIu64 ", %s", wrap,
                       format_size(size, sizeof size, (double)wrap * t->expected.run.sector_bytes)))
        return -1;
    return t->torn_writes
               ? accept_finding(d, GRADE_FAIL, STAGE, e,
                                "%" PRIu64 " writes are on the medium in part, though they were "
                                "flushed",
                                t->torn_writes)
               : 0;
}

static int find_in_flight(struct accept_disk *d, const struct tally *t, struct err *e)
{
    return t->in_flight
               ? accept_finding(d, GRADE_PASS, STAGE, e,
                                "%" PRIu64 " sectors from LBA %" PRIu64 " on are not of the newest "
                                "pass (%" PRIu64 " are cut apart): nothing says that they were "
                                "flushed, and it is no fault",
                                t->in_flight, t->expected.durable, t->in_flight_torn)
               : 0;
}

/* Adds the finding that good data allow: the upper bound of the error rate, and no more. */
static int find_bound(struct accept_disk *d, const struct tally *t, uint64_t sampled, struct err *e)
{
    char size[UNITS_BUFFER], sample[120] = "";
    double bytes = (double)t->sectors[STAMP_GOOD] * t->expected.run.sector_bytes;
    if (tally_faults(t))
        return 0;
    if (!t->sectors[STAMP_GOOD])
        return accept_finding(d, GRADE_UNDECIDED, STAGE, e,
                              "nothing was read that must be there: nothing had been flushed");
    if (sampled)
        snprintf(sample, sizeof sample,
                 "; a sample of %" PRIu64 " blocks: less than %.2g %% of all blocks are wrong",
                 sampled, 100 * tally_bound((double)sampled));
    return accept_finding(
        d, GRADE_PASS, STAGE, e,
        "%s read back as written, bit for bit%s; at 95 %% less than one wrong or unreadable bit in "
        "%.2g",
        format_size(size, sizeof size, bytes), sample, 1 / tally_bound(8 * bytes));
}

/* Records all counts in the journal. */
static int keep_counts(struct accept_disk *d, const struct tally *t, uint64_t sampled,
                       struct err *e)
{
    char counts[300] = "";
    size_t used = 0;
    for (unsigned kind = 0; kind < STAMP_VERDICTS; kind++)
        used += (size_t)snprintf(counts + used, sizeof counts - used, " %s=%" PRIu64,
                                 stamp_verdict_name(kind), t->sectors[kind]);
    return accept_journal_add(
        d->journal, d->number, e, "verified",
        "generation=%" PRIu32 " sector=%" PRIu32 " durable=%" PRIu64 " sampled=%" PRIu64
        "%s unreadable=%" PRIu64 " in-flight=%" PRIu64 " torn-writes=%" PRIu64 " bits=%" PRIu64,
        t->expected.run.generation, t->expected.run.sector_bytes, t->expected.durable, sampled,
        counts, t->sectors[TALLY_UNREADABLE], t->in_flight, t->torn_writes, t->bits_flipped);
}

#define LINES_MAX 100 /* maximum number of places in the journal */

static int keep_places(struct accept_disk *d, const struct tally *t, struct err *e)
{
    for (size_t i = 0; i < t->range_count && i < LINES_MAX; i++) {
        const struct tally_range *r = &t->ranges[i];
        const char *kind = r->kind == TALLY_UNREADABLE ? "unreadable" : stamp_verdict_name(r->kind);
        if (accept_journal_add(d->journal, d->number, e, "wrong",
                               "lba=%" PRIu64 " sectors=%" PRIu64 " kind=%s bits=%" PRIu64
                               " distance=%" PRId64 " generation=%" PRIu32,
                               r->lba, r->sectors, kind, r->bits_flipped, r->distance,
                               r->generation))
            return -1;
    }
    return 0;
}

static int verify_findings(struct accept_disk *d, const struct tally *t, uint64_t sampled,
                           int first_error, struct err *e)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (find_fault(d, t, i, first_error, e))
            return -1;
    return find_wrap_and_tears(d, t, e) || find_in_flight(d, t, e) ||
                   find_bound(d, t, sampled, e) || keep_counts(d, t, sampled, e) ||
                   keep_places(d, t, e)
               ? -1
               : 0;
}

/* Returns the number of blocks to read if a drive is read in part. One block is chosen from each of
   that many equal parts. */
static uint64_t blocks_chosen(const struct accept_disk *d, uint64_t blocks)
{
    double chosen = ceil(d->request->verify_share * (double)blocks);
    double least = blocks < SAMPLE_BLOCKS ? (double)blocks : SAMPLE_BLOCKS;
    return d->request->verify_share >= 1 ? blocks : (uint64_t)fmax(chosen, least);
}

static double estimate(const struct accept_disk *d)
{
    uint64_t blocks = (d->size + BLOCK_BYTES - 1) / BLOCK_BYTES;
    return (double)blocks_chosen(d, blocks) * BLOCK_BYTES / d->rate;
}

/* ---- functions of the reader ---- */

static bool next(void *context, uint64_t *offset, uint32_t *length)
{
    struct verification *v = context;
    if (v->next == v->chosen)
        return false;
    /* The parts do not overlap, so that no block is counted twice. */
    double width = (double)v->blocks / (double)v->chosen;
    uint64_t begin = (uint64_t)((double)v->next * width);
    uint64_t end = v->next + 1 == v->chosen ? v->blocks : (uint64_t)((double)(v->next + 1) * width);
    uint64_t block =
        v->chosen == v->blocks ? v->next : begin + random_below(&v->random, end - begin);
    *offset = block * BLOCK_BYTES;
    uint64_t left = v->disk->size - *offset;
    *length = left < BLOCK_BYTES ? (uint32_t)left : BLOCK_BYTES;
    v->next++;
    return true;
}

static uint64_t lba_of(const struct verification *v, uint64_t offset)
{
    return offset / v->tally.expected.run.sector_bytes;
}

/* Finds the sectors of a failed block that cannot be read. */
static int read_sectors(struct verification *v, uint64_t offset, uint32_t length, struct err *e)
{
    uint32_t bytes = v->tally.expected.run.sector_bytes;
    for (uint64_t at = offset; at < offset + length; at += bytes) {
        if (accept_disk_stopped(v->disk))
            return err_set(e, ERR_UNDECIDED,
                           "%.200s: stopped while a block that failed was read again",
                           v->disk->path);
        if (pread(v->disk->target.fd, v->sector, bytes, (off_t)at) == (ssize_t)bytes)
            tally_take(&v->tally, v->sector, bytes, lba_of(v, at));
        else
            tally_take_unreadable(&v->tally, lba_of(v, at), 1);
    }
    return 0;
}

static int take(void *context, const unsigned char *data, uint32_t length, uint64_t offset,
                int error, struct err *e)
{
    struct verification *v = context;
    if (!error) {
        tally_take(&v->tally, data, length, lba_of(v, offset));
        return 0;
    }
    v->first_error = v->first_error ? v->first_error : error;
    if (v->failures++ < FAILURES_SPLIT)
        return read_sectors(v, offset, length, e);
    tally_take_unreadable(&v->tally, lba_of(v, offset),
                          length / v->tally.expected.run.sector_bytes);
    return 0;
}

static void watch(void *context, uint64_t bytes)
{
    struct verification *v = context;
    const struct accept_disk *d = v->disk;
    char stage[128];
    accept_log_take(d);
    double all = (double)v->chosen * BLOCK_BYTES;
    double elapsed = (double)clock_raw_ns() * 1e-9 - v->began;
    double rate = bytes && elapsed > 0 ? (double)bytes / elapsed : NAN;
    snprintf(stage, sizeof stage, "%s: reading back, %llu wrong sectors", d->name,
             (unsigned long long)tally_faults(&v->tally));
    const struct session_progress now = {
        .stage = stage,
        .elapsed_seconds = elapsed,
        .limit_seconds = INFINITY,
        .done_share = fmin(1, (double)bytes / all),
        .bytes_rate = rate,
        .mean = NAN,
        .rate = NAN,
        .width_share = NAN,
        .target_share = NAN,
        .left_seconds = fmax(0, all - (double)bytes) / rate,
    };
    if (d->observer && d->observer->progress)
        d->observer->progress(d->observer->context, &now);
}

/* ---- what the drive must hold ---- */

/* Refuses when the stamps are not on the drive because a later stage has overwritten them. */
static int refuse_overwritten(const struct accept_disk *d, struct err *e)
{
    const struct accept_line *line;
    char name[24], since[24] = "";
    for (size_t i = 0; (line = accept_journal_line(d->journal, i)); i++) {
        if (line->disk != d->number)
            continue;
        if (!strcmp(line->event, "written"))
            since[0] = '\0';
        else if (!strcmp(line->event, "begin") &&
                 accept_line_text(line, "stage", name, sizeof name) && strcmp(name, STAGE) != 0 &&
                 strcmp(name, "precondition") != 0)
            snprintf(since, sizeof since, "%s", name);
    }
    return since[0]
               ? err_set(e, ERR_USAGE,
                         "%.200s: stage %s has written to it since it was preconditioned, and what "
                         "it holds now carries no stamps: verify right after preconditioning",
                         d->path, since)
               : 0;
}

static int expect(const struct accept_disk *d, struct tally_expected *x, struct err *e)
{
    const struct accept_line *last = accept_journal_last(d->journal, d->number, "written");
    uint64_t generation = last ? accept_line_count(last, "generation") : 0;
    if (!generation || generation > STAMP_MAX_GENERATION)
        return err_set(e, ERR_USAGE,
                       "%.200s: preconditioning has written nothing to it that could be read back",
                       d->path);
    if (refuse_overwritten(d, e))
        return -1;
    *x = (struct tally_expected){.run = accept_disk_stamp(d, (uint32_t)generation)};
    x->sectors = d->size / x->run.sector_bytes;
    x->durable = accept_line_count(last, "flushed") / x->run.sector_bytes;
    x->write_sectors = BLOCK_BYTES / x->run.sector_bytes;
    x->next_may_have_begun = x->durable >= x->sectors && generation < d->request->passes;
    return 0;
}

/* ---- the stage ---- */

static int read_back(struct verification *v, struct err *e)
{
    const struct sector_read r = {
        .ops = io_backend_by_name(IO_MANY_IN_FLIGHT),
        .fd = v->disk->target.fd,
        .path = v->disk->path,
        .block = BLOCK_BYTES,
        .depth = DEPTH,
        .answer_seconds = ANSWER_SECONDS,
        .context = v,
        .next = next,
        .take = take,
        .watch = watch,
        .stop = v->disk->stop,
    };
    if (sector_read(&r, e))
        return -1;
    tally_end(&v->tally);
    if (v->failures && !v->tally.sectors[TALLY_UNREADABLE] &&
        accept_finding(v->disk, GRADE_WARN, STAGE, e,
                       "%u reads failed (%s), and went well when they were repeated", v->failures,
                       strerror(v->first_error)))
        return -1;
    return verify_findings(v->disk, &v->tally, v->chosen < v->blocks ? v->chosen : 0,
                           v->first_error, e);
}

static int verify(struct verification *v, const struct tally_expected *expected, struct err *e)
{
    const struct accept_disk *d = v->disk;
    v->sector = aligned_alloc(4096, STAMP_MAX_SECTOR);
    if (!v->sector)
        return err_no_memory(e, "a sector");
    v->blocks = (d->size + BLOCK_BYTES - 1) / BLOCK_BYTES;
    v->chosen = blocks_chosen(d, v->blocks);
    v->began = (double)clock_raw_ns() * 1e-9;
    random_seed(&v->random, clock_raw_ns(), d->salt);
    tally_begin(&v->tally, expected);
    int status = read_back(v, e);
    free(v->sector);
    return status;
}

int verify_check(const struct accept_disk *d, struct err *e)
{
    struct tally_expected expected;
    return expect(d, &expected, e);
}

static int run(struct accept_disk *d, struct err *e)
{
    struct tally_expected expected;
    if (expect(d, &expected, e))
        return -1;
    struct verification *v = calloc(1, sizeof *v);
    if (!v)
        return err_no_memory(e, "reading back");
    v->disk = d;
    int status = verify(v, &expected, e);
    free(v);
    return status;
}

const struct accept_stage stage_verify = {.name = ACCEPT_VERIFY,
                                          .words = "reads back what was written, sector by sector",
                                          .estimate_seconds = estimate,
                                          .run = run};

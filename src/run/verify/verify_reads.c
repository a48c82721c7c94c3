/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads blocks back at a constant depth, bypassing the page cache if possible, independent of the
   engine that wrote them. */
#include "run/verify/verify_reads.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "io/readback/sector_read.h"

#define READ_BYTES     (128u << 10)
#define READ_DEPTH     32
#define ANSWER_SECONDS 120
#define STAMPING_BYTES (4u << 20) /* bytes that are stamped to measure what stamps cost */

/* ---- before ---- */

/* Returns the size of a sector: the bytes that the target writes as a whole, if that is known. */
static uint32_t sector_of(const struct verify *s, uint32_t block)
{
    uint32_t logical = s->target->logical_block;
    bool large = logical == STAMP_MAX_SECTOR && block % STAMP_MAX_SECTOR == 0 &&
                 s->contents->plan.offset % STAMP_MAX_SECTOR == 0;
    return large ? STAMP_MAX_SECTOR : 512;
}

/* Returns the extent of all jobs. */
static uint64_t extent_of(const struct verify *s)
{
    return plan_regions_extent(&s->contents->plan, s->region);
}

static int check_blocks(const struct verify *s, uint32_t block, struct err *e)
{
    const struct target *t = s->target;
    const uint32_t least = t->logical_block > 512 ? t->logical_block : 512;
    if (plan_check_region_unit(&s->contents->plan, t->path, block, "requests with --verify", e))
        return -1;
    if (block % least || s->contents->plan.offset % least)
        return err_set(e, ERR_USAGE,
                       "%s: --verify reads back whole sectors of %u bytes, and its requests are "
                       "multiples of %u bytes: choose other sizes or offsets",
                       t->path, least, block);
    if (t->kind == TARGET_GENERIC && !s->ops->bypasses_block_layer)
        return err_set(e, ERR_USAGE, "%s: --verify reads it back past the block layer", t->path);
    return 0;
}

/* Measures the cost of stamps per write, compared with noise, which writes contain without stamps.
 */
static int measure_stamping(struct verify *s, uint32_t block, struct err *e)
{
    struct contents *c = s->contents;
    const uint32_t length = c->plan.block_size;
    const unsigned times = STAMPING_BYTES / length + 1;
    const size_t mark = arena_mark(s->arena);
    unsigned char *data = arena_alloc(s->arena, length, 1);
    char words[160], rate[UNITS_BUFFER], size[UNITS_BUFFER];
    if (!data)
        return err_no_memory(e, "a block");
    struct stamp_run run = s->ledger->run;
    uint64_t began = clock_ticks(s->clock);
    for (unsigned i = 0; i < times; i++) {
        run.generation = i % STAMP_MAX_GENERATION + 1;
        stamp_fill(&run, data, length, i);
    }
    const double ns = (double)clock_ns(s->clock, clock_ticks(s->clock) - began) / times;
    began = clock_ticks(s->clock);
    for (unsigned i = 0; i < times; i++)
        write_data_fill(data, length, i, i);
    const double noise = (double)clock_ns(s->clock, clock_ticks(s->clock) - began) / times;
    arena_reset(s->arena, mark);
    snprintf(words, sizeof words,
             "a sector of %u bytes has one; %.3g ns for %s, %s; noise takes %.3g ns",
             run.sector_bytes, ns, format_size(size, sizeof size, length),
             format_rate(rate, sizeof rate, length / ns * 1e9), noise);
    facts_add(&c->settings, "verify", "stamps", words, "", "", FACT_OK);
    snprintf(words, sizeof words, "%.3g MiB, 4 bytes for each %s",
             (double)ledger_bytes(extent_of(s), block) / (1 << 20),
             format_size(size, sizeof size, block));
    facts_add(&c->settings, "verify", "memory of --verify", words, "", "", FACT_OK);
    return 0;
}

/* ---- writes of earlier sessions ---- */

struct written_before {
    bool has; /* later sessions may use `ledger` */
    dev_t device;
    ino_t inode;
    struct ledger ledger;
};

struct written_before *written_before_new(void)
{
    return calloc(1, sizeof(struct written_before));
}

static bool is_same_target(const struct verify *s)
{
    struct stat st;
    const struct written_before *b = s->before;
    if (!b || !b->has || s->target->kind == TARGET_SCRATCH || fstat(s->target->fd, &st))
        return false;
    bool device = S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode);
    return b->device == (device ? st.st_rdev : st.st_dev) && b->inode == (device ? 0 : st.st_ino);
}

static void forget_before(struct verify *s)
{
    ledger_free(&s->before->ledger);
    *s->before = (struct written_before){0};
}

uint64_t verify_bytes(const struct verify *s)
{
    return s->contents->plan.verify && s->contents->plan.write_share > 0
               ? ledger_bytes(extent_of(s), s->block)
               : 0;
}

static bool is_of_ledger(const struct verify *s, uint32_t block)
{
    const struct ledger *l = &s->before->ledger;
    return is_same_target(s) && l->block == block && l->base == s->contents->plan.offset &&
           l->count == (extent_of(s) + block - 1) / block;
}

/* Keeps the ledger for later sessions. Returns -1 if there is no memory. */
static int keep_for_later(struct verify *s)
{
    struct stat st;
    if (!s->before || s->ledger == &s->before->ledger)
        return 0;
    if (s->before->has)
        forget_before(s);
    if (s->target->kind == TARGET_SCRATCH || fstat(s->target->fd, &st))
        return 0;
    bool device = S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode);
    *s->before = (struct written_before){.has = true,
                                         .device = device ? st.st_rdev : st.st_dev,
                                         .inode = device ? 0 : st.st_ino,
                                         .ledger = s->own};
    s->own = (struct ledger){0};
    s->ledger = &s->before->ledger;
    return 0;
}

void verify_free(struct verify *s)
{
    ledger_free(&s->own);
}

static int refuse_reading(const char *path, struct err *e)
{
    return err_set(e, ERR_USAGE,
                   "%s: --verify reads back what was written, and this workload only reads: an "
                   "earlier section of the same job file must have written it with verify",
                   path);
}

int verify_expect_written(const struct verify *s, struct err *e)
{
    const struct plan *plan = &s->contents->plan;
    bool anything = plan->write_share > 0 || (s->before && s->before->has);
    return plan->verify && !anything ? refuse_reading(plan->target, e) : 0;
}

static int prepare_reading(struct verify *s, struct err *e)
{
    if (!is_same_target(s))
        return refuse_reading(s->target->path, e);
    s->ledger = &s->before->ledger;
    return 0;
}

int verify_prepare(struct verify *s, struct err *e)
{
    const struct plan *plan = &s->contents->plan;
    const bool writes = plan->write_share > 0;
    if (!plan->verify) {
        if (writes && is_same_target(s))
            forget_before(s);
        return 0;
    }
    if (!writes)
        return prepare_reading(s, e);
    const uint32_t block = s->block;
    if (check_blocks(s, block, e))
        return -1;
    s->ledger = &s->own;
    if (s->before && is_of_ledger(s, block))
        s->ledger = &s->before->ledger;
    else if (ledger_init(s->ledger, s->target->path, plan->offset, extent_of(s), block,
                         sector_of(s, block), e))
        return -1;
    s->ledger->whole = plan->atomic;
    return measure_stamping(s, block, e) || keep_for_later(s) ? -1 : 0;
}

/* ---- reading back ---- */

struct verification {
    struct verify *s;
    uint32_t piece; /* most bytes that are read at a time */
    struct tally tally;
    uint64_t at;    /* position where the next read may begin, in bytes from the ledger's begin */
    uint64_t asked; /* number of bytes of known blocks that were requested */
    uint64_t checked;
    int first_error;
};

/* Gives the next range of blocks whose content is known. */
static bool next(void *context, uint64_t *offset, uint32_t *length)
{
    struct verification *v = context;
    const struct ledger *l = v->s->ledger;
    const uint64_t end = l->count * l->block;
    while (v->at < end && !ledger_is_known(l, v->at / l->block))
        v->at = (v->at / l->block + 1) * l->block;
    if (v->at >= end)
        return false;
    uint64_t begin = v->at, stop = begin;
    while (stop < end && stop - begin < v->piece && ledger_is_known(l, stop / l->block))
        stop = (stop / l->block + 1) * l->block;
    if (stop - begin > v->piece)
        stop = begin + v->piece;
    v->at = stop;
    *offset = l->base + begin;
    *length = (uint32_t)(stop - begin);
    return true;
}

static int take(void *context, const unsigned char *data, uint32_t length, uint64_t offset,
                int error, struct err *e)
{
    struct verification *v = context;
    const struct ledger *l = v->s->ledger;
    (void)e;
    v->checked += length;
    if (!error) {
        ledger_check(l, &v->tally, data, length, offset);
        return 0;
    }
    v->first_error = v->first_error ? v->first_error : error;
    tally_take_unreadable(&v->tally, offset / l->run.sector_bytes, length / l->run.sector_bytes);
    return 0;
}

static void watch(void *context, uint64_t bytes)
{
    struct verification *v = context;
    v->s->show(v->s->context, v->asked ? fmin(1, (double)bytes / (double)v->asked) : 1);
}

/* Opens the target for reading: the session's descriptor may be write-only, or buffered. */
static int open_to_read(const struct verify *s, bool *buffered, struct err *e)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", s->target->fd);
    if (fdatasync(s->target->fd))
        return err_set(e, ERR_TARGET, "%.200s: what was written cannot be flushed: %s",
                       s->target->path, strerror(errno));
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
    *buffered = fd < 0;
    if (fd < 0)
        fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(e, ERR_TARGET, "%.200s: it cannot be opened to be read back: %s",
                       s->target->path, strerror(errno));
    if (*buffered)
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return fd;
}

static int read_back(struct verification *v, struct err *e)
{
    struct verify *s = v->s;
    const bool passes = s->target->kind == TARGET_GENERIC;
    bool buffered = false;
    int fd = passes ? s->target->fd : open_to_read(s, &buffered, e);
    if (fd < 0)
        return -1;
    /* If the session used a serial backend, the same backend reads back, because io_uring may not
       be allowed here. */
    const bool own =
        passes || (s->ops->serial && !s->ops->buffers_itself && !s->ops->bypasses_block_layer);
    const struct io_ops *ops = own ? s->ops : io_backend_by_name(IO_MANY_IN_FLIGHT);
    const struct sector_read r = {.ops = ops,
                                  .fd = fd,
                                  .buffered = buffered,
                                  .nvme = passes ? &s->target->nvme : NULL,
                                  .scsi = passes ? &s->target->scsi : NULL,
                                  .path = s->target->path,
                                  .block = v->piece,
                                  .depth = ops->serial ? 1 : READ_DEPTH,
                                  .answer_seconds = ANSWER_SECONDS,
                                  .context = v,
                                  .next = next,
                                  .take = take,
                                  .watch = watch,
                                  .stop = s->stop};
    int status = sector_read(&r, e);
    if (!passes)
        close(fd);
    if (buffered)
        contents_note(
            s->contents, true,
            "it was read back through the page cache, which may have it from memory: this "
            "filesystem has no O_DIRECT");
    return status;
}

/* ---- reports ---- */

static void note_faults(struct verification *v)
{
    struct contents *c = v->s->contents;
    const struct tally *t = &v->tally;
    char places[96];
    for (unsigned kind = STAMP_GOOD + 1; kind < TALLY_KINDS; kind++)
        if (t->sectors[kind])
            contents_note(c, true, "%" PRIu64 " sector%s %s%s%.40s: %s", t->sectors[kind],
                          t->sectors[kind] == 1 ? "" : "s", tally_fault_words(kind),
                          kind == TALLY_UNREADABLE ? ", " : "",
                          kind == TALLY_UNREADABLE ? strerror(v->first_error) : "",
                          tally_places(t, kind, places, sizeof places));
    if (t->torn_writes)
        contents_note(c, true, "%" PRIu64 " writes are on the medium in part", t->torn_writes);
}

static void say_damaged(struct verification *v)
{
    struct contents *c = v->s->contents;
    const struct tally *t = &v->tally;
    char kinds[100] = "", size[UNITS_BUFFER];
    size_t used = 0;
    for (unsigned kind = STAMP_GOOD + 1; kind < TALLY_KINDS; kind++)
        if (t->sectors[kind] && used < sizeof kinds)
            used += (size_t)snprintf(kinds + used, sizeof kinds - used, "%s%" PRIu64 " %s",
                                     used ? ", " : "", t->sectors[kind],
                                     kind == TALLY_UNREADABLE ? "unreadable"
                                                              : stamp_verdict_name(kind));
    note_faults(v);
    c->verdict = VERDICT_FAILED;
    snprintf(c->failure, sizeof c->failure, "DATA DAMAGED: wrong sectors in %s read back: %.99s",
             format_size(size, sizeof size, (double)v->checked), kinds);
    facts_add(&c->settings, "verify", "read back", c->failure, "", "", FACT_OK);
}

/* Reports that everything was read back and equals the written data. */
static void say_verified(struct verification *v, const struct ledger_sums *sums)
{
    struct contents *c = v->s->contents;
    char size[UNITS_BUFFER], several[UNITS_BUFFER], words[160];
    int used = snprintf(words, sizeof words, "DATA VERIFIED: %s written read back as written",
                        format_size(size, sizeof size, (double)v->checked));
    if (sums->several)
        snprintf(words + used, sizeof words - (size_t)used,
                 "; of them %s hold one of several writes that overlapped",
                 format_size(several, sizeof several, (double)sums->several));
    facts_add(&c->settings, "verify", "read back", words, "", "", FACT_OK);
}

/* Reports that the reading ended early: everything that was read before is correct, but nothing is
   known about the other data. */
static void say_incomplete(struct verification *v, uint64_t written, const char *why)
{
    struct contents *c = v->s->contents;
    char checked[UNITS_BUFFER], all[UNITS_BUFFER], words[160];
    snprintf(words, sizeof words, "DATA NOT VERIFIED: %s of %s written were read back: %.90s",
             format_size(checked, sizeof checked, (double)v->checked),
             format_size(all, sizeof all, (double)written), why);
    facts_add(&c->settings, "verify", "read back", words, "", "", FACT_OK);
    if (c->verdict != VERDICT_FAILED)
        c->verdict = VERDICT_INTERRUPTED;
}

/* Reports that the target could not be read: the writes must be assumed lost. */
static void say_failed(struct verification *v, uint64_t written, const char *why)
{
    struct contents *c = v->s->contents;
    say_incomplete(v, written, why);
    if (c->verdict == VERDICT_FAILED && c->failure[0])
        return;
    c->verdict = VERDICT_FAILED;
    snprintf(c->failure, sizeof c->failure, "%.230s", why);
}

static void note_open(struct verify *s, const struct ledger_sums *sums)
{
    char size[UNITS_BUFFER];
    if (sums->open)
        contents_note(s->contents, true,
                      "%s were not checked: a write there failed, or was not finished, and nobody "
                      "knows what they hold",
                      format_size(size, sizeof size, (double)sums->open));
}

static void verify(struct verification *v)
{
    struct verify *s = v->s;
    struct err error = {0};
    const struct ledger_sums sums = ledger_sum(s->ledger);
    const struct tally_expected expected = {
        .run = s->ledger->run, .sectors = s->target->size / s->ledger->run.sector_bytes};
    v->asked = sums.known;
    tally_begin(&v->tally, &expected);
    note_open(s, &sums);
    if ((s->stop && *s->stop)) {
        say_incomplete(v, sums.known + sums.open, "it was stopped before");
        return;
    }
    int status = read_back(v, &error);
    tally_end(&v->tally);
    if (tally_faults(&v->tally))
        say_damaged(v);
    else if (status && error.code == ERR_TARGET)
        say_failed(v, sums.known + sums.open, error.msg);
    else if (status)
        say_incomplete(v, sums.known + sums.open, error.msg);
    else if (sums.known)
        say_verified(v, &sums);
    else
        say_incomplete(v, sums.open, "nothing that was written is known to be there");
}

void verify_read_back(struct verify *s, bool stuck)
{
    struct verification *v;
    if (!s->ledger)
        return;
    if (stuck && s->before && s->ledger == &s->before->ledger)
        /* late writes may still change the ledger, so later sessions must not use it */
        s->before->has = false;
    if (!s->contents->plan.do_verify) {
        facts_add(
            &s->contents->settings, "verify", "read back",
            "DATA NOT VERIFIED: what was written has stamps, and --do_verify 0 leaves reading "
            "it to a later section",
            "", "", FACT_OK);
        return;
    }
    v = stuck ? NULL : calloc(1, sizeof *v);
    if (!v) {
        facts_add(&s->contents->settings, "verify", "read back",
                  stuck ? "DATA NOT VERIFIED: writes have not come back, and nothing was read"
                        : "DATA NOT VERIFIED: there is no memory for it",
                  "", "", FACT_OK);
        return;
    }
    v->s = s;
    v->piece = READ_BYTES;
    const struct target *t = s->target;
    const uint32_t most = t->scsi.usable ? t->scsi.transfer_max : t->nvme.transfer_max;
    if (t->kind == TARGET_GENERIC && most < READ_BYTES)
        v->piece = most;
    verify(v);
    free(v);
}

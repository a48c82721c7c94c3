/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the verdicts on sectors that were read back. */
#include "io/readback/verify_tally.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND(verdict) (1u << (verdict))

void tally_begin(struct tally *t, const struct tally_expected *expected)
{
    *t = (struct tally){.expected = *expected};
}

/* Returns true if a write after the last flush explains the contents of the sector. In the first
   generation the earlier contents are unknown, so anything but a misdirected sector is accepted. */
static bool is_in_flight(const struct tally *t, uint64_t lba, enum stamp_verdict verdict,
                         const struct stamp_found *found)
{
    uint32_t newest = t->expected.run.generation;
    if (lba < t->expected.durable)
        return false;
    if (newest == 1)
        return !(found->kinds & (KIND(STAMP_MISDIRECTED) | KIND(STAMP_WRAPPED)));
    if (verdict == STAMP_STALE || verdict == STAMP_TORN)
        return found->generation + 1 == newest &&
               !(found->kinds & ~(KIND(STAMP_TORN) | KIND(STAMP_STALE)));
    return false;
}

/* Returns true if the sector comes from the pass after the newest one in the journal, which may
   have begun. The sector is then written completely by that pass, or (*torn) partly by it and
   partly by the newest pass in the journal. */
static bool is_of_next(const struct tally *t, const unsigned char *sector, uint64_t lba, bool *torn)
{
    struct stamp_run next = t->expected.run;
    struct stamp_found found;
    if (!t->expected.next_may_have_begun)
        return false;
    next.generation++;
    enum stamp_verdict verdict = stamp_check(&next, sector, lba, &found);
    *torn = verdict == STAMP_TORN;
    return verdict == STAMP_GOOD || (*torn && found.generation + 1 == next.generation &&
                                     !(found.kinds & ~(KIND(STAMP_TORN) | KIND(STAMP_STALE))));
}

static bool continues(const struct tally_range *r, const struct tally_range *next)
{
    return r->lba + r->sectors == next->lba && r->kind == next->kind && r->kinds == next->kinds &&
           r->distance == next->distance && r->generation == next->generation;
}

static void add_range(struct tally *t, const struct tally_range *range)
{
    struct tally_range *last = t->range_count ? &t->ranges[t->range_count - 1] : NULL;
    if (last && continues(last, range)) {
        last->sectors += range->sectors;
        last->bits_flipped += range->bits_flipped;
    } else if (t->range_count < TALLY_RANGES) {
        t->ranges[t->range_count++] = *range;
    } else {
        t->range_dropped += range->sectors;
    }
}

static void take_fault(struct tally *t, uint64_t lba, enum stamp_verdict verdict,
                       const struct stamp_found *found)
{
    bool elsewhere = found->kinds & (KIND(STAMP_MISDIRECTED) | KIND(STAMP_WRAPPED));
    const struct tally_range range = {
        .lba = lba,
        .sectors = 1,
        .kind = verdict,
        .kinds = found->kinds,
        .distance = elsewhere ? (int64_t)(found->lba - lba) : 0,
        .generation = found->generation,
        .bits_flipped = found->bits_flipped,
    };
    t->sectors[verdict]++;
    t->bits_flipped += found->bits_flipped;
    t->unrecognised += found->unrecognised;
    add_range(t, &range);
}

/* Counts a torn write: such a write has sectors of the newest and of an older generation side by
   side. */
static void look_at_write(struct tally *t, uint64_t lba, unsigned good, unsigned stale)
{
    if (good && stale && lba < t->expected.durable)
        t->torn_writes++;
}

void tally_take(struct tally *t, const unsigned char *data, size_t length, uint64_t lba)
{
    uint32_t bytes = t->expected.run.sector_bytes, in_write = t->expected.write_sectors;
    unsigned good = 0, stale = 0;
    for (size_t at = 0; at < length; at += bytes, lba++) {
        struct stamp_found found;
        bool torn = false;
        enum stamp_verdict verdict = stamp_check(&t->expected.run, data + at, lba, &found);
        if (verdict == STAMP_GOOD) {
            t->sectors[STAMP_GOOD]++;
            good++;
        } else if (is_in_flight(t, lba, verdict, &found)) {
            t->in_flight++;
            t->in_flight_torn += verdict == STAMP_TORN;
        } else if (is_of_next(t, data + at, lba, &torn)) {
            t->in_flight++;
            t->in_flight_torn += torn;
        } else {
            take_fault(t, lba, verdict, &found);
            stale += verdict == STAMP_STALE;
        }
        if (in_write && ((lba + 1) % in_write == 0 || at + bytes >= length)) {
            look_at_write(t, lba, good, stale);
            good = stale = 0;
        }
    }
}

/* ---- writes that overlapped ---- */

static bool is_choice(const struct tally_choice *c, uint32_t generation)
{
    uint32_t before = c->newest >= generation ? c->newest - generation
                                              : c->newest + STAMP_MAX_GENERATION - generation;
    return before <= c->older && (c->newest >= generation || c->wrapped);
}

/* Checks a sector of a block that may contain any of several generations. If generations have
   started again at 1, older sectors have higher generations than the newest; the same is true for
   sectors of another LBA that were written here by mistake. Both are checked against the highest
   generation. */
static enum stamp_verdict check_choice(const struct tally *t, const unsigned char *sector,
                                       uint64_t lba, const struct tally_choice *c,
                                       struct stamp_found *found)
{
    struct stamp_run run = t->expected.run;
    run.generation = c->newest;
    enum stamp_verdict verdict = stamp_check(&run, sector, lba, found);
    if (verdict == STAMP_GOOD || (!c->wrapped && verdict != STAMP_FOREIGN) ||
        run.generation == STAMP_MAX_GENERATION)
        return verdict;
    run.generation = STAMP_MAX_GENERATION;
    struct stamp_found again;
    enum stamp_verdict other = stamp_check(&run, sector, lba, &again);
    if (!c->wrapped && (other == STAMP_GOOD || other == STAMP_STALE))
        return verdict; /* the LBA is right, but no write to it had this generation */
    *found = again;
    verdict = other;
    if (verdict == STAMP_GOOD) {
        *found = (struct stamp_found){
            .kinds = KIND(STAMP_STALE), .lba = lba, .generation = STAMP_MAX_GENERATION};
        verdict = STAMP_STALE;
    }
    return verdict;
}

void tally_take_choice(struct tally *t, const unsigned char *data, size_t length, uint64_t lba,
                       const struct tally_choice *choice)
{
    uint32_t bytes = t->expected.run.sector_bytes, first = 0;
    bool good = false, stale = false;
    for (size_t at = 0; at < length; at += bytes, lba++) {
        struct stamp_found found;
        enum stamp_verdict verdict = check_choice(t, data + at, lba, choice, &found);
        uint32_t generation = verdict == STAMP_GOOD ? choice->newest : found.generation;
        bool is_one = verdict == STAMP_GOOD ||
                      (choice->older && !(found.kinds & ~(KIND(STAMP_TORN) | KIND(STAMP_STALE))) &&
                       is_choice(choice, generation));
        first = first ? first : generation;
        if (is_one && choice->whole && (verdict == STAMP_TORN || generation != first)) {
            found.generation = generation;
            found.kinds |= KIND(STAMP_TORN);
            take_fault(t, lba, STAMP_TORN, &found);
        } else if (verdict == STAMP_GOOD) {
            t->sectors[STAMP_GOOD]++;
            good = true;
        } else if (is_one) {
            t->in_flight++;
            t->in_flight_torn += verdict == STAMP_TORN;
        } else {
            take_fault(t, lba, verdict, &found);
            stale |= verdict == STAMP_STALE;
        }
    }
    t->torn_writes += good && stale;
}

void tally_take_unreadable(struct tally *t, uint64_t lba, uint64_t sectors)
{
    const struct tally_range range = {.lba = lba, .sectors = sectors, .kind = TALLY_UNREADABLE};
    t->sectors[TALLY_UNREADABLE] += sectors;
    add_range(t, &range);
}

static int by_lba(const void *a, const void *b)
{
    const struct tally_range *x = a, *y = b;
    return (x->lba > y->lba) - (x->lba < y->lba);
}

#define DISTANCES 64
/* Maximum number of times that one distance counts, because many sectors in a row are not
   independent. */
#define TIMES 4

/* Lists the distances of misdirected sectors, each up to TIMES times. Returns their number. */
static size_t list_distances(const struct tally *t, int64_t to[DISTANCES])
{
    size_t count = 0;
    for (size_t i = 0; i < t->range_count && count < DISTANCES; i++) {
        const struct tally_range *r = &t->ranges[i];
        uint64_t times = 0;
        for (size_t k = 0; k < count; k++)
            times += to[k] == r->distance;
        for (uint64_t n = 0; r->distance && n < r->sectors && times < TIMES; n++, times++)
            if (count < DISTANCES)
                to[count++] = r->distance;
    }
    return count;
}

/* Returns the capacity in sectors at which the drive wraps around, or 0. A drive of `wrap` sectors
   can return at most that many good sectors, so a larger share of good sectors disproves it. */
static uint64_t find_wrap(const struct tally *t)
{
    int64_t distances[DISTANCES];
    uint64_t wrap = stamp_wrap(distances, list_distances(t, distances));
    double read = (double)(t->sectors[STAMP_GOOD] + t->in_flight + tally_faults(t));
    double good = (double)t->sectors[STAMP_GOOD] / read;
    return good <= 1.1 * (double)wrap / (double)t->expected.sectors ? wrap : 0;
}

static void count_wrapped(struct tally *t, uint64_t wrap)
{
    t->expected.run.wrap_sectors = wrap;
    for (size_t i = 0; i < t->range_count; i++) {
        struct tally_range *r = &t->ranges[i];
        if (!r->distance || (uint64_t)llabs(r->distance) % wrap != 0)
            continue;
        r->kinds = (r->kinds & ~KIND(STAMP_MISDIRECTED)) | KIND(STAMP_WRAPPED);
        if (r->kind == STAMP_MISDIRECTED) {
            t->sectors[STAMP_MISDIRECTED] -= r->sectors;
            t->sectors[STAMP_WRAPPED] += r->sectors;
            r->kind = STAMP_WRAPPED;
        }
    }
}

void tally_end(struct tally *t)
{
    uint64_t wrap = find_wrap(t);
    if (wrap)
        count_wrapped(t, wrap);
    qsort(t->ranges, t->range_count, sizeof *t->ranges, by_lba);
    size_t kept = 0;
    for (size_t i = 0; i < t->range_count; i++) {
        if (kept && continues(&t->ranges[kept - 1], &t->ranges[i])) {
            t->ranges[kept - 1].sectors += t->ranges[i].sectors;
            t->ranges[kept - 1].bits_flipped += t->ranges[i].bits_flipped;
        } else {
            t->ranges[kept++] = t->ranges[i];
        }
    }
    t->range_count = kept;
}

const char *tally_fault_words(unsigned kind)
{
    static const char *const words[TALLY_KINDS] = {
        [STAMP_CORRUPT] = "corrupt",
        [STAMP_TORN] = "torn: put together of several writes",
        [STAMP_STALE] = "stale: an older write, though a newer one was flushed",
        [STAMP_MISDIRECTED] = "misdirected: they hold what was written to other LBAs",
        [STAMP_WRAPPED] =
            "wrapped around: they hold what was written beyond the end of a smaller drive",
        [STAMP_FOREIGN] = "foreign: stamped by another run or for another drive",
        [STAMP_ZEROS] = "empty (all zeros or ones), though they were written",
        [TALLY_UNREADABLE] = "unreadable",
    };
    return kind < TALLY_KINDS ? words[kind] : NULL;
}

uint64_t tally_faults(const struct tally *t)
{
    uint64_t faults = 0;
    for (unsigned kind = STAMP_GOOD + 1; kind < TALLY_KINDS; kind++)
        faults += t->sectors[kind];
    return faults;
}

char *tally_places(const struct tally *t, unsigned kind, char *to, size_t size)
{
    size_t used = (size_t)snprintf(to, size, "LBA"), more = 0, shown = 0;
    for (size_t i = 0; i < t->range_count; i++) {
        const struct tally_range *r = &t->ranges[i];
        char place[48] = "";
        if (r->kind != kind)
            continue;
        int length = snprintf(place, sizeof place, "%s %" PRIu64, shown ? "," : "", r->lba);
        if (r->sectors > 1)
            length += snprintf(place + length, sizeof place - (size_t)length, "-%" PRIu64,
                               r->lba + r->sectors - 1);
        /* some space is kept free for the end of the text */
        if (more || used + (size_t)length + 24 > size) {
            more++;
            continue;
        }
        used += (size_t)snprintf(to + used, size - used, "%s", place);
        shown++;
    }
    if (more || (shown && t->range_dropped))
        snprintf(to + used, size - used, " and %s%zu more", t->range_dropped ? "at least " : "",
                 more + (t->range_dropped != 0));
    return to;
}

double tally_bound(double trials)
{
    return trials > 0 ? fmin(1, -log(0.05) / trials) : 1;
}

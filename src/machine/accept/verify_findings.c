/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings of reading back, in words: each kind of fault with its places, and what the absence
   of faults proves. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "io/readback/tally.h"
#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"

#define STAGE "verify"

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

/* States the error bound that follows from the data that were read, and no more. */
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

int verify_findings(struct accept_disk *d, const struct tally *t, uint64_t sampled, int first_error,
                    struct err *e)
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

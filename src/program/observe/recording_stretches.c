/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts response times by the interval of time in which they ended, and computes percentiles from
   them. */
#include <string.h>

#include "program/observe/internal.h"

#define FIRST_STRETCH_NS 100000u

size_t stretches_bytes(void)
{
    return arena_bytes(STRETCHES_MAX, sizeof(struct stretch_counts[RECORDING_ALL])) +
           percentile_scratch_bytes(STRETCHES_MAX);
}

int stretches_init(struct stretches *s, struct arena *arena)
{
    *s = (struct stretches){.length_ns = FIRST_STRETCH_NS};
    s->of = arena_alloc(arena, STRETCHES_MAX, sizeof *s->of);
    return s->of ? 0 : -1;
}

static void count_more(uint32_t *count, uint32_t more)
{
    *count = *count < UINT32_MAX - more ? *count + more : UINT32_MAX;
}

/* Merges each two neighbouring intervals, which doubles their length. Only intervals in use are
   touched. */
static void lengthen(struct stretches *s)
{
    const size_t kept = (s->count + 1) / 2;
    for (size_t i = 0; i < kept; i++) {
        if (i > 0)
            memcpy(s->of[i], s->of[2 * i], sizeof s->of[i]);
        if (2 * i + 1 == s->count)
            break;
        for (int op = 0; op < RECORDING_ALL; op++)
            for (size_t bucket = 0; bucket <= HISTOGRAM_BUCKETS; bucket++)
                count_more(&s->of[i][op].bucket[bucket], s->of[2 * i + 1][op].bucket[bucket]);
    }
    memset(s->of + kept, 0, (s->count - kept) * sizeof *s->of);
    s->length_ns *= 2;
    s->count = kept;
}

void stretches_add(struct stretches *s, const struct level_io *io)
{
    uint64_t end = io->end_ns > io->begin_ns ? io->end_ns : io->begin_ns;
    uint64_t at = end > s->begin_ns ? end - s->begin_ns : 0;
    while (at / s->length_ns >= STRETCHES_MAX)
        lengthen(s);
    size_t stretch = (size_t)(at / s->length_ns);
    count_more(&s->of[stretch][io->op].bucket[histogram_bucket(end - io->begin_ns)], 1);
    if (stretch >= s->count)
        s->count = stretch + 1;
}

void stretches_end(struct stretches *s)
{
    for (size_t i = 0; i < s->count; i++)
        for (int op = 0; op < RECORDING_ALL; op++)
            for (size_t bucket = HISTOGRAM_BUCKETS; bucket-- > 0;)
                count_more(&s->of[i][op].bucket[bucket], s->of[i][op].bucket[bucket + 1]);
}

struct stretch_source {
    const struct stretches *stretches;
    enum recording_op op;
};

static void counts_above(const void *source, double ns, double above[], double count[])
{
    const struct stretch_source *from = source;
    const size_t first = ns < 0 ? 0 : histogram_bucket((uint64_t)ns) + 1;
    for (size_t i = 0; i < from->stretches->count; i++) {
        above[i] = count[i] = 0;
        for (int op = 0; op < RECORDING_ALL; op++) {
            const uint32_t *of = from->stretches->of[i][op].bucket;
            if (from->op != RECORDING_ALL && from->op != (enum recording_op)op)
                continue;
            count[i] += of[0];
            /* how many values lie above a value beyond the range is not known */
            above[i] += first > HISTOGRAM_BUCKETS ? 0 : of[first];
        }
    }
}

struct percentile stretches_percentile(const struct stretches *s, enum recording_op op,
                                       const struct histogram *total, double share,
                                       struct arena *scratch)
{
    const struct stretch_source source = {s, op};
    const struct percentile_intervals intervals = {
        .total = total, .intervals = s->count, .counts = counts_above, .source = &source};
    return percentile_of_intervals(&intervals, share, RECORDING_CONFIDENCE, scratch);
}

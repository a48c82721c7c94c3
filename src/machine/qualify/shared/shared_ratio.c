/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the share of its own speed that each drive keeps, and the load of each part. */
#include <math.h>

#include "machine/qualify/shared/shared.h"
#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/compare/ratio.h"

size_t shared_scratch_bytes(void)
{
    return ratio_scratch_bytes(SHARING_ROUNDS, SHARING_ROUNDS);
}

/* Compares rounds as pairs. Both measurements of a pair are interleaved with those of all other
   drives, so a drift affects both alike, and each reading is a measurement of its own. */
static struct sharing_measured measured_of(const double alone[], const double together[], size_t n,
                                           double confidence, struct arena *scratch)
{
    const struct ratio_config config = {
        .confidence = confidence, .once = true, .paired = true, .independent = true};
    struct ratio r = ratio_of_series(together, n, alone, n, &config, scratch);
    return (struct sharing_measured){.alone = mean_of(alone, n),
                                     .together = mean_of(together, n),
                                     .ratio = r.value,
                                     .low = r.low,
                                     .high = r.high};
}

static enum sharing_loss loss_of(const struct sharing_measured *m)
{
    if (isnan(m->ratio))
        return SHARING_NOT_MEASURED;
    return m->low >= SHARING_KEPT   ? SHARING_KEEPS
           : m->high < SHARING_KEPT ? SHARING_LOSES
                                    : SHARING_UNDECIDED;
}

size_t shared_drives_left(const struct sharing *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->drive_count; i++)
        count += !s->drives[i].failure[0];
    return count;
}

/* Judges the sum of a part's drives, round by round. */
static void judge_part(struct sharing_part *part, const struct sharing *s, enum sharing_load load,
                       double confidence, struct arena *scratch)
{
    double alone[SHARING_ROUNDS] = {0}, together[SHARING_ROUNDS] = {0};
    size_t n = s->rounds[load], count = 0;
    for (size_t i = 0; i < s->drive_count; i++) {
        if (!part->member[i] || s->drives[i].loss[load] == SHARING_NOT_MEASURED)
            continue;
        count++;
        for (size_t round = 0; round < n; round++) {
            alone[round] += s->alone[load][i][round];
            together[round] += s->together[load][i][round];
        }
    }
    if (!count)
        return;
    part->load[load] = measured_of(alone, together, n, confidence, scratch);
    double mean = part->load[load].together;
    double arm = student_t_quantile((1 + confidence) / 2, (double)n - 1) *
                 sqrt(variance_of(together, n, mean) / (double)n);
    part->together_low[load] = mean - arm;
    double bytes = load == SHARING_READ ? 1 : s->block_size[load];
    part->used[load] = mean * bytes / part->limit;
}

/* Forgets earlier results, which may contain a drive that failed since, or rounds that no longer
   count. */
static void forget(struct sharing *s, enum sharing_load load)
{
    static const struct sharing_measured nothing = {NAN, NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < s->drive_count; i++) {
        s->drives[i].load[load] = nothing;
        s->drives[i].loss[load] = SHARING_NOT_MEASURED;
    }
    for (size_t p = 0; p < s->part_count; p++) {
        struct sharing_part *part = &s->parts[p];
        part->load[load] = nothing;
        part->together_low[load] = part->used[load] = NAN;
    }
}

void shared_judge_ratios(struct sharing *s, enum sharing_load load, struct arena *scratch)
{
    forget(s, load);
    size_t n = s->rounds[load], drives = shared_drives_left(s);
    if (n < 2 || !drives || !shared_looks(s))
        return;
    double confidence =
        1 - (1 - s->confidence) / (double)(drives * SHARING_LOADS * shared_looks(s));
    for (size_t i = 0; i < s->drive_count; i++) {
        struct sharing_drive *d = &s->drives[i];
        if (d->failure[0])
            continue;
        d->load[load] =
            measured_of(s->alone[load][i], s->together[load][i], n, confidence, scratch);
        d->loss[load] = loss_of(&d->load[load]);
    }
    for (size_t p = 0; p < s->part_count; p++)
        judge_part(&s->parts[p], s, load, confidence, scratch);
}

bool shared_is_decided(const struct sharing *s, enum sharing_load load)
{
    for (size_t i = 0; i < s->drive_count; i++)
        if (!s->drives[i].failure[0] && s->drives[i].loss[load] != SHARING_KEEPS &&
            s->drives[i].loss[load] != SHARING_LOSES)
            return false;
    return true;
}

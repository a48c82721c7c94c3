/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the comparisons: of drives in their tests and in the mean of their tests, and of
   machines. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "stat/outlier/internal.h"

/* Returns a group number that is unique to the test and kind, so that only values of the same test
   and kind are compared. */
static unsigned long long group_of(enum odd_kind kind, size_t test, int group)
{
    return ((unsigned long long)kind * (ODD_TESTS + 1) + test) << 32 | (unsigned)group;
}

static int compare(const void *one, const void *other)
{
    const struct odd_one *a = one, *b = other;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->x < b->x ? -1 : a->x > b->x;
}

static int compare_machine(const void *one, const void *other)
{
    const struct odd_one *a = one, *b = other;
    return a->group == b->group && a->unit != b->unit ? (a->unit < b->unit ? -1 : 1)
                                                      : compare(one, other);
}

static bool is_measured(const struct odd_value *v)
{
    return isfinite(v->x) && isfinite(v->se) && v->group >= 0;
}

static struct odd_one hypothesis(enum odd_kind kind, size_t unit, size_t drive,
                                 const struct odd_value *v, size_t test, const struct odd_test *of)
{
    return (struct odd_one){.kind = kind,
                            .test = (int)test,
                            .unit = (int)unit,
                            .drive = drive,
                            .threshold = of->threshold,
                            .x = v->x,
                            .se = v->se,
                            .found = {NAN, NAN, NAN, NAN, NAN},
                            .p = NAN,
                            .detectable = NAN,
                            .group = group_of(kind, test, v->group)};
}

/* Adds a drive's value twice: as a value of the drive, and as a value of its machine. Until
   keep_middle, the latter has only the machine's number. */
static size_t add_value(struct odd_one to[], const struct odd_drive *d, size_t drive,
                        const struct odd_value *v, size_t test, const struct odd_test *of)
{
    size_t count = 0;
    to[count++] = hypothesis(ODD_DRIVE, drive, drive, v, test, of);
    to[count++] = hypothesis(ODD_MACHINE, (size_t)d->machine, drive, v, test, of);
    return count;
}

/* Keeps one value for each machine: the value of its middle drive. Of two middle drives the faster
   one is used, so that more than half of the machine's drives are at least as slow. Machines with a
   single drive are left out. */
static size_t keep_middle(struct odd_one all[], size_t count)
{
    size_t kept = 0, begin = 0;
    qsort(all, count, sizeof *all, compare_machine);
    for (size_t end = 1; end <= count; end++) {
        if (end < count && all[end].group == all[begin].group && all[end].unit == all[begin].unit)
            continue;
        if (end - begin >= 2) {
            all[kept] = all[begin + (end - begin - 1) / 2];
            /* standard error 0, because the differences between machines contain the error already
             */
            all[kept++].se = 0;
        }
        begin = end;
    }
    return kept;
}

/* Computes for each drive the mean, over its tests, of the distance from the median of its
   group. */
static void find_means(const struct odd_one all[], size_t count, struct odd_value means[],
                       const struct odd_drive drives[], size_t drive_count,
                       const struct odd_test tests[], size_t test_count)
{
    unsigned *parts = (unsigned *)(means + drive_count);
    for (size_t d = 0; d < drive_count; d++) {
        means[d] = (struct odd_value){.x = 0, .se = 0, .group = -1};
        parts[d] = 0;
        for (size_t t = test_count; t-- > 0;)
            if (tests[t].in_mean && is_measured(&drives[d].tests[t])) {
                means[d].group = drives[d].tests[t].group;
                parts[d] |= 1u << t;
            }
    }
    for (size_t begin = 0, end = 1; end <= count; end++) {
        if (end < count && all[end].group == all[begin].group)
            continue;
        double centre =
            (all[begin + (end - begin) / 2].x + all[begin + (end - begin - 1) / 2].x) / 2;
        for (size_t i = begin; i < end; i++)
            if (all[i].kind == ODD_DRIVE && tests[all[i].test].in_mean) {
                means[all[i].unit].x += all[i].x - centre;
                means[all[i].unit].se += all[i].se * all[i].se;
            }
        begin = end;
    }
    for (size_t d = 0; d < drive_count; d++) {
        int n = __builtin_popcount(parts[d]);
        means[d].x = n > 1 ? means[d].x / n : (double)NAN;
        means[d].se = sqrt(means[d].se) / (n > 1 ? n : 1);
        /* Drives are compared in the mean only with drives that did the same tests. */
        if (means[d].group >= 0)
            means[d].group = means[d].group << ODD_TESTS | (int)parts[d];
    }
}

struct odd_one *odd_hypotheses(const struct odd_drive drives[], size_t drive_count,
                               const struct odd_test tests[], size_t test_count, size_t *count)
{
    const size_t each = 2 * (test_count + 1);
    struct odd_one *all = calloc(drive_count * each + 1, sizeof *all);
    struct odd_value *means = calloc(drive_count + 1, sizeof *means + sizeof(unsigned));
    struct odd_test mean_test = {.threshold = INFINITY};
    size_t n = 0;
    for (size_t d = 0; all && means && d < drive_count; d++)
        for (size_t t = 0; t < test_count; t++)
            if (is_measured(&drives[d].tests[t]))
                n += add_value(all + n, &drives[d], d, &drives[d].tests[t], t, &tests[t]);
    if (all && means) {
        qsort(all, n, sizeof *all, compare);
        find_means(all, n, means, drives, drive_count, tests, test_count);
        for (size_t t = 0; t < test_count; t++)
            if (tests[t].in_mean)
                mean_test.threshold = fmin(mean_test.threshold, tests[t].threshold);
        for (size_t d = 0; d < drive_count; d++)
            if (is_measured(&means[d]))
                n += add_value(all + n, &drives[d], d, &means[d], test_count, &mean_test);
        for (size_t i = 0; i < n; i++)
            all[i].of_mean = all[i].test == (int)test_count;
        /* Machines have the highest group numbers, so their comparisons are at the end. */
        qsort(all, n, sizeof *all, compare);
        size_t machines = n;
        while (machines > 0 && all[machines - 1].kind == ODD_MACHINE)
            machines--;
        n = machines + keep_middle(all + machines, n - machines);
        qsort(all, n, sizeof *all, compare);
    } else {
        free(all);
        all = NULL;
    }
    free(means);
    *count = n;
    return all;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unions of busy intervals, and intervals of a timeline, compared with plain loops over every
   nanosecond. */
#include "many/merge/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/unit/check.h"

enum { NANOSECONDS = 400 };

static uint64_t length_of(const bool busy[], uint64_t begin, uint64_t end)
{
    uint64_t length = 0;
    for (uint64_t i = begin; i < end; i++)
        length += busy[i];
    return length;
}

/* Makes random busy intervals, ordered by their begins, and disjoint after the union. */
static size_t draw(struct random *r, struct stretch_ns to[], size_t max, bool busy[])
{
    uint64_t at = random_below(r, 50);
    size_t n = 0;
    for (; n < max && at < NANOSECONDS - 60; n++) {
        to[n] = (struct stretch_ns){at, at + 1 + random_below(r, 20)};
        for (uint64_t i = to[n].begin; i < to[n].end; i++)
            busy[i] = true;
        at += random_below(r, 30);
    }
    return n;
}

static void check_set(const struct stretch_set *set, const bool busy[])
{
    for (size_t i = 0; i < set->count; i++) {
        CHECK(set->at[i].begin < set->at[i].end);
        CHECK(i == 0 || set->at[i].begin > set->at[i - 1].end);
    }
    CHECK_INT(stretch_set_length(set, 0, NANOSECONDS), length_of(busy, 0, NANOSECONDS));
    CHECK_INT(stretch_set_length(set, 37, 211), length_of(busy, 37, 211));
}

static void test_unions(void)
{
    struct random r;
    random_seed(&r, 20261123, 0);
    for (int trial = 0; trial < 2000; trial++) {
        struct stretch_set a = {.at = NULL}, b = {.at = NULL};
        struct stretch_ns add[24];
        bool busy_a[NANOSECONDS] = {false}, busy_b[NANOSECONDS] = {false};
        for (int source = 0; source < 4; source++) {
            size_t n = stretches_unite(add, draw(&r, add, 24, source % 2 ? busy_b : busy_a));
            CHECK(stretch_set_add(source % 2 ? &b : &a, add, n, NULL) == 0);
        }
        check_set(&a, busy_a);
        check_set(&b, busy_b);
        uint64_t without = 0;
        for (int i = 20; i < 300; i++)
            without += busy_a[i] && !busy_b[i];
        CHECK_INT(stretch_set_length_without(&a, &b, 20, 300), without);
        stretch_set_free(&a);
        stretch_set_free(&b);
    }
}

/* Intervals are added in any order, stay sorted and are found again. */
static void test_intervals(void)
{
    struct timeline t = {.length_ns = 1000, .asked = true};
    static const uint64_t numbers[] = {50, 10, 51, 52, 11, 9, 1000000, 50, 12, 0};
    static const uint64_t sorted[] = {0, 9, 10, 11, 12, 50, 51, 52, 1000000};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct timeline_interval *at = timeline_at(&t, numbers[i] * 1000 + 7, NULL);
        CHECK(at != NULL && at->number == numbers[i]);
        at->op[0].n++;
    }
    CHECK_INT(t.count, sizeof sorted / sizeof *sorted);
    for (size_t i = 0; i < t.count; i++)
        CHECK_INT(t.intervals[i]->number, sorted[i]);
    CHECK_INT(timeline_at(&t, 50999, NULL)->op[0].n, 2);
    timeline_free(&t);
}

/* Busy intervals with gaps: one source has its stated busy time; two are assumed to be independent.
 */
static void test_gaps(void)
{
    struct timeline t = {.length_ns = 5000, .asked = true};
    struct timeline_interval *at = timeline_at(&t, 0, NULL);
    const struct stretch_ns whole = {0, 1000};
    CHECK(stretch_set_add(&at->sets[SET_GAPPED], &whole, 1, NULL) == 0);
    at->slices[0].gap_bits = gap_bits_of(1000, 300);
    CHECK_NEAR(timeline_busy_ns(at, 5000, 0), 300, 1e-3);
    at->slices[0].gap_bits += gap_bits_of(1000, 500);
    CHECK_NEAR(timeline_busy_ns(at, 5000, 0), 1000 * (1 - 0.7 * 0.5), 1e-3);
    const struct stretch_ns surely = {0, 400};
    CHECK(stretch_set_add(&at->sets[SET_EXACT], &surely, 1, NULL) == 0);
    CHECK_NEAR(timeline_busy_ns(at, 5000, 0), 400 + 600 * (1 - 0.7 * 0.5), 1e-3);
    timeline_free(&t);
}

int main(void)
{
    test_unions();
    test_intervals();
    test_gaps();
    return check_result();
}

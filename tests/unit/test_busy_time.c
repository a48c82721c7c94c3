/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Busy time: the paper's Figure 2, edge cases, and the online form compared with a count of busy
   ticks. */
#include "base/random.h"
#include "stat/basic/busy_time.h"
#include "tests/unit/check.h"

static struct busy online;

static uint64_t online_of(const struct busy_interval intervals[], size_t n)
{
    busy_init(&online);
    for (size_t i = 0; i < n; i++)
        busy_add(&online, intervals[i].begin, intervals[i].end);
    return busy_total(&online);
}

/* R1, R2 and R3 overlap in [t1, t6), R4 is alone in [t7, t8): T = (t6 - t1) + (t8 - t7). */
static void test_figure_2(void)
{
    const uint64_t t[] = {0, 100, 120, 150, 190, 210, 260, 300, 345};
    struct busy_interval requests[] = {{t[1], t[4]}, {t[2], t[5]}, {t[3], t[6]}, {t[7], t[8]}};
    CHECK_INT(online_of(requests, 4), (t[6] - t[1]) + (t[8] - t[7]));
}

static void test_edges(void)
{
    CHECK_INT(online_of((struct busy_interval[]){{1, 2}}, 0), 0);
    CHECK_INT(online_of((struct busy_interval[]){{5, 5}}, 1), 0);
    CHECK_INT(online_of((struct busy_interval[]){{5, 9}, {9, 12}}, 2), 7);
    CHECK_INT(online.count, 1); /* touching intervals are merged */
    CHECK_INT(online_of((struct busy_interval[]){{5, 9}, {10, 12}}, 2), 6);
    CHECK_INT(online.count, 2);
    CHECK_INT(online_of((struct busy_interval[]){{5, 9}, {10, 12}, {12, 12}, {9, 10}}, 4), 7);
    CHECK_INT(online.count, 1);
    CHECK_INT(online_of((struct busy_interval[]){{3, 4}, {6, 8}, {0, 100}}, 3),
              100); /* swallows both */
    CHECK_INT(online_of((struct busy_interval[]){{0, 100}, {3, 4}, {100, 101}}, 3), 101);
    CHECK_INT(online_of((struct busy_interval[]){{9, 3}, {1, 2}}, 2),
              1); /* an interval that ends before it begins counts nothing */
    CHECK_INT(online_of((struct busy_interval[]){{50, 60}, {10, 20}, {30, 40}, {15, 35}}, 4),
              40); /* late */
    CHECK_INT(online_of((struct busy_interval[]){{UINT64_MAX - 9, UINT64_MAX}, {0, 1}}, 2), 10);
}

static void test_settle(void)
{
    busy_init(&online);
    busy_add(&online, 10, 20);
    busy_add(&online, 30, 50);
    busy_settle(&online, 40);
    CHECK_INT(online.count, 1);
    CHECK_INT(busy_total(&online), 30);
    busy_settle(&online, 15); /* already past */
    CHECK_INT(online.settled_until, 40);
    busy_add(&online, 25, 60); /* reaches before the settled time: only [40, 60) can count */
    CHECK_INT(busy_total(&online), 40);
    busy_settle(&online, 1000);
    CHECK_INT(online.count, 0);
    CHECK_INT(busy_total(&online), 40);
    busy_add(&online, 999, 1001);
    CHECK_INT(busy_total(&online), 41);
}

/* Intervals that never touch fill the stack; the total is exact as long as none reaches far back.
 */
static void test_full(void)
{
    busy_init(&online);
    const uint64_t n = 5 * BUSY_STRETCHES;
    for (uint64_t i = 0; i < n; i++)
        busy_add(&online, 10 * i, 10 * i + 3);
    CHECK(online.count <= BUSY_STRETCHES);
    CHECK(online.count > BUSY_STRETCHES / 2);
    CHECK_INT(busy_total(&online), 3 * n);
    busy_add(&online, 0, 10 * n);
    CHECK_INT(online.count, 1);
    CHECK_INT(busy_total(&online), online.settled + (10 * n - online.settled_until));
}

enum { TICKS = 3000, WORKERS = 4, EACH = 60, ALL = WORKERS * EACH };

static int by_end(const void *a, const void *b)
{
    const struct busy_interval *x = a, *y = b;
    return (x->end > y->end) - (x->end < y->end);
}

static uint64_t busy_ticks(const struct busy_interval intervals[], size_t n)
{
    static unsigned char busy[TICKS + 200];
    memset(busy, 0, sizeof busy);
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        for (uint64_t t = intervals[i].begin; t < intervals[i].end; t++) {
            total += busy[t] == 0;
            busy[t] = 1;
        }
    return total;
}

/* Makes each worker's completions in the order of their ends; lengths from 0 to a few that span
   many others. */
static void random_workers(struct random *r, struct busy_interval all[ALL])
{
    uint64_t longest = 1 + random_below(r, 30);
    for (size_t w = 0; w < WORKERS; w++) {
        struct busy_interval *own = all + w * EACH;
        for (size_t i = 0; i < EACH; i++) {
            own[i].begin = random_below(r, TICKS);
            uint64_t reach = random_below(r, 20) == 0 ? 200 : longest;
            own[i].end = own[i].begin + random_below(r, reach);
        }
        qsort(own, EACH, sizeof *own, by_end);
    }
}

/* Settling at the earliest submission that has not completed does not change the result. */
static uint64_t online_settled(const struct busy_interval ordered[], size_t n)
{
    uint64_t earliest[ALL + 1];
    earliest[n] = UINT64_MAX;
    for (size_t i = n; i-- > 0;)
        earliest[i] = ordered[i].begin < earliest[i + 1] ? ordered[i].begin : earliest[i + 1];
    busy_init(&online);
    for (size_t i = 0; i < n; i++) {
        busy_add(&online, ordered[i].begin, ordered[i].end);
        if (i % 7 == 0 && earliest[i + 1] != UINT64_MAX)
            busy_settle(&online, earliest[i + 1]);
    }
    return busy_total(&online);
}

static void test_random(void)
{
    struct random r;
    random_seed(&r, 20, 0);
    struct busy_interval workers[ALL], merged[ALL];
    for (int run = 0; run < 2000; run++) {
        random_workers(&r, workers);
        uint64_t expected = busy_ticks(workers, ALL);
        memcpy(merged, workers, sizeof merged);
        qsort(merged, ALL, sizeof *merged, by_end);
        CHECK_INT(online_of(merged, ALL), expected);
        /* one worker after the other, so that intervals arrive late */
        CHECK_INT(online_of(workers, ALL), expected);
        CHECK_INT(online_settled(merged, ALL), expected);
    }
}

/* A few intervals are kept as they are; touching ones are merged, but never across parts. */
static void test_list(void)
{
    static struct busy_list l;
    busy_list_init(&l, 10);
    busy_list_add(&l, 5, 9);
    busy_list_add(&l, 9, 12);
    busy_list_add(&l, 13, 14);
    l.part = 1;
    busy_list_add(&l, 14, 20);
    CHECK_INT(l.count, 3);
    CHECK(l.stretch[0].begin == 5 && l.stretch[0].end == 12 && l.stretch[0].busy == 7);
    CHECK(l.stretch[1].begin == 13 && l.stretch[1].part == 0);
    CHECK(l.stretch[2].begin == 14 && l.stretch[2].end == 20 && l.stretch[2].part == 1);
    CHECK_INT(l.gap, 0);
}

/* Of many intervals, the shortest gaps are removed first, and no busy time is lost. */
static void test_list_of_many(void)
{
    static struct busy_list l;
    struct random r;
    random_seed(&r, 21, 0);
    for (int run = 0; run < 300; run++) {
        uint64_t at = 1000, busy[2] = {0}, listed[2] = {0};
        uint64_t longest = 1 + (random_u64(&r) >> (40 + random_below(&r, 23)));
        busy_list_init(&l, 10);
        for (int i = 0; i < 5000; i++) {
            l.part = i >= 2500;
            uint64_t begin = at + 1 + random_below(&r, longest);
            at = begin + 1 + random_below(&r, 100);
            busy_list_add(&l, begin, at);
            busy[l.part] += at - begin;
        }
        CHECK(l.count <= BUSY_LIST_MAX && l.gap > 0);
        for (size_t i = 0; i < l.count; i++) {
            const struct busy_stretch *s = &l.stretch[i];
            CHECK(s->busy > 0 && s->busy <= s->end - s->begin);
            /* each remaining gap is longer than the threshold, or lies between parts */
            CHECK(!i || s->part != s[-1].part || s->begin - s[-1].end > l.gap);
            listed[s->part] += s->busy;
        }
        CHECK_INT(l.stretch[l.count - 1].end, at);
        CHECK(listed[0] == busy[0] && listed[1] == busy[1]);
    }
}

/* Settling lists the intervals that it folds: all of the busy time, cut at the settled time. */
static void test_list_of_settled(void)
{
    static struct busy_list l;
    busy_list_init(&l, 10);
    busy_init(&online);
    online.list = &l;
    busy_add(&online, 10, 20);
    busy_add(&online, 40, 60);
    busy_settle(&online, 50);
    CHECK_INT(l.count, 2);
    CHECK(l.stretch[1].begin == 40 && l.stretch[1].end == 50);
    l.part = 1;
    busy_settle(&online, 100);
    CHECK_INT(l.count, 3);
    CHECK(l.stretch[2].begin == 50 && l.stretch[2].end == 60);
    CHECK_INT(online.settled, 30);
}

int main(void)
{
    test_list();
    test_list_of_many();
    test_list_of_settled();
    test_figure_2();
    test_edges();
    test_settle();
    test_full();
    test_random();
    return check_result();
}

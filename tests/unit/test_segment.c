/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stable segment and the phase verdict, from given cuts. */
#include "stat/change/segment.h"

#include "tests/unit/check.h"

/* A series of up to three levels. */
struct shape {
    size_t length[3];
    double level[3];
    enum phase for_rates, for_times;
    size_t begin, end;
};

static const struct shape shapes[] = {
    {{100, 0, 0}, {5, 0, 0}, PHASE_FLAT, PHASE_FLAT, 0, 100},
    {{40, 60, 0}, {1, 2, 0}, PHASE_WARMUP, PHASE_WARMUP, 40, 100},
    {{40, 60, 0}, {2, 1, 0}, PHASE_WARMUP, PHASE_WARMUP, 40, 100},
    {{60, 40, 0}, {2, 1, 0}, PHASE_SLOWDOWN, PHASE_WARMUP, 0, 60},
    {{60, 40, 0}, {1, 2, 0}, PHASE_WARMUP, PHASE_SLOWDOWN, 0, 60},
    /* warm-up, stable, slower: a short slower end is not a slowdown, one longer than the warm-up is
     */
    {{60, 300, 40}, {50, 100, 70}, PHASE_WARMUP, PHASE_WARMUP, 60, 360},
    {{40, 300, 60}, {50, 100, 70}, PHASE_SLOWDOWN, PHASE_WARMUP, 40, 340},
    {{40, 300, 60}, {9, 5, 7}, PHASE_WARMUP, PHASE_SLOWDOWN, 40, 340},
    /* exactly one half does not dominate; one more does */
    {{50, 50, 0}, {1, 2, 0}, PHASE_NO_STEADY_STATE, PHASE_NO_STEADY_STATE, 0, 100},
    {{50, 51, 0}, {1, 2, 0}, PHASE_WARMUP, PHASE_WARMUP, 50, 101},
    {{30, 40, 30}, {1, 2, 3}, PHASE_NO_STEADY_STATE, PHASE_NO_STEADY_STATE, 0, 100},
};

static void check_shape(const struct shape *s)
{
    double x[512];
    size_t cuts[2], cut_count = 0, n = 0;
    for (size_t part = 0; part < 3; part++) {
        if (part > 0 && s->length[part] > 0)
            cuts[cut_count++] = n;
        for (size_t i = 0; i < s->length[part]; i++)
            x[n++] = s->level[part];
    }
    struct segment_verdict rates = segment_judge(x, n, cuts, cut_count, true);
    struct segment_verdict times = segment_judge(x, n, cuts, cut_count, false);
    CHECK_INT(rates.phase, s->for_rates);
    CHECK_INT(times.phase, s->for_times);
    CHECK_INT(rates.begin, s->begin);
    CHECK_INT(rates.end, s->end);
    CHECK_INT(times.begin, s->begin);
    CHECK_INT(times.end, s->end);
}

static void longest_is_the_earliest_of_equals(void)
{
    size_t cuts[] = {10, 40, 70};
    struct segment s = segment_longest(75, cuts, 3);
    CHECK_INT(s.begin, 10);
    CHECK_INT(s.end, 40);
    s = segment_longest(0, NULL, 0);
    CHECK_INT(s.end, 0);
}

int main(void)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        check_shape(&shapes[i]);
    longest_is_the_earliest_of_equals();
    struct segment_verdict empty = segment_judge(NULL, 0, NULL, 0, true);
    CHECK_INT(empty.phase, PHASE_FLAT);
    CHECK_INT(empty.end, 0);
    return check_result();
}

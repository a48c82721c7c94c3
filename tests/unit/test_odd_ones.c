/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The odd ones out in simulated racks with fixed seeds: a slowed drive is named in all of 40 racks,
 * and few racks without a slow drive have a false name, for all kinds of variation between drives.
 * tests/bench/odd_ones.c does the same with fresh seeds and more racks.
 */
#include "check.h"
#include "simulated_rack.h"
#include "simulations.h"

enum { RACKS = SIMULATED_RUNS(40), FALSE_MAX = 4 };

static struct odd_drive drives[RACK_DRIVES];
static int undecided; /* undecided racks in the last count */

/* Returns in how many of `racks` all slow drives were named; *false_names: racks with any false
   name. */
static int count_named(const struct rack *rack, int racks, uint64_t seed, int *false_names)
{
    int named = 0;
    *false_names = undecided = 0;
    for (int i = 0; i < racks; i++) {
        rack_make(rack, drives, &seed);
        struct rack_outcome outcome = rack_judge(rack, drives);
        named += outcome.all_slow_named;
        *false_names += outcome.false_name;
        undecided += outcome.undecided;
    }
    return named;
}

static void check_slowed(void)
{
    struct rack rack = {.sd = 0.02, .noise = 0.005, .machines = 16, .drives = 8};
    int wrong;
    rack.slow_drives = 1;
    rack.slowed = 0.2;
    CHECK_INT(count_named(&rack, RACKS, 1, &wrong), RACKS);
    CHECK(wrong <= FALSE_MAX);
    rack.sd = 0.01;
    rack.drives = 12;
    rack.slowed = 0.1;
    CHECK_INT(count_named(&rack, RACKS, 2, &wrong), RACKS);
    CHECK(wrong <= FALSE_MAX);
    rack.slow_drives = 3;
    rack.slowed = 0.2;
    CHECK_INT(count_named(&rack, RACKS / 2, 3, &wrong), RACKS / 2);
    rack.slow_drives = 0;
    rack.slow_machine = true;
    rack.sd = 0.02;
    rack.slowed = 0.1;
    CHECK_INT(count_named(&rack, RACKS / 2, 4, &wrong), RACKS / 2);
}

/* Nothing is slow: false names in at most 5 % of the racks plus chance (qbinom(.999, 40, .05) is 8;
   the seeds are fixed, so that the limit always holds or never). */
static void check_nothing_slow(void)
{
    static const enum rack_shape shapes[] = {RACK_NORMAL, RACK_SKEWED, RACK_LAPLACE, RACK_T5,
                                             RACK_CONTAMINATED};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct rack rack = {
            .shape = shapes[i], .sd = 0.02, .noise = 0.005, .machines = 16, .drives = 8};
        int wrong;
        count_named(&rack, RACKS, 10 + i, &wrong);
        CHECK(wrong <= FALSE_MAX);
        CHECK(undecided <= FALSE_MAX);
        if (wrong > FALSE_MAX || undecided > FALSE_MAX)
            fprintf(stderr, "    %s: %d of %d, %d undecided\n", rack_shape_names[shapes[i]], wrong,
                    RACKS, undecided);
    }
}

/* One machine: with fewer peers fewer drives are named, but none wrongly. With less than five,
   none. */
static void check_small(void)
{
    struct rack rack = {.sd = 0.02, .noise = 0.005, .machines = 1, .drives = 8};
    int wrong;
    rack.slow_drives = 1;
    rack.slowed = 0.2;
    CHECK(count_named(&rack, RACKS, 20, &wrong) >= RACKS - 1);
    CHECK(wrong <= FALSE_MAX);
    rack.drives = 4;
    rack.slowed = 0.5;
    CHECK_INT(count_named(&rack, RACKS / 2, 21, &wrong), 0);
    CHECK_INT(wrong, 0);
    struct odd_ones found;
    static const struct odd_test test = {0.05, true};
    CHECK(odd_ones_find(&found, drives, 4, 1, &test, 1));
    CHECK_INT(found.judged, 0);
    free(found.all);
    CHECK(odd_ones_find(&found, drives, 0, 0, &test, 1));
    CHECK_INT(found.count, 0);
    free(found.all);
}

/* Half of a group on another level: none of them is an odd one. */
static void check_levels(void)
{
    static const struct odd_test test = {0.05, false};
    struct odd_ones found;
    size_t levels = 0;
    for (int i = 0; i < 12; i++) {
        drives[i] = (struct odd_drive){.machine = 0};
        drives[i].tests[0].x = 0.001 * i + (i < 5 ? 0.5 : 0);
    }
    CHECK(odd_ones_find(&found, drives, 12, 1, &test, 1));
    for (size_t i = 0; i < found.count; i++) {
        CHECK(!found.all[i].named);
        levels += found.all[i].is_level;
    }
    CHECK_INT(levels, 5);
    free(found.all);
    /* A difference that is certain but too small to matter is not named. */
    for (int i = 0; i < 12; i++)
        drives[i].tests[0].x = 0.0001 * i + (i < 1 ? 0.04 : 0);
    CHECK(odd_ones_find(&found, drives, 12, 1, &test, 1));
    for (size_t i = 0; i < found.count; i++)
        CHECK(!found.all[i].named);
    free(found.all);
}

/* So many slow drives that they hide each other: none is named, and all are marked. */
static void check_hidden(void)
{
    static const struct odd_test test = {0.05, true};
    static const int sizes[][2] = {{64, 5}, {160, 12}, {400, 30}, {160, 3}, {160, 5}, {400, 4}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const int count = sizes[k][0], slow = sizes[k][1];
        uint64_t seed = 50 + k;
        struct odd_ones found;
        size_t marked = 0, named = 0;
        for (int i = 0; i < count; i++) {
            drives[i] = (struct odd_drive){.machine = i / 8};
            drives[i].tests[0].x = 0.01 * simulated_normal(&seed) + (i < slow ? 0.3 : 0);
        }
        CHECK(odd_ones_find(&found, drives, (size_t)count, (size_t)count / 8, &test, 1));
        for (size_t i = 0; i < found.count; i++) {
            const struct odd_one *o = &found.all[i];
            marked += o->kind == ODD_DRIVE && (o->is_hidden || o->named) && o->unit < slow;
            named += o->named;
            CHECK(!o->is_hidden || o->unit < slow);
        }
        CHECK(named > 0 || marked == (size_t)slow);
        free(found.all);
    }
}

/* The stated detectable slowdown is found as often as stated, and a slightly smaller one is often
   found as well: for any drive, in one test. */
static void check_power(void)
{
    static const struct odd_test tests[RACK_TESTS] = {
        {0.0513, true}, {0.0513, true}, {0.22, false}};
    static const struct rack racks[] = {
        {.shape = RACK_NORMAL, .sd = 0.02, .noise = 0.005, .machines = 16, .drives = 8},
        {.shape = RACK_T5, .sd = 0.02, .noise = 0.005, .machines = 16, .drives = 8},
        {.shape = RACK_NORMAL, .sd = 0.02, .noise = 0.005, .machines = 1, .drives = 8},
        {.shape = RACK_NORMAL, .sd = 0.02, .noise = 0.005, .machines = 2, .drives = 12}};
    const int rounds = SIMULATED_RUNS(60);
    for (size_t k = 0; k < sizeof racks / sizeof *racks; k++) {
        const int count = racks[k].machines * racks[k].drives;
        uint64_t seed = 600 + k;
        int named[2] = {0};
        for (int i = 0; i < 2 * rounds; i++) {
            struct odd_ones found;
            double detectable = (double)NAN;
            rack_make(&racks[k], drives, &seed);
            CHECK(odd_ones_find(&found, drives, (size_t)count, (size_t)racks[k].machines, tests,
                                RACK_TESTS));
            for (size_t o = 0; o < found.count; o++)
                if (found.all[o].kind == ODD_DRIVE && found.all[o].test == 0)
                    detectable = found.all[o].detectable;
            free(found.all);
            CHECK(detectable > tests[0].threshold && detectable < 1);
            drives[i % count].tests[0].x += i % 2 ? detectable / 2 : detectable;
            CHECK(odd_ones_find(&found, drives, (size_t)count, (size_t)racks[k].machines, tests,
                                RACK_TESTS));
            for (size_t o = 0; o < found.count; o++)
                named[i % 2] += found.all[o].kind == ODD_DRIVE && found.all[o].test == 0 &&
                                found.all[o].unit == i % count && found.all[o].named;
            free(found.all);
        }
        CHECK_COUNT(named[0] >= 51); /* qbinom(.001, 60, .95) */
        CHECK_COUNT(named[1] <= rounds / 2);
    }
}

int main(void)
{
    check_power();
    check_hidden();
    check_slowed();
    check_nothing_slow();
    check_small();
    check_levels();
    return check_result();
}

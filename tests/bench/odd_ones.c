/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The odd ones out in simulated racks of 16 machines with 8 to 12 drives: how often what was slowed
 * is named, and in how many racks anything is named wrongly, beside the rules of thumb (slower than
 * 2 standard deviations, than 1.5 quartile distances below the lower quartile).
 *
 *   odd_ones SEED [RACKS]      fresh racks for each seed; 1000 of each kind by default
 */
#include <stdio.h>
#include <stdlib.h>

#include "stat/basic/sort.h"
#include "tests/unit/simulated_rack.h"

static struct odd_drive drives[RACK_DRIVES];

enum rule { RULE_OURS, RULE_2_SD, RULE_QUARTILES, RULES };
static const char *const rule_names[RULES] = {"cupel", "2 sd", "1.5 IQR"};

static bool is_beyond(enum rule rule, const double sorted[], int n, double x)
{
    double sum = 0, squares = 0, low = sorted[n / 4], high = sorted[n - 1 - n / 4];
    for (int i = 0; i < n; i++)
        sum += sorted[i];
    for (int i = 0; i < n; i++)
        squares += (sorted[i] - sum / n) * (sorted[i] - sum / n);
    return rule == RULE_2_SD ? x > sum / n + 2 * sqrt(squares / (n - 1))
                             : x > high + 1.5 * (high - low);
}

/* A rule of thumb in each test of a rack. */
static struct rack_outcome judge_by(enum rule rule, const struct rack *rack)
{
    static bool named[RACK_DRIVES];
    struct rack_outcome outcome = {true, false, false};
    double sorted[RACK_DRIVES], room[RACK_DRIVES];
    const int n = rack->machines * rack->drives;
    for (int i = 0; i < n; i++)
        named[i] = false;
    for (int t = 0; t < RACK_TESTS; t++) {
        for (int i = 0; i < n; i++)
            sorted[i] = drives[i].tests[t].x;
        sort_values(sorted, (size_t)n, room);
        for (int i = 0; i < n; i++)
            named[i] |= is_beyond(rule, sorted, n, drives[i].tests[t].x);
    }
    for (int i = 0; i < n; i++) {
        outcome.all_slow_named &= named[i] || !rack_is_slow(rack, i);
        outcome.false_name |= named[i] && !rack_is_slow(rack, i);
    }
    return outcome;
}

static void measure(const char *title, const struct rack *kind, int racks, uint64_t *seed)
{
    int named[RULES] = {0}, wrong[RULES] = {0};
    for (int i = 0; i < racks; i++) {
        struct rack rack = *kind;
        if (rack.machines > 1)
            rack.drives = 8 + i % 5;
        rack_make(&rack, drives, seed);
        for (enum rule rule = RULE_OURS; rule < RULES; rule++) {
            struct rack_outcome o =
                rule == RULE_OURS ? rack_judge(&rack, drives) : judge_by(rule, &rack);
            named[rule] += o.all_slow_named;
            wrong[rule] += o.false_name;
        }
    }
    printf("%-34s", title);
    for (enum rule rule = RULE_OURS; rule < RULES; rule++)
        printf("  %s %5.1f %% named, %5.1f %% wrong", rule_names[rule], 100.0 * named[rule] / racks,
               100.0 * wrong[rule] / racks);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int racks = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1000;
    char title[80];
    printf("odd_ones, seed %llu, %d racks of each kind\n", (unsigned long long)seed, racks);
    const struct rack base = {.noise = 0.005, .machines = 16};
    for (int shape = 0; shape < RACK_SHAPES; shape++)
        for (int percent = 1; percent <= 3; percent++) {
            struct rack rack = base;
            rack.shape = (enum rack_shape)shape;
            rack.sd = percent / 100.0;
            snprintf(title, sizeof title, "%s sd %d %%, nothing slow", rack_shape_names[shape],
                     percent);
            measure(title, &rack, racks, &seed);
            rack.slow_drives = 1;
            for (int slowed = 20; slowed >= 10; slowed -= 10) {
                rack.slowed = slowed / 100.0;
                snprintf(title, sizeof title, "%s sd %d %%, one slower by %d %%",
                         rack_shape_names[shape], percent, slowed);
                measure(title, &rack, racks, &seed);
            }
        }
    struct rack rack = base;
    rack.sd = 0.02;
    rack.slow_drives = 2;
    rack.slowed = 0.2;
    measure("two slower by 20 %", &rack, racks, &seed);
    rack.slow_drives = 0;
    rack.slow_machine = true;
    rack.slowed = 0.1;
    measure("a machine slower by 10 %", &rack, racks, &seed);
    rack = (struct rack){.noise = 0.005, .sd = 0.02, .machines = 16, .firmwares = 2};
    rack.slow_drives = 1;
    rack.slowed = 0.2;
    measure("two firmwares, one slower by 20 %", &rack, racks, &seed);
    for (int n = 5; n <= 12; n += n < 6 ? 1 : 2) {
        rack = (struct rack){.noise = 0.005, .sd = 0.02, .machines = 1, .drives = n};
        snprintf(title, sizeof title, "%d drives, nothing slow", n);
        measure(title, &rack, racks, &seed);
        rack.slow_drives = 1;
        rack.slowed = 0.2;
        snprintf(title, sizeof title, "%d drives, one slower by 20 %%", n);
        measure(title, &rack, racks, &seed);
    }
    return 0;
}

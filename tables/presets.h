/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The named presets of the stop rule: how precise a session must be. Widths, limits and minimum
 * numbers of subsessions are those of Li et al., Pilot (2016); the minimum time is ours, so that a
 * very fast target is not judged by its first instants.
 */
#ifndef CUPEL_TABLES_PRESETS_H
#define CUPEL_TABLES_PRESETS_H

struct preset {
    const char *name;
    double target_width;          /* full width of the interval over the mean */
    double autocorrelation_limit; /* largest |lag-1 autocorrelation| of subsession means */
    unsigned minimum_subsessions; /* minimum number of independent readings */
    double minimum_seconds;       /* minimum length of a session */
};

static const struct preset presets[] = {
    {"quick", 0.20, 0.8, 30, 2},
    {"normal", 0.10, 0.2, 50, 5},
    {"strict", 0.10, 0.1, 200, 30},
};

#define PRESET_COUNT (sizeof presets / sizeof presets[0])

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The option rows of the statistics, which `run` and `analyze` share. `type` is the command's
 * struct, whose member `plan` (struct plan) they fill. --preset comes first: the rows after it
 * override what it decides, wherever they stand on the command line (statistics_store).
 */
#ifndef CUPEL_CMD_OPTIONS_STATISTICS_OPTIONS_H
#define CUPEL_CMD_OPTIONS_STATISTICS_OPTIONS_H

#include "cmd/options/options.h"
#include "run/plan/plan.h"

/* clang-format off */
#define STATISTICS_OPTIONS(type)                                                                   \
    {.section = "Statistics",                                                                      \
     .name = "preset",                                                                             \
     .argument = "NAME",                                                                           \
     .kind = OPTION_TEXT,                                                                          \
     OPTION_FIELD(type, plan.preset),                                                              \
     .value = "normal",                                                                            \
     .choices = OPTION_CHOICES({"quick", 0}, {"normal", 0}, {"strict", 0}),                                      \
     .help = "How precise the result has to be: sets --ci, --min-samples, the minimum measuring "  \
             "time and, for --interval pilot, --autocorr at once to 20%, 30, 2s, 0.8 (quick); "    \
             "10%, 50, 5s, 0.2 (normal); 10%, 200, 30s, 0.1 (strict). Each of them can still be "  \
             "given. No precision counts as reached before 250 readings (--min-samples)."},                            \
    {.name = "ci",                                                                                 \
     .argument = "SHARE",                                                                          \
     .kind = OPTION_SHARE,                                                                         \
     OPTION_FIELD(type, plan.target_width),                                                        \
     .least = 0.0001,                                                                              \
     .most = 1,                                                                                    \
     .value = "10%",                                                                               \
     .help = "Full width of the confidence interval over the mean that is precise enough."},       \
    {.name = "confidence",                                                                         \
     .argument = "SHARE",                                                                          \
     .kind = OPTION_SHARE,                                                                         \
     OPTION_FIELD(type, plan.confidence),                                                          \
     .least = 0.5,                                                                                 \
     .most = 0.9999,                                                                               \
     .value = "95%",                                                                               \
     .help = "Confidence level of all intervals."},                                                \
    {.name = "autocorr",                                                                           \
     .argument = "LIMIT",                                                                          \
     .kind = OPTION_SHARE,                                                                         \
     OPTION_FIELD(type, plan.autocorrelation_limit),                                               \
     .least = 0.001,                                                                               \
     .most = 1,                                                                                    \
     .value = "0.2",                                                                               \
     .help = "With --interval pilot, readings are merged into subsessions until their lag-1 "      \
             "autocorrelation is within this limit. Other intervals have no such limit."},                                                                       \
    {.name = "min-samples",                                                                        \
     .argument = "N",                                                                              \
     .kind = OPTION_UNSIGNED,                                                                      \
     OPTION_FIELD(type, plan.minimum_subsessions),                                                 \
     .least = 2,                                                                                   \
     .most = 1000000,                                                                              \
     .value = "50",                                                                                \
     .help = "Least number of independent readings that a result has to rest on. It also takes 4 " \
             "times as many readings, and 250, before any precision counts as reached. With "      \
             "--interval pilot it is the minimum number of subsessions, and nothing else."},         \
    {.name = "changepoint",                                                                        \
     .argument = "METHOD",                                                                         \
     .kind = OPTION_CHOICE,                                                                        \
     OPTION_FIELD(type, plan.changepoint),                                                         \
     .value = "pelt",                                                                              \
     .choices = OPTION_CHOICES({"pelt", CHANGEPOINT_PELT}, {"edm", CHANGEPOINT_EDM}, {"none", CHANGEPOINT_NONE}),\
     .help = "How warm-up and other changes of level are found: pelt is robust to outliers and "   \
             "autocorrelation; edm does what Pilot does, for comparison; none looks for none."},   \
    {.name = "interval",                                                                           \
     .argument = "METHOD",                                                                         \
     .kind = OPTION_CHOICE,                                                                        \
     OPTION_FIELD(type, plan.interval),                                                            \
     .value = "spectral",                                                                          \
     .choices = OPTION_CHOICES({"spectral", INTERVAL_SPECTRAL}, {"pilot", INTERVAL_PILOT}),                      \
     .help = "How the interval is made: spectral from an autoregressive model of the readings; "   \
             "pilot by Pilot's subsession rule, for comparison: it then stops by Pilot's rule too, "\
             "on --min-samples subsessions or more, without our allowance for stopping."}
/* clang-format on */

/*
 * Fill `options` (the command's struct; `plan` is the member in it): defaults, then the preset,
 * then what was given.
 */
int statistics_store(const struct option_set *set, void *options, struct plan *plan, struct err *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session for the tests of histories. */
#ifndef TESTS_UNIT_HISTORY_SESSION_H
#define TESTS_UNIT_HISTORY_SESSION_H

#include "facts/history/history.h"

/* Returns a session of 10 s with this mean that predicts mean +-10. */
static inline struct history_session session_of(double mean)
{
    return (struct history_session){.date = "2026-11-28T08:00:00Z",
                                    .seconds = 10,
                                    .metric = "iops",
                                    .op = "read",
                                    .mean = mean,
                                    .low = mean - 7,
                                    .high = mean + 7,
                                    .next_low = mean - 10,
                                    .next_high = mean + 10,
                                    .confidence = 0.95,
                                    .verdict = "precise",
                                    .version = "0.1.0"};
}

#endif

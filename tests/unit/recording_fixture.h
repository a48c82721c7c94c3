/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording without a kernel: its memory, and events made by the test. */
#ifndef TESTS_UNIT_RECORDING_FIXTURE_H
#define TESTS_UNIT_RECORDING_FIXTURE_H
#include "program/observe/internal.h"
#include "tests/unit/check.h"

static char *fixture_command[] = {(char[]){"program"}, NULL};
static const struct recording_plan fixture_of_program = {.command = fixture_command};

/* The caller frees it with recorder_free. */
static inline struct recorder *fixture_recorder(const struct recording_plan *plan)
{
    struct err e;
    struct recorder *r = calloc(1, sizeof *r);
    if (!r)
        abort();
    r->plan = plan;
    r->signals = -1;
    r->running.ended = r->group.folder = -1;
    r->child = (struct child){.process = -1, .descriptor = -1, .go = -1, .failure = -1};
    CHECK_INT(recorder_reserve(r, &e), 0);
    series_init(&r->series, 0);
    return r;
}

static inline void fixture_report(struct recorder *r)
{
    r->end_ns = 1000000000;
    recorder_report(r);
}

#endif

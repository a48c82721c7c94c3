/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording without a kernel: its memory, and events that are made here. */
#ifndef TESTS_UNIT_APPLICATION_FIXTURE_H
#define TESTS_UNIT_APPLICATION_FIXTURE_H
#include "observe/internal.h"
#include "tests/unit/check.h"

static char *fixture_command[] = {(char[]){"program"}, NULL};
static const struct application_plan fixture_of_program = {.command = fixture_command};

/* The caller ends it with recording_free. */
static inline struct recording *fixture_recording(const struct application_plan *plan)
{
    struct err e;
    struct recording *r = calloc(1, sizeof *r);
    if (!r)
        abort();
    r->plan = plan;
    r->signals = -1;
    r->child = (struct child){.process = -1, .descriptor = -1, .go = -1, .failure = -1};
    CHECK_INT(recording_reserve(r, &e), 0);
    series_init(&r->series, 0);
    return r;
}

static inline void fixture_report(struct recording *r)
{
    r->end_ns = 1000000000;
    recording_report(r);
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A measurer (pts.h) that runs a session for every cell. */
#ifndef CUPEL_MACHINE_ACCEPT_PTS_SESSION_H
#define CUPEL_MACHINE_ACCEPT_PTS_SESSION_H

#include <signal.h>

#include "hw/sysroot/sysroot.h"
#include "machine/accept/pts.h"
#include "run/session/session.h"

struct pts_session {
    const struct pts_test *test;
    const struct plan *plan; /* the target and the permission */
    const struct sysroot *root;
    struct session_shared *shared; /* holds the target */
    const volatile sig_atomic_t *stop;
    const struct session_observer *observer; /* may be NULL */
    double (*celsius)(const void *context);  /* NULL: no thermometer */
    const void *celsius_context;
    struct result *room; /* memory for one result */

    const struct pts_result *result; /* the test whose cell is measured */
};

/* functions of a measurer whose context is a struct pts_session */
int pts_session_cell(void *context, const struct pts_result *r, const struct pts_cell *cell,
                     struct pts_sample *sample, struct err *e);
int pts_session_latency(void *context, struct pts_result *r, const struct pts_cell *cell,
                        double seconds, struct err *e);

#endif

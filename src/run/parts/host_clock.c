/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records the machine and the error of its clock, which are needed to merge the records of several
   machines. */
#include "run/session/running.h"

/* Interval in seconds at which the clock's error is recorded. In this time the kernel's error bound
   grows by 8 ms if the clock is not synchronised. */
#define LOOK_EVERY_SECONDS 16.0

static void look(struct session *s, bool ask_chrony)
{
    struct clock_error clock;
    clock_error_read(&clock, s->root->prefix);
    if (ask_chrony)
        clock_error_ask_chrony(&clock, s->root->prefix);
    record_clock(&s->record, &clock);
    contents_clock(&s->contents, &clock);
    *(double *)s->own[SESSION_PART_CLOCK] = session_seconds(s);
}

/* Records the machine and the clock's error. May run chronyc, which takes up to a second; the end
   of the session does so, too. */
static int begin(struct session *s, struct err *e)
{
    struct host_identity host;
    (void)e;
    if (s->record.fd < 0)
        return 0;
    host_identity_read(&host, s->root->prefix);
    record_host(&s->record, &host);
    look(s, true);
    record_flush(&s->record);
    return 0;
}

/* Records the clock's error again when that is due, with one system call. */
static void look_again(struct session *s)
{
    const double *looked_seconds = s->own[SESSION_PART_CLOCK];
    if (s->record.fd >= 0 && session_seconds(s) >= *looked_seconds + LOOK_EVERY_SECONDS)
        look(s, false);
}

static void after(struct session *s)
{
    if (s->record.fd >= 0)
        look(s, true);
}

const struct session_part part_clock = {
    .bytes = sizeof(double), /* when the error was last recorded, since the session began */
    .prepare[AT_PLAN] = begin,
    .on[ON_PAUSE] = look_again,
    .after = after};

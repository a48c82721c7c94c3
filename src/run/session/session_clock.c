/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records the machine and the error of its clock, which are needed to merge the records of several
   machines. */
#include "run/session/internal.h"

/* In this time the kernel's error bound grows by 8 ms if the clock is not synchronised. */
#define LOOK_EVERY_SECONDS 16.0

static void look(struct session *s, bool ask_chrony)
{
    struct clock_error clock;
    clock_error_read(&clock, s->root->prefix);
    if (ask_chrony)
        clock_error_ask_chrony(&clock, s->root->prefix);
    record_clock(&s->record, &clock);
    contents_clock(&s->contents, &clock);
    s->clock_looked_seconds = session_seconds(s);
}

void session_clock_begin(struct session *s)
{
    struct host_identity host;
    if (s->record.fd < 0)
        return;
    host_identity_read(&host, s->root->prefix);
    record_host(&s->record, &host);
    look(s, true);
}

void session_clock_pause(struct session *s)
{
    if (s->record.fd >= 0 && session_seconds(s) >= s->clock_looked_seconds + LOOK_EVERY_SECONDS)
        look(s, false);
}

void session_clock_end(struct session *s)
{
    if (s->record.fd >= 0)
        look(s, true);
}

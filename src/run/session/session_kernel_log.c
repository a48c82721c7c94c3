/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the kernel's log during a session, in the thread that watches, never in one that measures.
 */
#include <math.h>

#include "run/session/internal.h"

/* The dates of lines are uncertain by this; reading takes a microsecond. */
#define EVERY_SECONDS 0.01

static void changed(void *session, size_t place)
{
    struct session *s = session;
    const struct kernel_log *log = &s->contents.kernel_log;
    if (log->lines[place].count == 1) /* the number of repetitions is written at the end */
        record_kernel_line(&s->record, log, place);
}

void session_log_begin(struct session *s)
{
    /* A program that uses the library is interested only in its own requests. */
    if (!s->contents.plan.filament)
        log_reader_open(&s->log_reader, s->root, session_seconds(s), &s->contents.kernel_log);
}

void session_log_names(struct session *s)
{
    struct log_names *names = &s->log_reader.names;
    log_names_of_path(names, s->root, &s->contents.hardware, &s->path);
    /* If the path cannot be followed, the device itself is used. */
    if (s->target_open && s->target.fd >= 0 && !s->root->prefix[0])
        log_names_of_device(names, s->root, s->target.device);
}

void session_log_take(struct session *s)
{
    const double seconds = session_seconds(s);
    if (seconds < s->log_next_seconds)
        return;
    s->log_next_seconds = seconds + EVERY_SECONDS;
    log_reader_take(&s->log_reader, seconds, &s->contents.kernel_log, changed, s);
}

void session_log_end(struct session *s)
{
    struct contents *c = &s->contents;
    char words[sizeof c->notes->text];
    s->log_next_seconds = 0;
    session_log_take(s);
    log_reader_close(&s->log_reader);
    kernel_log_warning(&c->kernel_log, words, sizeof words);
    if (words[0])
        contents_note(c, true, "%s", words);
    if (c->kernel_log.state[0])
        facts_add(&c->settings, "watching", "kernel's log", c->kernel_log.state, "", "", FACT_OK);
}

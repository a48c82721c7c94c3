/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the kernel's log during a session, in the thread that watches, never in one that measures.
 */
#include <math.h>

#include "hw/log/log_reader.h"
#include "run/session/running.h"

/* Interval in seconds at which the log is read, which takes a microsecond. The dates of lines are
   uncertain by this time. */
#define EVERY_SECONDS 0.01

struct kernel_log_reader {
    struct log_reader reader;
    double next_seconds;
};

static struct kernel_log_reader *reader_of(const struct session *s)
{
    return s->own[SESSION_PART_KERNEL_LOG];
}

static void changed(void *session, size_t place)
{
    struct session *s = session;
    const struct kernel_log *log = &s->contents.kernel_log;
    /* A repetition of the same line is only counted: record_kernel_log writes the line again, with
       the count, at the end. */
    if (log->lines[place].count == 1)
        record_kernel_line(&s->record, log, place);
}

/* Begins to read the log: earlier lines are skipped. */
static int begin(struct session *s, struct err *e)
{
    struct kernel_log_reader *own = reader_of(s);
    (void)e;
    own->reader.fd = -1;
    /* A program that uses the library is interested only in its own requests. */
    if (!s->contents.plan.filament)
        log_reader_open(&own->reader, s->root, session_seconds(s), &s->contents.kernel_log);
    return 0;
}

/* Finds the names by which the kernel calls the devices of the data path. */
static int find_names(struct session *s, struct err *e)
{
    struct log_names *names = &reader_of(s)->reader.names;
    (void)e;
    log_names_of_path(names, s->root, &s->contents.hardware, &s->path);
    /* If the path cannot be followed, the device itself is used. */
    if (s->target_open && s->target.fd >= 0 && !s->root->prefix[0])
        log_names_of_device(names, s->root, s->target.device);
    return 0;
}

/* Reads new lines when that is due, with one system call. */
static void take(struct session *s)
{
    struct kernel_log_reader *own = reader_of(s);
    const double seconds = session_seconds(s);
    if (!s->begun[SESSION_PART_KERNEL_LOG] || seconds < own->next_seconds)
        return;
    own->next_seconds = seconds + EVERY_SECONDS;
    log_reader_take(&own->reader, seconds, &s->contents.kernel_log, changed, s);
}

/* Reads the last lines, and warns if the kernel wrote about the target. */
static void after(struct session *s)
{
    struct contents *c = &s->contents;
    char words[sizeof c->notes->text];
    reader_of(s)->next_seconds = 0;
    take(s);
    log_reader_close(&reader_of(s)->reader);
    kernel_log_warning(&c->kernel_log, words, sizeof words);
    if (words[0])
        contents_note(c, true, "%s", words);
    if (c->kernel_log.state[0])
        facts_add(&c->settings, "watching", "kernel's log", c->kernel_log.state, "", "", FACT_OK);
}

static void end(struct session *s)
{
    log_reader_close(&reader_of(s)->reader);
}

const struct session_part part_kernel_log = {
    .bytes = sizeof(struct kernel_log_reader),
    .prepare = {[AT_PLAN] = begin, [AT_MACHINE] = find_names},
    .on = {[ON_LOOK] = take, [ON_PAUSE] = take},
    .after = after,
    .end = end};

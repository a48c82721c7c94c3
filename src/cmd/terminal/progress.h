/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a user sees while a session runs, on standard error: on a terminal one line that is drawn
 * again and again and cleared at the end, elsewhere one plain line every ten seconds. Nothing in
 * the first two seconds, so that a short session says nothing at all.
 *
 * Owner: progress_begin, any number of progress_show, progress_end, by one thread.
 */
#ifndef CUPEL_CMD_TERMINAL_PROGRESS_H
#define CUPEL_CMD_TERMINAL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "run/session/session.h"

struct progress {
    bool terminal;
    bool drawn;   /* a line stands on the terminal */
    double begin; /* seconds of CLOCK_MONOTONIC */
    double next;  /* when the next line is due */
};

void progress_begin(struct progress *p);

/* Since then. */
double progress_seconds(const struct progress *p);

/* An observer's function (struct session_observer): `context` is the struct progress. */
void progress_show(void *context, const struct session_progress *now);

/* The same for a computation: what is being done, and the share of it that is over. */
void progress_words(void *context, const char *words, double done_share);

void progress_end(struct progress *p);

/* Its `notice`: a line of its own, at once. */
void progress_notice(void *context, const char *words);

/* The line itself, at most `width` characters, without a line end. */
void progress_line(const struct session_progress *now, char *to, size_t size, size_t width);

#endif

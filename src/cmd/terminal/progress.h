/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a user sees while a command works, on standard error: on a terminal one line, at once, that
 * is drawn again and again and cleared at the end; elsewhere one plain line every ten seconds, the
 * first one within three.
 *
 * The line never is as wide as the terminal, whose width is asked at each draw, and the cursor
 * rests at its beginning: a terminal that is made narrower and wraps what stands there again keeps
 * the cursor where the line begins, and the next draw clears all of it. Plain ASCII without
 * colours, so NO_COLOR has nothing to take away.
 *
 * Owner: progress_begin, any number of progress_show, progress_end, by one thread.
 */
#ifndef CUPEL_CMD_TERMINAL_PROGRESS_H
#define CUPEL_CMD_TERMINAL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "report/report.h"
#include "run/session/session.h"

/* The kinds of numbers in a line, the least informative first. */
enum progress_number {
    PROGRESS_NO_NUMBER,
    PROGRESS_PRELIMINARY, /* of writing a file, of the last moments */
    PROGRESS_MEASURED
};

struct progress {
    bool terminal;
    bool offered;                /* progress_offer has offered to end */
    enum progress_number number; /* the best number that a line has shown */
    char overall[80]; /* what is left of several sessions, printed before the line; "": there is one
                         session */
    char stage[48];   /* of the present line: a line of another stage is drawn at once */
    bool drawn;       /* a line stands on the terminal */
    bool live;        /* a full screen instead of the line (--live) */
    struct text screen, frame; /* of it; made before anything is measured */
    struct report_style style;
    double begin; /* seconds of CLOCK_MONOTONIC */
    double next;  /* when the next line is due */
};

/* `stage`: the first stage, in words. */
void progress_begin(struct progress *p, const char *stage);

/*
 * From now on a full screen in place of the line, until progress_end, which gives its memory back;
 * with the characters of this style. Only where full_screen_check says so. ERR_MACHINE: no memory.
 */
int progress_full_screen(struct progress *p, const struct report_style *style, struct err *e);

/* Returns the seconds since progress_begin. */
double progress_seconds(const struct progress *p);

/* An observer's function (struct session_observer): `context` is the struct progress. */
void progress_show(void *context, const struct session_progress *now);

/* Shows a computation: its present work, and the share that is done. */
void progress_words(void *context, const char *words, double done_share);

void progress_end(struct progress *p);

/* The observer's `notice`: prints a separate line at once. */
void progress_notice(void *context, const char *words);

enum progress_number progress_number_of(const struct session_progress *now);

#define PROGRESS_OFFER_SECONDS 30

/* After so long, where the limit comes before what is asked for: that, what can be had by then, and
   how to end now, in a sentence. False: nothing is to be said. */
bool progress_offer(const struct session_progress *now, char *to, size_t size);

/*
 * The line itself, at most `width` characters, without a line end. What is least worth knowing is
 * left out where there is no room.
 */
void progress_line(const struct session_progress *now, char *to, size_t size, size_t width);

/* "disk 2 of 8, about 3 min left in all: " and as much of the line as there is room for; `overall`
   alone where that is not much. */
void progress_line_below(const char *overall, const struct session_progress *now, char *to,
                         size_t size, size_t width);

/* What stands before the line from now on (struct progress.overall): a function for it. */
void progress_overall(void *context, const char *words);

#endif

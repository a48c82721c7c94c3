/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows the progress of a command on standard error: on a terminal as one line that appears at
 * once, is redrawn, and is cleared at the end; elsewhere as a plain line every ten seconds, the
 * first one within three.
 *
 * The line is always narrower than the terminal, whose width is read at each draw, and the cursor
 * rests at the beginning of the line. If the user makes the terminal narrower, so that the line
 * wraps, the cursor stays at the beginning and the next draw clears all of it. The line is plain
 * ASCII without colours, so NO_COLOR needs no special case.
 *
 * One thread calls progress_begin, progress_show any number of times, and progress_end. In between
 * a thread of this module draws what was shown last with the time that passes, when nothing was
 * drawn for a second (elsewhere than on a terminal ten).
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
    PROGRESS_PRELIMINARY, /* speed of writing a file, or of the last moments */
    PROGRESS_MEASURED
};

struct progress {
    bool terminal;
    bool offered;                /* progress_offer has offered to end */
    enum progress_number number; /* the best number that a line has shown */
    char overall[80]; /* time left over several sessions, printed before the line; "": there is one
                         session */
    char stage[48];   /* stage of the present line: a line of another stage is drawn at once */
    bool drawn;       /* a line is on the terminal */
    bool live;        /* a full screen instead of the line (--live) */
    struct text screen, frame; /* memory of the full screen, allocated before anything is
                                  measured */
    struct report_style style;
    double begin; /* seconds of CLOCK_MONOTONIC */
    double next;  /* time at which the next line is due */
};

/* Begins progress; `stage` names the first stage. */
void progress_begin(struct progress *p, const char *stage);

/*
 * Draws a full screen in place of the line from now on, with the characters of this style, until
 * progress_end, which frees its memory. Only if full_screen_check allows it. ERR_MACHINE: no
 * memory.
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

/* Makes a sentence for long sessions whose limit will come before the requested precision: it says
   so, states what can be reached by then, and how to end now. Returns false if there is nothing to
   say. */
bool progress_offer(const struct session_progress *now, char *to, size_t size);

/* Writes the line, at most `width` characters, without a line end. If there is too little room, the
   least important parts are left out. */
void progress_line(const struct session_progress *now, char *to, size_t size, size_t width);

/* Writes "disk 2 of 8, about 3 min left in all: " and as much of the line as fits, or only
   `overall` if that is little. */
void progress_line_below(const char *overall, const struct session_progress *now, char *to,
                         size_t size, size_t width);

/* Sets the text before the line (struct progress.overall); an observer's function. */
void progress_overall(void *context, const char *words);

#endif

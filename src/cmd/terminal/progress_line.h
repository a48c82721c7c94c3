/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows the progress of a command on standard error: on a terminal as one line that appears at
 * once, is redrawn, and is cleared at the end; otherwise as a plain line every ten seconds, the
 * first one within three.
 *
 * The line is always narrower than the terminal, whose width is read at each drawing, and the
 * cursor is left at the beginning of the line. If the user makes the terminal narrower, so that the
 * line wraps, the cursor is still at the beginning, and the next drawing clears all of the line.
 * The line is plain ASCII without colours, so NO_COLOR needs no special case.
 *
 * One thread calls progress_begin, progress_show any number of times, and progress_end. Meanwhile,
 * if nothing was drawn for a second (ten seconds without a terminal), a thread of this module draws
 * the last line again with the time that has passed.
 */
#ifndef CUPEL_CMD_TERMINAL_PROGRESS_LINE_H
#define CUPEL_CMD_TERMINAL_PROGRESS_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "report/report.h"
#include "run/session/session.h"

/* Kinds of numbers in a line, the least informative first. */
enum progress_number {
    PROGRESS_NO_NUMBER,
    /* a rate that may still change: that of writing a file, or over the last moments */
    PROGRESS_PRELIMINARY,
    PROGRESS_MEASURED
};

struct progress {
    bool terminal;
    bool offered;                /* progress_offer has made its sentence */
    enum progress_number number; /* kind of the most informative number that was shown so far */
    /* time left for several sessions together, shown before the line; "": there is only one
       session */
    char overall[80];
    char stage[48]; /* stage of the last line; a line about another stage is drawn at once */
    bool drawn;     /* a line is on the terminal */
    bool live;      /* a full screen is shown instead of the line (--live) */
    struct text screen, frame; /* text of the full screen, allocated before the measurement */
    struct report_style style;
    double begin; /* seconds of CLOCK_MONOTONIC */
    double next;  /* when the next line is due */
};

/* Begins to show progress. `stage` is the first stage. */
void progress_begin(struct progress *p, const char *stage);

/*
 * From now until progress_end, which frees its memory, shows a full screen in this style instead of
 * the line. To be called only if full_screen_check succeeded. Fails with ERR_MACHINE when memory
 * runs out.
 */
int progress_full_screen(struct progress *p, const struct report_style *style, struct err *e);

/* Returns the seconds since progress_begin. */
double progress_seconds(const struct progress *p);

/* Shows the progress of a session. A function for struct session_observer; `context` is the struct
   progress. */
void progress_show(void *context, const struct session_progress *now);

/* Shows the progress of a computation: what it does now, and the share that is done. */
void progress_words(void *context, const char *words, double done_share);

void progress_end(struct progress *p);

/* Prints a separate line at once. The `notice` of struct session_observer. */
void progress_notice(void *context, const char *words);

enum progress_number progress_number_of(const struct session_progress *now);

#define PROGRESS_OFFER_SECONDS 30

/* Writes a sentence about a session that is expected to reach its limit before the requested
   precision: that this is so, which precision it can reach, and how to end it now. Returns false if
   there is nothing to say. */
bool progress_offer(const struct session_progress *now, char *to, size_t size);

/* Writes the line without a line end, in at most `width` characters. If there is too little room,
   the least important parts are left out. */
void progress_line(const struct session_progress *now, char *to, size_t size, size_t width);

/* Writes "disk 2 of 8, about 3 min left in all: " and as much of the line as fits, or only
   `overall` if that would be too little. */
void progress_line_below(const char *overall, const struct session_progress *now, char *to,
                         size_t size, size_t width);

/* Sets the text before the line (struct progress.overall). A function for observers. */
void progress_overall(void *context, const char *words);

#endif

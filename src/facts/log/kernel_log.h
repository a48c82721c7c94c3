/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lines of the kernel's log during a measurement that matter to storage: lines about parts of
 * the target's data path, and errors of the machine. A fixed number of lines is kept: similar lines
 * close in time become one line, lines about the target replace others, and lines that are left out
 * are counted.
 */
#ifndef CUPEL_FACTS_LOG_KERNEL_LOG_H
#define CUPEL_FACTS_LOG_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kernel_severity { KERNEL_NOTICE, KERNEL_WARNING, KERNEL_ERROR, KERNEL_SEVERITIES };

const char *kernel_severity_name(enum kernel_severity severity);

struct kernel_line {
    double seconds;      /* time of the first line, from the start of the session */
    double within;       /* uncertainty of `seconds`, which comes from comparing two clocks */
    double last_seconds; /* time of the last line */
    uint64_t count;      /* number of similar lines */
    uint64_t number;     /* sequence number of the first line in the kernel's log, for sorting */
    char kind[16];       /* "I/O error", "reset", ...; "other" */
    unsigned severity;   /* enum kernel_severity */
    bool scattered;      /* some similar lines came more than KERNEL_ALIKE_SECONDS apart */
    bool of_target;      /* the line names a part of the target's data path */
    /* written by a program, not by the kernel, so it is no evidence of a fault */
    bool by_program;
    char text[160]; /* text of the first line in printable ASCII; other bytes as "\x1b" */
};

#define KERNEL_LINES_MAX     48
#define KERNEL_ALIKE_SECONDS 0.1 /* similar lines at most this far apart become one */

struct kernel_log {
    /* "read", or why the log was not read; "": not attempted, as in old records */
    char state[120];
    uint64_t seen; /* number of lines that were read, whether they matter or not */
    /* at least this many lines were overwritten in the kernel's buffer before they were read */
    uint64_t lost;
    uint64_t left_out; /* number of lines that matter but did not fit */
    struct kernel_line lines[KERNEL_LINES_MAX];
    size_t count;
};

#define KERNEL_LOG_READ "read"

/* Keeps a line: adds it to a similar one, or puts it in a free place or in the place of a less
   important line. Returns the index that changed, or KERNEL_LINES_MAX if the line was left out. */
size_t kernel_log_keep(struct kernel_log *log, const struct kernel_line *line);

/* Returns a time between `begin` and `end` at which one of these lines was logged. Returns NaN if
   there is none, or if the uncertainty of the time is too large (a second) to assign it to a
   moment. */
double kernel_line_within(const struct kernel_line *line, double begin, double end);

/* Sorts the lines into the order of the kernel's log. kernel_log_keep does not maintain this
   order. */
void kernel_log_sort(struct kernel_log *log);

/* Returns true if the reader of the result is warned of the line: the kernel itself wrote it, it is
   about the target, and it is a warning or an error. */
static inline bool kernel_line_warns(const struct kernel_line *line)
{
    return line->of_target && !line->by_program && line->severity >= KERNEL_WARNING;
}

/* Describes all lines that kernel_line_warns accepts: "the kernel's log has 3 lines about the
   target, at 3.20 s: ...", with the first of the most severe ones; "" if there are none. */
void kernel_log_warning(const struct kernel_log *log, char *to, size_t size);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lines of the kernel's log during a measurement that matter to storage: those about parts of
 * the target's data path, and errors of the machine. A fixed number of lines is kept: similar lines
 * close to each other become one, lines about the target replace others, and lines that are left
 * out are counted.
 */
#ifndef CUPEL_FACTS_LOG_KERNEL_LOG_H
#define CUPEL_FACTS_LOG_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kernel_severity { KERNEL_NOTICE, KERNEL_WARNING, KERNEL_ERROR, KERNEL_SEVERITIES };

const char *kernel_severity_name(enum kernel_severity severity);

struct kernel_line {
    double seconds;      /* time of the first line since the session began */
    double within;       /* uncertainty of `seconds`, because two clocks are compared */
    double last_seconds; /* time of the last line */
    uint64_t count;      /* number of similar lines */
    uint64_t number;     /* number of the first line in the kernel's log: gives the order */
    char kind[16];       /* "I/O error", "reset"; "other" */
    unsigned severity;   /* enum kernel_severity */
    bool scattered;      /* some of them came more than KERNEL_ALIKE_SECONDS apart */
    bool of_target;      /* it names a part of the target's data path */
    bool by_program;     /* a program wrote it, not the kernel: it proves nothing */
    char text[160];      /* text of the first line, printable ASCII; "\x1b" for other bytes */
};

#define KERNEL_LINES_MAX     48
#define KERNEL_ALIKE_SECONDS 0.1 /* similar lines this close to each other become one */

struct kernel_log {
    char state[120];   /* "read", or why the log was not read; "": not tried, as in old records */
    uint64_t seen;     /* number of lines of any kind */
    uint64_t lost;     /* at least this many lines were overwritten in the kernel's buffer before
                          they were read */
    uint64_t left_out; /* lines that matter, but for which there was no room here */
    struct kernel_line lines[KERNEL_LINES_MAX];
    size_t count;
};

#define KERNEL_LOG_READ "read"

/* Keeps a line: adds it to a similar one, or takes a free place or that of a less important line.
   Returns the index that has changed; KERNEL_LINES_MAX: the line was left out. */
size_t kernel_log_keep(struct kernel_log *log, const struct kernel_line *line);

/* The time at which one of these lines was logged between `begin` and `end`, as far as known. NaN
   when there is none, or when its time is known only to the second, which says nothing about a
   moment. */
double kernel_line_within(const struct kernel_line *line, double begin, double end);

/* Sorts the lines into the order of the kernel's log; before that they are in the order in which
   they took their places. */
void kernel_log_sort(struct kernel_log *log);

/* Is the line a warning for the reader of the result? It is if the kernel itself wrote it about the
   target. */
static inline bool kernel_line_warns(const struct kernel_line *line)
{
    return line->of_target && !line->by_program && line->severity >= KERNEL_WARNING;
}

/* Describes all such lines: "the kernel's log has 3 lines about the target, at 3.20 s: ...", with
   the first of the worst ones; "" when there is none. */
void kernel_log_warning(const struct kernel_log *log, char *to, size_t size);

#endif

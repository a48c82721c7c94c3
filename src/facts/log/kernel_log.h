/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the kernel's log said while something was measured, as far as it matters to storage: lines
 * about the parts of the target's data path, and errors of the machine. A fixed number of lines is
 * kept: alike ones close to each other are one, those of the target displace others, and what was
 * left out is counted.
 */
#ifndef CUPEL_FACTS_LOG_KERNEL_LOG_H
#define CUPEL_FACTS_LOG_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kernel_severity { KERNEL_NOTICE, KERNEL_WARNING, KERNEL_ERROR, KERNEL_SEVERITIES };

const char *kernel_severity_name(enum kernel_severity severity);

struct kernel_line {
    double seconds;      /* since the session began, of the first of them ... */
    double within;       /* ... at most so much earlier or later: two clocks are compared */
    double last_seconds; /* of the last */
    uint64_t count;      /* lines alike */
    uint64_t number;     /* of the first in the kernel's log: their order */
    char kind[16];       /* "I/O error", "reset"; "other" */
    unsigned severity;   /* enum kernel_severity */
    bool scattered;      /* some of them came longer than KERNEL_ALIKE_SECONDS after each other */
    bool of_target;      /* it names a part of the target's data path */
    bool by_program;     /* a program wrote it, not the kernel: it proves nothing */
    char text[160];      /* of the first, one line of printable ASCII; "\x1b" for other bytes */
};

#define KERNEL_LINES_MAX     48
#define KERNEL_ALIKE_SECONDS 0.1 /* alike ones so close to each other are one */

struct kernel_log {
    char state[120];   /* "read", or why it was not; "": nobody tried, as in old records */
    uint64_t seen;     /* lines of any kind */
    uint64_t lost;     /* overwritten in the kernel's buffer before they were read, at least */
    uint64_t left_out; /* that matter, for want of room here */
    struct kernel_line lines[KERNEL_LINES_MAX];
    size_t count;
};

#define KERNEL_LOG_READ "read"

/* It is alike to one that is kept, or takes a free place or that of a less important one. The place
   that has changed; KERNEL_LINES_MAX: it was left out. */
size_t kernel_log_keep(struct kernel_log *log, const struct kernel_line *line);

/* When one of these lines was logged within that time, as far as it is known; NaN: none, or one
   that is dated no better than to a second, which says nothing about a moment. */
double kernel_line_within(const struct kernel_line *line, double begin, double end);

/* Lines stand in the order in which places were taken: now in that of the kernel's log. */
void kernel_log_sort(struct kernel_log *log);

/* Does it warn whoever reads the result? The kernel's own word about the target. */
static inline bool kernel_line_warns(const struct kernel_line *line)
{
    return line->of_target && !line->by_program && line->severity >= KERNEL_WARNING;
}

/* All of those, in words: "the kernel's log has 3 lines about the target, at 3.20 s: ...", with the
   first of the worst ones; "" when there is none. */
void kernel_log_warning(const struct kernel_log *log, char *to, size_t size);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses and keeps lines of the kernel's log. */
#include "facts/log/kernel_log.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line whose time is less certain than this cannot be assigned to a moment. */
#define WITHIN_MAX_SECONDS 1
/* Maximum number of lines from programs, so that they leave room for lines from the kernel. */
#define BY_PROGRAMS_MAX 8

const char *kernel_severity_name(enum kernel_severity severity)
{
    static const char *const names[KERNEL_SEVERITIES] = {"notice", "warning", "error"};
    return names[severity < KERNEL_SEVERITIES ? severity : KERNEL_NOTICE];
}

/* Returns the place after a number at `at` that is a word of its own, such as a sector or a tag;
   otherwise `at`. Lines that differ only in such numbers report the same problem. */
static const char *past_number(const char *at, const char *begin)
{
    if (isdigit((unsigned char)*at) && (at == begin || !isalnum((unsigned char)at[-1])))
        while (isxdigit((unsigned char)*at) || *at == 'x')
            at++;
    return at;
}

static bool is_alike(const struct kernel_line *a, const struct kernel_line *b)
{
    if (a->by_program != b->by_program || a->of_target != b->of_target ||
        strcmp(a->kind, b->kind) != 0 || a->severity != b->severity)
        return false;
    const char *one = a->text, *other = b->text;
    while (*one || *other) {
        const char *one_next = past_number(one, a->text), *other_next = past_number(other, b->text);
        if ((one_next == one) != (other_next == other))
            return false;
        if (one_next == one && *one++ != *other++)
            return false;
        if (one_next > one) {
            one = one_next;
            other = other_next;
        }
    }
    return true;
}

static unsigned importance(const struct kernel_line *line)
{
    return line->by_program ? 0 : 1 + line->severity + (line->of_target ? KERNEL_SEVERITIES : 0);
}

size_t kernel_log_keep(struct kernel_log *log, const struct kernel_line *line)
{
    const bool is_full = log->count == KERNEL_LINES_MAX;
    size_t least = 0, by_programs = 0;
    for (size_t i = log->count; i-- > 0;) {
        struct kernel_line *kept = &log->lines[i];
        /* Similar lines close in time are one problem. When the log is full, all similar lines are
           joined. */
        if (is_alike(kept, line) &&
            (is_full || line->seconds - kept->last_seconds <= KERNEL_ALIKE_SECONDS)) {
            kept->scattered |= line->seconds - kept->last_seconds > KERNEL_ALIKE_SECONDS;
            kept->count += line->count;
            kept->last_seconds = line->seconds;
            return i;
        }
        by_programs += kept->by_program;
        least = importance(kept) < importance(&log->lines[least]) ? i : least;
    }
    if ((line->by_program && by_programs >= BY_PROGRAMS_MAX) ||
        (is_full && importance(line) <= importance(&log->lines[least]))) {
        log->left_out += line->count;
        return KERNEL_LINES_MAX;
    }
    size_t place = is_full ? least : log->count++;
    if (is_full)
        log->left_out += log->lines[place].count;
    log->lines[place] = *line;
    return place;
}

double kernel_line_within(const struct kernel_line *l, double begin, double end)
{
    if (!(l->within <= WITHIN_MAX_SECONDS))
        return (double)NAN;
    if (l->seconds + l->within >= begin && l->seconds - l->within <= end)
        return l->seconds;
    if (l->last_seconds + l->within >= begin && l->last_seconds - l->within <= end)
        return l->last_seconds;
    return !l->scattered && l->seconds < begin && l->last_seconds > end ? begin : (double)NAN;
}

static int by_number(const void *a, const void *b)
{
    const struct kernel_line *one = a, *other = b;
    return (one->number > other->number) - (one->number < other->number);
}

void kernel_log_sort(struct kernel_log *log)
{
    qsort(log->lines, log->count, sizeof *log->lines, by_number);
}

void kernel_log_warning(const struct kernel_log *log, char *to, size_t size)
{
    const struct kernel_line *worst = NULL;
    uint64_t lines = 0;
    *to = '\0';
    for (size_t i = 0; i < log->count; i++) {
        const struct kernel_line *l = &log->lines[i];
        if (!kernel_line_warns(l))
            continue;
        lines += l->count;
        if (!worst || l->severity > worst->severity ||
            (l->severity == worst->severity && l->seconds < worst->seconds))
            worst = l;
    }
    if (worst)
        snprintf(to, size, "the kernel's log has %llu line%s about the target, at %.2f s: %s",
                 (unsigned long long)lines, lines == 1 ? "" : "s", worst->seconds, worst->text);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the messages that the kernel logged during the session. */
#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/run/sections.h"

#define ROWS 12

static void print_line(const struct kernel_line *l, struct document *out)
{
    char lead[40];
    struct text words = {0};
    snprintf(lead, sizeof lead, "  %.3f s: ", l->seconds);
    text_addf(&words, "%s, ", l->kind);
    if (l->by_program)
        text_add(&words, "written by a program, not by the kernel, ");
    else if (l->of_target)
        text_add(&words, "about the target, ");
    if (l->count > 1)
        text_addf(&words, "%llu times until %.3f s, ", (unsigned long long)l->count,
                  l->last_seconds);
    text_addf(&words, "+-%.2g s: %s", l->within, l->text);
    document_paragraph_from(out, lead, kernel_line_warns(l) ? TONE_YELLOW : TONE_PLAIN, &words);
}

void section_kernel_log(const struct result *r, struct document *out)
{
    const struct kernel_log *log = &r->kernel_log;
    if (!log->state[0])
        return;
    document_heading(out, "The kernel's log");
    for (size_t i = 0; i < log->count && i < ROWS; i++)
        print_line(&log->lines[i], out);
    struct text words = {0};
    text_addf(&words, "%s", log->state);
    if (!strcmp(log->state, KERNEL_LOG_READ))
        text_addf(&words, ": %llu lines, %s", (unsigned long long)log->seen,
                  log->count ? "of which these matter here" : "none of which matters here");
    if (log->count > ROWS)
        text_addf(&words, ", and %zu more (kernel_log.csv)", log->count - ROWS);
    if (log->left_out)
        text_addf(&words, "; %llu more that matter were left out",
                  (unsigned long long)log->left_out);
    if (log->lost)
        text_addf(&words, "; %llu or more were overwritten before they were read",
                  (unsigned long long)log->lost);
    document_paragraph_from(out, "  ", TONE_PLAIN, &words);
}

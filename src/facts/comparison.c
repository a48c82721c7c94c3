/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names the verdicts and orders of comparisons, adds notes to comparisons, and frees them. */
#include "facts/comparison.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *comparison_verdict_name(enum comparison_verdict verdict)
{
    static const char *const names[] = {
        [COMPARISON_UNDECIDED] = "undecided",
        [COMPARISON_FASTER] = "faster",
        [COMPARISON_SLOWER] = "slower",
        [COMPARISON_SAME] = "same",
    };
    return names[verdict];
}

const char *comparison_order_name(enum comparison_order order)
{
    static const char *const names[] = {
        [COMPARISON_NO_ROUNDS] = "none",
        [COMPARISON_RANDOM] = "random",
        [COMPARISON_FIXED] = "fixed",
    };
    return names[order];
}

const char *comparison_repetition_name(enum comparison_repetition repetition)
{
    static const char *const names[] = {
        [COMPARISON_UNPREDICTED] = "unknown",
        [COMPARISON_WITHIN] = "within",
        [COMPARISON_OUTSIDE] = "outside",
    };
    return names[repetition];
}

const char *comparison_correlation_verdict(const struct comparison_correlation *c)
{
    int sign = c->low > 0 ? 1 : c->high < 0 ? -1 : 0;
    return isnan(c->value) || !sign ? "undecided" : sign == c->expected ? "expected" : "opposite";
}

void comparison_note(struct comparison *c, bool warning, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    result_notes_add(c->notes, RESULT_NOTES_MAX, &c->note_count, &c->notes_left_out, warning,
                     format, arguments);
    va_end(arguments);
}

void comparison_free(struct comparison *c)
{
    free(c->quantities);
    *c = (struct comparison){0};
}

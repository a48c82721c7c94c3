/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the rounds that failed, for the report of rounds. */
#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "report/exec/internal.h"

enum {
    FAILURES_SHOWN = 3,
    LINES_SHOWN = 4, /* lines of a failed round's output */
};

/* Adds the last lines of a failed round's output. */
static void add_output(const char *output, struct document *out)
{
    const char *begin = output + strlen(output);
    for (int lines = 0; begin > output; begin--)
        if (begin[-1] == '\n' && *begin && ++lines == LINES_SHOWN)
            break;
    while (*begin) {
        size_t length = strcspn(begin, "\n");
        char line[120];
        span_printable(line, sizeof line, (struct span){begin, length});
        document_paragraph(out, "    | ", TONE_PLAIN, line);
        begin += length + (begin[length] == '\n');
    }
}

void execution_failures_text(const struct execution *x, struct document *out)
{
    size_t shown = 0;
    if (!x->failed_count)
        return;
    document_heading(out, "Rounds that failed");
    for (size_t i = 0; i < x->round_count && shown < FAILURES_SHOWN; i++) {
        const struct execution_round *round = &x->rounds[i];
        char lead[40];
        if (!round->why || round->left_out)
            continue;
        snprintf(lead, sizeof lead, "  round %llu: ", (unsigned long long)round->number);
        document_paragraph(out, lead, TONE_PLAIN, round->why);
        if (round->output)
            add_output(round->output, out);
        shown++;
    }
    if (x->failed_count > shown)
        document_line(out, "  and %zu more", x->failed_count - shown);
}

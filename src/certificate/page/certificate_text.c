/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a certificate as a document, and reads fields from its text. */
#include <stdio.h>
#include <string.h>

#include "certificate/page/internal.h"

#define NEXT_LINE "                      "

/* Lines of the usual font size that fit on one sheet, and letters on such a line. */
enum { SHEET_LINES = 58, LINE_LETTERS = 100 };

/* Estimates the number of lines on paper. */
static size_t count_lines(const struct document *d)
{
    size_t lines = 0;
    for (size_t i = 0; i < d->count; i++)
        lines += 1 + (d->blocks[i].words ? strlen(d->blocks[i].words) / LINE_LETTERS : 0);
    return lines;
}

static void certificate_document(const void *what, struct document *out)
{
    const struct certificate *c = what;
    document_title(out, "cupel certificate");
    document_subtitle(out, c->result ? c->result->target : c->qualification->product);
    if (!out->style.page) {
        document_line(out, CERTIFICATE_TITLE);
        document_end_row(out);
    }
    certificate_write(c, out);
    out->form = count_lines(out) > SHEET_LINES ? HTML_DENSE_SHEET : HTML_SHEET;
}

static const struct report_kind certificate_report = {.document = certificate_document};

void certificate_print_text(const struct certificate *c, struct text *out)
{
    const struct report_style style = {.width = 80};
    report_print(&certificate_report, c, "text", &style, out);
}

void certificate_print_html(const struct certificate *c, struct text *out)
{
    report_print(&certificate_report, c, "html", &(struct report_style){0}, out);
}

/* Reads a row's text also from its further lines, which are indented by the width of its name. */
char *certificate_field(char *to, size_t size, const char *text, const char *name)
{
    char row[64];
    size_t used = 0;
    int length = snprintf(row, sizeof row, "\n  %-*s ", CERTIFICATE_NAME_WIDTH - 1, name);
    const char *at = strstr(text, row);
    *to = '\0';
    for (at = at ? at + length : NULL; at;) {
        size_t n = strcspn(at, "\n");
        if (used + n + 2 > size) {
            *to = '\0';
            return to;
        }
        used += (size_t)snprintf(to + used, size - used, "%s%.*s", used ? " " : "", (int)n, at);
        at += n;
        at = !strncmp(at + (*at == '\n'), NEXT_LINE, strlen(NEXT_LINE)) ? at + 1 + strlen(NEXT_LINE)
                                                                        : NULL;
    }
    return to;
}

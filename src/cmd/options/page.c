/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A manual page as plain text or troff. */
#include "cmd/options/help.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/version.h"

enum { INDENT = 7, INDENT_SUBSECTION = 3, INDENT_ITEM = 14 };

static void add_blanks(struct text *out, size_t n)
{
    text_addf(out, "%*s", (int)n, "");
}

/* Adds words from column `indent` on; the first line continues at `column`. */
static void add_wrapped(struct text *out, size_t column, size_t indent, const char *words)
{
    bool first_of_line = true;
    for (;;) {
        words += strspn(words, " ");
        size_t length = strcspn(words, " ");
        if (length == 0)
            break;
        if (!first_of_line && column + 1 + length > PAGE_COLUMNS - 1) {
            text_add(out, "\n");
            column = 0;
            first_of_line = true;
        }
        if (first_of_line && column < indent) {
            add_blanks(out, indent - column);
            column = indent;
        } else if (!first_of_line) {
            text_add(out, " ");
            column++;
        }
        text_add_bytes(out, words, length);
        column += length;
        words += length;
        first_of_line = false;
    }
    text_add(out, "\n");
}

/* Adds words escaped for troff: a leading dot or quote is a command, a backslash an escape, a bare
   '-' a hyphen. */
static void add_troff(struct text *out, const char *words)
{
    if (*words == '.' || *words == '\'')
        text_add(out, "\\&");
    for (const char *p = words; *p; p++) {
        if (*p == '\\')
            text_add(out, "\\e");
        else if (*p == '-')
            text_add(out, "\\-");
        else if (*p == '~')
            text_add(out, "\\(ti");
        else
            text_add_bytes(out, p, 1);
    }
    text_add(out, "\n");
}

void page_title(struct page *p, const char *name)
{
    if (p->format == PAGE_PLAIN)
        return;
    char capitals[40];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof capitals; n++)
        capitals[n] = (char)toupper((unsigned char)name[n]);
    capitals[n] = '\0';
    text_addf(p->out, ".TH %s 1 \"\" \"cupel %s\" \"User Commands\"\n", capitals, cupel_version);
    /* Lines are left adjusted and not hyphenated, so that options stay whole. */
    text_add(p->out, ".ad l\n.nh\n");
}

void page_section(struct page *p, const char *heading)
{
    if (p->format == PAGE_TROFF)
        text_addf(p->out, ".SH %s\n", heading);
    else
        text_addf(p->out, "%s%s\n", p->out->length ? "\n" : "", heading);
}

void page_subsection(struct page *p, const char *heading)
{
    if (p->format == PAGE_TROFF) {
        text_addf(p->out, ".SS %s\n", heading);
        return;
    }
    add_blanks(p->out, INDENT_SUBSECTION);
    text_addf(p->out, "%s\n", heading);
}

void page_paragraph(struct page *p, const char *words)
{
    if (p->format == PAGE_TROFF) {
        text_add(p->out, ".PP\n");
        add_troff(p->out, words);
    } else {
        add_wrapped(p->out, 0, INDENT, words);
    }
}

void page_point(struct page *p, const char *words)
{
    text_add(p->out, "- ");
    add_wrapped(p->out, 2, 2, words);
}

void page_literal(struct page *p, const char *line)
{
    if (p->format == PAGE_TROFF) {
        text_add(p->out, ".PP\n.nf\n");
        add_troff(p->out, line);
        text_add(p->out, ".fi\n");
    } else {
        add_blanks(p->out, INDENT);
        text_addf(p->out, "%s\n", line);
    }
}

void page_item(struct page *p, const char *term, const char *words)
{
    if (p->format == PAGE_TROFF) {
        text_add(p->out, ".TP\n.B ");
        add_troff(p->out, term);
        add_troff(p->out, words);
        return;
    }
    size_t column = INDENT + strlen(term);
    add_blanks(p->out, INDENT);
    text_add(p->out, term);
    if (column + 2 > INDENT_ITEM) {
        text_add(p->out, "\n");
        column = 0;
    }
    add_wrapped(p->out, column, INDENT_ITEM, words);
}

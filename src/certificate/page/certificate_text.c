/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A certificate as text; as marked text it is a page as well. */
#include <stdio.h>
#include <string.h>

#include "certificate/page/internal.h"
#include "report/html/html.h"

enum { NAME_WIDTH = 20 };
#define NEXT_LINE "                      "

static const struct report_style style = {.width = 80};

static void add_verdict(struct text *out, const char *word, enum tone tone, const char *words)
{
    struct text lead = layout_part_of(out);
    text_addf(&lead, "%s: ", word);
    layout_paragraph(out, &style, layout_string(&lead), tone, words);
    out->failed |= lead.failed;
    text_free(&lead);
}

static void add_heading(struct text *out, const char *title)
{
    layout_heading(out, &style, title);
}

static void add_row(struct text *out, const char *name, const char *words)
{
    struct text lead = layout_part_of(out);
    text_add(&lead, "  ");
    layout_left(&lead, name, NAME_WIDTH - 1);
    text_add(&lead, " ");
    layout_hanging(out, &style, layout_string(&lead), NEXT_LINE, words);
    out->failed |= lead.failed;
    text_free(&lead);
}

static void add_sentence(struct text *out, const char *words)
{
    layout_paragraph(out, &style, "  ", TONE_PLAIN, words);
}

static void add_file(struct text *out, const struct certificate_file *file)
{
    if (out->marked)
        add_row(out, file->name, file->sha256);
    else
        text_addf(out, "%s  %s\n", file->sha256, file->name);
}

static void write_to(const struct certificate *c, struct text *out)
{
    const struct certificate_writer writer = {.out = out,
                                              .verdict = add_verdict,
                                              .heading = add_heading,
                                              .row = add_row,
                                              .sentence = add_sentence,
                                              .file = add_file};
    certificate_write(c, &writer);
}

void certificate_print_text(const struct certificate *c, struct text *out)
{
    text_add(out, CERTIFICATE_TITLE "\n\n");
    write_to(c, out);
}

void certificate_print_html(const struct certificate *c, struct text *out)
{
    struct text marked = html_marked();
    html_begin_plain(out, "cupel certificate",
                     c->result ? c->result->target : c->qualification->product);
    write_to(c, &marked);
    html_add_marked(out, &marked, NULL, NULL);
    html_end(out);
}

/* Copies a row's words, which continue on lines that are indented by the width of its name. */
char *certificate_field(char *to, size_t size, const char *text, const char *name)
{
    char row[64];
    size_t used = 0;
    int length = snprintf(row, sizeof row, "\n  %-*s ", NAME_WIDTH - 1, name);
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

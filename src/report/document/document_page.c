/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints documents as HTML: headings begin sections, and rows are collected into tables. */
#include <stdlib.h>
#include <string.h>

#include "report/document/document.h"
#include "report/html/html.h"

/* A paragraph that is indented by NOTE_INDENT or more, or begins with '^', is a comment on the
   table above it. An empty title that is at most MARGIN wide is only a margin of the text, not a
   column. */
enum { NOTE_INDENT = 3, MARGIN = 2 };

/* In a narrow window, a row of a table with this many columns or more is shown as lines, each with
   a title and a value. */
enum { COLUMNS_MANY = 4 };

struct page {
    const struct document *document;
    struct text *out;
    bool in_section, in_table, in_verdict, in_part;
    size_t columns;                      /* of the open table */
    const struct document_block *titles; /* titles of the open table, or NULL */
};

static void add_open(struct text *out, const char *element, const char *class)
{
    text_addf(out, "<%s%s%s%s>", element, class[0] ? " class=\"" : "", class, class[0] ? "\"" : "");
}

/* Adds words without blanks at their begin and end. */
static void add_trimmed(struct text *out, const char *words, const char *after)
{
    struct text whole = {0};
    text_addf(&whole, "%s%s", words, after);
    char *begin = whole.data ? whole.data + strspn(whole.data, " ") : NULL;
    for (size_t length = begin ? strlen(begin) : 0; length > 0 && begin[length - 1] == ' ';)
        begin[--length] = '\0';
    html_add(out, begin ? begin : "");
    out->failed |= whole.failed;
    text_free(&whole);
}

static bool is_blank(const char *words)
{
    return !words[strspn(words, " ")];
}

static void close_table(struct page *p)
{
    text_add(p->out, p->in_table ? "</tbody></table></div>\n" : "");
    p->in_table = false;
}

static bool is_remark(const struct document_block *b)
{
    const size_t indent = strspn(b->lead, " ");
    return indent >= NOTE_INDENT || b->lead[indent] == '^';
}

static bool is_column(const struct document_cell *title)
{
    return title->words[0] || abs(title->width) > MARGIN;
}

static size_t count_columns(const struct document *d, const struct document_block *b)
{
    size_t count = b->cell_count + (b->words != NULL);
    for (size_t i = 0; b->kind == BLOCK_TITLES && i < b->cell_count; i++)
        count -= !is_column(&d->cells[b->first_cell + i]);
    return count;
}

/* Opens the table whose first row is this block, with as many columns as its longest row. */
static void open_table(struct page *p, const char *class, const struct document_block *first)
{
    const struct document *d = p->document;
    p->columns = 0;
    for (const struct document_block *b = first; b < d->blocks + d->count; b++) {
        const size_t count = count_columns(d, b);
        if (b->kind == BLOCK_HEADING || b->kind == BLOCK_PART || b->kind == BLOCK_FIGURE ||
            (b->kind == BLOCK_TITLES && b != first) ||
            (b->kind == BLOCK_PARAGRAPH && !is_remark(b)))
            break;
        if ((b->kind == BLOCK_ROW || b->kind == BLOCK_TITLES) && count > p->columns)
            p->columns = count;
    }
    p->titles = first->kind == BLOCK_TITLES ? first : NULL;
    text_add(p->out, "<div class=\"table\">");
    add_open(p->out, "table", p->columns < COLUMNS_MANY ? class : class[0] ? "pairs many" : "many");
    p->in_table = true;
}

/* Returns the title of a column of the open table, or "". */
static const char *title_of(const struct page *p, size_t column)
{
    const struct document_block *b = p->titles;
    for (size_t i = 0; b && i < b->cell_count; i++) {
        const struct document_cell *title = &p->document->cells[b->first_cell + i];
        if (is_column(title) && column-- == 0)
            return title->words;
    }
    return "";
}

static void close_verdict(struct page *p)
{
    text_add(p->out, p->in_verdict ? "</div>\n" : "");
    p->in_verdict = false;
}

/* Opens the verdict of the page, which is everything before the first heading. */
static void open_verdict(struct page *p)
{
    if (!p->in_part)
        text_add(p->out, "<div class=\"verdict\">\n");
    p->in_verdict |= !p->in_part;
    p->in_part = true;
}

static void close_section(struct page *p)
{
    close_table(p);
    close_verdict(p);
    text_add(p->out, p->in_section ? "</section>\n" : "");
    p->in_section = false;
    p->in_part = true;
}

static void add_attribute(struct page *p, const char *name, const char *words)
{
    if (!words[0])
        return;
    text_addf(p->out, " %s=\"", name);
    add_trimmed(p->out, words, "");
    text_add(p->out, "\"");
}

static void add_cell(struct page *p, const char *element, const struct document_cell *c,
                     const char *before, const char *scope, const char *title)
{
    text_addf(p->out, "<%s%s%s", element, scope, c->width > 0 ? " class=\"n\"" : "");
    add_attribute(p, "data-title", title);
    text_add(p->out, ">");
    html_add(p->out, before);
    add_trimmed(p->out, c->words, c->after);
    text_addf(p->out, "</%s>", element);
}

/* Fills up a row with empty cells and ends it. */
static void fill_row(struct page *p, size_t count)
{
    for (; count < p->columns; count++)
        text_add(p->out, "<td></td>");
    text_add(p->out, "</tr>");
}

static void add_titles(struct page *p, const struct document_block *b)
{
    const struct document_cell *cells = p->document->cells + b->first_cell;
    close_table(p);
    open_table(p, "", b);
    text_add(p->out, "<thead><tr>");
    for (size_t i = 0; i < b->cell_count; i++)
        if (cells[i].words[0])
            add_cell(p, "th", &cells[i], "", " scope=\"col\"", "");
        else if (is_column(&cells[i]))
            text_add(p->out, "<td></td>");
    fill_row(p, count_columns(p->document, b));
    text_add(p->out, "</thead>\n<tbody>");
}

static const char *class_of(enum tone tone)
{
    static const char *const classes[] = {[TONE_PLAIN] = "",
                                          [TONE_BOLD] = "bold",
                                          [TONE_GREEN] = "good",
                                          [TONE_YELLOW] = "warn",
                                          [TONE_RED] = "bad"};
    return classes[tone];
}

/* Adds a row. Words after the cells span the remaining columns. */
static void add_row(struct page *p, const struct document_block *b)
{
    const struct document_cell *cells = p->document->cells + b->first_cell;
    if (!p->in_table) {
        open_table(p, b->words ? "pairs" : "", b);
        text_add(p->out, "<tbody>");
    }
    const char *branch = is_blank(b->lead) ? "" : b->lead;
    add_open(p->out, "tr", class_of(b->tone));
    for (size_t i = 0; i < b->cell_count; i++)
        add_cell(p, i ? "td" : "th", &cells[i], i ? "" : branch, i ? "" : " scope=\"row\"",
                 i ? title_of(p, i) : "");
    if (b->words) {
        text_add(p->out, "<td");
        if (p->columns > b->cell_count + 1)
            text_addf(p->out, " colspan=\"%zu\"", p->columns - b->cell_count);
        else
            add_attribute(p, "data-title", title_of(p, b->cell_count));
        text_add(p->out, ">");
        add_trimmed(p->out, b->words, "");
        text_add(p->out, "</td>");
    }
    fill_row(p, b->words ? p->columns : b->cell_count);
    text_add(p->out, "\n");
}

/* Adds a comment as a row of the table, about the row above or the rows below. */
static void add_remark(struct page *p, const char *class, const char *lead, const char *words)
{
    text_addf(p->out, "<tr class=\"remark %s\"><td colspan=\"%zu\">", class, p->columns);
    add_trimmed(p->out, lead, "");
    text_add(p->out, lead[0] && words[0] ? " " : "");
    add_trimmed(p->out, words, "");
    text_add(p->out, "</td></tr>\n");
}

static void add_paragraph(struct page *p, const struct document_block *b)
{
    const size_t indent = strspn(b->lead, " ");
    const char *lead = b->lead + indent, *class = class_of(b->tone);
    const bool item = !strcmp(lead, "- ");
    /* a lead of a single sign, such as "^", is only for text */
    const bool sign = lead[0] && strspn(lead + 1, " ") == strlen(lead + 1);
    if (p->in_table && is_remark(b)) {
        add_remark(p, class, sign ? "" : lead, b->words);
        return;
    }
    close_table(p);
    add_open(p->out, "p", item ? "item" : class[0] ? class : indent ? "legend" : "");
    if (lead[0] && !item) {
        text_add(p->out, "<strong>");
        add_trimmed(p->out, lead, "");
        text_add(p->out, "</strong> ");
    }
    add_trimmed(p->out, b->words, "");
    text_add(p->out, "</p>\n");
}

static void add_heading(struct page *p, const struct document_block *b)
{
    close_section(p);
    text_add(p->out, "<section>\n<h2>");
    html_add(p->out, b->words);
    html_add(p->out, b->more);
    text_add(p->out, "</h2>\n");
    p->in_section = true;
}

static void add_line(struct page *p, const struct document_block *b)
{
    struct text line = {0};
    text_addf(&line, "%s%s%s", b->lead, b->words, b->more);
    if (p->in_table) {
        add_remark(p, "", "", layout_string(&line));
    } else {
        text_add(p->out, "<p>");
        add_trimmed(p->out, layout_string(&line), "");
        text_add(p->out, "</p>\n");
    }
    p->out->failed |= line.failed;
    text_free(&line);
}

static void add_figure(struct page *p, const struct figure *f)
{
    struct text image = {0};
    if (!f->page)
        return;
    f->page(f->context, f->number, &image);
    close_table(p);
    if (f->title && image.length) {
        close_section(p);
        text_addf(p->out, "<section>\n<h2>%s</h2>\n%s</section>\n", f->title, image.data);
    } else {
        text_add(p->out, layout_string(&image));
    }
    p->out->failed |= image.failed;
    text_free(&image);
}

static void add_block(struct page *p, const struct document_block *b)
{
    if (b->kind != BLOCK_HEADING && b->kind != BLOCK_PART && b->kind != BLOCK_BLANK)
        open_verdict(p);
    switch (b->kind) {
    case BLOCK_HEADING:
        add_heading(p, b);
        break;
    case BLOCK_PARAGRAPH:
        add_paragraph(p, b);
        break;
    case BLOCK_LINE:
        add_line(p, b);
        break;
    case BLOCK_TITLES:
        add_titles(p, b);
        break;
    case BLOCK_ROW:
        add_row(p, b);
        break;
    case BLOCK_BLANK:
        break;
    case BLOCK_FIGURE:
        add_figure(p, &b->figure);
        break;
    case BLOCK_PART:
        close_section(p);
        break;
    }
}

void document_print_page(const struct document *d, struct text *out)
{
    struct page p = {.document = d, .out = out};
    html_begin(out, d->title ? d->title : "", d->subtitle ? d->subtitle : "", d->form);
    for (size_t i = 0; i < d->count; i++)
        add_block(&p, &d->blocks[i]);
    close_section(&p);
    html_end(out);
    out->failed |= d->failed;
}

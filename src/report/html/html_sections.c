/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marked text as HTML: headings begin sections, and rows are collected into tables. */
#include <string.h>

#include "report/html/html.h"
#include "report/layout/layout.h"

enum { CELLS_MAX = 32, NOTE_INDENT = 3 };

struct cell {
    char *words;
    bool right; /* numbers, which are flush right */
};

struct line {
    struct cell cells[CELLS_MAX];
    size_t count;
    char *before; /* text before the first cell */
    bool titles;
};

struct page {
    struct text *out;
    bool in_section, in_table, in_verdict;
    size_t columns; /* of the open table */
    html_figure *figure;
    const void *context;
    size_t figures;
};

static void add_open(struct text *out, const char *element, const char *class, const char *rest)
{
    text_addf(out, "<%s%s%s%s%s>", element, class[0] ? " class=\"" : "", class,
              class[0] ? "\"" : "", rest);
}

static void close_table(struct page *p)
{
    text_add(p->out, p->in_table ? "</tbody></table></div>\n" : "");
    p->in_table = false;
}

static void open_table(struct page *p, const char *class, size_t columns)
{
    text_add(p->out, "<div class=\"table\">");
    add_open(p->out, "table", class, "");
    p->in_table = true;
    p->columns = columns;
}

static char *without_blanks(char *s)
{
    s += strspn(s, " ");
    for (size_t length = strlen(s); length > 0 && s[length - 1] == ' ';)
        s[--length] = '\0';
    return s;
}

/* Splits a line in place. */
static struct line line_of(char *s)
{
    static const char marks[] = {MARK_HEADING, MARK_LEFT, MARK_RIGHT, '\0'};
    struct line l = {.before = s};
    for (char *at = strpbrk(s, marks); at; at = strpbrk(at, marks)) {
        l.titles |= *at == MARK_HEADING;
        if (*at != MARK_HEADING && l.count < CELLS_MAX)
            l.cells[l.count++] = (struct cell){.words = at + 1, .right = *at == MARK_RIGHT};
        *at++ = '\0';
    }
    return l;
}

static void add_cell(struct page *p, const char *element, const struct cell *c, const char *before,
                     const char *scope)
{
    text_addf(p->out, "<%s%s%s>", element, scope, c->right ? " class=\"n\"" : "");
    html_add(p->out, before);
    html_add(p->out, without_blanks(c->words));
    text_addf(p->out, "</%s>", element);
}

static void add_titles(struct page *p, const struct line *l)
{
    close_table(p);
    open_table(p, "", l->count);
    text_add(p->out, "<thead><tr>");
    for (size_t i = 0; i < l->count; i++)
        if (l->cells[i].words[0])
            add_cell(p, "th", &l->cells[i], "", " scope=\"col\"");
        else
            text_add(p->out, "<td></td>");
    text_add(p->out, "</tr></thead>\n<tbody>");
}

/* Adds a row; `words` follow the cells and span the remaining columns of the table. */
static void add_row(struct page *p, const struct line *l, const char *class, char *words)
{
    if (!p->in_table) {
        open_table(p, words ? "pairs" : "", l->count + (words != NULL));
        text_add(p->out, "<tbody>");
    }
    const char *branch = l->before[strspn(l->before, " ")] ? l->before : "";
    add_open(p->out, "tr", class, "");
    for (size_t i = 0; i < l->count; i++)
        add_cell(p, i ? "td" : "th", &l->cells[i], i ? "" : branch, i ? "" : " scope=\"row\"");
    if (words && p->columns > l->count + 1)
        text_addf(p->out, "<td colspan=\"%zu\">", p->columns - l->count);
    else
        text_add(p->out, words ? "<td>" : "");
    html_add(p->out, words ? words : "");
    text_add(p->out, words ? "</td></tr>\n" : "</tr>\n");
}

/* Adds a line of a table that comments on the row above or the rows below. */
static void add_remark(struct page *p, const char *class, const char *words, const char *more)
{
    text_addf(p->out, "<tr class=\"remark %s\"><td colspan=\"%zu\">", class, p->columns);
    html_add(p->out, words);
    text_add(p->out, words[0] && more[0] ? " " : "");
    html_add(p->out, more);
    text_add(p->out, "</td></tr>\n");
}

static const char *const classes[] = {[TONE_PLAIN] = "",
                                      [TONE_BOLD] = "bold",
                                      [TONE_GREEN] = "good",
                                      [TONE_YELLOW] = "warn",
                                      [TONE_RED] = "bad"};

static void add_paragraph(struct page *p, char *s)
{
    size_t tone = (size_t)(*s - '0');
    char *words = strchr(s, MARK_PARAGRAPH), *lead = s + (*s != '\0');
    if (!words)
        return;
    *words++ = '\0';
    words = without_blanks(words);
    const char *class = tone < sizeof classes / sizeof *classes ? classes[tone] : "";
    size_t indent = strspn(lead, " ");
    struct line row = line_of(lead);
    if (row.count > 0) {
        add_row(p, &row, class, words);
        return;
    }
    lead = without_blanks(lead);
    if (p->in_table && (indent >= NOTE_INDENT || lead[0] == '^')) {
        add_remark(p, class, strlen(lead) > 1 ? lead : "", words);
        return;
    }
    close_table(p);
    bool item = !strcmp(lead, "-");
    add_open(p->out, "p", item ? "item" : class[0] ? class : indent ? "legend" : "", "");
    if (lead[0] && !item) {
        text_add(p->out, "<strong>");
        html_add(p->out, lead);
        text_add(p->out, "</strong> ");
    }
    html_add(p->out, words);
    text_add(p->out, "</p>\n");
}

static void close_verdict(struct page *p)
{
    text_add(p->out, p->in_verdict ? "</div>\n" : "");
    p->in_verdict = false;
}

static void add_heading(struct page *p, const char *title)
{
    close_table(p);
    close_verdict(p);
    text_add(p->out, p->in_section ? "</section>\n<section>\n<h2>" : "<section>\n<h2>");
    html_add(p->out, title);
    text_add(p->out, "</h2>\n");
    p->in_section = true;
}

static void add_line(struct page *p, char *s)
{
    if (*s == MARK_PARAGRAPH) {
        add_paragraph(p, s + 1);
        return;
    }
    if (*s == MARK_HEADING && s[1] != MARK_LEFT && s[1] != MARK_RIGHT) {
        add_heading(p, s + 1);
        return;
    }
    if (*s == MARK_FIGURE) {
        close_table(p);
        if (p->figure)
            p->figure(p->context, p->figures++, p->out);
        return;
    }
    struct line l = line_of(s);
    if (l.titles) {
        add_titles(p, &l);
    } else if (l.count > 0) {
        add_row(p, &l, "", NULL);
    } else if (p->in_table && without_blanks(s)[0]) {
        add_remark(p, "", s, "");
    } else if (without_blanks(s)[0]) {
        text_add(p->out, "<p>");
        html_add(p->out, without_blanks(s));
        text_add(p->out, "</p>\n");
    }
}

static void add_lines(struct page *p, struct text *marked)
{
    for (char *line = marked->data, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        add_line(p, line);
    }
    close_table(p);
    close_verdict(p);
    text_add(p->out, p->in_section ? "</section>\n" : "");
    p->out->failed |= marked->failed;
    text_free(marked);
}

void html_add_marked(struct text *out, struct text *marked, html_figure *figure,
                     const void *context)
{
    add_lines(&(struct page){.out = out, .figure = figure, .context = context}, marked);
}

void html_add_report(struct text *out, struct text *marked, html_figure *figure,
                     const void *context)
{
    struct page p = {.out = out, .figure = figure, .context = context, .in_verdict = true};
    text_add(out, "<div class=\"verdict\">\n");
    add_lines(&p, marked);
}

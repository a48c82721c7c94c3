/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A document: a report as a list of blocks (headings, paragraphs, rows of tables, figures), built
 * once from a finished result. document_print_text and document_print_page print it: a printer
 * knows how a block looks and nothing of what it says, and no printer reads what another wrote.
 *
 * The builder functions copy their words. Running out of memory shows in `failed`, which the
 * printers hand on to their text. Owner: document_free. Control characters (span_steers) in words
 * are printed as '?'.
 */
#ifndef CUPEL_REPORT_DOCUMENT_DOCUMENT_H
#define CUPEL_REPORT_DOCUMENT_DOCUMENT_H

#include "base/pool.h"
#include "facts/labels.h"
#include "report/html/html.h"
#include "report/layout/fields.h"
#include "report/layout/layout.h"

/* A cell of a row; `width` is for text, where a negative width is flush left. */
struct document_cell {
    const char *words, *after; /* after: words between this cell and the next one, or "" */
    int width;
    enum tone tone;
};

/*
 * A figure is drawn by `text` with characters and by `page` as an image; NULL: it has no such form.
 * `context`, which outlives the document, and `number` say what to draw. With a `title` the page
 * has a section of its own for it, unless nothing is drawn.
 */
struct figure {
    const char *title;
    void (*text)(const void *context, size_t number, const struct report_style *style,
                 struct text *out);
    void (*page)(const void *context, size_t number, struct text *out);
    const void *context;
    size_t number;
};

struct document_block {
    enum {
        BLOCK_HEADING,   /* words, then `more` in the tone */
        BLOCK_PARAGRAPH, /* lead in the tone, words */
        BLOCK_LINE,      /* lead, words in the tone, more: a line of its own, never wrapped */
        BLOCK_TITLES,    /* cells */
        BLOCK_ROW,       /* lead, cells, and words that fill the rest of the line; or NULL */
        BLOCK_BLANK,     /* an empty line of text */
        BLOCK_FIGURE,
        BLOCK_PART, /* ends the section; the first one also ends the verdict of a page */
    } kind;
    enum tone tone;
    const char *lead, *words, *more;
    const char *hang; /* what precedes further lines of a paragraph; NULL: blanks */
    size_t lines_max; /* of a paragraph; three dots mark a cut; 0: all */
    bool hangs;       /* words of a row stay to the right of its cells */
    size_t first_cell, cell_count;
    struct figure figure;
};

struct document {
    struct report_style style;    /* whom it is for: how much is shown, and for which width */
    const char *title, *subtitle; /* of a page; or NULL */
    enum html_form form;          /* of a page */
    struct document_block *blocks;
    size_t count, capacity;
    struct document_cell *cells;
    size_t cell_count, cell_capacity;
    struct text pending; /* words before the first cell of the open row */
    size_t open;         /* the first cell of the open row */
    enum tone tone;      /* of the next cell */
    struct pool pool;
    bool failed;
};

/* Returns an empty document. */
struct document document_for(const struct report_style *style);
void document_free(struct document *d);

void document_title(struct document *d, const char *words);
void document_subtitle(struct document *d, const char *words);
void document_title_from(struct document *d, struct text *words); /* frees the text */
void document_heading(struct document *d, const char *words);
/* A heading that ends in a word with a tone: "sda: FAIL". */
void document_heading_toned(struct document *d, const char *words, enum tone tone,
                            const char *more);

/* A paragraph: `lead` in its tone, then words; further lines are indented by the length of `lead`.
   Blanks at the beginning of `lead` indent it; an indented one comments on the table above it. */
void document_paragraph(struct document *d, const char *lead, enum tone tone, const char *words);
/* A paragraph of a text, which is freed. */
void document_paragraph_from(struct document *d, const char *lead, enum tone tone,
                             struct text *words);
/* A paragraph whose further lines begin with `hang`, which is as long as `lead`. */
void document_hanging(struct document *d, const char *lead, const char *hang, const char *words);

/* Cuts the paragraph that was added last to this many lines of text. */
void document_limit_lines(struct document *d, size_t lines);

/* A line that is never wrapped; and one whose middle has a tone. */
void document_line(struct document *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void document_line_toned(struct document *d, const char *lead, enum tone tone, const char *words,
                         const char *more);

/* Rows: cells one after the other, with words between them; then an end. The end of a row without
   cells and words is an empty line. */
void document_cell(struct document *d, const char *words, int width); /* below 0: flush left */
void document_left(struct document *d, const char *words, size_t width);
void document_right(struct document *d, const char *words, size_t width);
void document_add(struct document *d, const char *words);
void document_addf(struct document *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void document_tone(struct document *d, enum tone tone); /* of the following cells */
void document_end_row(struct document *d);
void document_end_titles(struct document *d); /* the cells are the titles of a table */
/* The cells of a value and of the ends of its interval, all in the unit of the value. */
void document_interval(struct document *d, enum metric_kind kind, const double interval[3],
                       int value_width, int end_width);
/* The cells of a record, or with NULL the titles of its columns, by its table of fields; and a
   whole table. */
void document_cells(struct document *d, const struct field fields[], const void *record);
void document_records(struct document *d, const struct field fields[], const void *records,
                      size_t count, size_t size);
/* Words fill the rest of the line, and are wrapped. */
void document_end_row_in_words(struct document *d, enum tone tone, const char *words);
void document_end_row_in_words_from(struct document *d, enum tone tone, struct text *words);
/* The same; further lines begin where the cells end, however little room that leaves. */
void document_end_row_hanging(struct document *d, const char *words);
/* The titles of a table after the cells that were added, if any. */
void document_titles(struct document *d, const struct layout_column columns[], size_t count);

void document_figure(struct document *d, struct figure figure);
void document_part(struct document *d);

/* A paragraph for each label: "  label ticket          4711"; nothing without labels. A page has
   them at its top. */
void document_labels(struct document *d, const struct labels *labels);

/* Returns how many lines of text the blocks from number `begin` on take. */
size_t document_lines(const struct document *d, size_t begin);
/* Removes the blocks from number `count` on. */
void document_cut(struct document *d, size_t count);

void document_print_text(const struct document *d, struct text *out);
void document_print_page(const struct document *d, struct text *out);

/* ---- reports ---- */

/* A report in all its formats; what they print is given by its address. */
struct report_kind {
    void (*document)(const void *what, struct document *d);
    void (*csv)(const void *what, struct text *out);
    void (*json)(const void *what, struct text *out);
    void (*fio_json)(const void *what, struct text *out); /* fio's JSON+; NULL: no such form */
};

/* Has the report this form: text, csv, json, html, or fio-json? */
bool report_has_format(const struct report_kind *kind, const char *format);

/* Prints in one of these forms. The style is for text. */
void report_print(const struct report_kind *kind, const void *what, const char *format,
                  const struct report_style *style, struct text *out);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A document: a report as a list of blocks (headings, paragraphs, rows of tables, figures), built
 * once from a finished result. document_print_text and document_print_page print it. A printer
 * decides how a block looks, not what it says, and no printer parses the output of another.
 *
 * The builder functions copy their words. When memory runs out, `failed` is set; the printers pass
 * it on to their text. document_free frees a document. Control characters (span_steers) in words
 * are printed as '?'.
 */
#ifndef CUPEL_REPORT_DOCUMENT_DOCUMENT_H
#define CUPEL_REPORT_DOCUMENT_DOCUMENT_H

#include "base/pool.h"
#include "facts/labels.h"
#include "report/html/html.h"
#include "report/layout/fields.h"
#include "report/layout/layout.h"

/* A cell of a row. `width` is used for text; a negative width aligns the cell left. */
struct document_cell {
    const char *words, *after; /* `after`: text between this cell and the next, or "" */
    int width;
    enum tone tone;
};

/*
 * A figure. `text` draws it with characters, `page` as an image; NULL: the figure is left out
 * there. `context`, which outlives the document, and `number` select what is drawn. With a `title`,
 * the figure has its own section of the page, unless nothing is drawn.
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
        BLOCK_HEADING,   /* `words`, then `more` in the block's tone */
        BLOCK_PARAGRAPH, /* `lead` in the block's tone, then `words` */
        /* `lead`, `words` in the block's tone, `more`: one line that is never wrapped */
        BLOCK_LINE,
        BLOCK_TITLES, /* cells */
        BLOCK_ROW,    /* `lead`, cells, then `words` that fill the line, or NULL */
        BLOCK_BLANK,  /* an empty line, in text only */
        BLOCK_FIGURE,
        BLOCK_PART, /* ends the section; the first one also ends the verdict of a page */
    } kind;
    enum tone tone;
    const char *lead, *words, *more;
    const char *hang; /* for a paragraph: text at the begin of its further lines; NULL: blanks */
    size_t lines_max; /* for a paragraph: maximum of lines, "..." marks a cut; 0: no maximum */
    /* for a row: further lines of its text are indented to the end of the cells */
    bool hangs;
    size_t first_cell, cell_count;
    struct figure figure;
};

struct document {
    struct report_style style;    /* how much is shown, and how wide */
    const char *title, *subtitle; /* of a page: heading and the text below it; NULL: none */
    enum html_form form;          /* of a page */
    struct document_block *blocks;
    size_t count, capacity;
    struct document_cell *cells;
    size_t cell_count, cell_capacity;
    struct text pending; /* words before the next cell of the unfinished row */
    size_t open;         /* index of the first cell of the unfinished row */
    enum tone tone;      /* tone of the next cell */
    struct pool pool;
    bool failed;
};

/* Returns an empty document, to be freed by document_free. */
struct document document_for(const struct report_style *style);
void document_free(struct document *d);

void document_title(struct document *d, const char *words);
void document_subtitle(struct document *d, const char *words);
void document_title_from(struct document *d, struct text *words); /* frees the text */
void document_heading(struct document *d, const char *words);
/* Adds a heading that ends in a coloured word: "sda: FAIL". */
void document_heading_toned(struct document *d, const char *words, enum tone tone,
                            const char *more);

/* Adds a paragraph: `lead` in its tone, then words. Further lines are indented by the length of
   `lead`. If `lead` begins with blanks, the whole paragraph is indented: it is a comment on the
   table above it. */
void document_paragraph(struct document *d, const char *lead, enum tone tone, const char *words);
/* Adds a paragraph and frees the text `words`. */
void document_paragraph_from(struct document *d, const char *lead, enum tone tone,
                             struct text *words);
/* Adds a paragraph whose further lines begin with `hang`, which is as long as `lead`. */
void document_hanging(struct document *d, const char *lead, const char *hang, const char *words);

/* Limits the last paragraph to this number of lines in text. */
void document_limit_lines(struct document *d, size_t lines);

/* Add a line that is never wrapped, without a tone, or with a tone for its middle part. */
void document_line(struct document *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void document_line_toned(struct document *d, const char *lead, enum tone tone, const char *words,
                         const char *more);

/* Build a row: its cells one after the other, with words between them, and then its end. A row
   without cells and words becomes an empty line. */
void document_cell(struct document *d, const char *words, int width); /* below 0: left-aligned */
void document_left(struct document *d, const char *words, size_t width);
void document_right(struct document *d, const char *words, size_t width);
void document_add(struct document *d, const char *words);
void document_addf(struct document *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void document_tone(struct document *d, enum tone tone); /* sets the tone of the next cells */
void document_end_row(struct document *d);
void document_end_titles(struct document *d); /* the cells become the titles of a table */
/* Adds three cells, a value and the ends of its interval, all in the unit of the value. */
void document_interval(struct document *d, enum metric_kind kind, const double interval[3],
                       int value_width, int end_width);
/* document_cells adds the cells of a record, as its table of fields says, or, if `record` is NULL,
   the titles of the columns. document_records adds a whole table of `count` records of `size`
   bytes. */
void document_cells(struct document *d, const struct field fields[], const void *record);
void document_records(struct document *d, const struct field fields[], const void *records,
                      size_t count, size_t size);
/* End a row with words, which fill the rest of the line and are wrapped.
   document_end_row_in_words_from frees the text. */
void document_end_row_in_words(struct document *d, enum tone tone, const char *words);
void document_end_row_in_words_from(struct document *d, enum tone tone, struct text *words);
/* Ends a row with words whose further lines are indented to the end of the cells, even if the lines
   become short. */
void document_end_row_hanging(struct document *d, const char *words);
/* Adds the titles of columns after the cells that were added, and ends the row of titles. */
void document_titles(struct document *d, const struct layout_column columns[], size_t count);

void document_figure(struct document *d, struct figure figure);
void document_part(struct document *d);

/* Adds a paragraph for each label: " label ticket 4711". A page shows labels at its top. */
void document_labels(struct document *d, const struct labels *labels);

/* Returns the number of text lines that the blocks from index `begin` on take. */
size_t document_lines(const struct document *d, size_t begin);
/* Removes all blocks but the first `count`. */
void document_cut(struct document *d, size_t count);

void document_print_text(const struct document *d, struct text *out);
void document_print_page(const struct document *d, struct text *out);

/* ---- reports ---- */

/* A kind of report with all its formats. `what` is the address of the result to print. */
struct report_kind {
    void (*document)(const void *what, struct document *d);
    void (*csv)(const void *what, struct text *out);
    void (*json)(const void *what, struct text *out);
    void (*fio_json)(const void *what, struct text *out); /* fio's JSON+; NULL: not available */
};

/* Returns true if the report has this format: "text", "csv", "json", "html" or "fio-json". */
bool report_has_format(const struct report_kind *kind, const char *format);

/* Prints `what` in one of these formats. Only text uses the style. */
void report_print(const struct report_kind *kind, const void *what, const char *format,
                  const struct report_style *style, struct text *out);

#endif

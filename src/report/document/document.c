/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds documents. */
#include "report/document/document.h"
#include "report/layout/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/invariant.h"

enum { LABEL_WIDTH = 15 };

struct document document_for(const struct report_style *style)
{
    return (struct document){.style = *style};
}

void document_free(struct document *d)
{
    free(d->blocks);
    free(d->cells);
    text_free(&d->pending);
    pool_free(&d->pool);
    *d = (struct document){.style = d->style};
}

static const char *keep(struct document *d, const char *words)
{
    const char *kept = words ? pool_copy(&d->pool, words, strlen(words)) : NULL;
    d->failed |= words && !kept;
    return kept;
}

static void add_block(struct document *d, struct document_block block)
{
    INVARIANT(d->open == d->cell_count || block.cell_count,
              "a row of a document has an end before another block begins");
    d->failed |= !array_grow(&d->blocks, sizeof block, d->count, &d->capacity);
    block.lead = keep(d, block.lead ? block.lead : "");
    block.words = keep(d, block.words);
    block.more = keep(d, block.more);
    block.hang = keep(d, block.hang);
    if (!d->failed)
        d->blocks[d->count++] = block;
}

void document_title(struct document *d, const char *words)
{
    d->title = keep(d, words);
}

void document_subtitle(struct document *d, const char *words)
{
    d->subtitle = keep(d, words);
}

void document_title_from(struct document *d, struct text *words)
{
    document_title(d, layout_string(words));
    d->failed |= words->failed;
    text_free(words);
}

void document_heading(struct document *d, const char *words)
{
    document_heading_toned(d, words, TONE_PLAIN, "");
}

void document_heading_toned(struct document *d, const char *words, enum tone tone, const char *more)
{
    add_block(d, (struct document_block){
                     .kind = BLOCK_HEADING, .words = words, .tone = tone, .more = more});
}

void document_paragraph(struct document *d, const char *lead, enum tone tone, const char *words)
{
    add_block(d, (struct document_block){
                     .kind = BLOCK_PARAGRAPH, .lead = lead, .tone = tone, .words = words});
}

void document_paragraph_from(struct document *d, const char *lead, enum tone tone,
                             struct text *words)
{
    document_paragraph(d, lead, tone, layout_string(words));
    d->failed |= words->failed;
    text_free(words);
}

void document_hanging(struct document *d, const char *lead, const char *hang, const char *words)
{
    add_block(d, (struct document_block){
                     .kind = BLOCK_PARAGRAPH, .lead = lead, .hang = hang, .words = words});
}

void document_limit_lines(struct document *d, size_t lines)
{
    if (d->count > 0)
        d->blocks[d->count - 1].lines_max = lines;
}

void document_line(struct document *d, const char *format, ...)
{
    char words[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    document_line_toned(d, "", TONE_PLAIN, words, "");
}

void document_line_toned(struct document *d, const char *lead, enum tone tone, const char *words,
                         const char *more)
{
    add_block(d, (struct document_block){
                     .kind = BLOCK_LINE, .lead = lead, .tone = tone, .words = words, .more = more});
}

/* ---- rows ---- */

void document_cell(struct document *d, const char *words, int width)
{
    d->failed |= !array_grow(&d->cells, sizeof *d->cells, d->cell_count, &d->cell_capacity);
    if (d->cell_count < d->cell_capacity)
        d->cells[d->cell_count++] = (struct document_cell){keep(d, words), "", width, d->tone};
}

void document_left(struct document *d, const char *words, size_t width)
{
    document_cell(d, words, -(int)width);
}

void document_right(struct document *d, const char *words, size_t width)
{
    document_cell(d, words, (int)width);
}

void document_tone(struct document *d, enum tone tone)
{
    d->tone = tone;
}

void document_add(struct document *d, const char *words)
{
    if (d->cell_count == d->open) {
        text_add(&d->pending, words);
        return;
    }
    struct document_cell *last = &d->cells[d->cell_count - 1];
    struct text joined = {0};
    text_addf(&joined, "%s%s", last->after, words);
    last->after = keep(d, layout_string(&joined));
    text_free(&joined);
}

void document_addf(struct document *d, const char *format, ...)
{
    char words[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    document_add(d, words);
}

static void end_cells(struct document *d, struct document_block block)
{
    block.lead = layout_string(&d->pending);
    block.first_cell = d->open;
    block.cell_count = d->cell_count - d->open;
    if (block.kind == BLOCK_ROW && !block.cell_count && !block.words) {
        block.kind = *block.lead ? BLOCK_LINE : BLOCK_BLANK;
        block.words = block.more = "";
    }
    add_block(d, block);
    d->open = d->cell_count;
    d->failed |= d->pending.failed;
    text_free(&d->pending);
}

void document_end_row(struct document *d)
{
    end_cells(d, (struct document_block){.kind = BLOCK_ROW});
}

void document_end_titles(struct document *d)
{
    end_cells(d, (struct document_block){.kind = BLOCK_TITLES, .tone = d->tone});
}

void document_end_row_in_words(struct document *d, enum tone tone, const char *words)
{
    end_cells(d, (struct document_block){.kind = BLOCK_ROW, .tone = tone, .words = words});
}

void document_end_row_hanging(struct document *d, const char *words)
{
    end_cells(d, (struct document_block){.kind = BLOCK_ROW, .words = words, .hangs = true});
}

void document_end_row_in_words_from(struct document *d, enum tone tone, struct text *words)
{
    document_end_row_in_words(d, tone, layout_string(words));
    d->failed |= words->failed;
    text_free(words);
}

void document_titles(struct document *d, const struct layout_column columns[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        document_cell(d, columns[i].title, columns[i].width);
    document_end_titles(d);
}

void document_interval(struct document *d, enum metric_kind kind, const double interval[3],
                       int value_width, int end_width)
{
    struct number_scale scale = number_scale_of(kind, interval[0], interval[1], interval[2]);
    char cell[NUMBER_BUFFER];
    for (int i = 0; i < 3; i++) {
        document_cell(d, number_scaled(cell, sizeof cell, &scale, interval[i]),
                      i ? end_width : value_width);
        if (scale.suffix[0] == ' ')
            scale.suffix =
                /* Only the value has the unit. All three numbers have the prefix, such as "k". */
                "";
    }
}

void document_cells(struct document *d, const struct field fields[], const void *record)
{
    /* A left-aligned column has two blanks before it if it is the row's first column or follows a
       right-aligned one. */
    bool left = d->open < d->cell_count || d->pending.length;
    for (const struct field *f = fields; f->kind != FIELDS_END; f++) {
        if (!f->title)
            continue;
        if (!left && f->width < 0)
            document_add(d, "  ");
        left = f->width < 0;
        struct text words = {0};
        if (record)
            field_show(f, record, &words);
        else
            text_add(&words, f->title);
        document_cell(d, layout_string(&words), f->width);
        d->failed |= words.failed;
        text_free(&words);
    }
}

void document_records(struct document *d, const struct field fields[], const void *records,
                      size_t count, size_t size)
{
    document_cells(d, fields, NULL);
    document_end_titles(d);
    for (size_t i = 0; i < count; i++) {
        document_cells(d, fields, (const char *)records + i * size);
        document_end_row(d);
    }
}

/* ---- the rest ---- */

void document_figure(struct document *d, struct figure figure)
{
    add_block(d, (struct document_block){.kind = BLOCK_FIGURE, .figure = figure});
}

void document_part(struct document *d)
{
    add_block(d, (struct document_block){.kind = BLOCK_PART});
}

void document_labels(struct document *d, const struct labels *labels)
{
    struct label label;
    struct text top = {0};
    text_add(&top, d->subtitle ? d->subtitle : "");
    for (size_t at = 0; d->style.page && labels_next(labels, &at, &label);)
        text_addf(&top, "%s%s: %s", top.length ? "; " : "", label.key, label.value);
    document_subtitle(d, layout_string(&top));
    d->failed |= top.failed;
    text_free(&top);
    for (size_t at = 0; !d->style.page && labels_next(labels, &at, &label);) {
        char lead[LABEL_KEY_MAX + 16];
        snprintf(lead, sizeof lead, "  label %-*s ", LABEL_WIDTH, label.key);
        document_paragraph(d, lead, TONE_PLAIN, label.value);
    }
}

void document_cut(struct document *d, size_t count)
{
    d->count = count < d->count ? count : d->count;
}

bool report_has_format(const struct report_kind *kind, const char *format)
{
    static const char *const formats[] = {"text", "csv", "json", "html"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(formats[i], format))
            return true;
    return kind->fio_json && !strcmp(format, "fio-json");
}

void report_print(const struct report_kind *kind, const void *what, const char *format,
                  const struct report_style *style, struct text *out)
{
    static const struct report_style page = {
        .unicode = true, .width = 200, .full = true, .page = true};
    const bool is_page = !strcmp(format, "html");
    if (!strcmp(format, "csv")) {
        kind->csv(what, out);
    } else if (!strcmp(format, "json")) {
        kind->json(what, out);
    } else if (kind->fio_json && !strcmp(format, "fio-json")) {
        kind->fio_json(what, out);
    } else {
        struct document d = document_for(is_page ? &page : style);
        kind->document(what, &d);
        (is_page ? document_print_page : document_print_text)(&d, out);
        document_free(&d);
    }
}

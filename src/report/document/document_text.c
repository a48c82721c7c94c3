/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints documents as text. */
#include "report/document/document.h"
#include "report/layout/screen_fit.h"

/* Adds words in a tone. TONE_PLAIN adds no control sequences. */
static void add_toned(struct text *out, const struct report_style *style, enum tone tone,
                      const char *words, int width)
{
    if (tone != TONE_PLAIN)
        layout_tone(out, style, tone);
    if (width > 0)
        layout_right(out, words, (size_t)width);
    else
        layout_left(out, words, (size_t)-width);
    if (tone != TONE_PLAIN)
        layout_tone(out, style, TONE_PLAIN);
}

static void add_cells(const struct document *d, const struct document_block *b, struct text *out)
{
    layout_left(out, b->lead, 0);
    for (size_t i = 0; i < b->cell_count; i++) {
        const struct document_cell *c = &d->cells[b->first_cell + i];
        add_toned(out, &d->style, b->kind == BLOCK_ROW ? c->tone : TONE_PLAIN, c->words, c->width);
        layout_left(out, c->after, 0);
    }
}

static void add_row(const struct document *d, const struct document_block *b, struct text *out)
{
    struct text lead = {0}, hang = {0};
    if (!b->words) {
        add_cells(d, b, out);
        layout_end_line(out);
        return;
    }
    add_cells(d, b, &lead);
    if (b->hangs) {
        layout_left(&hang, "", layout_length(layout_string(&lead)));
        layout_hanging(out, &d->style, layout_string(&lead), layout_string(&hang), b->words);
    } else {
        layout_paragraph(out, &d->style, layout_string(&lead), b->tone, b->words);
    }
    out->failed |= lead.failed || hang.failed;
    text_free(&lead);
    text_free(&hang);
}

static void add_paragraph(const struct document *d, const struct document_block *b,
                          struct text *out)
{
    struct text cut = {0}, *to = b->lines_max ? &cut : out;
    if (b->hang)
        layout_hanging(to, &d->style, b->lead, b->hang, b->words);
    else
        layout_paragraph(to, &d->style, b->lead, b->tone, b->words);
    if (!b->lines_max)
        return;
    screen_cut(&cut, b->lines_max);
    text_add(out, layout_string(&cut));
    out->failed |= cut.failed;
    text_free(&cut);
}

/* Adds the titles of a table, all in the block's tone. */
static void add_titles(const struct document *d, const struct document_block *b, struct text *out)
{
    if (b->tone != TONE_PLAIN)
        layout_tone(out, &d->style, b->tone);
    add_cells(d, b, out);
    if (b->tone != TONE_PLAIN)
        layout_tone(out, &d->style, TONE_PLAIN);
    layout_end_line(out);
}

static void add_block(const struct document *d, const struct document_block *b, struct text *out)
{
    switch (b->kind) {
    case BLOCK_HEADING:
        text_add(out, "\n");
        layout_tone(out, &d->style, TONE_BOLD);
        layout_left(out, b->words, 0);
        if (*b->more) {
            layout_tone(out, &d->style, b->tone);
            text_add(out, b->more);
        }
        layout_tone(out, &d->style, TONE_PLAIN);
        text_add(out, "\n");
        break;
    case BLOCK_PARAGRAPH:
        add_paragraph(d, b, out);
        break;
    case BLOCK_LINE:
        layout_left(out, b->lead, 0);
        add_toned(out, &d->style, b->tone, b->words, 0);
        layout_left(out, b->more, 0);
        layout_end_line(out);
        break;
    case BLOCK_TITLES:
        add_titles(d, b, out);
        break;
    case BLOCK_ROW:
        add_row(d, b, out);
        break;
    case BLOCK_BLANK:
        text_add(out, "\n");
        break;
    case BLOCK_FIGURE:
        if (b->figure.text)
            b->figure.text(b->figure.context, b->figure.number, &d->style, out);
        break;
    case BLOCK_PART:
        break;
    }
}

static void add_blocks(const struct document *d, size_t begin, struct text *out)
{
    for (size_t i = begin; i < d->count; i++)
        add_block(d, &d->blocks[i], out);
    out->failed |= d->failed;
}

size_t document_lines(const struct document *d, size_t begin)
{
    struct text out = {0};
    size_t lines = 0;
    add_blocks(d, begin, &out);
    for (size_t i = 0; i < out.length; i++)
        lines += out.data[i] == '\n';
    text_free(&out);
    return lines;
}

void document_print_text(const struct document *d, struct text *out)
{
    add_blocks(d, 0, out);
}

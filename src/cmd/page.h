/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A manual page being built, either as plain text of 80 columns (--help) or as troff source
 * (help --man): the same calls make both.
 *
 * The page appends to a text that the caller owns and keeps nothing else.
 */
#ifndef CUPEL_CMD_PAGE_H
#define CUPEL_CMD_PAGE_H

#include "base/text.h"

enum page_format { PAGE_PLAIN, PAGE_TROFF };

struct page {
    enum page_format format;
    struct text *out;
};

#define PAGE_COLUMNS 80

/* The first line of a manual page (troff only): "cupel-run", "measure a target". */
void page_title(struct page *p, const char *name);

void page_section(struct page *p, const char *heading);
void page_subsection(struct page *p, const char *heading);
void page_paragraph(struct page *p, const char *words);

/* A line that is to be typed as it stands. */
void page_literal(struct page *p, const char *line);

/* A term and, indented behind it, its explanation. */
void page_item(struct page *p, const char *term, const char *words);

#endif

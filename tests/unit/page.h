/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that hold for every page of text that src/report makes. */
#ifndef TESTS_UNIT_PAGE_H
#define TESTS_UNIT_PAGE_H

#include "base/text.h"
#include "report/document/document.h"
#include "tests/unit/check.h"

/* Prints as text what a statement adds to the document `d`. */
#define PRINT_DOCUMENT(style, out, statement)                                                      \
    do {                                                                                           \
        struct document d = document_for(style);                                                   \
        statement;                                                                                 \
        document_print_text(&d, out);                                                              \
        document_free(&d);                                                                         \
    } while (0)

/* Checks that no line exceeds 80 columns or ends with a blank, and that there is no control
   character. */
static inline void page_check(const struct text *page)
{
    size_t column = 0, longest = 0, controls = 0, blank_ends = 0;
    CHECK(page->length > 0 && page->data[page->length - 1] == '\n');
    for (size_t i = 0; i < page->length; i++) {
        unsigned char c = (unsigned char)page->data[i];
        if (c == '\n') {
            blank_ends += i > 0 && page->data[i - 1] == ' ';
            column = 0;
            continue;
        }
        controls += c < 0x20 || c == 0x7f;
        column += (c & 0xc0) != 0x80;
        longest = column > longest ? column : longest;
    }
    CHECK(longest <= 80);
    CHECK_INT(controls, 0);
    CHECK_INT(blank_ends, 0);
}

#endif

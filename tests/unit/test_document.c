/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A document's blocks as text and as an HTML page: tables, plots, and words that look like markup.
 */
#include "report/document/document.h"
#include "tests/unit/check.h"

static const struct report_style narrow = {.width = 60};

static void check_text(const struct document *d, const char *expected)
{
    struct text out = {0};
    document_print_text(d, &out);
    CHECK(!out.failed);
    CHECK_STR(layout_string(&out), expected);
    text_free(&out);
}

/* Compares the part of the page between its header and its footer. */
static void check_page(const struct document *d, const char *expected)
{
    struct text out = {0};
    document_print_page(d, &out);
    CHECK(!out.failed);
    char *begin = out.data ? strstr(out.data, "</header>\n") : NULL;
    char *end = begin ? strstr(begin, "<footer>") : NULL;
    CHECK(end != NULL);
    if (end) {
        *end = '\0';
        CHECK_STR(begin + strlen("</header>\n"), expected);
    }
    text_free(&out);
}

static void draw_text(const void *context, size_t number, const struct report_style *style,
                      struct text *out)
{
    text_addf(out, "%s %zu, %d columns\n", (const char *)context, number, style->width);
}

static void draw_page(const void *context, size_t number, struct text *out)
{
    if (context)
        text_addf(out, "[%s %zu]\n", (const char *)context, number);
}

static void check_sections(void)
{
    static const struct layout_column titles[] = {{"", -8}, {"value", 8}, {"", 2}, {"note", -6}};
    struct document d = document_for(&narrow);
    document_paragraph(&d, "DONE: ", TONE_GREEN, "1 < 2");
    document_heading(&d, "Numbers & more");
    document_titles(&d, titles, 4);
    document_add(&d, "  ");
    document_left(&d, "<b>", 6);
    document_right(&d, "17", 8);
    document_add(&d, " *");
    document_end_row(&d);
    document_paragraph(&d, "      ", TONE_PLAIN, "about it");
    document_line(&d, "  and %d more", 3);
    document_paragraph(&d, "  ", TONE_PLAIN, "the legend");
    document_figure(
        &d, (struct figure){.text = draw_text, .page = draw_page, .context = "plot", .number = 4});
    document_end_row(&d);
    document_figure(&d, (struct figure){.title = "Empty", .page = draw_page});
    document_figure(&d, (struct figure){.title = "Other", .page = draw_page, .context = "x"});
    check_text(&d, "DONE: 1 < 2\n\nNumbers & more\n           value  note\n  <b>         17 *\n"
                   "      about it\n  and 3 more\n  the legend\nplot 4, 60 columns\n\n");
    check_page(&d, "<div class=\"verdict\">\n"
                   "<p class=\"good\"><strong>DONE:</strong> 1 &lt; 2</p>\n</div>\n"
                   "<section>\n<h2>Numbers &amp; more</h2>\n"
                   "<div class=\"table\"><table><thead><tr><td></td>"
                   "<th scope=\"col\" class=\"n\">value</th><th scope=\"col\">note</th>"
                   "</tr></thead>\n<tbody><tr><th scope=\"row\">&lt;b&gt;</th>"
                   "<td class=\"n\" data-title=\"value\">17 *</td><td></td></tr>\n"
                   "<tr class=\"remark \"><td colspan=\"3\">about it</td></tr>\n"
                   "<tr class=\"remark \"><td colspan=\"3\">and 3 more</td></tr>\n"
                   "</tbody></table></div>\n<p class=\"legend\">the legend</p>\n"
                   "[plot 4]\n</section>\n<section>\n<h2>Other</h2>\n[x 0]\n</section>\n");
    document_free(&d);
}

/* Text after the cells takes the rest of the line, or of the table. */
static void check_pairs(void)
{
    struct document d = document_for(&narrow);
    document_add(&d, "  ");
    document_left(&d, "key", 8);
    document_end_row_in_words(&d, TONE_RED, "a value that is longer than what is left of one line");
    check_text(&d, "  key     a value that is longer than what is left of one\n"
                   "          line\n");
    document_part(&d);
    check_page(&d, "<div class=\"verdict\">\n<div class=\"table\"><table class=\"pairs\"><tbody>"
                   "<tr class=\"bad\"><th scope=\"row\">key</th>"
                   "<td>a value that is longer than what is left of one line</td></tr>\n"
                   "</tbody></table></div>\n</div>\n");
    document_free(&d);
}

/* Lines are counted as printed, and blocks that do not fit are removed again. */
static void check_cutting(void)
{
    struct document d = document_for(&narrow);
    document_heading(&d, "One");
    const size_t begin = d.count;
    document_paragraph(&d, "", TONE_PLAIN,
                       "sixty columns hold only a part of this sentence, which takes two");
    document_heading_toned(&d, "sda: ", TONE_RED, "FAIL");
    CHECK_INT(document_lines(&d, begin), 4);
    CHECK_INT(document_lines(&d, 0), 6);
    document_cut(&d, begin);
    check_text(&d, "\nOne\n");
    document_free(&d);
}

/* No byte in a text becomes markup or controls a terminal. */
static void check_hostile_words(void)
{
    static const char words[] = "\x1c<a>\x1d\x1e<b>\x1f\x01\x1b[31m";
    struct document d = document_for(&narrow);
    struct text page = {0}, text = {0};
    document_heading(&d, words);
    document_paragraph(&d, words, TONE_PLAIN, words);
    document_left(&d, words, 3);
    document_end_titles(&d);
    document_add(&d, words);
    document_right(&d, words, 3);
    document_add(&d, words);
    document_end_row(&d);
    document_line(&d, "%s", words);
    document_print_page(&d, &page);
    document_print_text(&d, &text);
    CHECK(!strpbrk(page.data, "\x1c\x1d\x1e\x1f\x01\x1b") && !strstr(page.data, "<a>") &&
          !strstr(page.data, "<b>"));
    CHECK(!strpbrk(text.data, "\x1c\x1d\x1e\x1f\x01\x1b"));
    text_free(&page);
    text_free(&text);
    document_free(&d);
}

int main(void)
{
    check_sections();
    check_pairs();
    check_cutting();
    check_hostile_words();
    return check_result();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits the sections of a report on one screen. */
#include "report/layout/screen_fit.h"

#include "report/layout/layout.h"

#define RANK_MAX        9
#define TABLE_WIDTH_MIN 60

/* Replaces the last words of a text by dots, without making any line longer. */
static void end_in_dots(struct text *t)
{
    const size_t dots = 4; /* length of " ..." */
    size_t end = t->length;
    for (size_t i = end; i-- > 0 && t->data[i] != '\n' && t->data[i] != '\033';)
        if (t->data[i] == ' ' && t->length - i >= dots && i > 0 && t->data[i - 1] != ' ') {
            end = i;
            break;
        }
    t->length = end;
    t->data[t->length] = '\0';
    text_add(t, " ...\n");
}

size_t screen_cut(struct text *t, size_t lines)
{
    const size_t all = text_lines(t);
    if (all <= lines)
        return all;
    size_t end = 0;
    for (size_t seen = 0; seen < lines; end++)
        seen += t->data[end] == '\n';
    t->length = end - 1;
    end_in_dots(t);
    return lines;
}

size_t screen_lines(const struct report_style *style)
{
    return style->lines > SCREEN_LINES + 2 ? (size_t)style->lines - 2 : SCREEN_LINES;
}

size_t screen_fit(struct screen_part parts[], size_t count, size_t lines)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        used += screen_cut(&parts[i].text, parts[i].lines_max);
    for (unsigned rank = RANK_MAX; rank > 0; rank--)
        for (size_t i = count; i-- > 0 && used > lines;)
            if (parts[i].rank == rank) {
                used -= text_lines(&parts[i].text);
                text_free(&parts[i].text);
            }
    return used;
}

void screen_join(struct screen_part parts[], size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        text_add(out, layout_string(&parts[i].text));
        out->failed = out->failed || parts[i].text.failed;
        text_free(&parts[i].text);
    }
}

void screen_add_footer(const struct report_style *style, struct text *out)
{
    struct text words = {0};
    if (style->folder && *style->folder)
        text_addf(&words, "%s/report.txt, report.html", style->folder);
    else
        text_add(&words, "--full; -o DIR keeps it");
    layout_paragraph(out, style, "The whole report: ", TONE_PLAIN, layout_string(&words));
    out->failed = out->failed || words.failed;
    text_free(&words);
}

bool screen_is_narrow(const struct report_style *style)
{
    return style->width > 0 && style->width < TABLE_WIDTH_MIN;
}

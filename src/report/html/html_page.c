/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame of a page: its head with style and rules for browsers, its heading, its end. */
#include "base/version.h"
#include "report/html/internal.h"

static void begin(struct text *out, const char *title, const char *words, bool program)
{
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  "<meta name=\"generator\" content=\"cupel ");
    text_add(out, cupel_version);
    text_add(out, "\">\n<title>");
    html_add(out, title);
    text_add(out, "</title>\n");
    html_add_parts(out, program);
    text_add(out, "</head>\n<body>\n<main>\n<header>\n<h1>");
    html_add(out, title);
    text_add(out, "</h1>\n");
    if (words[0]) {
        text_add(out, "<p class=\"what\">");
        html_add(out, words);
        text_add(out, "</p>\n");
    }
    text_add(out, "</header>\n");
}

void html_begin(struct text *out, const char *title, const char *words)
{
    begin(out, title, words, true);
}

void html_begin_plain(struct text *out, const char *title, const char *words)
{
    begin(out, title, words, false);
}

void html_end(struct text *out)
{
    text_addf(out, "<footer>\n<p>cupel %s</p>\n</footer>\n</main>\n</body>\n</html>\n",
              cupel_version);
}

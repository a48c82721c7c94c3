/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame of a page: its head with style and rules for browsers, its heading, its end. */
#include "base/version.h"
#include "report/html/html.h"

/* The page's style, as a string. */
__asm__(".pushsection .rodata.html_style_sheet,\"a\"\nhtml_style_sheet:\n"
        ".incbin \"tables/html/page.css\"\n.byte 0\n.popsection\n");
extern const char html_style_sheet[];

const struct report_style html_style = {.unicode = true, .width = 200, .full = true};

struct text html_marked(void)
{
    return (struct text){.marked = true};
}

void html_begin(struct text *out, const char *title, const char *words)
{
    text_add(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
             "'unsafe-inline'\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n"
             "<meta name=\"generator\" content=\"cupel ");
    text_add(out, cupel_version);
    text_add(out, "\">\n<title>");
    html_add(out, title);
    text_add(out, "</title>\n<style>\n");
    text_add(out, html_style_sheet);
    text_add(out, "</style>\n</head>\n<body>\n<main>\n<header>\n<h1>");
    html_add(out, title);
    text_add(out, "</h1>\n");
    if (words[0]) {
        text_add(out, "<p class=\"what\">");
        html_add(out, words);
        text_add(out, "</p>\n");
    }
    text_add(out, "</header>\n");
}

void html_end(struct text *out)
{
    text_addf(out, "<footer>\n<p>cupel %s</p>\n</footer>\n</main>\n</body>\n</html>\n",
              cupel_version);
}

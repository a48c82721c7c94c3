/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Escapes text for a page. No other file adds words to a page. */
#include "base/span.h"
#include "report/html/html.h"

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void html_add(struct text *out, const char *words)
{
    struct span rest = span_of(words);
    while (rest.length > 0) {
        uint32_t code = 0;
        size_t bytes = span_decode(rest, &code);
        const char *instead = bytes == 1 ? entity(*rest.text) : NULL;
        if (bytes == 0 || span_steers(code))
            instead = "?";
        if (instead)
            text_add(out, instead);
        else
            text_add_bytes(out, rest.text, bytes);
        bytes += bytes == 0;
        rest.text += bytes;
        rest.length -= bytes;
    }
}

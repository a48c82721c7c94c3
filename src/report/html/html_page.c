/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the frame of a page: its head with the style and rules for browsers, its heading and its
 * end. Style and script (tables/html, uPlot) are stored deflated in the program. The rules allow
 * the browser to run only this script.
 */
#include "report/html/internal.h"

#define ZLIB_CONST
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/endian.h"
#include "base/version.h"

/* A gzip file of three strings: style, script and rules. embed_page of build.sh makes it. The gzip
   format ends with the length of the strings. */
__asm__(
    ".pushsection .rodata.page,\"a\"\n.balign 4\npage_gzip_bytes: .long page_gzip_end - page_gzip\n"
    "page_gzip:\n.incbin \"page.gz\"\npage_gzip_end:\n.popsection\n");

extern const unsigned char page_gzip[];
extern const uint32_t page_gzip_bytes;

enum { GZIP_WINDOW = 16 + MAX_WBITS, LENGTH_BYTES = 4 };

/* Returns the inflated strings, which the caller frees, or NULL when memory ran out. */
static char *inflate_parts(void)
{
    const uint32_t length = load_le32(page_gzip + page_gzip_bytes - LENGTH_BYTES);
    z_stream stream = {.next_in = page_gzip, .avail_in = page_gzip_bytes};
    char *parts = malloc(length);
    if (!parts || inflateInit2(&stream, GZIP_WINDOW) != Z_OK) {
        free(parts);
        return NULL;
    }
    stream.next_out = (unsigned char *)parts;
    stream.avail_out = length;
    inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return parts;
}

/*
 * Adds the style and, with `program`, the script and a rule that allows the browser to run no other
 * script. The rule identifies the script by a checksum over exactly the bytes of its element. As a
 * module, the script runs after the whole page is loaded.
 */
static void html_add_parts(struct text *out, bool program)
{
    char *style = inflate_parts();
    if (!style) {
        out->failed = true;
        return;
    }
    const char *script = style + strlen(style) + 1;
    const char *policy =
        program ? script + strlen(script) + 1 : "default-src 'none'; style-src 'unsafe-inline'";
    text_addf(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n<style>", policy);
    text_add(out, style);
    text_add(out, "</style>\n");
    if (program) {
        text_add(out, "<script type=\"module\" class=\"program\">");
        text_add(out, script);
        text_add(out, "</script>\n");
    }
    free(style);
}

void html_begin(struct text *out, const char *title, const char *words, enum html_form form)
{
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  "<meta name=\"generator\" content=\"cupel ");
    text_add(out, cupel_version);
    text_add(out, "\">\n<title>");
    html_add(out, title);
    text_add(out, "</title>\n");
    html_add_parts(out, form == HTML_FIGURES);
    text_addf(out, "</head>\n<body%s>\n" HTML_MAIN "<header>\n<h1>",
              form == HTML_SHEET         ? " class=\"sheet\""
              : form == HTML_DENSE_SHEET ? " class=\"sheet dense\""
                                         : "");
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
    text_addf(out, HTML_AFTER_MAIN "<p>cupel %s</p>\n</footer>\n</main>\n</body>\n</html>\n",
              cupel_version);
}

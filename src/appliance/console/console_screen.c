/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws pages on each console for its own size and font, and filters what may reach it. */
#include <string.h>

#include "appliance/console/console.h"
#include "appliance/console/internal.h"

#define FULL_BLOCK_UTF8 "\xe2\x96\x88"
/* ISO 2022: selects UTF-8 for the characters that follow. */
#define SELECT_UTF8 "\033%G"
#define COLOUR_MAX  16 /* bytes of "ESC [ 1 ; 3 2 m" */

unsigned console_count(const struct console *c)
{
    return c->count;
}

struct console_screen console_screen_of(const struct console *c, unsigned terminal)
{
    return terminal_screen(&c->terminals[terminal]);
}

struct console_screen console_screen_of_key(const struct console *c)
{
    return terminal_screen(&c->terminals[c->key_terminal]);
}

/* ---- drawing ---- */

/* Returns the length of a sequence that sets colours; 0 if it is not one. */
static size_t colour_bytes(const char *at)
{
    if (at[0] != '\033' || at[1] != '[')
        return 0;
    size_t digits = strspn(at + 2, "0123456789;");
    return at[2 + digits] == 'm' && digits < COLOUR_MAX ? 2 + digits + 1 : 0;
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Adds one character of the page; returns the number of its bytes. */
static size_t add_character(struct text *out, const char *at, bool blocks)
{
    const size_t block = strlen(FULL_BLOCK_UTF8);
    if (!strncmp(at, FULL_BLOCK_UTF8, block)) {
        text_add(out, blocks ? FULL_BLOCK_UTF8 : "#");
        return block;
    }
    size_t bytes = 1;
    while (is_continuation(at[bytes]))
        bytes++;
    bool plain = *at >= ' ' && *at < 127;
    text_add_bytes(out, plain ? at : "?", 1);
    return bytes;
}

/* Adds the part of the page that fits the screen, and of it only what the terminal may receive. */
static void add_visible(struct text *out, const char *page, const struct console_screen *screen)
{
    size_t column = 0, row = 1;
    bool coloured = false;
    for (const char *at = page; *at && row <= screen->rows;) {
        size_t colour = colour_bytes(at);
        if (colour) {
            coloured = true;
            text_add_bytes(out, at, colour);
            at += colour;
        } else if (*at == '\n') {
            text_add(out, row++ < screen->rows ? "\r\n" : "");
            column = 0;
            at++;
        } else if (column < screen->columns) {
            at += add_character(out, at, screen->blocks);
            column++;
        } else {
            at++;
        }
    }
    if (coloured)
        text_add(out, CONSOLE_PLAIN);
}

void console_draw(struct console *c, console_page *page, void *context)
{
    c->line_stands = false;
    for (unsigned i = 0; i < c->count; i++) {
        struct console_screen screen = terminal_screen(&c->terminals[i]);
        struct text made = {0}, out = {0};
        page(context, i, &screen, &made);
        if (screen.blocks)
            text_add(&out, SELECT_UTF8);
        text_add(&out, CONSOLE_ERASE_SCREEN);
        add_visible(&out, made.data ? made.data : "", &screen);
        terminals_write(&c->terminals[i], 1, out.data ? out.data : "", out.length);
        text_free(&made);
        text_free(&out);
    }
}

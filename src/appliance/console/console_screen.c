/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws pages on each console for its own size and font, and filters what may reach it. */
#include <linux/kd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "appliance/console/console.h"
#include "appliance/console/internal.h"

#define ROWS_DEFAULT 24
/* Limits of a plausible screen: a larger size is not believed; a smaller screen can show nothing
   whole. */
#define COLUMNS_MIN        20
#define ROWS_MIN           5
#define SIZE_MAX_OF_SCREEN 1000

#define FULL_BLOCK      0x2588
#define FULL_BLOCK_UTF8 "\xe2\x96\x88"
#define FONT_CHARACTERS 8192
/* ISO 2022: characters are UTF-8 from here on. */
#define SELECT_UTF8 "\033%G"
#define COLOUR_MAX  16 /* bytes of "ESC [ 1 ; 3 2 m" */

/* ---- the screen ---- */

/* Returns whether the font has the full block. Only the kernel's own console answers this query. */
static bool has_blocks(int fd)
{
    struct unipair *pairs = calloc(FONT_CHARACTERS, sizeof *pairs);
    struct unimapdesc font = {.entry_ct = FONT_CHARACTERS, .entries = pairs};
    bool found = false;
    if (pairs && ioctl(fd, GIO_UNIMAP, &font) == 0)
        for (size_t i = 0; i < font.entry_ct && i < FONT_CHARACTERS; i++)
            found = found || pairs[i].unicode == FULL_BLOCK;
    free(pairs);
    return found;
}

struct console_screen terminal_screen(const struct terminal *t)
{
    struct console_screen screen = {CONSOLE_COLUMNS, ROWS_DEFAULT, false};
    struct winsize window;
    if (ioctl(t->out, TIOCGWINSZ, &window) == 0) {
        if (window.ws_col > 0 && window.ws_col <= SIZE_MAX_OF_SCREEN)
            screen.columns = window.ws_col < COLUMNS_MIN ? COLUMNS_MIN : window.ws_col;
        if (window.ws_row > 0 && window.ws_row <= SIZE_MAX_OF_SCREEN)
            screen.rows = window.ws_row < ROWS_MIN ? ROWS_MIN : window.ws_row;
    }
    screen.blocks = has_blocks(t->out);
    return screen;
}

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

/* Adds one character of the page; returns its bytes. */
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

/* Adds the part of the page that the terminal may receive and that fits its columns and rows. */
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

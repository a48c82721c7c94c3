/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mechanisms that all pages of the menu share: keys, waiting for one, and the pager, which
   shows a text of any length on a screen of 24 lines. */
#include "cmd/appliance/internal.h"
#include <stdlib.h>
#include <string.h>

#include "init/process/milliseconds.h"

enum { COLUMNS = 80, LINES = 22 };

enum menu_end menu_end_of_key(int key)
{
    if (key == CONSOLE_RESTART)
        return MENU_REBOOT;
    return key == CONSOLE_END_OF_INPUT ? MENU_END_OF_INPUT : MENU_GO_ON;
}

/* ---- keys, and none ---- */

int menu_key_within(struct menu *m, int milliseconds)
{
    int key = console_key(m->console, milliseconds);
    if (key != CONSOLE_NONE || m->key_seconds == 0)
        m->key_seconds = boot_seconds();
    return key;
}

bool menu_is_left_alone(const struct menu *m)
{
    return m->idle_seconds > 0 && boot_seconds() - m->key_seconds >= m->idle_seconds;
}

int menu_key(struct menu *m)
{
    int key = CONSOLE_NONE;
    while (key == CONSOLE_NONE && !menu_is_left_alone(m))
        key = menu_key_within(m, MENU_LOOK_MS);
    return key == CONSOLE_NONE ? CONSOLE_ESCAPE : key;
}

enum menu_end menu_wait(struct menu *m)
{
    console_print(m->console, "\nPress a key for the menu.");
    int key = menu_key(m);
    console_print(m->console, "\n");
    return menu_end_of_key(key);
}

enum menu_end menu_qualify(struct menu *m, const struct menu_order *order)
{
    m->idle_seconds = 0; /* somebody works here */
    console_clear(m->console);
    console_keep_log(m->console, true);
    m->actions->qualify(m->context, order);
    console_keep_log(m->console, false);
    return menu_wait(m);
}

/* ---- the pager ---- */

/* Where each line on the screen begins; a line longer than the screen is wide goes on below. */
struct pager {
    const char *text;
    size_t *begins; /* count + 1 of them: the last is the end */
    size_t count;
};

/* The bytes of the screen line at `text`, without its line end. */
static size_t line_length(const char *text)
{
    size_t length = strcspn(text, "\n");
    return length < COLUMNS ? length : COLUMNS;
}

static size_t next_line(const char *text, size_t at)
{
    size_t end = at + line_length(text + at);
    return end + (text[end] == '\n');
}

static bool open_pager(struct pager *p, const char *text)
{
    *p = (struct pager){.text = text};
    for (size_t at = 0; text[at]; at = next_line(text, at))
        p->count++;
    p->begins = calloc(p->count + 1, sizeof *p->begins);
    for (size_t i = 0; p->begins && i < p->count; i++)
        p->begins[i + 1] = next_line(text, p->begins[i]);
    return p->begins != NULL;
}

static void draw_page(struct console *c, const struct pager *p, const char *title, size_t first,
                      const char *other_words)
{
    size_t last = first + LINES < p->count ? first + LINES : p->count;
    console_clear(c);
    for (size_t i = first; i < last; i++) {
        console_write(c, p->text + p->begins[i], line_length(p->text + p->begins[i]));
        console_write(c, "\n", 1);
    }
    for (size_t i = last; i < first + LINES; i++)
        console_write(c, "\n", 1);
    console_print(c, "-- %s, lines %zu to %zu of %zu\n", title, p->count ? first + 1 : 0, last,
                  p->count);
    console_print(c, "   PgDn PgUp Up Down: turn the page%s; q: back ", other_words);
}

static size_t last_page(const struct pager *p)
{
    return p->count > LINES ? p->count - LINES : 0;
}

/* The first line to be shown after that key. */
static size_t line_after_key(const struct pager *p, size_t first, int key)
{
    size_t last = last_page(p);
    switch (key) {
    case CONSOLE_PAGE_DOWN:
    case CONSOLE_ENTER:
    case ' ':
        return first + LINES < last ? first + LINES : last;
    case CONSOLE_PAGE_UP:
    case 'b':
        return first > LINES ? first - LINES : 0;
    case CONSOLE_DOWN:
        return first < last ? first + 1 : last;
    case CONSOLE_UP:
        return first > 0 ? first - 1 : 0;
    default:
        return first;
    }
}

int menu_pager(struct menu *m, const char *title, const struct text *text, bool from_end, int other,
               const char *other_words)
{
    struct pager p;
    const char *shown = text->failed   ? "There is no memory left for this text.\n"
                        : text->length ? text->data
                                       : "There is nothing to show.\n";
    if (!open_pager(&p, shown))
        return CONSOLE_ESCAPE;
    size_t first = from_end ? last_page(&p) : 0;
    int key;
    bool ends;
    do {
        draw_page(m->console, &p, title, first, other_words);
        key = menu_key(m);
        first = line_after_key(&p, first, key);
        ends = key == 'q' || key == CONSOLE_ESCAPE || key == CONSOLE_INTERRUPT ||
               key == CONSOLE_RESTART || key == CONSOLE_END_OF_INPUT || (other && key == other);
    } while (!ends);
    free(p.begins);
    return key;
}

enum menu_end menu_show_log(struct menu *m)
{
    bool kernel = false;
    for (;;) {
        struct text text = {0};
        (kernel ? m->actions->kernel_log : m->actions->log)(m->context, &text);
        int key = menu_pager(m, kernel ? "the kernel's messages" : "the log", &text, true, 'k',
                             kernel ? "; k: the log" : "; k: the kernel's messages");
        text_free(&text);
        if (key != 'k')
            return menu_end_of_key(key);
        kernel = !kernel;
    }
}

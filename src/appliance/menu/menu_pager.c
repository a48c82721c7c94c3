/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows a text of any length on screens of any size (the pager), and the page of a verdict. */
#include "appliance/menu/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of the screen's rows that show the position in the text and the keys. */
enum { STATUS_ROWS = 2, TAB = 8 };

/* The begin of each line of a text on a screen of a given width. A line that is too long continues
   in the next row. */
struct pager {
    const char *text;
    size_t *begins; /* count + 1 entries: the last is the end */
    size_t count, columns, rows;
};

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Returns the bytes of the screen line at `text`, which ends at a line's end or between two words;
 *next: the bytes up to the next screen line. */
static size_t line_bytes(const char *text, size_t columns, size_t *next)
{
    size_t column = 0, bytes = 0, blank = 0;
    bool word = false;
    for (; text[bytes] && text[bytes] != '\n'; bytes++) {
        size_t width = text[bytes] == '\t' ? TAB - column % TAB : !is_continuation(text[bytes]);
        if (column + width > columns)
            break;
        column += width;
        bool is_blank = text[bytes] == ' ' || text[bytes] == '\t';
        blank = is_blank && word ? bytes : blank;
        word = word || !is_blank;
    }
    bool ends = text[bytes] == '\0' || text[bytes] == '\n' || text[bytes] == ' ';
    if (!ends && blank > 0)
        bytes = blank;
    *next = bytes + (text[bytes] == '\n' || text[bytes] == ' ');
    return bytes;
}

static bool open_pager(struct pager *p, const char *text, const struct console_screen *screen)
{
    size_t next;
    *p = (struct pager){.text = text, .columns = screen->columns};
    p->rows = screen->rows > STATUS_ROWS ? screen->rows - STATUS_ROWS : 1;
    for (size_t at = 0; text[at]; at += next, p->count++)
        line_bytes(text + at, p->columns, &next);
    p->begins = calloc(p->count + 1, sizeof *p->begins);
    for (size_t i = 0; p->begins && i < p->count; i++) {
        line_bytes(text + p->begins[i], p->columns, &next);
        p->begins[i + 1] = p->begins[i] + next;
    }
    return p->begins != NULL;
}

/* Returns the line that contains the byte `at`. */
static size_t line_of(const struct pager *p, size_t at)
{
    size_t line = 0;
    while (line + 1 < p->count && p->begins[line + 1] <= at)
        line++;
    return line;
}

static size_t last_page(const struct pager *p)
{
    return p->count > p->rows ? p->count - p->rows : 0;
}

/* The shown text and its first byte: each console shows as much as fits. */
struct paging {
    const char *title, *text, *other_words;
    size_t at;
};

static void add_line(struct text *to, const char *line, size_t bytes)
{
    size_t column = 0;
    for (size_t i = 0; i < bytes; i++) {
        size_t blanks = line[i] == '\t' ? TAB - column % TAB : 0;
        column += blanks ? blanks : !is_continuation(line[i]);
        text_add_bytes(to, blanks ? "        " : line + i, blanks ? blanks : 1);
    }
    text_add(to, "\n");
}

static void add_keys(struct text *to, const char *other_words, size_t columns)
{
    struct text keys = {0};
    text_addf(&keys, "   Space b Up Down: turn the page%s; q: back ", other_words);
    text_add(to, keys.length < columns ? keys.data : "Space b: turn; q ");
    text_free(&keys);
}

static void draw_paging(void *context, unsigned terminal, const struct console_screen *screen,
                        struct text *to)
{
    const struct paging *paging = context;
    struct pager p;
    (void)terminal;
    if (!open_pager(&p, paging->text, screen))
        return;
    size_t first = line_of(&p, paging->at), next;
    size_t last = first + p.rows < p.count ? first + p.rows : p.count;
    for (size_t i = first; i < last; i++)
        add_line(to, p.text + p.begins[i], line_bytes(p.text + p.begins[i], p.columns, &next));
    for (size_t i = last; i < first + p.rows; i++)
        text_add(to, "\n");
    text_addf(to, "-- %s, lines %zu to %zu of %zu\n", paging->title, p.count ? first + 1 : 0, last,
              p.count);
    add_keys(to, paging->other_words, p.columns);
    free(p.begins);
}

/* Returns the first line to show after that key. */
static size_t line_after_key(const struct pager *p, size_t first, int key)
{
    size_t last = last_page(p);
    switch (key) {
    case CONSOLE_PAGE_DOWN:
    case CONSOLE_ENTER:
    case ' ':
        return first + p->rows < last ? first + p->rows : last;
    case CONSOLE_PAGE_UP:
    case 'b':
        return first > p->rows ? first - p->rows : 0;
    case CONSOLE_DOWN:
        return first < last ? first + 1 : last;
    case CONSOLE_UP:
        return first > 0 ? first - 1 : 0;
    default:
        return first;
    }
}

/* Turns the page for the screen on which the key was pressed. False: there is no memory. */
static bool turn_page(const struct console *c, struct paging *paging, int key, bool to_end)
{
    const struct console_screen screen = console_screen_of_key(c);
    struct pager p;
    if (!open_pager(&p, paging->text, &screen))
        return false;
    paging->at =
        p.begins[to_end ? last_page(&p) : line_after_key(&p, line_of(&p, paging->at), key)];
    free(p.begins);
    return true;
}

int menu_pager(struct menu *m, const char *title, const struct text *text, bool from_end, int other,
               const char *other_words)
{
    struct paging paging = {.title = title,
                            .other_words = other_words,
                            .text = text->failed   ? "There is no memory left for this text.\n"
                                    : text->length ? text->data
                                                   : "There is nothing to show.\n"};
    int key = CONSOLE_NONE;
    bool ends = !turn_page(m->console, &paging, key, from_end);
    if (ends)
        return CONSOLE_ESCAPE;
    do {
        console_draw(m->console, draw_paging, &paging);
        key = menu_key(m);
        ends = key == 'q' || key == CONSOLE_ESCAPE || key == CONSOLE_INTERRUPT ||
               key == CONSOLE_RESTART || key == CONSOLE_END_OF_INPUT || (other && key == other);
    } while (!ends && turn_page(m->console, &paging, key, false));
    return key;
}

enum menu_end menu_verdict(struct menu *m, const char *lead)
{
    char prompt[160];
    int key = CONSOLE_NONE;
    snprintf(prompt, sizeof prompt, "%s%sPress a key for the menu. d: all details.", lead,
             *lead ? " " : "");
    do {
        struct text details = {0};
        if (key == 'd') {
            m->actions->results(m->context, &details);
            key = menu_pager(m, "Results", &details, false, CONSOLE_NONE, "");
            text_free(&details);
            if (menu_end_of_key(key) != MENU_GO_ON)
                return menu_end_of_key(key);
        }
        if (!m->actions->verdict(m->context, prompt))
            return menu_wait(m);
        key = menu_key(m);
    } while (key == 'd');
    console_print(m->console, "\n");
    return menu_end_of_key(key);
}

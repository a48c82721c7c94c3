/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All consoles at once: output goes to every entry of /sys/class/tty/console/active (tty0 and ttyS0
 * ...), and input is taken from any of them.
 *
 * Terminals are in raw mode without echo: keys come as they are typed, and typed text is shown on
 * all consoles. Output is plain ASCII, 80 columns. All output is kept in a log of a fixed size, for
 * the log view and the log file. A slow console is waited for as long as it takes some output. One
 * that takes nothing for 2 s (a serial port held by flow control, scroll lock) is no longer waited
 * for: it loses the output that it does not take at once, and shows a note about that when it
 * continues. The caller closes it with console_close, which restores the terminals' settings. One
 * thread.
 */
#ifndef CUPEL_APPLIANCE_CONSOLE_CONSOLE_H
#define CUPEL_APPLIANCE_CONSOLE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

#define CONSOLES_MAX 8
#define CONSOLE_LOG  (256 << 10)

/* The keys other than printable ASCII. All others are ignored. */
enum console_key {
    CONSOLE_NONE = 0,      /* no key came within the time */
    CONSOLE_INTERRUPT = 3, /* Ctrl-C */
    CONSOLE_BACKSPACE = 8, /* or delete */
    CONSOLE_ENTER = '\r',  /* carriage return, line feed, or both */
    CONSOLE_ESCAPE = 27,
    CONSOLE_UP = 256,
    CONSOLE_DOWN,
    CONSOLE_PAGE_UP,
    CONSOLE_PAGE_DOWN,
    CONSOLE_RESTART,     /* Ctrl-Alt-Del, after system_mount has asked the kernel to report it */
    CONSOLE_END_OF_INPUT /* no console can be read any more; returned without waiting */
};

struct console;

/* Opens the consoles of this machine ("/sys", "/dev"); tests give other folders. ERR_MACHINE: there
   is no console. */
int console_open(struct console **c, const char *sys, const char *dev, struct err *e);
/* Opens one console on two descriptors, which stay open: for tests, and for the menu on an ordinary
   terminal. */
int console_open_on(struct console **c, int in, int out, struct err *e);
/* Restores the terminals' settings. First waits at most 2 s until the last output is sent; NULL is
   allowed. */
void console_close(struct console *c);

/* Writes text. '\n' becomes carriage return and line feed; characters that are not ASCII, and
   control characters except tab and carriage return, become '?' (one for each UTF-8 character). */
void console_write(struct console *c, const char *text, size_t length);
/* Writes formatted text of at most 4095 bytes. */
void console_print(struct console *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Replaces the present line, cut at 79 columns (for progress). The line is not part of the log, and
   console_write removes it. A console that has not shown the previous one yet skips it. */
void console_line(struct console *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Clears the screen of every console. */
void console_clear(struct console *c);

/* The present size of a console, at least 20 columns and 5 rows. A serial port does not know its
   terminal: 80 columns and 24 rows are used then, and also where the reported size is impossible.
   */
struct console_screen {
    size_t columns, rows;
    bool blocks; /* the console's font has the full block, U+2588 */
};
unsigned console_count(const struct console *c);
struct console_screen console_screen_of(const struct console *c, unsigned terminal);
/* Returns the screen of the console on which the last key was pressed; before the first key, that
   of the first console. */
struct console_screen console_screen_of_key(const struct console *c);

/*
 * Clears each console and draws a page on it, which `page` makes for its size. The cursor stays at
 * the end of the page; pages are not part of the log. Characters are treated as in console_write,
 * but colours (ESC [ numbers m) are kept, and so are full blocks if the font has them. Text beyond
 * the last column or row is left out.
 */
typedef void console_page(void *context, unsigned terminal, const struct console_screen *screen,
                          struct text *to);
void console_draw(struct console *c, console_page *page, void *context);

/* Returns the next key; waits at most `milliseconds` (-1: for ever; 0: only checks). Escape
   sequences become keys; a single escape is recognised 50 ms later. */
int console_key(struct console *c, int milliseconds);

/* Reads a line of text, echoed and edited with backspace; text beyond column 79 is not accepted.
   False: escape or Ctrl-C was pressed, Ctrl-Alt-Del (console_key reports it next), or input
   ended. */
bool console_read_line(struct console *c, const char *prompt, char *to, size_t size);

/* Copies the log and a '\0'. If `size` is too small, the oldest lines are left out. Returns the
   length of the copy. */
size_t console_log(const struct console *c, char *to, size_t size);

/* Sets whether text that is written from now on goes into the log. At first it does; pages of a
   menu, which are only drawn, do not. */
void console_keep_log(struct console *c, bool keep);

#endif

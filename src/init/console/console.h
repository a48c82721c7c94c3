/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All consoles at once: every entry of /sys/class/tty/console/active (tty0 and ttyS0 ...) is
 * written to, and input is taken from whichever somebody types on.
 *
 * Terminals are in raw mode without echo: keys come as they are typed, and what is typed is shown
 * on all of them. Output is plain ASCII, 80 columns. What is written is kept in a log of a fixed
 * size (the log view and the log file are made of it). A slow console is waited for as long as it
 * takes anything; one that takes nothing for 2 s (a serial port held by flow control, scroll lock)
 * is no longer waited for: it loses the output that it does not take at once, and shows a note
 * about that when it goes on. Owner: console_close, which gives the terminals their settings back.
 * One thread.
 */
#ifndef CUPEL_INIT_CONSOLE_CONSOLE_H
#define CUPEL_INIT_CONSOLE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

#define CONSOLES_MAX 8
#define CONSOLE_LOG  (256 << 10)

/* The keys beside printable ASCII. All others are ignored. */
enum console_key {
    CONSOLE_NONE = 0,      /* the time is over */
    CONSOLE_INTERRUPT = 3, /* Ctrl-C */
    CONSOLE_BACKSPACE = 8, /* or delete */
    CONSOLE_ENTER = '\r',  /* carriage return, line feed, or both */
    CONSOLE_ESCAPE = 27,
    CONSOLE_UP = 256,
    CONSOLE_DOWN,
    CONSOLE_PAGE_UP,
    CONSOLE_PAGE_DOWN,
    CONSOLE_RESTART,     /* Ctrl-Alt-Del, once system_mount has asked the kernel for it */
    CONSOLE_END_OF_INPUT /* no console can be read any more: at once, however long the wait */
};

struct console;

/* The consoles of this machine; of `sys` and `dev` ("/sys", "/dev") in tests. ERR_MACHINE: none. */
int console_open(struct console **c, const char *sys, const char *dev, struct err *e);
/* One console on two descriptors, which stay open: tests, and the menu on an ordinary terminal. */
int console_open_on(struct console **c, int in, int out, struct err *e);
/* Waits at most 2 s for the last output to be out; NULL is allowed. */
void console_close(struct console *c);

/* '\n' becomes carriage return and line feed; what is no ASCII, and any control character but tab
   and carriage return, becomes '?' (one for each UTF-8 character). */
void console_write(struct console *c, const char *text, size_t length);
/* The same, at most 4095 bytes. */
void console_print(struct console *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* In place of the line that stands there, cut at 79 columns (progress): it is no part of the log,
   and console_write takes it away. A console that has not shown the last one yet leaves it out. */
void console_line(struct console *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Clear the screen. */
void console_clear(struct console *c);

/* One of the consoles as it is now. A serial port does not know its terminal: 80 columns and 24
   rows then, and where what is known cannot be true; at least 20 and 5. */
struct console_screen {
    size_t columns, rows;
    bool blocks; /* its font has the full block, U+2588 */
};
unsigned console_count(const struct console *c);
struct console_screen console_screen_of(const struct console *c, unsigned terminal);
/* That on which the last key was pressed, at first the first one. */
struct console_screen console_screen_of_key(const struct console *c);

/*
 * Clear each console and draw a page on it, made for its size by `page`. The cursor stays at the
 * end of the page, which is no part of the log. As in console_write, but colours (ESC [ numbers m)
 * are let through, and full blocks where the font has them. What goes beyond the last column
 * or row is left out.
 */
typedef void console_page(void *context, unsigned terminal, const struct console_screen *screen,
                          struct text *to);
void console_draw(struct console *c, console_page *page, void *context);

/* The next key, waiting at most `milliseconds` (-1: for ever; 0: only look). Escape sequences
   become keys; escape alone is known 50 ms later. */
int console_key(struct console *c, int milliseconds);

/* A line of text, echoed, edited with backspace; what would go beyond column 79 is not taken.
   False: escape or Ctrl-C was pressed, Ctrl-Alt-Del (console_key then says so), or input ended. */
bool console_read_line(struct console *c, const char *prompt, char *to, size_t size);

/* Copies what was written so far, ended by '\0', the oldest lines left out where `size` is too
   small; returns its length. */
size_t console_log(const struct console *c, char *to, size_t size);

/* Does text written from now on go into the log? At first it does; pages of a menu, which are only
   drawn, do not. */
void console_keep_log(struct console *c, bool keep);

#endif

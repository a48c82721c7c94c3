/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All consoles at once: every entry of /sys/class/tty/console/active (tty0 and ttyS0 ...) is
 * written to, and input is taken from whichever somebody types on.
 *
 * Terminals are in raw mode without echo: keys come as they are typed, and what is typed is shown
 * on all of them. Output is plain ASCII, 80 columns. What is written is kept in a log of a fixed
 * size (the log view and the log file are made of it). A console that fails (a serial port nobody
 * reads) is skipped and never waited for longer than 2 s. Owner: console_close, which gives the
 * terminals their settings back. One thread.
 */
#ifndef CUPEL_INIT_CONSOLE_H
#define CUPEL_INIT_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define CONSOLES_MAX 8
#define CONSOLE_LOG  (256 << 10)

enum console_key {                   /* beside printable ASCII */
                   CONSOLE_NONE = 0, /* the time is over */
                   CONSOLE_ENTER = '\r',
                   CONSOLE_BACKSPACE = 8,
                   CONSOLE_ESCAPE = 27,
                   CONSOLE_UP = 256,
                   CONSOLE_DOWN,
                   CONSOLE_PAGE_UP,
                   CONSOLE_PAGE_DOWN,
                   CONSOLE_END_OF_INPUT /* no console can be read any more */
};

struct console;

/* The consoles of this machine; of `sys` and `dev` ("/sys", "/dev") in tests. ERR_MACHINE: none. */
int console_open(struct console **c, const char *sys, const char *dev, struct err *e);
/* One console on two descriptors: tests, and the menu tried on an ordinary terminal. */
int console_open_on(struct console **c, int in, int out, struct err *e);
void console_close(struct console *c);

/* '\n' becomes carriage return and line feed; what is no ASCII becomes '?'. */
void console_write(struct console *c, const char *text, size_t length);
void console_print(struct console *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* In place of the line that stands there (progress); it is no part of the log. */
void console_line(struct console *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Clear the screen. */
void console_clear(struct console *c);

/* The next key, waiting at most `milliseconds` (-1: for ever). Escape sequences become keys. */
int console_key(struct console *c, int milliseconds);

/* A line of text, echoed, edited with backspace. False: escape was pressed, or input ended. */
bool console_read_line(struct console *c, const char *prompt, char *to, size_t size);

/* Copies what was written so far, oldest lines dropped; returns its length. */
size_t console_log(const struct console *c, char *to, size_t size);

#endif

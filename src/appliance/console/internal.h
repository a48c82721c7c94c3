/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/appliance/console. */
#ifndef CUPEL_APPLIANCE_CONSOLE_INTERNAL_H
#define CUPEL_APPLIANCE_CONSOLE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include "appliance/console/console.h"

/* ---- keys ---- */

/*
 * Decodes the bytes that a terminal sends into keys: ECMA-48 control sequences (escape [ ...
 * letter), the single shifts of keypads in application mode (escape O letter), and the Linux
 * console's escape [ [ letter. A single escape looks like the beginning of any of these until some
 * time has passed. Each terminal has a decoder; a decoder of zeros is in its initial state.
 */

#define KEY_ESCAPE_MS 50 /* a sequence has ended when nothing follows for this time */

struct key_decoder {
    enum { KEYS_PLAIN, KEYS_ESCAPE, KEYS_CONTROL, KEYS_SHIFT, KEYS_LINUX } state;
    unsigned number; /* the number in "escape [ 5 ~" */
    bool after_return;
};

/* Returns the first key in `bytes` (enum console_key or a character), or CONSOLE_NONE when they
   hold no key or only the beginning of one. *taken is the number of bytes that were used; call
   again with the rest. */
int key_decode(struct key_decoder *d, const unsigned char *bytes, size_t length, size_t *taken);

/* True when bytes of a sequence are missing: if no further call comes for KEY_ESCAPE_MS, call
   key_expire. */
bool key_is_pending(const struct key_decoder *d);
/* Returns CONSOLE_ESCAPE if the sequence was only the key Escape, else CONSOLE_NONE: the incomplete
   sequence is dropped. */
int key_expire(struct key_decoder *d);

/* ---- the log ---- */

/*
 * The log: the last CONSOLE_LOG bytes written to the consoles, in whole lines. When the log is
 * full, the oldest line is removed. A log of zeros is empty.
 */

struct log_ring {
    size_t first, length; /* index of the oldest byte in `bytes`; number of bytes */
    size_t open;          /* number of bytes in the last line, which has no '\n' yet */
    /* the last byte was '\r': if no '\n' follows, the next bytes replace the line */
    bool returned;
    char bytes[CONSOLE_LOG];
};

void log_add(struct log_ring *log, char byte);

/* Copies the log's text and a '\0' (console_log). */
size_t log_copy(const struct log_ring *log, char *to, size_t size);

/* ---- one terminal ---- */

/*
 * One terminal of the consoles: its settings, its input, and output that never blocks. It may also
 * be a pipe or a file, which have no settings. console.c opens it, and closing it restores the
 * settings. One thread.
 */

#define TERMINAL_PATIENCE_MS 2000 /* wait this long for a terminal that takes nothing */

struct terminal {
    int in, out;
    bool owned;                      /* opened here, so it is also closed here */
    bool input_ended, output_failed; /* the terminal failed permanently */
    bool gap;                        /* some output was lost, and no note was written yet */
    /* bytes that the terminal must take before output waits for it again */
    size_t owed;
    int in_flags, out_flags, settings_fd; /* values to restore at the end; -1: none */
    struct termios settings;
    struct key_decoder decoder;
    uint64_t last_input_ms;
    size_t have, taken; /* bytes in `input`, and how many of them were taken */
    unsigned char input[128];
};

/* Writes to all terminals in parallel, so that a slow one does not hold up the others. */
void terminals_write(struct terminal *all, unsigned count, const char *bytes, size_t length);
/* Returns the terminal's present size and font, according to the kernel. */
struct console_screen terminal_screen(const struct terminal *t);

/* ---- all consoles ---- */

#define CONSOLE_COLUMNS 80
/* ECMA-48: clears the whole screen and moves the cursor to its begin; turns off colours. */
#define CONSOLE_ERASE_SCREEN "\033[2J\033[H"
#define CONSOLE_PLAIN        "\033[0m"

struct console {
    struct terminal terminals[CONSOLES_MAX];
    unsigned count;
    unsigned key_terminal; /* index of the terminal that the last key came from */
    int restart_fd;        /* signalfd of SIGINT, or -1 */
    int held_key;          /* a key that console_key reports before any other */
    /* the last output is a line of console_line, which the next output replaces */
    bool line_stands;
    unsigned continuations; /* bytes of a UTF-8 character that are still to come */
    bool log_rests;         /* output is not kept in the log */
    struct log_ring log;
};

#endif

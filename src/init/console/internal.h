/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/init/console share. */
#ifndef CUPEL_INIT_CONSOLE_INTERNAL_H
#define CUPEL_INIT_CONSOLE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include "init/console/console.h"

/* ---- keys ---- */

/*
 * The bytes that a terminal sends, as keys: ECMA-48 control sequences (escape [ ... letter), the
 * single shifts of keypads in application mode (escape O letter), and the Linux console's escape [
 * [ letter. Escape alone looks like the beginning of any of them until some time has passed. Each
 * terminal has a decoder; one of zeros is at its beginning.
 */

#define KEY_ESCAPE_MS 50 /* a sequence that does not go on for so long is over */

struct key_decoder {
    enum { KEYS_PLAIN, KEYS_ESCAPE, KEYS_CONTROL, KEYS_SHIFT, KEYS_LINUX } state;
    unsigned number; /* of "escape [ 5 ~" */
    bool after_return;
};

/* The first key in `bytes` (enum console_key or a character), CONSOLE_NONE when they hold none or
   only the beginning of one. *taken: how many bytes were used; call again with the rest. */
int key_decode(struct key_decoder *d, const unsigned char *bytes, size_t length, size_t *taken);

/* Bytes are missing: after KEY_ESCAPE_MS without any call key_expire. */
bool key_is_pending(const struct key_decoder *d);
/* CONSOLE_ESCAPE if it was escape alone, else CONSOLE_NONE: the half sequence is dropped. */
int key_expire(struct key_decoder *d);

/* ---- the log ---- */

/*
 * The last CONSOLE_LOG bytes written to the consoles, as whole lines: when there is no more room
 * the oldest line goes. One of zeros is empty.
 */

struct log_ring {
    size_t first, length; /* the oldest byte's place in `bytes`; how many there are */
    size_t open;          /* of these, in the last line, which has no '\n' yet */
    bool returned;        /* '\r' came: unless '\n' follows, the line is written anew */
    char bytes[CONSOLE_LOG];
};

void log_add(struct log_ring *log, char byte);

/* As console_log. */
size_t log_copy(const struct log_ring *log, char *to, size_t size);

/* ---- one terminal ---- */

/*
 * One terminal of the consoles: its settings, its input, and output that never blocks. It may be a
 * pipe or a file as well: then there are no settings. Owner: terminal_close, which restores what
 * was changed. One thread.
 */

#define TERMINAL_PATIENCE_MS 2000 /* without anything taken: then it is not waited for */

struct terminal {
    int in, out;
    bool owned;                           /* opened here: closed here */
    bool input_ended, output_failed;      /* for good */
    bool gap;                             /* some output was lost, and nothing says so yet */
    size_t owed;                          /* bytes to be taken before it is waited for again */
    int in_flags, out_flags, settings_fd; /* what to restore, -1: nothing */
    struct termios settings;
    struct key_decoder decoder;
    uint64_t last_input_ms;
    size_t have, taken; /* of `input` */
    unsigned char input[128];
};

/* False: it cannot be opened. */
bool terminal_open(struct terminal *t, const char *path);
void terminal_attach(struct terminal *t, int in, int out);
void terminal_close(struct terminal *t);

/* Read what there is. False: nothing was there. */
bool terminal_read(struct terminal *t);
/* The next key of what was read, or CONSOLE_NONE. */
int terminal_key(struct terminal *t);

/* To all of them at once, so that a slow one does not hold up the others. */
void terminals_write(struct terminal *all, unsigned count, const char *bytes, size_t length);
/* As much of it as is taken at once; nothing unless all that was written before is out. */
void terminal_write_if_idle(struct terminal *t, const char *bytes, size_t length);
/* Waits until all is out, at most TERMINAL_PATIENCE_MS. */
void terminals_drain(const struct terminal *all, unsigned count);

/* Its size and font as the kernel knows them now. */
struct console_screen terminal_screen(const struct terminal *t);

/* ---- all of them ---- */

#define CONSOLE_COLUMNS 80
/* ECMA-48: the whole screen, then the cursor to its begin; no colours. */
#define CONSOLE_ERASE_SCREEN "\033[2J\033[H"
#define CONSOLE_PLAIN        "\033[0m"

struct console {
    struct terminal terminals[CONSOLES_MAX];
    unsigned count;
    unsigned key_terminal;  /* where the last key came from */
    int restart_fd;         /* signalfd of SIGINT, or -1 */
    int held_key;           /* to be reported first */
    bool line_stands;       /* console_line was last */
    unsigned continuations; /* bytes of a UTF-8 character still to come */
    bool log_rests;         /* output is not kept in the log */
    struct log_ring log;
};

#endif

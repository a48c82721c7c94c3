/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One terminal of the consoles: its settings, its input, and output that never blocks. It may be a
 * pipe or a file as well: then there are no settings. Owner: terminal_close, which restores what
 * was changed. One thread.
 */
#ifndef CUPEL_INIT_CONSOLE_TERMINAL_H
#define CUPEL_INIT_CONSOLE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include "init/console_keys.h"

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

uint64_t terminal_now_ms(void);

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
/* What of it is taken at once, and nothing unless all that was written before is out. */
void terminal_write_if_idle(struct terminal *t, const char *bytes, size_t length);
/* Waits until all is out, at most TERMINAL_PATIENCE_MS. */
void terminals_drain(const struct terminal *all, unsigned count);

#endif

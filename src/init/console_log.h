/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last CONSOLE_LOG bytes written to the consoles, as whole lines: when there is no more room
 * the oldest line goes. One of zeros is empty.
 */
#ifndef CUPEL_INIT_CONSOLE_LOG_H
#define CUPEL_INIT_CONSOLE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "init/console.h"

struct log_ring {
    size_t first, length; /* the oldest byte's place in `bytes`; how many there are */
    size_t open;          /* of these, in the last line, which has no '\n' yet */
    bool returned;        /* '\r' came: unless '\n' follows, the line is written anew */
    char bytes[CONSOLE_LOG];
};

void log_add(struct log_ring *log, char byte);

/* As console_log. */
size_t log_copy(const struct log_ring *log, char *to, size_t size);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What console.c (opening, output) and console_input.c (keys) share; nobody else includes it. */
#ifndef CUPEL_INIT_CONSOLE_STATE_H
#define CUPEL_INIT_CONSOLE_STATE_H

#include <stdbool.h>

#include "init/console.h"
#include "init/console_log.h"
#include "init/console_terminal.h"

#define CONSOLE_COLUMNS 80

struct console {
    struct terminal terminals[CONSOLES_MAX];
    unsigned count;
    int restart_fd;         /* signalfd of SIGINT, or -1 */
    int held_key;           /* to be reported first */
    bool line_stands;       /* console_line was last */
    unsigned continuations; /* bytes of a UTF-8 character still to come */
    bool log_rests;         /* what is written is no part of the log */
    struct log_ring log;
};

#endif

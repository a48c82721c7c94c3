/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commands that begin by themselves, with nobody there: those of cupel.cfg and of the kernel's
 * command line.
 *
 * The text is cut into words, and each command's own option rows read them, once; what was read is
 * what is judged and later carried out (dispatch_run). Whether a command writes is what its plan
 * says, never its text. One that writes names its disk by --destroy-serial; --destroy and
 * --overwrite, which permit writing without proof, are no options here, and neither is anything
 * that starts a program.
 */
#ifndef CUPEL_CMD_STICK_COMMAND_H
#define CUPEL_CMD_STICK_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cmd/boot_config.h"
#include "cmd/command.h"
#include "cmd/dispatch.h"

#define STICK_COMMANDS 32
#define STICK_WORDS    64 /* of one command */

struct stick_command {
    const char *text; /* of the text that was read, `length` characters */
    int length;
    char *words[STICK_WORDS + 2]; /* "cupel", then the command's, then NULL */
    struct dispatch parsed;       /* points into `words` */
    struct command_effect effect;
};

struct stick_commands {
    char text[sizeof((struct boot_config *)0)->command]; /* what was read */
    char room[2 * sizeof((struct boot_config *)0)->command];
    struct stick_command list[STICK_COMMANDS];
    size_t count;
};

/*
 * Read commands that ';' separates; "..." and '...' hold blanks and semicolons, and nothing else
 * is special. ERR_USAGE: a mistake in one of them; ERR_UNSAFE: one that may not begin by itself.
 * Then none may be begun: count is 0. Points into itself: it must not be copied.
 */
int stick_commands_read(struct stick_commands *c, const char *text, struct err *e);

/* One of them destroys what a disk holds. */
bool stick_commands_write(const struct stick_commands *c);

/*
 * The next command at *rest as words in `words`, which point into `room` (as large as the text and
 * as many bytes more as it has words). *rest is moved past it. Returns how many words there are,
 * 0 at the end; -1: a quote without its end, or too many words.
 */
int stick_command_words(const char **rest, char **room, char *words[STICK_WORDS + 1]);

#endif

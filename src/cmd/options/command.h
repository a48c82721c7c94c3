/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command: its name, help and function in one const struct, which is in the file named after the
   command. dispatch.c only searches the list of commands. */
#ifndef CUPEL_CMD_OPTIONS_COMMAND_H
#define CUPEL_CMD_OPTIONS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cmd/options/options.h"

/* An item of a list in the help, such as an example with its explanation, or a file with its
   contents. */
struct help_item {
    const char *term;
    const char *words;
};

#define COMMAND_SERIALS 16 /* maximum for an unattended command */

/* The serial numbers of --destroy-serial SERIAL,... */
#define SERIAL_LIST_MAX 32
struct serial_list {
    char text[2048];                          /* as typed, then with '\0' in place of the commas */
    const char *serials[SERIAL_LIST_MAX + 1]; /* [count], pointers into `text`, ended by NULL */
    size_t count;
};

/* Splits `text` at its commas. Fails with ERR_USAGE if a serial number is empty or there are too
   many. */
int serial_list_cut(struct serial_list *list, struct err *e);

/* What a command will do, derived from its options before it runs. */
struct command_effect {
    /* writes to `target`, or to the disks with the serial numbers below */
    bool writes;
    bool starts_program; /* starts another program than cupel */
    char target[1024];   /* for messages */
    /* serial numbers of --destroy-serial: only these disks are written */
    char serials[COMMAND_SERIALS][128];
    size_t serial_count;
};

struct command {
    const char *name;
    const char *operands;               /* operands in the synopsis: "[TARGET]" */
    const char *summary;                /* one line, printed after "cupel run - " */
    const char *const *description;     /* paragraphs, ended by NULL */
    const struct option_row *options;   /* ended by a row whose name is NULL */
    const struct help_item *examples;   /* command lines, ended by an item whose term is NULL */
    const struct help_item *statuses;   /* exit statuses, ended in the same way */
    const struct help_item *files;      /* ended in the same way; NULL: none are described */
    const struct help_item *beginnings; /* first commands for the overview, ended in the same way */

    size_t min_operands, max_operands;

    /*
     * Runs the command. Returns the exit status (enum err_code), or -1 with the error, whose code
     * is the exit status. Only the result goes to stdout; main prints the error.
     */
    int (*run)(const struct option_set *set, struct err *e);

    /* Replaces the error about a command line that could not be read by a better error, if there is
       one. May be NULL. */
    void (*explain)(char *const words[], int count, struct err *e);

    /* Fills in the effect of a command that is to run unattended (stick_command.c). *effect is all
       zeros before. Fails as `run` does. NULL: the command must not run unattended. */
    int (*foresee)(const struct option_set *set, struct command_effect *effect, struct err *e);
};

/* Serves as the function `foresee` of commands that only read and start no program. */
int command_only_reads(const struct option_set *set, struct command_effect *effect, struct err *e);

/* Add one serial number, or all of a list. They fail with ERR_USAGE if there are too many. */
int command_effect_serial(struct command_effect *effect, const char *serial, struct err *e);
int command_effect_serials(struct command_effect *effect, const struct serial_list *list,
                           struct err *e);

/*
 * Splits the next command line at *rest, which ends at ';' or at the end of the text, into words.
 * Only quotes are special: "..." and '...' may contain blanks and semicolons. The words point into
 * `room`, which has as many bytes as the text, and one more for each word. *rest is moved past the
 * line. Returns the number of words; 0 at the end of the text; -1 if a quote is not closed or there
 * are more than `words_max` words. words[] has one more place, for a NULL.
 */
int command_words(const char **rest, char **room, char *words[], int words_max);

struct plan;

/* Fills in the struct of a command that begins with `plan`: with the defaults, then the preset,
   then the given options, in any order. Fails with ERR_USAGE. */
int plan_options_store(const struct option_set *set, struct plan *plan, struct err *e);

/* All commands in the order of the overview. */
#define COMMAND_ROWS(ROW)                                                                          \
    ROW(probe)                                                                                     \
    ROW(run)                                                                                       \
    ROW(replay)                                                                                    \
    ROW(record)                                                                                    \
    ROW(exec)                                                                                      \
    ROW(compare)                                                                                   \
    ROW(qualify)                                                                                   \
    ROW(accept)                                                                                    \
    ROW(sweep)                                                                                     \
    ROW(predict) ROW(merge) ROW(analyze) ROW(report) ROW(sign) ROW(serve) ROW(restore) ROW(help)
#define COMMAND_DECLARATION(row) extern const struct command command_##row;
COMMAND_ROWS(COMMAND_DECLARATION)
#undef COMMAND_DECLARATION

/* The same commands as a list that ends with NULL. */
extern const struct command *const commands[];

/* Returns the command with this name, or NULL. */
const struct command *command_find(const char *name);

/* Sets the error about an unknown command, ERR_USAGE, which suggests a similar one. Returns -1. */
int command_unknown(const char *name, struct err *e);

#endif

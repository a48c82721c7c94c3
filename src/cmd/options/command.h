/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command: its name, help and function in one const struct, which is in the file named after the
   command. dispatch.c only searches the list. */
#ifndef CUPEL_CMD_OPTIONS_COMMAND_H
#define CUPEL_CMD_OPTIONS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cmd/options/options.h"

/* A pair of words in a list of the help, such as an example and its explanation, or a file and its
   contents. */
struct help_item {
    const char *term;
    const char *words;
};

#define COMMAND_SERIALS 16 /* maximum number in an unattended command */

/* the serial numbers of --destroy-serial SERIAL,... */
#define SERIAL_LIST_MAX 32
struct serial_list {
    char text[2048];                          /* as typed; cut at its commas */
    const char *serials[SERIAL_LIST_MAX + 1]; /* in `text`, ended by NULL */
    size_t count;
};

/* Splits `text` at its commas. ERR_USAGE: a number is empty, or there are too many. */
int serial_list_cut(struct serial_list *list, struct err *e);

/* The effect of a command, derived from its options before it runs. */
struct command_effect {
    bool writes;                        /* it writes to `target`, or to the disks with these serial
                                           numbers */
    bool starts_program;                /* it starts a program other than cupel */
    char target[1024];                  /* for messages */
    char serials[COMMAND_SERIALS][128]; /* serial numbers of --destroy-serial: it writes only to
                                           these */
    size_t serial_count;
};

struct command {
    const char *name;
    const char *operands;               /* as in the synopsis: "[TARGET]" */
    const char *summary;                /* after "cupel run - ", one line */
    const char *const *description;     /* paragraphs, ended by NULL */
    const struct option_row *options;   /* ended by a name of NULL */
    const struct help_item *examples;   /* command lines, ended by a term of NULL */
    const struct help_item *statuses;   /* exit statuses; ended likewise */
    const struct help_item *files;      /* ended likewise; NULL: no files are described */
    const struct help_item *beginnings; /* where the overview begins; ended likewise */

    size_t min_operands, max_operands;

    /*
     * Runs the command. Returns the exit status (enum err_code), or -1 with the error, whose code
     * is the exit status. Only the result goes to stdout; main prints the error.
     */
    int (*run)(const struct option_set *set, struct err *e);

    /* Replaces the error about words that could not be read by a better one, if possible. May be
       NULL. */
    void (*explain)(char *const words[], int count, struct err *e);

    /* Fills in the effect of an unattended command (stick_command.c); all its fields are zeros
       before. Errors as in `run`. NULL: the command may not run unattended. */
    int (*foresee)(const struct option_set *set, struct command_effect *effect, struct err *e);
};

/* For `foresee` of a command that only reads, and starts no program. */
int command_only_reads(const struct option_set *set, struct command_effect *effect, struct err *e);

/* Adds a serial number. ERR_USAGE: there are too many. */
int command_effect_serial(struct command_effect *effect, const char *serial, struct err *e);
int command_effect_serials(struct command_effect *effect, const struct serial_list *list,
                           struct err *e);

/*
 * Reads the next command line at *rest, which ends at ';' or at the end of the text, as words. Only
 * quotes are special: "..." and '...' may hold blanks and semicolons. The words point into `room`,
 * which is as large as the text plus a byte for each word; *rest moves past the line. Returns the
 * number of words, 0 at the end of the text; -1: a quote is not closed, or there are more than
 * `words_max` words, after which there is room for a NULL.
 */
int command_words(const char **rest, char **room, char *words[], int words_max);

struct plan;

/* Fills in the struct of a command that begins with `plan`: the defaults, then the preset, then the
   given options, in whichever order they were typed. ERR_USAGE. */
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

/* The same as a list that ends with NULL. */
extern const struct command *const commands[];

/* Returns the command of that name, or NULL. */
const struct command *command_find(const char *name);

/* Makes the error about an unknown command, ERR_USAGE, and suggests a similar one. */
int command_unknown(const char *name, struct err *e);

#endif

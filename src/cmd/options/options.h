/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Command line options as rows: what is typed, where it goes, its limits, its default and its help
 * all stand in one row, beside the command that reads it. Parsing, --help, the manual page and the
 * shell's completion are made from the same rows.
 *
 * A command line is read in two steps, so that the order of options never matters (an explicit
 * option overrides a preset wherever it stands): options_scan finds which options were given and
 * with what text, options_store converts and checks the text and writes it to the command's own
 * struct.
 *
 * Nothing here owns memory: values and operands point into argv. One thread.
 */
#ifndef CUPEL_CMD_OPTIONS_OPTIONS_H
#define CUPEL_CMD_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum option_kind {                  /* the type of the field, and what is typed */
                   OPTION_FLAG,     /* bool: nothing, giving it means true */
                   OPTION_SWITCH,   /* bool: 0 or 1; alone it means 1 */
                   OPTION_UNSIGNED, /* uint32_t or uint64_t: a whole number */
                   OPTION_SIZE,     /* uint32_t or uint64_t, bytes: 4k */
                   OPTION_TIME,     /* double, seconds: 500us, 10m */
                   OPTION_SHARE,    /* double: 5% or 0.05 */
                   OPTION_RATE,     /* double, per second: 20k */
                   OPTION_CHOICE,   /* int or an enum: one of the row's choices */
                   OPTION_TEXT, /* char[]: any text that fits, or one of the row's choices when it
                                   has any */
                   OPTION_PROCESSORS, /* bit mask in uint64_t[PLAN_CPUS_MAX / 64]: 0-3,8 */
};

struct option_choice {
    const char *name;
    int value;
};

/* clang-format off */
#define OPTION_CHOICES(...) (const struct option_choice[]){__VA_ARGS__, {NULL, 0}}
/* clang-format on */

struct option_row {
    const char *section; /* heading that this row and those after it stand under; NULL: as before */
    const char *name;    /* without the two dashes; NULL ends a table */
    const char *argument; /* its placeholder in the help; NULL for flags */
    enum option_kind kind : 8;
    char letter;                  /* of the short form, or 0 */
    unsigned short offset, width; /* of the field in the command's struct: OPTION_FIELD */
    double least, most;           /* limits in bytes, seconds or 1; both 0: none */
    const char *value;            /* the default as it would be typed; NULL: the field's zero */
    const char *value_words;      /* what no value means, in words, where `value` is NULL */
    const char *alone; /* the value of the option without one; NULL: it needs one. What follows
                          is its value only when it starts with a digit */
    const struct option_choice *choices; /* OPTION_CHOICES, ended by a name of NULL; or NULL */
    const char *help; /* sentences, without the default and the limits: the help adds those */
};

#define OPTION_FIELD(type, member)                                                                 \
    .offset = offsetof(type, member), .width = sizeof(((type *)0)->member)

#define OPTIONS_MAX  64
#define OPERANDS_MAX 64

/* A command line, taken apart. */
struct option_set {
    const struct option_row *rows;
    const char *given[OPTIONS_MAX]; /* by row: the text of the last time it was given, or NULL */
    const char *operands[OPERANDS_MAX];
    size_t operand_count;      /* more than OPERANDS_MAX only when the others stand after "--" */
    char *const *after_dashes; /* the words after "--", which are operands too, up to argv's end */
    size_t after_dashes_count;
    bool help; /* --help or -h stands somewhere before "--" */
};

/*
 * Take arguments[0..count) apart. Forms: --name value, --name=value, -o value, -- (operands only
 * from here on), - (an operand). ERR_USAGE: unknown option, missing value, too many operands.
 */
int options_scan(struct option_set *set, const struct option_row rows[], char *const arguments[],
                 int count, struct err *e);

/* Write every row's default into `target`. */
int options_store_defaults(const struct option_row rows[], void *target, struct err *e);

/* Write what was given into `target`. ERR_USAGE names the option, the value and what is possible.
 */
int options_store(const struct option_set *set, void *target, struct err *e);

/* Convert and check one text as the row says, and write it into the field in `target`. */
int option_store_text(const struct option_row *row, const char *text, void *target, struct err *e);
/* The same; the message has no "--name value:" before it, for texts that come from elsewhere. */
int option_store_value(const struct option_row *row, const char *text, void *target, struct err *e);

/* The text that was given for --name, or NULL. */
const char *options_given(const struct option_set *set, const char *name);

/* A limit or default of the row as people write it: "16 MiB", "10 min", "5%". Returns `to`. */
char *option_format_number(const struct option_row *row, double number, char *to, size_t size);

#endif

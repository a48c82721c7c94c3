/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A setting as one row: its name, its field in a struct, the form of its value, its limits, its
 * default and its help. Fields of the plan (plan_fields), options of commands and keys of cupel.cfg
 * are such rows. Parsing, checks, the plan's text, --help, the manual page and the shell's
 * completion are made from them.
 */
#ifndef CUPEL_RUN_PLAN_OPTION_ROW_H
#define CUPEL_RUN_PLAN_OPTION_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum option_kind {                    /* the type of the field, and the form of its value */
                   OPTION_FLAG,       /* bool: no value; giving the option means true */
                   OPTION_SWITCH,     /* bool: 0 or 1; alone it means 1 */
                   OPTION_UNSIGNED,   /* uint32_t or uint64_t: a whole number */
                   OPTION_SIZE,       /* uint32_t or uint64_t, bytes: 4k */
                   OPTION_TIME,       /* double, seconds: 500us, 10m */
                   OPTION_SHARE,      /* double: 5% or 0.05 */
                   OPTION_WIDTH,      /* double: 5%, 0.05 or +-2.5% */
                   OPTION_RATE,       /* double, per second: 20k */
                   OPTION_FREQUENCY,  /* double, Hz: 2.1g */
                   OPTION_CHOICE,     /* int, an enum or bool: one of the row's choices */
                   OPTION_TEXT,       /* char[]: any text that fits, or one of the row's choices if
                                         it has any */
                   OPTION_LIST,       /* no field: any number of texts, one for each use of the
                                         option (options_next) */
                   OPTION_LABELS,     /* struct labels: KEY=VALUE, one for each use of the option */
                   OPTION_PROCESSORS, /* bit mask in uint64_t[PLAN_CPUS_MAX / 64]: 0-3,8 */
};

struct option_choice {
    const char *name;
    int value;
};

/* The words that a text may be or begin with, besides another form (a file's name, parameters):
   src/cmd/options/option_words.h lists each set. */
enum option_words {
    WORDS_NONE,
    WORDS_PROFILES,
    WORDS_TRACE_FORMATS,
    WORDS_METRICS,
    WORDS_CLAUSES, /* limits of clauses (--sla); commas separate several */
    WORDS_WIDTHS,
    WORDS_METHODS,
    WORDS_ARRIVALS,
    WORDS_ADDRESSES,
    WORDS_PAUSES,
    WORDS_NULL_SCRIPT,
    WORDS_PARSERS,
    WORDS_GROUPS,
    WORDS_INTERVAL_FILES,
    WORDS_GOVERNORS,
    WORDS_SCHEDULERS,
    WORDS_COUNT
};

/* clang-format off */
#define OPTION_CHOICES(...) (const struct option_choice[]){__VA_ARGS__, {NULL, 0}}
/* clang-format on */

struct option_rule;

struct option_row {
    const struct option_rule
        *rules;           /* rules of a command (OPTION_RULES); the row then has no other member */
    const char *section;  /* heading of this row and the rows after it; NULL: the same as before */
    const char *name;     /* name of the option, without the two dashes; NULL: the field is not an
                             option */
    const char *argument; /* placeholder of the value in the help; NULL for flags */
    enum option_kind kind : 8;
    char letter;         /* letter of the short form, or 0 */
    unsigned char group; /* enum plan_group: fields that commands list together */
    /* the plan's text contains the number of the choice instead of its name */
    bool as_number : 1;
    unsigned char words : 7;      /* enum option_words */
    unsigned short offset, width; /* place of the field in its struct: OPTION_FIELD */
    double min, max;              /* limits in bytes, seconds or units; both 0: no limits */
    const char *value;            /* the default as it would be typed; NULL: zero */
    const char *value_words;      /* meaning of the default in words, if `value` is NULL */
    /* value of the option if it is given without one; NULL: a value is required. The next argument
       is the value only if it begins with a digit */
    const char *alone;
    /* row of another field, which gets the text if it begins with a digit (for a width: if it has a
       unit); or NULL */
    const struct option_row *number;
    const struct option_choice *choices; /* OPTION_CHOICES, ended by a NULL name; or NULL */
    /* sentences for the help, without the default and the limits, which the help adds */
    const char *help;

    /* members for fields of the plan only */
    const char *key;           /* key in the plan's text */
    double kept_min, kept_max; /* limits in a plan, if they are wider than those of the option;
                                  both 0: min and max */
    const char *limits;        /* the limits in words, after "--name value: ", or a sentence that
                                  begins with "--", which a field that is not an option needs;
                                  NULL: "1 to 256 are possible" */
};

#define OPTION_FIELD(type, member)                                                                 \
    .offset = offsetof(type, member), .width = sizeof(((type *)0)->member)

/* clang-format off */
/* The row of --label for a command whose struct has the labels in `member`. Some commands put
   fields before it. */
#define OPTION_LABEL(type, member)                                                                 \
    .kind = OPTION_LABELS, OPTION_FIELD(type, member), .name = "label", .argument = "KEY=VALUE",   \
    .value_words = "none",                                                                         \
    .help = "Something to know the result by, as in ticket=4711, which stands in every report and " \
            "is kept with it. May be given again."
/* clang-format on */

/* Converts and checks one text as the row says, and stores it in the field of `target`. */
int option_store_text(const struct option_row *row, const char *text, void *target, struct err *e);
/*
 * Works like option_store_text, without "--name value:" at the begin of the message: for texts that
 * are not options.
 */
int option_store_value(const struct option_row *row, const char *text, void *target, struct err *e);

/* Get and set the number of the choice in the field of `target`. */
int option_choice_get(const struct option_row *row, const void *target);
void option_choice_set(const struct option_row *row, int value, void *target);

/* Formats a limit or default of the row for people: "16 MiB", "10 min", "5%". Returns `to`. */
char *option_format_number(const struct option_row *row, double number, char *to, size_t size);

#endif

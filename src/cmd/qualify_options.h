/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `cupel qualify`. */
#ifndef CUPEL_CMD_QUALIFY_OPTIONS_H
#define CUPEL_CMD_QUALIFY_OPTIONS_H

#include <stdbool.h>

#include "cmd/options.h"
#include "cmd/output.h"

#define QUALIFY_SERIALS_MOST 32

struct qualify_options {
    char preset[16];
    double limit_seconds;
    char expect[512];       /* "": none */
    char write_expect[512]; /* "": none */
    bool allow_unwritten;
    char destroy_serials[1024];                    /* as typed; cut at its commas */
    const char *serials[QUALIFY_SERIALS_MOST + 1]; /* of it, ended by NULL */
    char format[OUTPUT_FORMAT_MAX];
    char folder[1024]; /* of -o, or "" */
};

extern const struct option_row qualify_option_rows[];

/* Defaults and options. ERR_USAGE. Points into itself: it must not be copied. */
int qualify_options_read(const struct option_set *set, struct qualify_options *o, struct err *e);

#endif

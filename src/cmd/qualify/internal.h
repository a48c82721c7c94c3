/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/cmd/qualify share. */
#ifndef CUPEL_CMD_QUALIFY_INTERNAL_H
#define CUPEL_CMD_QUALIFY_INTERNAL_H

#include <stdbool.h>

#include "base/err.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"

/* ---- cupel qualify ---- */

struct qualify_options {
    char preset[16];
    double limit_seconds;
    char fleet[1024];       /* folder of --fleet, or ""; with --fleet nothing is measured */
    char expect[512];       /* file of expectations, or "" */
    char sla[256];          /* "": none */
    char write_expect[512]; /* new file of expectations, or "" */
    bool together, memory, processors;
    double burn_seconds;
    bool allow_unwritten;
    struct serial_list serials;
    char format[OUTPUT_FORMAT_MAX];
    bool full;
    char folder[1024]; /* value of -o, or "" */
    bool live;         /* show a full screen instead of the progress line */
    struct labels labels;
    bool certificate;
};

extern const struct option_row qualify_option_rows[];

/* Stores the defaults and the options. Fails with ERR_USAGE. *o has pointers into itself, so it
   must not be copied. */
int qualify_options_read(const struct option_set *set, struct qualify_options *o, struct err *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `cupel probe`. */
#ifndef CUPEL_CMD_PROBE_OPTIONS_H
#define CUPEL_CMD_PROBE_OPTIONS_H

#include "cmd/options.h"
#include "cmd/output.h"

struct probe_options {
    char format[OUTPUT_FORMAT_MAX];
    bool all;
    double watch_seconds; /* 0: once */
    char sysroot[512];
    char capture[512];
    char pci_ids[512];
    char pci_dump[512];
    bool serials;
    bool no_commands;
};

extern const struct option_row probe_option_rows[];

/* ERR_USAGE: what the rows say, and options that exclude each other. */
int probe_options_read(const struct option_set *set, struct probe_options *o, struct err *e);

#endif

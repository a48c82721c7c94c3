/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/cmd/probe share. */
#ifndef CUPEL_CMD_PROBE_INTERNAL_H
#define CUPEL_CMD_PROBE_INTERNAL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "facts/inventory.h"
#include "hw/remote/remote_end.h"
#include "hw/sysroot/sysroot.h"
#include "report/path/path_view.h"

/* ---- cupel probe ---- */

struct probe_options {
    char format[OUTPUT_FORMAT_MAX];
    bool all;
    double watch_seconds; /* interval of --watch; 0: the state is read once */
    char sysroot[512];
    char capture[512];
    char pci_ids[512];
    char pci_dump[512];
    bool serials;
    bool no_commands;
    char remote[512], remote_target[256]; /* "": none */
};

extern const struct option_row probe_option_rows[];

/* Reads the options. Fails with ERR_USAGE if one is wrong or options exclude each other. */
int probe_options_read(const struct option_set *set, struct probe_options *o, struct err *e);

/* ---- sensor_history.c: sensors during probe --watch, and their slow shifts ---- */

struct sensor_history;

/* Makes a history for readings every `seconds`. The caller frees it with sensor_history_free, even
   if this fails. */
int sensor_history_make(struct sensor_history **history, double seconds, struct err *e);
void sensor_history_free(struct sensor_history *h);

/* Adds one reading of each sensor. */
void sensor_history_add(struct sensor_history *h, const struct inventory *v);

/* sensor_history_lines adds a line to a page for each sensor that shifts; sensor_history_notices
   prints such a line to standard error, once for each sensor. */
void sensor_history_lines(const struct sensor_history *h, struct text *out);
void sensor_history_notices(struct sensor_history *h);

#endif

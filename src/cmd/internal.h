/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/cmd share, including functions by which `cupel report` prints
   the results of other commands. */
#ifndef CUPEL_CMD_INTERNAL_H
#define CUPEL_CMD_INTERNAL_H

#include <stdbool.h>

#include "base/err.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "program/observe/recorder.h"

/* ---- restore.c: settings that killed sessions have left changed ---- */

/* Prints a line to standard error if a session and the process that restores its settings were both
   killed, so that settings of this machine are still changed. It only looks into /run/cupel, which
   rarely exists. */
void restore_say_left(void);

/* ---- cupel accept (accept.c) ---- */

/* Prints the result for the state in `folder`, and with `keeps` also writes its files there. Fails
   with the exit status of the acceptance: ERR_TARGET and so on if a drive is not accepted. */
int acceptance_output(const char *folder, const char *format, bool full, bool keeps, struct err *e);

/* ---- cupel report --history (report_history.c) ---- */

/*
 * Prints sessions over time. With `of_machine`, these are the history of this machine: of all
 * targets, or of the target that the operand names. Otherwise, and for operands that are no such
 * target, they are the sessions of the records in the given folders and files. Fails with ERR_USAGE
 * if there are none.
 */
int report_history(const char *const operands[], size_t count, bool of_machine,
                   const struct output_form *form, struct err *e);

/* ---- cupel record ---- */

struct record_options {
    bool awake;
    struct recording_plan plan;
    char trace[1024];
    char processes[512];
    char cgroup[1024];
    char device[512];
    char report[1024];
    char format[OUTPUT_FORMAT_MAX];
    bool full;
};

extern const struct option_row record_option_rows[];

/* Converts the options and the command after -- into a plan, which points into `o` and argv. Fails
   with ERR_USAGE. */
int record_options_read(const struct option_set *set, struct record_options *o, struct err *e);

#endif

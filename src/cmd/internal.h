/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/cmd, and what `cupel report` prints again of other
 * commands. */
#ifndef CUPEL_CMD_INTERNAL_H
#define CUPEL_CMD_INTERNAL_H

#include <stdbool.h>

#include "base/err.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "program/observe/recorder.h"

/* ---- restore.c: settings that killed sessions left changed ---- */

/* Prints one line on standard error when a session was killed together with its keeper, and left
   settings of this machine changed. It only looks into /run/cupel, which rarely exists. */
void restore_say_left(void);

/* ---- cupel accept (accept.c) ---- */

/* Prints the result for the state in `folder`, and with `keeps` writes its files there. The exit
   status as an error: ERR_TARGET and so on for a drive that is not accepted. */
int acceptance_output(const char *folder, const char *format, bool full, bool keeps, struct err *e);

/* ---- cupel report --history (report_history.c) ---- */

/*
 * Prints sessions over time: with `of_machine` this machine's own history, of the target that the
 * operand names or of all; otherwise, and for operands that are no such target, the sessions of the
 * records there and in the folders within. ERR_USAGE: there is none.
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

/* Turns options and the command after -- into a plan, which points into `o` and argv. ERR_USAGE. */
int record_options_read(const struct option_set *set, struct record_options *o, struct err *e);

#endif

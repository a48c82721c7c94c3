/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells the user which commands read traces, in messages about a file that turns out to be a
   trace. */
#ifndef CUPEL_CMD_COLUMN_TRACE_USE_H
#define CUPEL_CMD_COLUMN_TRACE_USE_H

/* The parts of a message about a command for traces: "cupel replay", then the path of the trace,
   then " TARGET", then what the command does: "issues its requests again". */
struct trace_use {
    const char *command, *rest, *words;
};

extern const struct trace_use replay_use, merge_use;

#endif

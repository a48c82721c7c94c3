/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How commands that read traces introduce themselves in messages of other commands. */
#ifndef CUPEL_CMD_COLUMN_TRACE_USE_H
#define CUPEL_CMD_COLUMN_TRACE_USE_H

/* What a command does with a trace, in the parts of a message: "cupel replay", then the path, then
   " TARGET", then "issues its requests again". */
struct trace_use {
    const char *command, *rest, *words;
};

extern const struct trace_use replay_use, merge_use;

#endif

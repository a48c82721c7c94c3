/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a command that takes a trace says where it is given to another one. */
#ifndef CUPEL_CMD_COLUMN_TRACE_USE_H
#define CUPEL_CMD_COLUMN_TRACE_USE_H

/* What a command does with a trace, for messages: "cupel replay", the path, " TARGET" and "issues
   its requests again". */
struct trace_use {
    const char *command, *rest, *words;
};

extern const struct trace_use replay_use, merge_use;

#endif

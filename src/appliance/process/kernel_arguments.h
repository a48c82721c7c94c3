/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's command line (/proc/cmdline), split as the kernel splits it (next_arg of
 * lib/cmdline.c): arguments are separated by blanks; `key="a b"` and `"key=a b"` may contain
 * blanks, and the value is `a b`; "--" ends the arguments for the kernel. In keys and names of
 * modules '-' and '_' are the same.
 *
 * Nothing is copied: keys and values are spans of the line, which the caller keeps. A NULL line has
 * no arguments. No state: any thread.
 */
#ifndef CUPEL_APPLIANCE_PROCESS_KERNEL_ARGUMENTS_H
#define CUPEL_APPLIANCE_PROCESS_KERNEL_ARGUMENTS_H

#include <stdbool.h>

#include "base/span.h"
#include "base/text.h"

struct kernel_argument {
    struct span key;
    struct span value; /* empty when there is no value */
    bool has_value;    /* true for "key=", false for "key" */
};

/* Gets the argument at *rest, which is the line at first, and moves *rest past it. Returns false at
   the end. */
bool kernel_argument_next(const char **rest, struct kernel_argument *argument);

/* Returns whether the span is this name of a key or a module; '-' and '_' count as the same. */
bool kernel_argument_named(struct span s, const char *name);

/* Returns true if the key is PREFIX.NAME ("cupel.limit" with prefix "cupel"); *name becomes NAME.
   The prefix ends at the first '.', so NAME may contain dots. */
bool kernel_argument_below(const struct kernel_argument *argument, const char *prefix,
                           struct span *name);

/* Returns whether an argument with that key has `item` in its list
   ("module_blacklist=ast,mgag200"). */
bool kernel_argument_lists(const char *line, const char *key, const char *item);

/*
 * Appends the line's parameters for a module that we load, in the form that init_module(2) takes:
 * "nvme.poll_queues=2 nvme.io_timeout=5" gives "poll_queues=2 io_timeout=5" for the module nvme.
 */
void kernel_argument_add_parameters(const char *line, const char *module, struct text *to);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's command line (/proc/cmdline), taken apart as the kernel takes it apart (next_arg of
 * lib/cmdline.c): arguments are separated by blanks; `key="a b"` and `"key=a b"` keep theirs, and
 * the value is `a b`; "--" ends what is meant for the kernel. In keys and names of modules '-' and
 * '_' are the same.
 *
 * Nothing is copied: keys and values are spans of the line, which the caller keeps. A line that is
 * NULL has no arguments. No state: any thread.
 */
#ifndef CUPEL_INIT_PROCESS_KERNEL_ARGUMENTS_H
#define CUPEL_INIT_PROCESS_KERNEL_ARGUMENTS_H

#include <stdbool.h>

#include "base/span.h"
#include "base/text.h"

struct kernel_argument {
    struct span key;
    struct span value; /* of no length when there is none */
    bool has_value;    /* "key=" has one, "key" has not */
};

/* The argument at *rest, which is moved past it; it begins as the line. False at the end. */
bool kernel_argument_next(const char **rest, struct kernel_argument *argument);

/* Is the span that name, '-' and '_' being the same? For keys and for names of modules. */
bool kernel_argument_named(struct span s, const char *name);

/*
 * If the key is PREFIX.NAME ("cupel.limit" with prefix "cupel"), *name becomes NAME: true. The
 * prefix ends at the first '.', so NAME may have more of them.
 */
bool kernel_argument_below(const struct kernel_argument *argument, const char *prefix,
                           struct span *name);

/* Does an argument of that key hold `item` in its list? ("module_blacklist=ast,mgag200") */
bool kernel_argument_lists(const char *line, const char *key, const char *item);

/*
 * Adds what the line has for a module that is loaded by us, in the form that init_module(2) takes:
 * "nvme.poll_queues=2 nvme.io_timeout=5" gives "poll_queues=2 io_timeout=5" for the module nvme.
 */
void kernel_argument_add_parameters(const char *line, const char *module, struct text *to);

#endif

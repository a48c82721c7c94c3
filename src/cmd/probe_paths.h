/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data paths of the targets of a command line, in the form that reports take. */
#ifndef CUPEL_CMD_PROBE_PATHS_H
#define CUPEL_CMD_PROBE_PATHS_H

#include "base/err.h"
#include "base/inventory.h"
#include "cmd/options.h"
#include "hw/sysroot.h"
#include "report/path.h"

struct probe_path; /* the arrays that a view points into */

struct probe_paths {
    struct path_view *views;
    struct probe_path *paths;
    size_t count;
};

/*
 * The path of each operand; nodes of files and remote storage are added to the inventory. With
 * `captured` the root is another machine's and an operand is a name or an absolute path there.
 * ERR_USAGE: there is no such target; ERR_MACHINE: no memory. Owner, also after a failure:
 * probe_paths_free; a struct of zeros is empty.
 */
int probe_paths_find(struct probe_paths *p, const struct sysroot *root, bool captured,
                     struct inventory *v, const struct option_set *set, struct err *e);
void probe_paths_free(struct probe_paths *p);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the kernel's tables of mounts and swap line by line, and makes the errors for tables that
   cannot be read and for programs that cannot be examined. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/span.h"
#include "io/target/internal.h"

int guard_cannot_look(const char *path, const char *what, struct err *e)
{
    return err_set(e, ERR_UNSAFE,
                   "%s: %s cannot be read, so it cannot be shown that nothing uses the target",
                   path, what);
}

int guard_cannot_see(const char *path, struct guard_sight *sight, struct err *e)
{
    if (sight)
        sight->unseen = true;
    return sight && sight->allow_unseen
               ? 0
               : err_set(e, ERR_UNSAFE,
                         "%s: whether a program has it open for writing cannot be seen here (%s); "
                         "--allow-unseen says that you know of none",
                         path,
                         geteuid() ? "that takes root"
                                   : "a container, or /proc does not show all processes");
}

int guard_check_table(const char *root, const char *table, bool required, const char *path,
                      guard_check_line *check, void *context, struct err *e)
{
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s%s", root, table);
    FILE *f = fopen(file, "re");
    if (!f)
        return required ? guard_cannot_look(path, file, e) : 0;
    char *line = NULL;
    size_t room = 0;
    int status = 0;
    while (status == 0 && getline(&line, &room, f) > 0)
        status = check(context, line, e);
    free(line);
    fclose(f);
    return status;
}

const char *guard_swap_path(char *line, struct stat *st, bool *found)
{
    char *rest = NULL, *name = strtok_r(line, " \t", &rest);
    const char *path = name ? octal_unescape(name) : NULL;
    if (!path || path[0] != '/')
        return NULL;
    *found = !stat(path, st);
    return path;
}

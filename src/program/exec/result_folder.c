/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes and removes %RESULT_DIR%, a folder for each round. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/folder_remove.h"
#include "program/exec/internal.h"

int result_folder_make(const char *parent, uint64_t round, char *path, size_t size, int *fd,
                       struct err *e)
{
    const char *temporary = getenv("TMPDIR");
    bool made;
    *fd = -1;
    if (!temporary || !*temporary)
        temporary = "/tmp";
    int length = parent ? snprintf(path, size, "%s/round-%06llu", parent, (unsigned long long)round)
                        : snprintf(path, size, "%s/cupel-exec.XXXXXX", temporary);
    if (length < 0 || (size_t)length >= size)
        return err_set(e, ERR_USAGE, "the folder of a round has too long a name");
    if (parent)
        made = mkdir(path, 0777) == 0;
    else
        made = mkdtemp(path) != NULL;
    if (!made)
        return err_set(e, ERR_TARGET, "%.300s: the folder of round %llu cannot be made: %s", path,
                       (unsigned long long)round, strerror(errno));
    if (parent)
        return 0;
    *fd = folder_open(path);
    return *fd >= 0 ? 0
                    : err_set(e, ERR_MACHINE, "%.300s: the folder of a round cannot be opened: %s",
                              path, strerror(errno));
}

bool result_folder_remove(int fd, const char *path, char *why, size_t size)
{
    struct folder_left left;
    if (!folder_remove(fd, path, &left))
        return true;
    snprintf(why, size, "%s%s%s stays: %s", path, left.first[0] ? "/" : "", left.first,
             left.reason == EXDEV ? "something else is mounted there" : strerror(left.reason));
    return false;
}

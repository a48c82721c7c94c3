/* SPDX-License-Identifier: GPL-3.0-or-later */
/* %RESULT_DIR%: a folder for each round. */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/internal.h"

int result_folder_make(const char *parent, uint64_t round, char *path, size_t size, struct err *e)
{
    const char *temporary = getenv("TMPDIR");
    bool made;
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
    return 0;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

void result_folder_remove(const char *path)
{
    enum { DESCRIPTORS = 16 };
    nftw(path, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

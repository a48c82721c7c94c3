/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the record in a folder of results. */
#include "base/file/record_file.h"

#include <unistd.h>

#include "base/file/file.h"

static bool is_in(char to[PATH_MAX], const char *folder, const char *name)
{
    return file_path(to, "%s/%s", folder, name) && !access(to, F_OK);
}

bool record_file(char to[PATH_MAX], const char *path)
{
    if (!dir_exists(path))
        return file_path(to, "%s", path) && !access(to, F_OK);
    return is_in(to, path, RECORD_FILE) || is_in(to, path, PROGRAM_FILE) ||
           is_in(to, path, RECORD_FILE);
}

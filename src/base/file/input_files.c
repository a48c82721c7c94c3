/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file/input_files.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/file/file_identity.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct stat *files;
static size_t count, room;
static bool incomplete;

static bool is_listed(const struct stat *st)
{
    for (size_t i = 0; i < count; i++)
        if (file_is_same(&files[i], st))
            return true;
    return false;
}

void input_files_add(int fd)
{
    struct stat st;
    if (fstat(fd, &st) || !(S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)))
        return;
    pthread_mutex_lock(&mutex);
    if (!is_listed(&st)) {
        if (array_grow(&files, sizeof *files, count, &room))
            files[count++] = st;
        else
            incomplete = true;
    }
    pthread_mutex_unlock(&mutex);
}

bool input_files_at(size_t index, struct stat *st)
{
    pthread_mutex_lock(&mutex);
    const bool there = index < count;
    if (there)
        *st = files[index];
    pthread_mutex_unlock(&mutex);
    return there;
}

bool input_files_has(const struct stat *st)
{
    pthread_mutex_lock(&mutex);
    const bool found = incomplete || is_listed(st);
    pthread_mutex_unlock(&mutex);
    return found;
}

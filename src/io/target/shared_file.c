/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the list of files that several sessions of this process have open for writing at the same
   time. */
#include <pthread.h>

#include "io/target/internal.h"

#define SHARED_FILES 64

static pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER;
static struct shared_file {
    dev_t device;
    ino_t inode;
    int fd;
} files[SHARED_FILES]; /* fd 0: the element is free */

void shared_file_add(int fd, const struct stat *st)
{
    pthread_mutex_lock(&listing);
    for (int i = 0; i < SHARED_FILES; i++)
        if (!files[i].fd) {
            files[i] = (struct shared_file){st->st_dev, st->st_ino, fd};
            break;
        }
    pthread_mutex_unlock(&listing);
}

void shared_file_remove(int fd)
{
    pthread_mutex_lock(&listing);
    for (int i = 0; i < SHARED_FILES && fd > 0; i++)
        if (files[i].fd == fd)
            files[i].fd = 0;
    pthread_mutex_unlock(&listing);
}

bool shared_file_is_written(const struct stat *st)
{
    bool found = false;
    pthread_mutex_lock(&listing);
    for (int i = 0; i < SHARED_FILES; i++)
        found |= files[i].fd && files[i].device == st->st_dev && files[i].inode == st->st_ino;
    pthread_mutex_unlock(&listing);
    return found;
}

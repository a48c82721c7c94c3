/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files in memory, in place of the C library's functions. */
#include "tests/fuzz/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/memory_folder.h"

#define FOLDER         "/memory/"
#define FIRST_FD       (1 << 20)
#define OPEN_FILES_MAX 16

struct bytes {
    const char *data;
    size_t length;
};

static struct bytes files[MEMORY_FILES];
static struct {
    const struct bytes *file; /* NULL: not in use */
    size_t at;
} opened[OPEN_FILES_MAX];

void memory_file_set(size_t i, const void *bytes, size_t length)
{
    files[i] = (struct bytes){bytes, length};
}

static const struct bytes *find(const char *path)
{
    size_t length = strlen(FOLDER);
    if (strncmp(path, FOLDER, length) != 0 || path[length] < '0' ||
        path[length] >= '0' + MEMORY_FILES || (path[length + 1] != '\0' && path[length + 1] != '_'))
        return NULL;
    return &files[path[length] - '0'];
}

static const struct bytes *of_descriptor(int fd)
{
    return fd >= FIRST_FD && fd < FIRST_FD + OPEN_FILES_MAX ? opened[fd - FIRST_FD].file : NULL;
}

static int open_memory(const struct bytes *file)
{
    for (int i = 0; i < OPEN_FILES_MAX; i++) {
        if (opened[i].file == NULL) {
            opened[i].file = file;
            opened[i].at = 0;
            return FIRST_FD + i;
        }
    }
    errno = EMFILE;
    return -1;
}

int memory_file_open(size_t i)
{
    return open_memory(&files[i]);
}

void memory_file_close(int fd)
{
    if (of_descriptor(fd))
        opened[fd - FIRST_FD].file = NULL;
}

static ssize_t copy(const struct bytes *file, size_t at, void *to, size_t most)
{
    size_t left = at < file->length ? file->length - at : 0, n = left < most ? left : most;
    if (n > 0)
        memcpy(to, file->data + at, n);
    return (ssize_t)n;
}

static void describe(const struct bytes *file, struct stat *s)
{
    *s = (struct stat){.st_mode = S_IFREG | 0600, .st_size = (off_t)file->length};
}

/* The linker's names. NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
ssize_t __real_read(int fd, void *to, size_t most);
ssize_t __wrap_read(int fd, void *to, size_t most);
ssize_t __real_pread(int fd, void *to, size_t most, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t most, off_t at);
int __real_fstat(int fd, struct stat *s);
int __wrap_fstat(int fd, struct stat *s);
int __real_stat(const char *path, struct stat *s);
int __wrap_stat(const char *path, struct stat *s);
int __real_close(int fd);
int __wrap_close(int fd);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

static unsigned mode_of(int flags, va_list *arguments)
{
    return flags & O_CREAT ? va_arg(*arguments, unsigned) : 0;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = mode_of(flags, &arguments);
    va_end(arguments);
    if (strcmp(path, MEMORY_FOLDER) == 0)
        return MEMORY_FOLDER_FD;
    const struct bytes *file = find(path);
    return file ? open_memory(file) : __real_open(path, flags, mode);
}

int __wrap_openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = mode_of(flags, &arguments);
    va_end(arguments);
    if (folder == MEMORY_FOLDER_FD)
        return memory_folder_make_file(path);
    const struct bytes *file = find(path);
    return file ? open_memory(file) : __real_openat(folder, path, flags, mode);
}

ssize_t __wrap_read(int fd, void *to, size_t most)
{
    const struct bytes *file = of_descriptor(fd);
    if (!file)
        return __real_read(fd, to, most);
    ssize_t n = copy(file, opened[fd - FIRST_FD].at, to, most);
    opened[fd - FIRST_FD].at += (size_t)n;
    return n;
}

ssize_t __wrap_pread(int fd, void *to, size_t most, off_t at)
{
    const struct bytes *file = of_descriptor(fd);
    return file ? copy(file, (size_t)at, to, most) : __real_pread(fd, to, most, at);
}

int __wrap_fstat(int fd, struct stat *s)
{
    const struct bytes *file = of_descriptor(fd);
    if (!file)
        return __real_fstat(fd, s);
    describe(file, s);
    return 0;
}

int __wrap_stat(const char *path, struct stat *s)
{
    const struct bytes *file = find(path);
    if (!file)
        return __real_stat(path, s);
    describe(file, s);
    return 0;
}

int __wrap_close(int fd)
{
    if (fd == MEMORY_FOLDER_FD || fd == MEMORY_SINK_FD)
        return 0;
    if (!of_descriptor(fd))
        return __real_close(fd);
    opened[fd - FIRST_FD].file = NULL;
    return 0;
}

/* A stream of no bytes is not to be had from memory everywhere. */
FILE *__wrap_fopen(const char *path, const char *mode)
{
    const struct bytes *file = find(path);
    if (!file)
        return __real_fopen(path, mode);
    return file->length ? fmemopen((void *)(uintptr_t)file->data, file->length, "r")
                        : __real_fopen("/dev/null", "r");
}
/* NOLINTEND(bugprone-reserved-identifier) */

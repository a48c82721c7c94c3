/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder in memory: names and kinds. */
#include "tests/fuzz/memory_folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#define ENTRIES 256
#define NAME    1024

static struct {
    char name[NAME];
    mode_t kind;
} entries[ENTRIES];
static size_t count;

void memory_folder_begin(void)
{
    count = 0;
}

/* 0: there is none. */
static mode_t kind_of(const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(entries[i].name, name, length) == 0 && entries[i].name[length] == '\0')
            return entries[i].kind;
    return 0;
}

/* Everything above a name is a folder, and no part of it leads out. */
static int check_above(const char *name)
{
    FUZZ_CHECK(*name && *name != '/', "a name that leads out of the folder");
    for (const char *part = name, *slash;; part = slash + 1) {
        slash = strchr(part, '/');
        size_t length = slash ? (size_t)(slash - part) : strlen(part);
        FUZZ_CHECK(length > 0 && !(length == 2 && memcmp(part, "..", 2) == 0),
                   "a name that leads out of the folder");
        if (!slash)
            return 0;
        mode_t kind = kind_of(name, (size_t)(slash - name));
        FUZZ_CHECK(kind != S_IFLNK, "something is made through a link");
        if (kind != S_IFDIR) {
            errno = kind ? ENOTDIR : ENOENT;
            return -1;
        }
    }
}

static int make(const char *name, mode_t kind)
{
    size_t length = strlen(name);
    if (check_above(name))
        return -1;
    if (kind_of(name, length) || count == ENTRIES || length >= NAME) {
        errno = kind_of(name, length) ? EEXIST : ENOSPC;
        return -1;
    }
    memcpy(entries[count].name, name, length + 1);
    entries[count++].kind = kind;
    return 0;
}

int memory_folder_make_file(const char *name)
{
    return make(name, S_IFREG) ? -1 : MEMORY_SINK_FD;
}

/* The linker's names. NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_mkdirat(int folder, const char *name, mode_t mode);
int __wrap_mkdirat(int folder, const char *name, mode_t mode);
int __real_symlinkat(const char *target, int folder, const char *name);
int __wrap_symlinkat(const char *target, int folder, const char *name);
int __real_fstatat(int folder, const char *name, struct stat *s, int flags);
int __wrap_fstatat(int folder, const char *name, struct stat *s, int flags);
ssize_t __real_write(int fd, const void *bytes, size_t length);
ssize_t __wrap_write(int fd, const void *bytes, size_t length);

int __wrap_mkdirat(int folder, const char *name, mode_t mode)
{
    return folder == MEMORY_FOLDER_FD ? make(name, S_IFDIR) : __real_mkdirat(folder, name, mode);
}

int __wrap_symlinkat(const char *target, int folder, const char *name)
{
    return folder == MEMORY_FOLDER_FD ? make(name, S_IFLNK)
                                      : __real_symlinkat(target, folder, name);
}

int __wrap_fstatat(int folder, const char *name, struct stat *s, int flags)
{
    if (folder != MEMORY_FOLDER_FD)
        return __real_fstatat(folder, name, s, flags);
    mode_t kind = kind_of(name, strlen(name));
    if (!kind) {
        errno = ENOENT;
        return -1;
    }
    *s = (struct stat){.st_mode = kind | 0700};
    return 0;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t length)
{
    if (fd != MEMORY_SINK_FD)
        return __real_write(fd, bytes, length);
    static unsigned char sink[64 << 10];
    for (size_t done = 0, n; done < length; done += n) { /* all of it, for the sanitizer */
        n = length - done < sizeof sink ? length - done : sizeof sink;
        memcpy(sink, (const unsigned char *)bytes + done, n);
    }
    return (ssize_t)length;
}
/* NOLINTEND(bugprone-reserved-identifier) */

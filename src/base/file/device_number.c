/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses and reads device numbers in the kernel's form, and opens the devices that they
   identify. */
#include "base/file/device_number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file/file.h"

bool device_number_parse(const char *text, dev_t *device)
{
    const unsigned long max = 1ul << 20; /* the kernel uses 12 bits for major and 20 for minor */
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    unsigned long major_number = strtoul(text, &end, 10);
    if (end[0] != ':' || end[1] < '0' || end[1] > '9' || major_number >= max)
        return false;
    unsigned long minor_number = strtoul(end + 1, &end, 10);
    if ((*end && *end != '\n') || minor_number >= max)
        return false;
    *device = makedev((unsigned)major_number, (unsigned)minor_number);
    return true;
}

bool device_number_read(const char *file, dev_t *device)
{
    char line[32];
    return file_first_line(file, line, sizeof line) && device_number_parse(line, device);
}

int device_number_open(const char *name, bool character, dev_t device, int flags)
{
    char path[80];
    struct stat st;
    if (snprintf(path, sizeof path, "/dev/%s", name) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (!fstat(fd, &st) && (st.st_mode & S_IFMT) == (character ? S_IFCHR : S_IFBLK) &&
        st.st_rdev == device)
        return fd;
    close(fd);
    errno = ENODEV;
    return -1;
}

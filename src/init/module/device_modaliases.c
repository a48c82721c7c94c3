/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The modaliases of the devices that the kernel knows now, read from the lists of its buses. */
#include "init/module/internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct visitor {
    void (*found)(void *context, const char *modalias);
    void *context;
};

#define ATTRIBUTE_BYTES 4096 /* a page is the most that sysfs gives */

static void read_modaliases(int folder, const char *path, const struct visitor *visitor)
{
    char text[ATTRIBUTE_BYTES + 1];
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t length = read(fd, text, ATTRIBUTE_BYTES);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        visitor->found(visitor->context, line);
}

/* PREFIX/NAME/SUFFIX; false for "." and "..", and when it is too long. */
static bool join(char to[PATH_MAX], const char *prefix, const char *name, const char *suffix)
{
    int length = snprintf(to, PATH_MAX, "%s%s/%s", prefix, name, suffix);
    return name[0] != '.' && length > 0 && length < PATH_MAX;
}

static void visit_bus(int sys, const char *path, const struct visitor *visitor)
{
    char attribute[PATH_MAX];
    int fd = openat(sys, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *devices = fd >= 0 ? fdopendir(fd) : NULL;
    if (devices == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    const struct dirent *device;
    while ((device = readdir(devices)) != NULL)
        if (join(attribute, "", device->d_name, "modalias"))
            read_modaliases(fd, attribute, visitor);
    closedir(devices);
}

/* Of things on no bus that have drivers all the same. */
static const char *const elsewhere[] = {"devices/system/cpu/modalias", "class/dmi/id/modalias"};

void device_modaliases(const char *sys, void (*found)(void *context, const char *modalias),
                       void *context)
{
    struct visitor visitor = {found, context};
    char path[PATH_MAX];
    int fd = open(sys, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    int bus_fd = openat(fd, "bus", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *buses = bus_fd >= 0 ? fdopendir(bus_fd) : NULL;
    const struct dirent *bus;
    while (buses != NULL && (bus = readdir(buses)) != NULL)
        if (join(path, "bus/", bus->d_name, "devices"))
            visit_bus(fd, path, &visitor);
    if (buses != NULL)
        closedir(buses);
    else if (bus_fd >= 0)
        close(bus_fd);
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        read_modaliases(fd, elsewhere[i], &visitor);
    close(fd);
}

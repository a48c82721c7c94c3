/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mounts: one line of mountinfo at a time, the best one kept. */
#include "hw/disk/internal.h"

#include <stdint.h>
#include <string.h>

#include "base/device_number.h"
#include "base/span.h"

struct search {
    const char *path;
    dev_t device;
    size_t
        best; /* 0: none; else 1 + length of the mount point, and above all others on the device */
    struct mount *found;
};

#define ON_THE_DEVICE ((uint64_t)1 << 32)

/* The next field of a line, cut out in place; NULL at the end. */
static char *next_field(char **rest)
{
    char *field = *rest;
    if (!field || !*field)
        return NULL;
    char *space = strchr(field, ' ');
    *rest = space ? space + 1 : NULL;
    if (space)
        *space = '\0';
    return field;
}

static bool lies_below(const char *path, const char *point, size_t length)
{
    if (length == 1 && point[0] == '/')
        return path[0] == '/';
    return !strncmp(path, point, length) && (path[length] == '/' || path[length] == '\0');
}

static void copy_field(char *to, size_t size, char *escaped)
{
    span_printable(to, size, span_of(octal_unescape(escaped)));
}

/* The value of one of the options that commas separate; "" when it is not there, or too long. */
static void copy_option(char *to, size_t size, const char *options, const char *name)
{
    size_t length = strlen(name);
    to[0] = '\0';
    for (const char *option = options; *option; option += strcspn(option, ",")) {
        option += *option == ',';
        size_t value = strcspn(option, ",");
        if (strncmp(option, name, length) != 0 || value - length >= size)
            continue;
        memcpy(to, option + length, value - length);
        to[value - length] = '\0';
        return;
    }
}

/* 36 35 98:0 /root /point rw,noatime shared:1 - ext4 /dev/sda1 rw,errors=continue */
static bool consider_mount(void *context, char *line)
{
    struct search *search = context;
    char *rest = line;
    next_field(&rest);
    next_field(&rest);
    char *number = next_field(&rest);
    next_field(&rest);
    char *point = next_field(&rest), *options = next_field(&rest), *field;
    do
        field = next_field(&rest);
    while (field && strcmp(field, "-") != 0);
    char *type = next_field(&rest), *source = next_field(&rest), *super = next_field(&rest);
    dev_t device;
    if (!source || !device_number_parse(number, &device))
        return true;

    size_t length = strlen(octal_unescape(point));
    uint64_t rank = length + 1 + (device == search->device ? ON_THE_DEVICE : 0);
    if (!lies_below(search->path, point, length) || rank < search->best)
        return true;
    search->best = rank; /* of equals the last: it covers those before it */
    struct mount *m = search->found;
    m->device = device;
    copy_field(m->type, sizeof m->type, type);
    copy_field(m->source, sizeof m->source, source);
    span_printable(m->point, sizeof m->point, span_of(point));
    copy_field(m->options, sizeof m->options, options);
    m->super_options[0] = m->upper_folder[0] = '\0';
    if (!super)
        return true;
    copy_field(m->super_options, sizeof m->super_options, super);
    if (!strcmp(type, "overlay"))
        copy_option(m->upper_folder, sizeof m->upper_folder, super, "upperdir=");
    return true;
}

enum fact_status mount_find(const struct sysroot *root, const char *path, dev_t device,
                            struct mount *found)
{
    struct search search = {.path = path, .device = device, .found = found};
    *found = (struct mount){0};
    enum fact_status status = sysroot_each_line(root, MOUNT_FILE, consider_mount, &search);
    if (status == FACT_OK && !search.best)
        return FACT_ABSENT;
    return status;
}

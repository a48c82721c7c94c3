/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file/mountinfo.h"

#include <string.h>

#include "base/file/device_number.h"
#include "base/span.h"

/* Cuts out the next field and undoes its escapes. Fields may be empty; after the last one the
   function returns "". */
static const char *next_field(char **rest)
{
    char *field = strsep(rest, " \n");
    return field ? octal_unescape(field) : "";
}

/* Parses a line such as: 36 35 98:0 /root /point rw,noatime shared:1 - ext4 /dev/sda1
   rw,errors=continue */
bool mountinfo_parse(char *line, struct mountinfo *m)
{
    char *rest = line;
    next_field(&rest); /* skips the numbers of this mount and of its parent */
    next_field(&rest);
    const char *device = next_field(&rest);
    m->root = next_field(&rest);
    m->point = next_field(&rest);
    m->options = next_field(&rest);
    while (rest && strcmp(next_field(&rest), "-") != 0)
        ; /* skips optional fields */
    m->type = next_field(&rest);
    m->source = next_field(&rest);
    m->super_options = next_field(&rest);
    return *m->point && device_number_parse(device, &m->device);
}

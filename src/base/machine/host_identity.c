/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads from /proc which machine this is: its name, and the identity of its boot. */
#include "base/machine/host_identity.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"

static int hexadecimal(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a boot_id: 32 hexadecimal digits with hyphens between them. */
static bool read_boot(unsigned char boot[HOST_BOOT_BYTES], const char *line)
{
    size_t digits = 0;
    memset(boot, 0, HOST_BOOT_BYTES);
    for (; *line; line++) {
        int digit = hexadecimal(*line);
        if (*line == '-')
            continue;
        if (digit < 0 || digits == (size_t)2 * HOST_BOOT_BYTES)
            return false;
        boot[digits / 2] = (unsigned char)(boot[digits / 2] << 4 | digit);
        digits++;
    }
    return digits == (size_t)2 * HOST_BOOT_BYTES;
}

void host_identity_read(struct host_identity *h, const char *prefix)
{
    char path[PATH_MAX], line[64];
    memset(h, 0, sizeof *h);
    if (file_path(path, "%s/proc/sys/kernel/hostname", prefix))
        file_first_line(path, h->name, sizeof h->name);
    h->boot_known = file_path(path, "%s/proc/sys/kernel/random/boot_id", prefix) &&
                    file_first_line(path, line, sizeof line) && read_boot(h->boot, line);
    if (!h->boot_known)
        memset(h->boot, 0, sizeof h->boot);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading /dev/kmsg: each read gives one record, until there is none left. */
#include "cmd/appliance/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORD_MAX = 8192 };

void kernel_log_add(struct text *out, const char *record, size_t length)
{
    char head[64];
    const char *message = memchr(record, ';', length);
    if (!message || (size_t)(message - record) >= sizeof head)
        return;
    memcpy(head, record, (size_t)(message - record));
    head[message - record] = '\0';
    const char *number = strchr(head, ',');
    const char *time = number ? strchr(number + 1, ',') : NULL;
    if (!time)
        return;
    unsigned long long us = strtoull(time + 1, NULL, 10);
    message++;
    length -= (size_t)(message - record);
    const char *end = memchr(message, '\n', length);
    text_addf(out, "[%5llu.%06llu] ", us / 1000000, us % 1000000);
    text_add_bytes(out, message, end ? (size_t)(end - message) : length);
    text_add(out, "\n");
}

void kernel_log_read(const char *path, struct text *out)
{
    char record[RECORD_MAX];
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        text_addf(out, "cannot read %s: %s\n", path, strerror(errno));
        return;
    }
    for (;;) {
        ssize_t got = read(fd, record, sizeof record);
        if (got > 0)
            kernel_log_add(out, record, (size_t)got);
        else if (got == 0 || (errno != EINTR && errno != EPIPE)) /* EPIPE: some were overwritten */
            break;
    }
    close(fd);
}

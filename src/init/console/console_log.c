/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring of lines behind console_log. */
#include "init/console/internal.h"

#include <string.h>

static char byte_at(const struct log_ring *log, size_t index)
{
    return log->bytes[(log->first + index) % CONSOLE_LOG];
}

static void drop_oldest_line(struct log_ring *log)
{
    char byte;
    do {
        byte = log->bytes[log->first];
        log->first = (log->first + 1) % CONSOLE_LOG;
        log->length--;
    } while (log->length > 0 && byte != '\n');
    if (log->open > log->length)
        log->open = log->length;
}

void log_add(struct log_ring *log, char byte)
{
    if (byte == '\r') {
        log->returned = true;
        return;
    }
    if (log->returned && byte != '\n') {
        log->length -= log->open;
        log->open = 0;
    }
    log->returned = false;
    if (log->length == CONSOLE_LOG)
        drop_oldest_line(log);
    log->bytes[(log->first + log->length) % CONSOLE_LOG] = byte;
    log->length++;
    log->open = byte == '\n' ? 0 : log->open + 1;
}

/* Where the lines begin of which the last `most` bytes hold all; that many bytes where one line
   alone is longer. */
static size_t first_that_fits(const struct log_ring *log, size_t most)
{
    if (log->length <= most)
        return 0;
    size_t earliest = log->length - most;
    for (size_t i = earliest; i < log->length; i++)
        if (byte_at(log, i - 1) == '\n')
            return i;
    return earliest;
}

size_t log_copy(const struct log_ring *log, char *to, size_t size)
{
    if (size == 0)
        return 0;
    size_t from = first_that_fits(log, size - 1), length = log->length - from;
    size_t start = (log->first + from) % CONSOLE_LOG;
    size_t before_wrap = length < CONSOLE_LOG - start ? length : CONSOLE_LOG - start;
    memcpy(to, log->bytes + start, before_wrap);
    memcpy(to + before_wrap, log->bytes, length - before_wrap);
    to[length] = '\0';
    return length;
}

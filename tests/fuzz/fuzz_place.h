/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A message about a refused text file names the place of the mistake. */
#ifndef TESTS_FUZZ_FUZZ_PLACE_H
#define TESTS_FUZZ_FUZZ_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* "NAME:LINE:COLUMN: ", with a column inside that line, or the one after its end. */
static inline bool place_is_there(const char *name, const char *text, size_t size,
                                  const char *message)
{
    char *end;
    size_t before = strlen(name);
    if (strncmp(message, name, before) != 0 || message[before] != ':')
        return false;
    unsigned long line = strtoul(message + before + 1, &end, 10), column = 0;
    column = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
    if (line == 0 || column == 0 || strncmp(end, ": ", 2) != 0)
        return false;
    const char *at = text, *stop = text + size;
    for (; line > 1 && at < stop; line--) {
        const char *next = memchr(at, '\n', (size_t)(stop - at));
        at = next != NULL ? next + 1 : stop;
    }
    const char *line_end = at < stop ? memchr(at, '\n', (size_t)(stop - at)) : NULL;
    size_t length = (size_t)((line_end != NULL ? line_end : stop) - at);
    return line == 1 && column <= length + 1;
}

#endif

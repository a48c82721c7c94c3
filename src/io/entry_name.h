/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the entries that backends create in a scratch folder, and of each worker's folder in it:
   a number as eight hexadecimal digits. */
#ifndef CUPEL_IO_ENTRY_NAME_H
#define CUPEL_IO_ENTRY_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ENTRY_NAME_DIGITS 8
#define ENTRY_NAME_BYTES  (ENTRY_NAME_DIGITS + 1)

static inline void entry_name(char to[ENTRY_NAME_BYTES], uint64_t number)
{
    for (int i = ENTRY_NAME_DIGITS; i-- > 0; number >>= 4)
        to[i] = "0123456789abcdef"[number & 15];
    to[ENTRY_NAME_DIGITS] = '\0';
}

static inline bool entry_name_is(const char *name)
{
    return strlen(name) == ENTRY_NAME_DIGITS &&
           strspn(name, "0123456789abcdef") == ENTRY_NAME_DIGITS;
}

#endif

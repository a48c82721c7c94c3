/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Error values: formatted once where the error occurs, and given context on the way up. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, enum err_code code, const char *format, ...)
{
    if (!e)
        return -1;
    va_list args;
    va_start(args, format);
    e->code = code;
    vsnprintf(e->msg, sizeof e->msg, format, args);
    va_end(args);
    return -1;
}

int err_no_memory(struct err *e, const char *what, ...)
{
    if (!e)
        return -1;
    const int used = snprintf(e->msg, sizeof e->msg, "there is no memory left for ");
    va_list args;
    va_start(args, what);
    e->code = ERR_MACHINE;
    vsnprintf(e->msg + used, sizeof e->msg - (size_t)used, what, args);
    va_end(args);
    return -1;
}

int err_context(struct err *e, const char *format, ...)
{
    if (!e)
        return -1;
    char inner[sizeof e->msg];
    memcpy(inner, e->msg, sizeof inner);

    va_list args;
    va_start(args, format);
    int used = vsnprintf(e->msg, sizeof e->msg, format, args);
    va_end(args);
    if (used < 0)
        used = 0;
    int room = (int)sizeof e->msg - used - 3; /* leaves room for ": " and the final '\0' */
    if (room > 0)
        snprintf(e->msg + used, (size_t)room + 3, ": %.*s", room, inner);
    return -1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats error values once, where the error occurs, and adds context on the way up. */
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

#define COUNT_ROOM (sizeof " (and 1000 more mistakes)")

void mistakes_add(struct mistakes *m, const struct err *mistake)
{
    static const char too[] = ", too";
    if (m->count++ == 0 && m->e)
        *m->e = *mistake;
    if (m->count == 1 || !m->e)
        return;
    const char *words = mistake->msg;
    words += m->said_once < strlen(words) ? m->said_once : 0;
    const size_t used = strlen(m->e->msg), space = sizeof m->e->msg - used;
    const char *colon = m->said_once ? strstr(words, ": ") : NULL;
    if (!m->left && !m->shortened && strlen(words) + 2 + COUNT_ROOM <= space)
        snprintf(m->e->msg + used, space, "; %s", words);
    else if (!m->left && colon && (size_t)(colon - words) + sizeof too + 2 + COUNT_ROOM <= space)
        m->shortened =
            snprintf(m->e->msg + used, space, "; %.*s%s", (int)(colon - words), words, too) > 0;
    else
        m->left++;
}

int mistakes_result(const struct mistakes *m)
{
    if (m->left && m->e) {
        /* the message of the first mistake may leave no room for the count */
        size_t used = strlen(m->e->msg);
        used = used + COUNT_ROOM < sizeof m->e->msg ? used : sizeof m->e->msg - COUNT_ROOM;
        snprintf(m->e->msg + used, sizeof m->e->msg - used, " (and %u more mistake%s)", m->left,
                 m->left == 1 ? "" : "s");
    }
    return m->count ? -1 : 0;
}

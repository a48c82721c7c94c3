/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Priorities as text. */
#include "source/priority.h"

#include <stdio.h>
#include <string.h>

static const char *const class_names[] = {
    [PRIORITY_NONE] = "none", [PRIORITY_RT] = "rt", [PRIORITY_BE] = "be", [PRIORITY_IDLE] = "idle"};
#define CLASSES (sizeof class_names / sizeof *class_names)

char *priority_words(uint16_t value, char to[PRIORITY_WORDS])
{
    const enum priority_class class = priority_class_of(value);
    const unsigned hint = priority_hint_of(value);
    size_t used = (size_t)snprintf(to, PRIORITY_WORDS, "%s",
                                   class < CLASSES ? class_names[class] : "unknown");
    if (class == PRIORITY_RT || class == PRIORITY_BE || hint)
        used += (size_t)snprintf(to + used, PRIORITY_WORDS - used, "/%u", priority_level_of(value));
    if (hint)
        snprintf(to + used, PRIORITY_WORDS - used, "/%u", hint);
    return to;
}

int priority_class_named(const char *text, size_t length)
{
    if (length == 1 && text[0] >= '0' && text[0] < '0' + (char)CLASSES)
        return text[0] - '0';
    for (size_t i = 0; i < CLASSES; i++)
        if (strlen(class_names[i]) == length && !memcmp(class_names[i], text, length))
            return (int)i;
    return -1;
}

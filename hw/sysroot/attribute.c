/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads facts that are one small file each, and sums of counters. */
#include "hw/sysroot/attribute.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/span.h"
#include "base/text.h"
#include "base/units.h"

#define TEXT_MAX_BYTES 4200 /* buffer size: a kernel command line has up to 4096 bytes */

/* Reads a whole number with nothing after it. Leading zeros do not make it octal. */
static bool scan_number(const char *text, bool *negative, uint64_t *value)
{
    struct span s = span_trimmed(span_of(text));
    char digits[32], *end;
    *negative = s.length && s.text[0] == '-';
    if (*negative) {
        s.text++;
        s.length--;
    }
    if (!s.length || s.length >= sizeof digits || s.text[0] == '-' || s.text[0] == '+')
        return false;
    memcpy(digits, s.text, s.length);
    digits[s.length] = '\0';
    bool hexadecimal = !strncmp(digits, "0x", 2);
    errno = 0;
    *value = strtoull(digits, &end, hexadecimal ? 16 : 10);
    return !errno && end != digits && !*end && digits[0] >= '0' && digits[0] <= '9';
}

/* Converts the text to the form in which the fact is shown, or to "" when the text is not of the
   row's kind. */
static void convert(const struct attribute *row, char *text, char *to, size_t size)
{
    struct span word;
    uint64_t value;
    bool negative;
    to[0] = '\0';
    switch (row->kind) {
    case ATTRIBUTE_TEXT:
        span_copy(to, (struct span){text, strnlen(text, size - 1)});
        break;
    case ATTRIBUTE_NUMBER:
    case ATTRIBUTE_SIGNED:
        if (!scan_number(text, &negative, &value) || (negative && row->kind != ATTRIBUTE_SIGNED) ||
            __builtin_mul_overflow(value, row->scale ? row->scale : 1, &value) ||
            size <= TEXT_DIGITS)
            break;
        to[0] = '-';
        text_digits(to + (negative && value), value);
        break;
    case ATTRIBUTE_YES_NO:
        word = span_trimmed(span_of(text));
        if (word.length == 1)
            snprintf(to, size, "%s",
                     strchr("1Y", *word.text)   ? "yes"
                     : strchr("0N", *word.text) ? "no"
                                                : "");
        break;
    case ATTRIBUTE_CHOICE: {
        char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
        word = span_trimmed(span_of(text));
        if (close)
            snprintf(to, size, "%.*s", (int)(close - open - 1), open + 1);
        else if (!open && !memchr(word.text, ' ', word.length))
            snprintf(to, size, "%.*s", (int)word.length, word.text);
        break;
    }
    }
}

void attributes_add(const struct sysroot *root, struct inventory *v, int node, const char *folder,
                    const struct attribute *rows, size_t count)
{
    char text[TEXT_MAX_BYTES], value[TEXT_MAX_BYTES], source[512];
    for (size_t n = 0; n < count; n++) {
        const struct attribute *row = &rows[n];
        enum fact_status status = FACT_ABSENT;
        for (size_t i = 0; status == FACT_ABSENT && i < 3 && row->files[i]; i++) {
            status = sysroot_line(root, sysroot_join(source, sizeof source, folder, row->files[i]),
                                  text, sizeof text);
            /* "(null)" is what the kernel prints for a name that the driver did not set. */
            if (status == FACT_OK && !strcmp(text, "(null)"))
                status = FACT_ABSENT;
        }
        if (status == FACT_ABSENT && row->optional)
            continue;
        value[0] = '\0';
        if (status == FACT_OK)
            convert(row, text, value, sizeof value);
        if (status == FACT_ABSENT)
            sysroot_join(source, sizeof source, folder, row->files[0]);
        inventory_add(v, node, row->key, value, row->unit, source, status);
    }
}

bool attribute_number(const struct sysroot *root, const char *folder, const char *file,
                      uint64_t *value)
{
    char path[512], text[64];
    bool negative;
    return sysroot_line(root, sysroot_join(path, sizeof path, folder, file), text, sizeof text) ==
               FACT_OK &&
           scan_number(text, &negative, value) && !negative;
}

/* ---- counters ---- */

enum fact_status counter_read(const struct sysroot *root, const char *path, uint64_t *value)
{
    char text[64];
    enum fact_status status = sysroot_line(root, path, text, sizeof text);
    if (status == FACT_OK && parse_unsigned(text, value, NULL))
        status = FACT_INVALID;
    if (status != FACT_OK)
        *value = 0;
    return status;
}

void counter_add(struct counter *c, const struct sysroot *root, const char *path)
{
    uint64_t value;
    enum fact_status status = counter_read(root, path, &value);
    if (status == FACT_OK && !__builtin_add_overflow(c->sum, value, &value)) {
        c->sum = value;
        c->files++;
    } else if (c->trouble == FACT_OK || c->trouble == FACT_ABSENT) {
        c->trouble = status == FACT_OK ? FACT_INVALID : status;
    }
}

void counter_fact(const struct counter *c, struct inventory *v, int node, const char *key,
                  const char *source, bool optional)
{
    bool absent = c->trouble == FACT_OK || c->trouble == FACT_ABSENT;
    if (c->files)
        inventory_add_number(v, node, key, c->sum, "", source);
    else if (!absent || !optional)
        inventory_add(v, node, key, "", "", source, absent ? FACT_ABSENT : c->trouble);
}

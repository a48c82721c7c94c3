/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a plan as "key=value" lines and reads it back, as plan_fields.c lists the fields. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_reader.h"
#include "run/plan/plan.h"

enum { VALUE_MAX = 4096 };

/* Escapes a path: bytes that would break a line, and '%', become %XX. */
static void write_escaped(struct text *out, const char *s)
{
    for (; *s; s++) {
        unsigned char byte = (unsigned char)*s;
        if (byte < ' ' || byte == 0x7f || byte == '%')
            text_addf(out, "%%%02X", byte);
        else
            text_add_bytes(out, s, 1);
    }
}

static void write_value(struct text *out, const struct option_row *field, const struct plan *p)
{
    const void *from = (const char *)p + field->offset;
    switch (field->kind) {
    case OPTION_TEXT:
    case OPTION_LABELS:
        write_escaped(out, from);
        break;
    case OPTION_UNSIGNED:
    case OPTION_SIZE:
        text_addf(out, "%llu",
                  field->width == sizeof(uint32_t) ? (unsigned long long)*(const uint32_t *)from
                                                   : (unsigned long long)*(const uint64_t *)from);
        break;
    case OPTION_TIME:
    case OPTION_SHARE:
    case OPTION_WIDTH:
    case OPTION_RATE:
    case OPTION_FREQUENCY:
        text_add_number(out, *(const double *)from);
        break;
    case OPTION_FLAG:
    case OPTION_SWITCH:
        text_add(out, *(const bool *)from ? "1" : "0");
        break;
    case OPTION_CHOICE: {
        int value = option_choice_get(field, p);
        const struct option_choice *c = field->choices;
        while (c->name && c->value != value)
            c++;
        if (field->as_number)
            text_addf(out, "%d", value);
        else
            text_add(out, c->name ? c->name : "");
        break;
    }
    case OPTION_PROCESSORS:
        for (size_t i = PLAN_CPUS_MAX / 64; i-- > 0;)
            text_addf(out, "%016llx", (unsigned long long)((const uint64_t *)from)[i]);
        break;
    case OPTION_LIST:
        break;
    }
}

void plan_write_field(const struct plan *p, const struct option_row *field, struct text *out)
{
    text_addf(out, "%s=", field->key);
    write_value(out, field, p);
    text_add(out, "\n");
}

void plan_write(const struct plan *p, struct text *out)
{
    for (const struct option_row *field = plan_fields(); field->key; field++)
        plan_write_field(p, field, out);
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static int read_escaped(char *to, size_t width, const char *s)
{
    size_t n = 0;
    for (; *s; s++) {
        char byte = *s;
        if (byte == '%') {
            int high = hex_digit(s[1]), low = high < 0 ? -1 : hex_digit(s[2]);
            if (low < 0 || (high == 0 && low == 0))
                return -1;
            byte = (char)(high * 16 + low);
            s += 2;
        }
        if (n + 1 >= width)
            return -1;
        to[n++] = byte;
    }
    memset(to + n, 0, width - n);
    return 0;
}

static int read_whole(const char *s, uint64_t max, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(s, &end, 10);
    return *s < '0' || *s > '9' || *end || errno || *value > max ? -1 : 0;
}

static int read_mask(const char *s, uint64_t mask[])
{
    enum { WORDS = PLAN_CPUS_MAX / 64, DIGITS = 16 };
    if (strlen(s) != (size_t)WORDS * DIGITS || s[strspn(s, "0123456789abcdef")])
        return -1;
    for (size_t i = 0; i < WORDS; i++) {
        char word[DIGITS + 1] = "";
        memcpy(word, s + i * DIGITS, DIGITS);
        mask[WORDS - 1 - i] = strtoull(word, NULL, 16);
    }
    return 0;
}

static int read_value(const struct option_row *field, const char *s, struct plan *p)
{
    void *to = (char *)p + field->offset;
    uint64_t whole;
    char *end;
    switch (field->kind) {
    case OPTION_TEXT:
        return read_escaped(to, field->width, s);
    case OPTION_LABELS:
        return read_escaped(to, field->width, s) || !labels_hold(to) ? -1 : 0;
    case OPTION_UNSIGNED:
    case OPTION_SIZE:
        if (field->width == sizeof(uint64_t))
            return read_whole(s, UINT64_MAX, to);
        if (read_whole(s, UINT32_MAX, &whole))
            return -1;
        *(uint32_t *)to = (uint32_t)whole;
        return 0;
    case OPTION_TIME:
    case OPTION_SHARE:
    case OPTION_WIDTH:
    case OPTION_RATE:
    case OPTION_FREQUENCY:
        *(double *)to = strtod(s, &end);
        return end == s || *end || !isfinite(*(double *)to) ? -1 : 0;
    case OPTION_FLAG:
    case OPTION_SWITCH:
        if (read_whole(s, 1, &whole))
            return -1;
        *(bool *)to = whole == 1;
        return 0;
    case OPTION_CHOICE:
        for (const struct option_choice *c = field->choices; c->name; c++) {
            char number[16];
            snprintf(number, sizeof number, "%d", c->value);
            if (!strcmp(s, field->as_number ? number : c->name)) {
                option_choice_set(field, c->value, p);
                return 0;
            }
        }
        return -1;
    case OPTION_PROCESSORS:
        return read_mask(s, to);
    case OPTION_LIST:
        break;
    }
    return -1;
}

static int plan_read_line(struct plan *p, char *line, struct err *e)
{
    char *value = strchr(line, '=');
    if (!value)
        return err_set(e, ERR_USAGE, "the plan has a line without '=': \"%.60s\"", line);
    *value++ = '\0';
    const struct option_row *field = plan_fields();
    while (field->key && strcmp(field->key, line) != 0)
        field++;
    if (!field->key)
        return err_set(e, ERR_USAGE,
                       "the plan has \"%.40s\", which this version does not know; use a newer one",
                       line);
    if (read_value(field, value, p))
        return err_set(e, ERR_USAGE, "the plan's %s cannot be \"%.60s\"", field->key, value);
    return 0;
}

int plan_read(struct plan *p, const char *lines, size_t length, struct err *e)
{
    struct text_reader r = reader_of_lines((struct span){lines, length}, NULL);
    plan_init(p);
    while (reader_next_line(&r)) {
        char line[VALUE_MAX];
        if (r.line.length >= sizeof line || memchr(r.line.text, '\0', r.line.length))
            return err_set(e, ERR_USAGE, "the plan has a line that is too long or no text");
        span_copy(line, r.line);
        if (r.line.length && plan_read_line(p, line, e))
            return -1;
    }
    return plan_check(p, e);
}

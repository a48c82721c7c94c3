/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the value of one option from text to its field and back, and checks it against the row's
   limits. */
#include "run/plan/option_row.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text_reader.h"
#include "base/units.h"
#include "facts/labels.h"
#include "run/plan/plan.h"

char *option_format_number(const struct option_row *row, double number, char *to, size_t size)
{
    bool percent = row->value && strchr(row->value, '%');
    if (number <= 0) {
        snprintf(to, size, "0");
        return to;
    }
    switch (row->kind) {
    case OPTION_SIZE:
        return format_size(to, size, number);
    case OPTION_TIME:
        return format_time(to, size, number * 1e9);
    case OPTION_SHARE:
    case OPTION_WIDTH:
        snprintf(to, size, percent ? "%.10g%%" : "%.10g", percent ? number * 100 : number);
        return to;
    case OPTION_RATE:
        snprintf(to, size, "%.10g", number);
        return to;
    case OPTION_FREQUENCY:
        snprintf(to, size, "%.10g MHz", number / 1e6);
        return to;
    default:
        snprintf(to, size, "%.0f", number);
        return to;
    }
}

static int check_limits(const struct option_row *row, double number, struct err *e)
{
    bool limited = row->min < row->max;
    if (!limited || (number >= row->min && number <= row->max))
        return 0;
    char min[UNITS_BUFFER], max[UNITS_BUFFER];
    return err_set(e, ERR_USAGE, "it must be between %s and %s",
                   option_format_number(row, row->min, min, sizeof min),
                   option_format_number(row, row->max, max, sizeof max));
}

/* Refuses what a 32-bit field cannot hold, even if the row has no limit. */
static int store_unsigned(const struct option_row *row, uint64_t number, void *field, struct err *e)
{
    if (check_limits(row, (double)number, e))
        return -1;
    if (row->width == sizeof(uint32_t) && number > UINT32_MAX)
        return err_set(e, ERR_USAGE, "it must be at most %u", UINT32_MAX);
    uint32_t narrow = (uint32_t)number;
    memcpy(field, row->width == sizeof narrow ? (const void *)&narrow : &number, row->width);
    return 0;
}

static int store_double(const struct option_row *row, double number, void *field, struct err *e)
{
    if (check_limits(row, number, e))
        return -1;
    memcpy(field, &number, sizeof number);
    return 0;
}

static int unknown_choice(const struct option_row *row, const char *text, struct err *e)
{
    char list[160] = "";
    const char *best = NULL;
    for (const struct option_choice *c = row->choices; c->name; c++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", c->name);
        nearest_offer(text, c->name, &best);
    }
    if (best)
        return err_set(e, ERR_USAGE, "it must be one of %s; did you mean %s?", list, best);
    return err_set(e, ERR_USAGE, "it must be one of %s", list);
}

static const struct option_choice *choice_of_name(const struct option_row *row, const char *text)
{
    for (const struct option_choice *c = row->choices; c->name; c++)
        if (!strcmp(c->name, text))
            return c;
    return NULL;
}

int option_choice_get(const struct option_row *row, const void *target)
{
    const char *field = (const char *)target + row->offset;
    int value = 0;
    bool on = false;
    if (row->width == sizeof value)
        memcpy(&value, field, sizeof value);
    else
        memcpy(&on, field, sizeof on);
    return value + on;
}

void option_choice_set(const struct option_row *row, int value, void *target)
{
    char *field = (char *)target + row->offset;
    bool on = value != 0;
    if (row->width == sizeof value)
        memcpy(field, &value, sizeof value);
    else
        memcpy(field, &on, sizeof on);
}

static int store_text(const struct option_row *row, const char *text, void *field, struct err *e)
{
    if (row->choices && !choice_of_name(row, text))
        return unknown_choice(row, text, e);
    if (!*text)
        return err_set(e, ERR_USAGE, "it is empty");
    size_t length = strlen(text);
    if (length >= row->width)
        return err_set(e, ERR_USAGE, "it is longer than %d characters", row->width - 1);
    memcpy(field, text, length + 1);
    return 0;
}

/*
 * Reads a whole number at *text and moves past it. Numbers that are too large become PLAN_CPUS_MAX.
 */
static int read_processor(const char **text, unsigned *number)
{
    const char *p = *text;
    unsigned value = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        value = value * 10 + (unsigned)(*p - '0');
        if (value > PLAN_CPUS_MAX)
            value = PLAN_CPUS_MAX;
    }
    if (p == *text)
        return -1;
    *text = p;
    *number = value;
    return 0;
}

static int store_processors(const char *text, void *field, struct err *e)
{
    uint64_t mask[PLAN_CPUS_MAX / 64] = {0};
    for (const char *rest = text;; rest++) {
        unsigned first = 0, last;
        int status = read_processor(&rest, &first);
        last = first;
        if (!status && *rest == '-') {
            rest++;
            status = read_processor(&rest, &last);
        }
        if (status || last < first || (*rest && *rest != ','))
            return err_set(e, ERR_USAGE, "it must be a list of numbers, as in 0-3,8");
        if (last >= PLAN_CPUS_MAX)
            return err_set(e, ERR_USAGE, "its numbers go up to %d", PLAN_CPUS_MAX - 1);
        for (unsigned cpu = first; cpu <= last; cpu++)
            mask[cpu / 64] |= 1ull << (cpu % 64);
        if (!*rest)
            break;
    }
    memcpy(field, mask, sizeof mask);
    return 0;
}

/* Returns true if the text is a value of the row's other field (`number`): for a choice it is a
   number, for a share it is a width with a unit. */
static bool is_for_other(const struct option_row *row, const char *text)
{
    const char first = text[0], last = first ? text[strlen(text) - 1] : '\0';
    const bool digit = first >= '0' && first <= '9';
    if (!row->number || row->kind != OPTION_WIDTH)
        return row->number && digit;
    return (digit || first == '+') && isalpha((unsigned char)last);
}

int option_store_value(const struct option_row *row, const char *text, void *target, struct err *e)
{
    if (is_for_other(row, text))
        return option_store_value(row->number, text, target, e);
    void *field = (char *)target + row->offset;
    uint64_t whole = 0;
    double share = 0; /* also used for a rate */
    switch (row->kind) {
    case OPTION_FLAG:
    case OPTION_SWITCH: {
        bool on = text[0] == '1';
        if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
            return err_set(e, ERR_USAGE, "it must be 0 or 1");
        memcpy(field, &on, sizeof on);
        return 0;
    }
    case OPTION_UNSIGNED:
        return parse_unsigned(text, &whole, e) ? -1 : store_unsigned(row, whole, field, e);
    case OPTION_SIZE:
        return parse_size(text, &whole, e) ? -1 : store_unsigned(row, whole, field, e);
    case OPTION_TIME:
        return parse_time(text, &whole, e) ? -1 : store_double(row, (double)whole / 1e9, field, e);
    case OPTION_SHARE:
        return parse_share(text, &share, e) ? -1 : store_double(row, share, field, e);
    case OPTION_WIDTH:
        return parse_width(text, &share, e) ? -1 : store_double(row, share, field, e);
    case OPTION_RATE:
        return parse_rate(text, &share, e) ? -1 : store_double(row, share, field, e);
    case OPTION_FREQUENCY:
        return parse_frequency(text, &whole, e) ? -1 : store_double(row, (double)whole, field, e);
    case OPTION_CHOICE: {
        const struct option_choice *choice = choice_of_name(row, text);
        if (!choice)
            return unknown_choice(row, text, e);
        option_choice_set(row, choice->value, target);
        return 0;
    }
    case OPTION_TEXT:
        return store_text(row, text, field, e);
    case OPTION_LIST:
        return 0;
    case OPTION_LABELS:
        return labels_add(field, text, e);
    case OPTION_PROCESSORS:
        return store_processors(text, field, e);
    }
    return err_set(e, ERR_USAGE, "an option of an unknown kind");
}

int option_store_text(const struct option_row *row, const char *text, void *target, struct err *e)
{
    if (option_store_value(row, text, target, e))
        return err_context(e, "--%s %.60s", row->name, text);
    return 0;
}

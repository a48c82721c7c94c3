/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores labels as the lines of one text. */
#include "facts/labels.h"

#include <stdio.h>
#include <string.h>

#include "base/span.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_key(struct span key)
{
    bool holds = key.length > 0 && is_letter(key.text[0]);
    for (size_t i = 0; i < key.length && holds; i++)
        holds = is_letter(key.text[i]) || (key.text[i] >= '0' && key.text[i] <= '9') ||
                key.text[i] == '.' || key.text[i] == '-';
    return holds;
}

/* Returns true if the value is UTF-8 without control characters and marks of direction. */
static bool is_shown(struct span value)
{
    while (value.length > 0) {
        uint32_t code;
        size_t bytes = span_decode(value, &code);
        if (bytes == 0 || span_steers(code))
            return false;
        value = (struct span){value.text + bytes, value.length - bytes};
    }
    return true;
}

static int check(struct span key, struct span value, struct err *e)
{
    if (key.length == 0)
        return err_set(e, ERR_USAGE, "a key is missing before '=', as in ticket=4711");
    if (!is_key(key))
        return err_set(e, ERR_USAGE,
                       "a key has letters, digits, '_', '.' and '-', and begins with a letter");
    if (key.length > LABEL_KEY_MAX)
        return err_set(e, ERR_USAGE, "a key has at most %d characters", LABEL_KEY_MAX);
    if (value.length > LABEL_VALUE_MAX)
        return err_set(e, ERR_USAGE, "a value has at most %d bytes", LABEL_VALUE_MAX);
    if (!is_shown(value))
        return err_set(e, ERR_USAGE,
                       "a value is UTF-8 without control characters and marks of direction");
    return 0;
}

int labels_add(struct labels *to, const char *text, struct err *e)
{
    const char *equals = strchr(text, '=');
    struct label other;
    size_t count = 0;
    if (!equals)
        return err_set(e, ERR_USAGE, "KEY=VALUE is needed, as in ticket=4711");
    struct span key = {text, (size_t)(equals - text)};
    if (check(key, span_of(equals + 1), e))
        return -1;
    for (size_t at = 0; labels_next(to, &at, &other); count++)
        if (span_is(key, other.key))
            return err_set(e, ERR_USAGE, "there is a label %s already", other.key);
    size_t used = strlen(to->text);
    if (count == LABELS_MAX || used + strlen(text) + 2 > sizeof to->text)
        return err_set(e, ERR_USAGE, "there is room for %d labels of %zu bytes in all", LABELS_MAX,
                       sizeof to->text - 1);
    snprintf(to->text + used, sizeof to->text - used, "%s\n", text);
    return 0;
}

bool labels_next(const struct labels *from, size_t *at, struct label *label)
{
    const char *line = from->text + *at;
    const char *end = strchr(line, '\n'), *equals = strchr(line, '=');
    if (!end || !equals || equals > end)
        return false;
    snprintf(label->key, sizeof label->key, "%.*s", (int)(equals - line), line);
    snprintf(label->value, sizeof label->value, "%.*s", (int)(end - equals - 1), equals + 1);
    *at += (size_t)(end - line) + 1;
    return true;
}

bool labels_find(const struct labels *from, const char *key, struct label *label)
{
    for (size_t at = 0; labels_next(from, &at, label);)
        if (!strcmp(label->key, key))
            return true;
    return false;
}

void labels_add_words(const struct labels *from, struct text *out)
{
    struct label label;
    bool first = true;
    for (size_t at = 0; labels_next(from, &at, &label); first = false) {
        text_addf(out, "%s%s=", first ? "" : ";", label.key);
        for (const char *c = label.value; *c; c++)
            text_addf(out, "%s%c", *c == ';' || *c == '\\' ? "\\" : "", *c);
    }
}

static void append(struct labels *to, const struct label *label)
{
    size_t used = strlen(to->text);
    size_t more = strlen(label->key) + strlen(label->value) + 2;
    if (used + more < sizeof to->text)
        snprintf(to->text + used, sizeof to->text - used, "%s=%s\n", label->key, label->value);
}

void labels_keep_common(struct labels *to, const struct labels *other)
{
    const struct labels from = *to;
    struct label label, same;
    *to = (struct labels){0};
    for (size_t at = 0; labels_next(&from, &at, &label);)
        if (labels_find(other, label.key, &same) && !strcmp(same.value, label.value))
            append(to, &label);
}

void labels_add_missing(struct labels *to, const struct labels *from)
{
    struct label label, same;
    for (size_t at = 0; labels_next(from, &at, &label);)
        if (!labels_find(to, label.key, &same))
            append(to, &label);
}

bool labels_hold(const struct labels *of)
{
    struct labels again = {0};
    struct label label;
    struct err why;
    char text[sizeof label.key + sizeof label.value];
    for (size_t at = 0; labels_next(of, &at, &label);) {
        snprintf(text, sizeof text, "%s=%s", label.key, label.value);
        if (labels_add(&again, text, &why))
            return false;
    }
    return !strcmp(again.text, of->text);
}

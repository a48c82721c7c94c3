/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits the kernel's command line by the kernel's own rules for quotes and blanks. */
#include "appliance/process/kernel_arguments.h"

#include <string.h>

static bool blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Returns the length of the argument, and the place of its first '='; `length` if it has none. For
   the kernel an '=' at the very start does not end a key. */
static size_t measure(const char *text, bool in_quotes, size_t *equals)
{
    size_t i = 0;
    bool found = false;
    *equals = 0;
    for (; text[i] != '\0' && (in_quotes || !blank(text[i])); i++) {
        if (text[i] == '=' && i > 0 && !found) {
            *equals = i;
            found = true;
        }
        if (text[i] == '"')
            in_quotes = !in_quotes;
    }
    if (!found)
        *equals = i;
    return i;
}

bool kernel_argument_next(const char **rest, struct kernel_argument *argument)
{
    const char *text = *rest;
    *argument = (struct kernel_argument){0};
    if (text == NULL)
        return false;
    while (blank(*text))
        text++;
    *rest = text;
    if (*text == '\0')
        return false;
    bool quoted = *text == '"';
    text += quoted;
    size_t equals;
    size_t length = measure(text, quoted, &equals);
    size_t end = length, value = equals + 1;
    bool ends_in_quote = length > 0 && text[length - 1] == '"';
    bool has_value = equals < length;
    bool value_quoted = has_value && text[value] == '"';
    if (ends_in_quote && (quoted || value_quoted))
        end--;
    value += value_quoted;
    argument->key = (struct span){text, equals < end ? equals : end};
    argument->has_value = has_value;
    if (has_value) {
        argument->value = (struct span){text + value, value < end ? end - value : 0};
    } else {
        argument->value = (struct span){text + end, 0};
    }
    bool ends = !has_value && argument->key.length == 2 && memcmp(text, "--", 2) == 0;
    if (!ends)
        *rest = text + length;
    return !ends;
}

static char dash_as_underscore(char c)
{
    return c == '-' ? '_' : c;
}

bool kernel_argument_named(struct span s, const char *name)
{
    for (size_t i = 0; i < s.length; i++) {
        if (name[i] == '\0' || dash_as_underscore(s.text[i]) != dash_as_underscore(name[i]))
            return false;
    }
    return name[s.length] == '\0';
}

bool kernel_argument_below(const struct kernel_argument *argument, const char *prefix,
                           struct span *name)
{
    struct span key = argument->key;
    const char *dot = key.length > 0 ? memchr(key.text, '.', key.length) : NULL;
    *name = (struct span){key.text + key.length, 0};
    if (dot == NULL)
        return false;
    struct span before = {key.text, (size_t)(dot - key.text)};
    if (!kernel_argument_named(before, prefix))
        return false;
    *name = (struct span){dot + 1, key.length - before.length - 1};
    return true;
}

static bool list_has(struct span list, const char *item)
{
    while (list.length > 0) {
        const char *comma = memchr(list.text, ',', list.length);
        size_t length = comma != NULL ? (size_t)(comma - list.text) : list.length;
        if (length > 0 && kernel_argument_named((struct span){list.text, length}, item))
            return true;
        length += comma != NULL;
        list.text += length;
        list.length -= length;
    }
    return false;
}

bool kernel_argument_lists(const char *line, const char *key, const char *item)
{
    struct kernel_argument argument;
    while (kernel_argument_next(&line, &argument)) {
        if (kernel_argument_named(argument.key, key) && list_has(argument.value, item))
            return true;
    }
    return false;
}

/* Returns true if a value needs quotes, because the kernel splits a module's parameters by the same
   rules: a value with a blank needs them. A value that contains quotes was not quoted as a whole,
   and is passed unchanged. */
static bool needs_quotes(struct span value)
{
    bool has_blank = false;
    for (size_t i = 0; i < value.length; i++) {
        if (value.text[i] == '"')
            return false;
        has_blank = has_blank || blank(value.text[i]);
    }
    return has_blank;
}

void kernel_argument_add_parameters(const char *line, const char *module, struct text *to)
{
    struct kernel_argument argument;
    struct span name;
    while (kernel_argument_next(&line, &argument)) {
        if (!kernel_argument_below(&argument, module, &name) || name.length == 0)
            continue;
        if (to->length > 0)
            text_add(to, " ");
        text_add_bytes(to, name.text, name.length);
        if (argument.has_value) {
            const char *quote = needs_quotes(argument.value) ? "\"" : "";
            text_add(to, "=");
            text_add(to, quote);
            text_add_bytes(to, argument.value.text, argument.value.length);
            text_add(to, quote);
        }
    }
}

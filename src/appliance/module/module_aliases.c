/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modules.alias, filed by the literal beginnings of its patterns. Patterns are matched without
   recursion, because only the last '*' ever has to be tried again. */
#include "appliance/module/internal.h"

#include <stdlib.h>
#include <string.h>

/* Lengths of beginnings: "pci:v", "usb:v", "cpu:t" have 5; "pci:v00008086d" and "usb:v0781p5567" 14
   (vendor; vendor and product); "pci:v00008086d00002922" 22 (vendor and device). */
static const size_t lengths[] = {22, 14, 5, 3, 0};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

#define BLANKS " \t\r"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

size_t module_lines(const char *text)
{
    size_t lines = text != NULL;
    while (text != NULL && (text = strchr(text, '\n')) != NULL) {
        text++;
        lines++;
    }
    return lines;
}

/* Splits the line "alias PATTERN MODULE" in place. The module is the last word, because a pattern
   may have blanks. */
static bool alias_parse(char *line, struct module_alias *alias)
{
    static const char keyword[] = "alias ";
    size_t length = strlen(line);
    while (length > 0 && is_blank(line[length - 1]))
        line[--length] = '\0';
    if (strncmp(line, keyword, sizeof keyword - 1) != 0)
        return false;
    char *pattern = line + sizeof keyword - 1;
    pattern += strspn(pattern, BLANKS);
    char *module = line + length;
    while (module > pattern && !is_blank(module[-1]))
        module--;
    char *end = module;
    while (end > pattern && is_blank(end[-1]))
        end--;
    if (end == pattern) /* one word only */
        return false;
    *end = '\0';
    module_pattern_normalise(pattern);
    module_pattern_normalise(module);
    *alias = (struct module_alias){.pattern = pattern, .module = module};
    return true;
}

int module_aliases_file(struct module_aliases *a, char *text, struct err *e)
{
    size_t max = module_lines(text) + 1;
    *a = (struct module_aliases){.text = text};
    a->all = malloc(max * sizeof *a->all);
    a->first = calloc(max, sizeof *a->first);
    bool room = a->all != NULL && a->first != NULL;
    for (char *line = text; room && line != NULL && *line != '\0';) {
        struct module_alias alias;
        char *end = strchr(line, '\n');
        if (end != NULL)
            *end++ = '\0';
        if (alias_parse(line, &alias)) {
            size_t literal = module_pattern_literal(alias.pattern), i = 0;
            while (lengths[i] > literal)
                i++;
            uint32_t beginning =
                string_table_add(&a->beginnings, (struct span){alias.pattern, lengths[i]});
            room = beginning != STRING_TABLE_NONE;
            if (room) {
                alias.next = a->first[beginning];
                a->all[a->count] = alias;
                a->first[beginning] = ++a->count;
            }
        }
        line = end;
    }
    if (!room) {
        module_aliases_free(a);
        return err_no_memory(e, "the index of modules.alias");
    }
    return 0;
}

void module_aliases_free(struct module_aliases *a)
{
    string_table_free(&a->beginnings);
    free(a->first);
    free(a->all);
    free(a->text);
    *a = (struct module_aliases){0};
}

/* Puts `number` into the sorted array. When it is full the last entry is dropped. */
static size_t insert_sorted(uint32_t numbers[], size_t count, size_t max, uint32_t number)
{
    if (count == max && (max == 0 || numbers[max - 1] < number))
        return count;
    size_t i = count < max ? count++ : count - 1;
    for (; i > 0 && numbers[i - 1] > number; i--)
        numbers[i] = numbers[i - 1];
    numbers[i] = number;
    return count;
}

size_t module_aliases_find(const struct module_aliases *a, const char *modalias,
                           const char *modules[], size_t max)
{
    enum { COUNT_MAX = 128 };
    uint32_t numbers[COUNT_MAX];
    size_t count = 0, length = strlen(modalias);
    max = max < COUNT_MAX ? max : COUNT_MAX;
    for (size_t i = 0; i < LENGTHS; i++) {
        if (lengths[i] > length)
            continue;
        uint32_t beginning = string_table_find(&a->beginnings, (struct span){modalias, lengths[i]});
        if (beginning == STRING_TABLE_NONE)
            continue;
        for (uint32_t n = a->first[beginning]; n != 0; n = a->all[n - 1].next)
            if (module_pattern_matches(a->all[n - 1].pattern, modalias))
                count = insert_sorted(numbers, count, max, n - 1);
    }
    for (size_t i = 0; i < count; i++)
        modules[i] = a->all[numbers[i]].module;
    return count;
}

/* ---- patterns ---- */

/* Returns the place where the set that begins at '[' is closed, or NULL. A ']' at its start belongs
   to the set. */
static const char *set_end(const char *open)
{
    const char *first = open + 1;
    if (*first == '!' || *first == '^')
        first++;
    return *first != '\0' ? strchr(first + 1, ']') : NULL;
}

/* Returns whether the first element of the pattern matches the character. *next becomes the rest of
   the pattern. */
static bool pattern_fits(const char *pattern, char c, const char **next)
{
    const char *end = *pattern == '[' ? set_end(pattern) : NULL;
    *next = pattern + 1;
    if (end == NULL)
        return *pattern == '?' || *pattern == c;
    *next = end + 1;
    const char *p = pattern + 1;
    bool inverse = *p == '!' || *p == '^', has = false;
    for (p += inverse; p < end; p++) {
        bool range = p[1] == '-' && p + 2 < end;
        char last = range ? p[2] : *p;
        has = has ||
              ((unsigned char)*p <= (unsigned char)c && (unsigned char)c <= (unsigned char)last);
        p += range ? 2 : 0;
    }
    return has != inverse;
}

bool module_pattern_matches(const char *pattern, const char *text)
{
    const char *after_star = NULL, *retry = NULL, *next;
    while (*text != '\0') {
        if (*pattern == '*') {
            after_star = ++pattern;
            retry = text;
        } else if (*pattern != '\0' && pattern_fits(pattern, *text, &next)) {
            pattern = next;
            text++;
        } else if (after_star != NULL) {
            pattern = after_star;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

size_t module_pattern_literal(const char *pattern)
{
    return strcspn(pattern, "*?[");
}

void module_pattern_normalise(char *text)
{
    while (*text != '\0') {
        const char *end = *text == '[' ? set_end(text) : NULL;
        if (end != NULL) {
            text += end - text;
        } else if (*text == '-') {
            *text = '_';
        }
        text++;
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of a component in the text of its counter. */
#include <stdio.h>
#include <string.h>

#include "base/number_parse.h"
#include "hw/component/internal.h"

enum { WORD_SHOWN = 40 };

/* The next word before `end`; empty when there is none. *at is moved past it. */
static struct span next_word(const char **at, const char *end)
{
    const char *p = *at;
    while (p < end && strchr(" \t\r\n=,", *p))
        p++;
    struct span word = {.text = p};
    while (p < end && !strchr(" \t\r\n=,", *p))
        p++;
    word.length = (size_t)(p - word.text);
    *at = p;
    if (word.length > 1 && word.text[word.length - 1] == ':')
        word.length--;
    return word;
}

/* Finds the place right after the first word that equals the key, and the end of its line. False:
   there is none. */
static bool find_key(const char *key, const char **at, const char **end)
{
    for (const char *line = *at; *line; line = **end ? *end + 1 : *end) {
        *end = line + strcspn(line, "\n");
        *at = line;
        for (struct span word = next_word(at, *end); word.length; word = next_word(at, *end))
            if (span_is(word, key))
                return true;
    }
    return false;
}

bool component_number(const struct component *c, const char *text, double *number, char *why,
                      size_t size)
{
    char shown[WORD_SHOWN];
    const char *at = text, *end = text + strlen(text);
    if (c->key[0] && !find_key(c->key, &at, &end)) {
        snprintf(why, size, "no line has the word %s", c->key);
        return false;
    }
    struct span word = {0};
    for (unsigned column = 0; column < c->column; column++)
        word = next_word(&at, end);
    if (!word.length) {
        snprintf(why, size, "there is no column %u%s%s", c->column, c->key[0] ? " after " : "",
                 c->key);
        return false;
    }
    if (number_parse(word.text, word.length, number) != NUMBER_OK) {
        snprintf(why, size, "\"%s\" in column %u is no number",
                 span_printable(shown, sizeof shown, word), c->column);
        return false;
    }
    *number *= c->scale;
    return true;
}

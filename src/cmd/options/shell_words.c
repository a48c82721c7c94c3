/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits a text into the words of a command line, as a shell does. */
#include "cmd/options/command.h"

#include <string.h>

static bool ends_word(char c)
{
    return !c || c == ' ' || c == '\t' || c == ';';
}

/* Copies one word without its quotes from *from to *to, and moves both past it. Returns -1 if a
   quote is not closed. */
static int unquote_word(const char **from, char **to)
{
    const char *p = *from;
    char quote = '\0';
    for (; quote ? *p != '\0' : !ends_word(*p); p++) {
        if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? '\0' : *p;
        else
            *(*to)++ = *p;
    }
    *(*to)++ = '\0';
    *from = p;
    return quote ? -1 : 0;
}

int command_words(const char **rest, char **room, char *words[], int words_max)
{
    const char *p = *rest;
    int count = 0;
    p += strspn(p, " \t;");
    while (*p && *p != ';') {
        if (count == words_max)
            return -1;
        words[count++] = *room;
        if (unquote_word(&p, room))
            return -1;
        p += strspn(p, " \t");
    }
    words[count] = NULL;
    *rest = p;
    return count;
}

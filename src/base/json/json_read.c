/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds values in a JSON text by their paths. Objects and arrays are skipped by walking through
   them. */
#include "base/json/json_read.h"

#include <string.h>

/* Deeper nesting is refused, because skipping is recursive. */
enum { DEPTH_MAX = 64 };

struct cursor {
    const char *at, *end;
    int depth;
};

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && strchr(" \t\r\n", *c->at) && *c->at)
        c->at++;
}

/* Skips blanks, and reads the character `wanted` if it comes next. */
static bool take(struct cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

static bool peek(struct cursor *c, char wanted)
{
    skip_blanks(c);
    return c->at < c->end && *c->at == wanted;
}

/* Reads a string, without its quotes; its escapes stay as they are. */
static bool take_string(struct cursor *c, struct span *s)
{
    if (!take(c, '"'))
        return false;
    s->text = c->at;
    for (; c->at < c->end && *c->at != '"'; c->at++)
        if (*c->at == '\\' && ++c->at == c->end)
            return false;
    if (c->at == c->end)
        return false;
    s->length = (size_t)(c->at++ - s->text);
    return true;
}

static bool take_word(struct cursor *c, struct span *s)
{
    s->text = c->at;
    while (c->at < c->end && !strchr(" \t\r\n,]}", *c->at))
        c->at++;
    s->length = (size_t)(c->at - s->text);
    return s->length > 0;
}

/* Reads any value; *s becomes its text. */
static bool take_value(struct cursor *c, struct span *s)
{
    const bool object = peek(c, '{'), array = peek(c, '[');
    struct span ignored;
    if (peek(c, '"'))
        return take_string(c, s);
    if (!object && !array)
        return take_word(c, s);
    if (++c->depth > DEPTH_MAX)
        return false;
    s->text = c->at++;
    const char close = object ? '}' : ']';
    for (bool first = true; !take(c, close); first = false) {
        if (!first && !take(c, ','))
            return false;
        if (object && (!take_string(c, &ignored) || !take(c, ':')))
            return false;
        if (!take_value(c, &ignored))
            return false;
    }
    c->depth--;
    s->length = (size_t)(c->at - s->text);
    return true;
}

/* Removes the first step from the path `place` if this step is `name`; *rest becomes the other
   steps. Returns false if the path begins with another step. */
static bool step(struct span place, struct span name, struct span *rest)
{
    if (name.length == 0 || place.length < name.length ||
        memcmp(place.text, name.text, name.length) != 0)
        return false;
    bool ends = place.length == name.length;
    if (!ends && place.text[name.length] != '.')
        return false;
    size_t used = name.length + !ends;
    *rest = (struct span){place.text + used, place.length - used};
    return ends || rest->length > 0;
}

/* Returns the index of an array's element as a step of a path: decimal digits. */
static struct span index_name(size_t index, char *to, size_t size)
{
    size_t at = size;
    do
        to[--at] = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    return (struct span){to + at, size - at};
}

/* Enters the member or element that is the first step of *place, and removes that step from
 *place. */
static enum json_found enter(struct cursor *c, struct span *place)
{
    const bool object = take(c, '{');
    if (!object && !take(c, '['))
        return c->at < c->end ? JSON_ABSENT : JSON_BROKEN;
    for (size_t i = 0;; i++) {
        char digits[24];
        struct span name, rest, ignored;
        if (take(c, object ? '}' : ']'))
            return JSON_ABSENT;
        if (i > 0 && !take(c, ','))
            return JSON_BROKEN;
        if (object && (!take_string(c, &name) || !take(c, ':')))
            return JSON_BROKEN;
        if (!object)
            name = index_name(i, digits, sizeof digits);
        if (step(*place, name, &rest)) {
            *place = rest;
            return JSON_FOUND;
        }
        if (!take_value(c, &ignored))
            return JSON_BROKEN;
    }
}

enum json_found json_find(struct span text, struct span place, struct span *value)
{
    struct cursor c = {text.text, text.text + text.length, 0};
    while (place.length > 0) {
        enum json_found found = enter(&c, &place);
        if (found != JSON_FOUND)
            return found;
    }
    return take_value(&c, value) ? JSON_FOUND : JSON_BROKEN;
}

bool json_is_value(struct span text)
{
    struct cursor c = {text.text, text.text + text.length, 0};
    struct span ignored;
    if (!take_value(&c, &ignored))
        return false;
    skip_blanks(&c);
    return c.at == c.end;
}

bool json_first(struct span text, struct span *value, struct span *after)
{
    struct cursor c = {text.text, text.text + text.length, 0};
    if (!take_value(&c, value))
        return false;
    *after = (struct span){c.at, (size_t)(c.end - c.at)};
    return true;
}

struct json_walk json_walk_of(struct span value)
{
    struct cursor c = {value.text, value.text + value.length, 0};
    const bool object = take(&c, '{');
    if (!object && !take(&c, '['))
        return (struct json_walk){0};
    return (struct json_walk){
        .rest = {c.at, (size_t)(c.end - c.at)}, .close = object ? '}' : ']', .first = true};
}

bool json_next(struct json_walk *w, struct span *name, struct span *value)
{
    if (!w->close)
        return false;
    struct cursor c = {w->rest.text, w->rest.text + w->rest.length, 0};
    if (take(&c, w->close)) {
        w->close = '\0';
        return false;
    }
    *name = (struct span){"", 0};
    if ((!w->first && !take(&c, ',')) ||
        (w->close == '}' && (!take_string(&c, name) || !take(&c, ':'))) || !take_value(&c, value)) {
        w->close = '\0';
        w->broken = true;
        return false;
    }
    w->first = false;
    w->rest = (struct span){c.at, (size_t)(c.end - c.at)};
    return true;
}

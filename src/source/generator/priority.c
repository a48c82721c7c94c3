/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of priorities, and the list of kinds. */
#include "source/generator/priority.h"

#include <stdio.h>
#include <string.h>

#include "source/generator/internal.h"
#include "source/generator/write_mode.h"

static const char *const class_names[] = {
    [PRIORITY_NONE] = "none", [PRIORITY_RT] = "rt", [PRIORITY_BE] = "be", [PRIORITY_IDLE] = "idle"};
#define CLASSES (sizeof class_names / sizeof *class_names)

char *priority_words(uint16_t value, char to[PRIORITY_WORDS])
{
    const enum write_mode mode = write_mode_of(value);
    if (mode < WRITE_MODES) {
        snprintf(to, PRIORITY_WORDS, "%s", write_mode_names[mode]);
        return to;
    }
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

static int kind_order(const struct priority_kind *a, const struct priority_kind *b)
{
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    if (a->value == b->value)
        return 0;
    /* Requests without a class of their own come last: the others are compared with them. */
    if (!a->value || !b->value)
        return b->value ? 1 : -1;
    return a->value < b->value ? -1 : 1;
}

bool priority_kinds_add(struct priority_kinds *kinds, const struct priority_kind *kind)
{
    unsigned at = 0;
    while (at < kinds->count && kind_order(&kinds->kind[at], kind) < 0)
        at++;
    if (at < kinds->count && !kind_order(&kinds->kind[at], kind))
        return true;
    if (kinds->count == PRIORITY_KINDS_MAX)
        return false;
    memmove(&kinds->kind[at + 1], &kinds->kind[at], (kinds->count - at) * sizeof *kind);
    kinds->kind[at] = *kind;
    kinds->count++;
    return true;
}

uint8_t priority_kinds_find(const struct priority_kinds *kinds, const struct priority_kind *kind)
{
    for (unsigned i = 0; i < kinds->count; i++)
        if (!kind_order(&kinds->kind[i], kind))
            return (uint8_t)i;
    return 0;
}

void priority_kinds_write(const struct priority_kinds *kinds, char to[PRIORITY_KINDS_TEXT])
{
    size_t used = 0;
    to[0] = '\0';
    for (unsigned i = 0; i < kinds->count; i++)
        used += (size_t)snprintf(to + used, PRIORITY_KINDS_TEXT - used, "%s%c%u/%u", i ? "," : "",
                                 kinds->kind[i].op ? 'w' : 'r', kinds->kind[i].bytes,
                                 kinds->kind[i].value);
}

/* Reads a kind: "r4096/8192". */
static int read_kind(struct text_reader *w, struct priority_kind *kind)
{
    char by;
    uint64_t bytes, value;
    if (!w->rest.length || (w->rest.text[0] != 'r' && w->rest.text[0] != 'w'))
        return reader_fail(w, w->rest.text, "r or w is expected");
    kind->op = w->rest.text[0] == 'w';
    w->rest = (struct span){w->rest.text + 1, w->rest.length - 1};
    if (words_whole(w, reader_piece(w, "/", &by), "a size", 0, UINT32_MAX, &bytes) ||
        words_whole(w, w->rest, "a priority", 0, UINT16_MAX, &value))
        return -1;
    kind->bytes = (uint32_t)bytes;
    kind->value = (uint16_t)value;
    return 0;
}

int priority_kinds_read(struct priority_kinds *kinds, const char *text, struct err *e)
{
    struct fault fault;
    struct text_reader w = reader_of_line(span_of(text), &fault);
    *kinds = (struct priority_kinds){0};
    for (char by = *text ? ',' : 0; by;) {
        struct priority_kind kind = {0};
        struct text_reader one = w;
        one.rest = reader_piece(&w, ",", &by);
        if (read_kind(&one, &kind) || !priority_kinds_add(kinds, &kind))
            return err_set(e, ERR_USAGE, "\"%.60s\" are no kinds of requests", text);
    }
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the commands, and converts lists of kinds of requests to text and from text. */
#include "source/request_kind.h"

#include <stdio.h>
#include <string.h>

#include "base/invariant.h"

/* A stored priority with this class contains the number of a command instead of a priority. */
#define STORED_CLASS 7u

#define ROW(identifier, operation, number, sends, changes, mode, word, title)                      \
    {identifier, mode, word, title},
const struct request_row request_rows[REQUEST_COMMANDS] = {REQUEST_ROWS(ROW)};

const struct request_row *request_row_of(unsigned command)
{
    unsigned i = 0;
    while (i < REQUEST_COMMANDS && request_rows[i].command != command)
        i++;
    INVARIANT(i < REQUEST_COMMANDS, "every command has a row");
    return &request_rows[i];
}

/* Returns the place in the order of kinds that have the same operation and size. The number 0,
   which means the usual priority or command, comes last. */
static unsigned last_if_zero(unsigned number)
{
    return number - 1;
}

static int order_of(unsigned a, unsigned b)
{
    return a < b ? -1 : a > b;
}

static int kind_order(const struct request_kind *a, const struct request_kind *b)
{
    int order = order_of(request_operation(a->command), request_operation(b->command));
    if (!order)
        order = order_of(a->bytes, b->bytes);
    if (!order)
        order = order_of(last_if_zero(a->command >> REQUEST_OPERATION_BITS),
                         last_if_zero(b->command >> REQUEST_OPERATION_BITS));
    return order ? order : order_of(last_if_zero(a->priority), last_if_zero(b->priority));
}

bool request_kinds_add(struct request_kinds *kinds, const struct request_kind *kind)
{
    unsigned at = 0;
    while (at < kinds->count && kind_order(&kinds->kind[at], kind) < 0)
        at++;
    if (at < kinds->count && !kind_order(&kinds->kind[at], kind))
        return true;
    if (kinds->count == REQUEST_KINDS_MAX)
        return false;
    memmove(&kinds->kind[at + 1], &kinds->kind[at], (kinds->count - at) * sizeof *kind);
    kinds->kind[at] = *kind;
    kinds->count++;
    return true;
}

uint8_t request_kinds_find(const struct request_kinds *kinds, const struct request_kind *kind)
{
    for (unsigned i = 0; i < kinds->count; i++)
        if (!kind_order(&kinds->kind[i], kind))
            return (uint8_t)i;
    return 0;
}

static bool is_known_by_command(const struct request_kinds *kinds, const struct request_kind *kind)
{
    return kinds->by_command && request_operation(kind->command) == OPERATION_WRITE;
}

char *request_kind_words(const struct request_kinds *kinds, const struct request_kind *kind,
                         uint16_t usual, char to[PRIORITY_WORDS])
{
    if (!is_known_by_command(kinds, kind))
        return priority_words(kind->priority ? kind->priority : usual, to);
    snprintf(to, PRIORITY_WORDS, "%s", request_row_of(kind->command)->word);
    return to;
}

/* ---- as text ---- */

void request_kinds_write(const struct request_kinds *kinds, char to[REQUEST_KINDS_TEXT])
{
    size_t used = 0;
    to[0] = '\0';
    for (unsigned i = 0; i < kinds->count; i++) {
        const struct request_kind *kind = &kinds->kind[i];
        const unsigned value =
            is_known_by_command(kinds, kind)
                ? STORED_CLASS << 13 | (unsigned)request_row_of(kind->command)->mode
                : kind->priority;
        used += (size_t)snprintf(to + used, REQUEST_KINDS_TEXT - used, "%s%c%u/%u", i ? "," : "",
                                 kind->command == REQUEST_READ ? 'r' : 'w', kind->bytes, value);
    }
}

static bool read_number(const char **text, uint64_t max, uint64_t *value)
{
    const char *at = *text;
    for (*value = 0; *at >= '0' && *at <= '9' && *value <= max; at++)
        *value = *value * 10 + (uint64_t)(*at - '0');
    const bool good = at > *text && *value <= max;
    *text = at;
    return good;
}

/* Returns the command that is stored as this number, or REQUEST_READ if there is none. */
static uint8_t command_of_mode(int mode)
{
    for (unsigned i = 0; i < REQUEST_COMMANDS; i++)
        if (request_rows[i].mode == mode)
            return request_rows[i].command;
    return REQUEST_READ;
}

/* Reads a kind: "r4096/8192". */
static bool read_kind(const char **text, struct request_kinds *kinds)
{
    uint64_t bytes, value;
    const bool reads = **text == 'r';
    if ((!reads && **text != 'w') || (++*text, !read_number(text, UINT32_MAX, &bytes)) ||
        *(*text)++ != '/' || !read_number(text, UINT16_MAX, &value))
        return false;
    struct request_kind kind = {(uint32_t)bytes, (uint16_t)value,
                                reads ? REQUEST_READ : REQUEST_WRITE};
    if (!reads && value >> 13 == STORED_CLASS) {
        kind.priority = 0;
        kind.command = command_of_mode(value & 0x1fff);
        kinds->by_command = true;
    }
    return (reads || kind.command != REQUEST_READ) && request_kinds_add(kinds, &kind);
}

int request_kinds_read(struct request_kinds *kinds, const char *text, struct err *e)
{
    *kinds = (struct request_kinds){.count = 0};
    for (const char *at = text; *at;)
        if (!read_kind(&at, kinds) || (*at && (*at != ',' || !*++at)))
            return err_set(e, ERR_USAGE, "\"%.60s\" are no kinds of requests", text);
    return 0;
}

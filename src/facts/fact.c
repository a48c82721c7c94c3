/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores facts in lists with a fixed number of places, and the facts of an inventory's nodes. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number_parse.h"
#include "base/span.h"
#include "base/text.h"
#include "facts/fact.h"
#include "facts/inventory.h"

#define VALUE_MAX  4200 /* longer than a kernel command line (4096 bytes) */
#define PATH_BYTES 1024

const char *fact_status_name(enum fact_status status)
{
    static const char *const names[] = {"ok", "absent", "denied", "invalid"};
    return names[status];
}

void facts_add(struct facts *f, const char *node, const char *key, const char *value,
               const char *unit, const char *source, enum fact_status status)
{
    if (f->count == FACTS_MAX) {
        struct fact *last = &f->rows[FACTS_MAX - 1];
        /* The row that states how many facts were left out replaces the last fact. So that fact is
           left out as well. */
        f->left_out += f->left_out ? 1 : 2;
        *last = (struct fact){.key = "left out", .status = FACT_OK};
        snprintf(last->value, sizeof last->value, "%zu facts: there is no room for them",
                 f->left_out);
        return;
    }
    struct fact *row = &f->rows[f->count++];
    snprintf(row->node, sizeof row->node, "%s", node);
    snprintf(row->key, sizeof row->key, "%s", key);
    snprintf(row->value, sizeof row->value, "%s", value);
    snprintf(row->unit, sizeof row->unit, "%s", unit);
    snprintf(row->source, sizeof row->source, "%s", source);
    row->status = status;
}

static size_t find_row(const struct facts *f, const char *node, const char *key)
{
    size_t i = 0;
    while (i < f->count && (f->rows[i].status != FACT_OK || strcmp(f->rows[i].key, key) != 0 ||
                            (node && strcmp(f->rows[i].node, node) != 0)))
        i++;
    return i;
}

const char *facts_find(const struct facts *f, const char *node, const char *key)
{
    const size_t row = find_row(f, node, key);
    return row < f->count ? f->rows[row].value : NULL;
}

void facts_replace(struct facts *f, const char *node, const char *key, const char *value)
{
    const size_t row = find_row(f, node, key);
    if (row < f->count)
        snprintf(f->rows[row].value, sizeof f->rows[row].value, "%s", value);
}

/* ---- facts of an inventory ---- */

static const char *copy_text(struct inventory *v, const char *text)
{
    return *text ? pool_copy(&v->strings, text, strlen(text)) : "";
}

/* Copies a path or a key, with unprintable characters replaced: parts of it may be names that
   others chose. */
static const char *copy_printable(struct inventory *v, const char *text)
{
    char shown[PATH_BYTES];
    return copy_text(v, span_printable(shown, sizeof shown, span_of(text)));
}

/* Returns the first eight bytes of a text as a number. */
static uint64_t head_of(const char *text)
{
    uint64_t head = 0;
    for (int i = 0; i < 8 && text[i]; i++)
        head |= (uint64_t)(unsigned char)text[i] << 8 * i;
    return head;
}

/* Returns a hash of `head` with this number of bits. */
static unsigned mix(uint64_t head, int bits)
{
    return (unsigned)(head * 0x9e3779b97f4a7c15u >> (64 - bits));
}

/* Returns the bit that stands for a key in a node's `keys`. The bits let a search end at once when
   the node has no such fact, which is the usual case. */
static uint64_t bit_of(uint64_t head)
{
    return (uint64_t)1 << mix(head, 6);
}

/* Copies a text like copy_printable, but reuses the last copy with the same hash, as keys and units
   occur often. */
static const char *copy_word(struct inventory *v, const char *text, uint64_t head)
{
    const char **known = &v->words[mix(head, INVENTORY_WORD_BITS)];
    if (!*known || strcmp(*known, text) != 0)
        *known = copy_printable(v, text);
    return *known;
}

void inventory_add(struct inventory *v, int node, const char *key, const char *value,
                   const char *unit, const char *source, enum fact_status status)
{
    char shown[VALUE_MAX];
    if (node == INVENTORY_NONE)
        return;
    span_printable(shown, sizeof shown,
                   span_trimmed(span_of(status == FACT_OK && value ? value : "")));
    const char *name = copy_word(v, key, head_of(key));
    uint64_t head = name ? head_of(name) : 0;
    struct inventory_fact fact = {.key = name,
                                  .value = copy_text(v, shown),
                                  .unit = unit && *unit ? copy_word(v, unit, head_of(unit)) : "",
                                  .source = copy_printable(v, source ? source : ""),
                                  .status = status == FACT_OK && !*shown ? FACT_INVALID : status,
                                  .next = INVENTORY_NONE,
                                  .key_head = head};
    if (!fact.key || !fact.value || !fact.unit || !fact.source) {
        v->failed = true;
        return;
    }
    if (!array_grow(&v->facts, sizeof *v->facts, (size_t)v->fact_count, &v->fact_capacity)) {
        v->failed = true;
        return;
    }
    struct inventory_node *n = &v->nodes[node];
    v->facts[v->fact_count] = fact;
    if (n->last_fact == INVENTORY_NONE)
        n->first_fact = v->fact_count;
    else
        v->facts[n->last_fact].next = v->fact_count;
    n->last_fact = v->fact_count++;
    n->keys |= bit_of(head);
}

void inventory_addf(struct inventory *v, int node, const char *key, const char *unit,
                    const char *source, const char *format, ...)
{
    char value[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    inventory_add(v, node, key, value, unit, source, FACT_OK);
}

void inventory_add_number(struct inventory *v, int node, const char *key, uint64_t value,
                          const char *unit, const char *source)
{
    char digits[TEXT_DIGITS];
    inventory_add(v, node, key, text_digits(digits, value), unit, source, FACT_OK);
}

const struct inventory_fact *inventory_fact(const struct inventory *v, int node, const char *key)
{
    if (node == INVENTORY_NONE)
        return NULL;
    uint64_t head = head_of(key);
    if (!(v->nodes[node].keys & bit_of(head)))
        return NULL;
    for (int i = v->nodes[node].first_fact; i != INVENTORY_NONE; i = v->facts[i].next)
        if (v->facts[i].key_head == head && !strcmp(v->facts[i].key, key))
            return &v->facts[i];
    return NULL;
}

const char *inventory_value(const struct inventory *v, int node, const char *key)
{
    const struct inventory_fact *fact = inventory_fact(v, node, key);
    return fact && fact->status == FACT_OK ? fact->value : NULL;
}

double inventory_number(const struct inventory *v, int node, const char *key)
{
    const char *text = inventory_value(v, node, key);
    double value;
    return text && number_parse(text, strlen(text), &value) == NUMBER_OK ? value : (double)NAN;
}

int inventory_copy_node(struct inventory *to, const struct inventory *from, int node, int parent)
{
    const struct inventory_node *n = &from->nodes[node];
    int copy = inventory_add_node(to, n->kind, n->name, n->path, parent);
    for (int i = n->first_fact; i != INVENTORY_NONE; i = from->facts[i].next) {
        const struct inventory_fact *f = &from->facts[i];
        inventory_add(to, copy, f->key, f->value, f->unit, f->source, f->status);
    }
    return copy;
}

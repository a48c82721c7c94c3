/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts that are one small file each. */
#include "hw/context_attribute.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "base/units.h"

void context_attribute_add_text(struct facts *facts, const char *node, const char *key, const char *value,
                        const char *source, enum fact_status status)
{
    char shown[sizeof facts->rows[0].value];
    struct span text = span_trimmed(span_of(value));
    if (status == FACT_OK && !text.length)
        status = FACT_INVALID;
    if (status != FACT_OK)
        text.length = 0;
    facts_add(facts, node, key, span_printable(shown, sizeof shown, text), "", source, status);
}

void context_attribute_add_number(struct facts *facts, const char *node, const char *key, uint64_t value,
                          const char *unit, const char *source)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    facts_add(facts, node, key, digits, unit, source, FACT_OK);
}

static void add_number(const struct context_attribute *row, const char *node, char *text,
                       const char *source, struct facts *facts)
{
    uint64_t value;
    struct span digits = span_trimmed(span_of(text));
    text[digits.text - text + (ptrdiff_t)digits.length] = '\0';
    if (parse_unsigned(digits.text, &value, NULL) ||
        __builtin_mul_overflow(value, row->scale, &value))
        facts_add(facts, node, row->key, "", row->unit, source, FACT_INVALID);
    else
        context_attribute_add_number(facts, node, row->key, value, row->unit, source);
}

/* The word in brackets, or the only word; "" when it is neither. */
static const char *chosen(char *text)
{
    char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
    if (close) {
        *close = '\0';
        return open + 1;
    }
    struct span word = span_trimmed(span_of(text));
    bool one_word = !open && !memchr(word.text, ' ', word.length);
    return one_word ? text : "";
}

static void add_value(const struct context_attribute *row, const char *node, char *text, const char *source,
                      struct facts *facts)
{
    switch (row->kind) {
    case ATTRIBUTE_TEXT:
        context_attribute_add_text(facts, node, row->key, text, source, FACT_OK);
        return;
    case ATTRIBUTE_NUMBER:
        add_number(row, node, text, source, facts);
        return;
    case ATTRIBUTE_YES_NO: {
        struct span s = span_trimmed(span_of(text));
        bool valid = s.length == 1 && (s.text[0] == '0' || s.text[0] == '1');
        context_attribute_add_text(facts, node, row->key,
                           !valid             ? ""
                           : s.text[0] == '1' ? "yes"
                                              : "no",
                           source, FACT_OK);
        return;
    }
    case ATTRIBUTE_CHOICE:
        context_attribute_add_text(facts, node, row->key, chosen(text), source, FACT_OK);
        return;
    }
}

static void add_row(const struct sysroot *root, const struct context_attribute *row, const char *node,
                    const char *folder, struct facts *facts)
{
    char text[4200] = "", first[256], source[256]; /* a kernel command line has up to 4096 bytes */
    enum fact_status status = FACT_ABSENT;
    snprintf(first, sizeof first, "%s/%s", folder, row->files[0]);
    for (size_t i = 0; status == FACT_ABSENT && i < 3 && row->files[i]; i++) {
        snprintf(source, sizeof source, "%s/%s", folder, row->files[i]);
        status = sysroot_line(root, source, text, sizeof text);
    }
    if (status == FACT_OK)
        add_value(row, node, text, source, facts);
    else
        facts_add(facts, node, row->key, "", row->unit ? row->unit : "",
                  status == FACT_ABSENT ? first : source, status);
}

void context_attributes_add(const struct sysroot *root, const char *node, const char *folder,
                    const struct context_attribute *rows, size_t count, struct facts *facts)
{
    for (size_t i = 0; i < count; i++)
        add_row(root, &rows[i], node, folder, facts);
}

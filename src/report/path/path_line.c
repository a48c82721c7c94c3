/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One part of a data path as a line: its name and kind, what it can do and did; what finds no room
   there, and that it is the bottleneck, stand below it. */
#include <stdio.h>
#include <string.h>

#include "report/layout/fact_words.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/path/internal.h"

enum { RATE_WIDTH = 12, SHARE_WIDTH = 8, MARK_WIDTH = 16 };

size_t path_name_width(const struct drawing *d)
{
    size_t numbers =
        d->path->measured ? 4 * (RATE_WIDTH - 2) + SHARE_WIDTH : 2 * RATE_WIDTH + MARK_WIDTH;
    size_t width = layout_width(d->style) - 2;
    return width > numbers + PATH_NAME_MIN ? width - numbers : PATH_NAME_MIN;
}

static void add_rate(struct text *out, double rate, size_t width)
{
    char cell[NUMBER_BUFFER];
    layout_right(out, number_value(cell, sizeof cell, METRIC_KIND_BYTE_RATE, rate), width);
}

/* As much as fits of the name, its kind and its link; the rest goes to `below`. */
static void add_name(const struct drawing *d, const char *prefix, const struct result_part *part,
                     const struct text *title, const struct text *link, struct text *below)
{
    char cut[4 * sizeof part->name];
    size_t width = path_name_width(d), taken = layout_length(prefix);
    size_t room = width > taken + 1 ? width - taken - 1 : 1;
    size_t with_title = layout_length(part->name) + 2 + layout_length(layout_string(title));
    size_t with_link = with_title + 2 + layout_length(layout_string(link));
    bool titled = title->length > 0 && with_title <= room;
    bool linked = link->length > 0 && with_link <= room;
    struct text shown = {0};
    text_add(&shown, layout_shorten(cut, sizeof cut, part->name, room < 5 ? 5 : room));
    if (titled)
        text_addf(&shown, "  %s", layout_string(title));
    if (linked)
        text_addf(&shown, ", %s", layout_string(link));
    if (!titled)
        text_add(below, layout_string(title));
    if (!linked)
        text_addf(below, "%s%s", below->length > 0 && link->length > 0 ? ", " : "",
                  layout_string(link));
    text_add(d->out, "  ");
    text_add(d->out, prefix);
    layout_left(d->out, layout_string(&shown), room + 1);
    text_free(&shown);
}

static void print_bottleneck(const struct drawing *d, const char *prefix,
                             const struct result_part *part)
{
    char share[NUMBER_BUFFER];
    text_addf(d->out, "  %s^ ", prefix);
    layout_tone(d->out, d->style, TONE_RED);
    text_add(d->out, "bottleneck");
    layout_tone(d->out, d->style, TONE_PLAIN);
    text_addf(d->out, ": %s of its ", number_percent(share, sizeof share, part->utilisation));
    layout_left(d->out, part->measure, 0);
    text_add(d->out, "\n");
}

void path_print_part(const struct drawing *d, const char *prefix, const char *next_prefix,
                     size_t number)
{
    const struct result_part *part = &d->path->parts[number];
    char share[NUMBER_BUFFER];
    struct text title = {0}, link = {0}, below = {0};
    const struct inventory *v = d->path->inventory;
    int node = v ? inventory_find(v, part->name) : INVENTORY_NONE;
    const char *kind = node_kind_title(part->kind);
    if (strcmp(kind, part->name) != 0)
        text_add(&title, kind);
    if (part->under_test && d->path->measured)
        text_addf(&title, "%sunder test", title.length > 0 ? " " : "");
    if (node != INVENTORY_NONE)
        fact_add_part(&link, v, node);
    add_name(d, prefix, part, &title, &link, &below);
    if (d->path->measured) {
        add_rate(d->out, part->used_read, RATE_WIDTH - 2);
        add_rate(d->out, part->limit_read, RATE_WIDTH - 2);
        add_rate(d->out, part->used_write, RATE_WIDTH - 2);
        add_rate(d->out, part->limit_write, RATE_WIDTH - 2);
        layout_right(d->out, number_percent(share, sizeof share, part->utilisation), SHARE_WIDTH);
    } else {
        add_rate(d->out, part->limit_read, RATE_WIDTH);
        add_rate(d->out, part->limit_write, RATE_WIDTH);
        bool read = d->path->limiting_read == (int)number;
        bool write = d->path->limiting_write == (int)number;
        text_add(d->out, read && write ? " <- the limit"
                         : read        ? " <- read limit"
                         : write       ? " <- write limit"
                                       : "");
    }
    layout_end_line(d->out);
    if (below.length > 0) {
        struct text lead = {0};
        text_addf(&lead, "  %s  ", next_prefix);
        layout_hanging(d->out, d->style, layout_string(&lead), layout_string(&lead),
                       layout_string(&below));
        text_free(&lead);
    }
    if (part->bottleneck)
        print_bottleneck(d, next_prefix, part);
    d->out->failed = d->out->failed || title.failed || link.failed || below.failed;
    text_free(&title);
    text_free(&link);
    text_free(&below);
}

void path_print_reference(const struct drawing *d, const char *prefix, size_t number,
                          const char *where)
{
    text_addf(d->out, "  %s-> ", prefix);
    layout_left(d->out, d->path->parts[number].name, 0);
    text_addf(d->out, "%s\n", where);
}

void path_print_header(const struct drawing *d)
{
    static const struct layout_column measured[] = {{"read", RATE_WIDTH - 2},
                                                    {"of", RATE_WIDTH - 2},
                                                    {"write", RATE_WIDTH - 2},
                                                    {"of", RATE_WIDTH - 2},
                                                    {"in use", SHARE_WIDTH}};
    static const struct layout_column limits[] = {{"read limit", RATE_WIDTH},
                                                  {"write limit", RATE_WIDTH}};
    layout_left(d->out, "", 2 + path_name_width(d));
    if (d->path->measured)
        layout_titles(d->out, measured, sizeof measured / sizeof *measured);
    else
        layout_titles(d->out, limits, sizeof limits / sizeof *limits);
}

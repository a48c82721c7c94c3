/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a data path as a tree of characters. Chains go down without indentation, parallel legs
   are branches, and parts that all legs share follow below them. Each part has a line with its
   name, kind, limits and figures. Below the tree are the limits of the whole path and what is
   not known. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/layout/fact_words.h"
#include "report/layout/number.h"
#include "report/path/internal.h"

/* ---- the graph ---- */

static bool part_set_has(const struct part_set *s, size_t part)
{
    return s->bits[part / 64] >> (part % 64) & 1;
}

static void part_set_put(struct part_set *s, size_t part)
{
    s->bits[part / 64] |= 1ull << (part % 64);
}

static void part_set_join(struct part_set *s, const struct part_set *other)
{
    for (size_t w = 0; w < PART_SET_WORDS; w++)
        s->bits[w] |= other->bits[w];
}

/* Returns true if `other` contains all parts of `s`. */
static bool is_within(const struct part_set *s, const struct part_set *other)
{
    for (size_t w = 0; w < PART_SET_WORDS; w++)
        if (s->bits[w] & ~other->bits[w])
            return false;
    return true;
}

static size_t count_parts(const struct path_view *path)
{
    return path->part_count < RESULT_PARTS_MAX ? path->part_count : RESULT_PARTS_MAX;
}

bool path_graph_has(const struct path_view *path, const struct result_edge *edge)
{
    size_t count = count_parts(path);
    return edge->from < count && edge->to < count && edge->from != edge->to;
}

/* Computes the reach of each part. The loop ends even if the graph has circles, because sets only
   grow. */
void path_graph_make(struct path_graph *g, const struct path_view *path)
{
    *g = (struct path_graph){.path = path};
    for (size_t i = 0; i < RESULT_PARTS_MAX; i++)
        part_set_put(&g->reach[i], i);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < path->edge_count; i++) {
            const struct result_edge *edge = &path->edges[i];
            if (!path_graph_has(path, edge) ||
                is_within(&g->reach[edge->to], &g->reach[edge->from]))
                continue;
            part_set_join(&g->reach[edge->from], &g->reach[edge->to]);
            changed = true;
        }
    }
}

/* Returns the number of parts that follow `part` directly (its legs), and sets *first to one of
   them. */
static size_t path_graph_legs(const struct path_graph *g, size_t part, size_t *first)
{
    const struct path_view *path = g->path;
    size_t count = 0;
    for (size_t i = 0; i < path->edge_count; i++) {
        if (path->edges[i].from != part || !path_graph_has(path, &path->edges[i]))
            continue;
        if (count++ == 0)
            *first = path->edges[i].to;
    }
    return count;
}

/* Sets `common` to the parts that all legs of `part` go through. Returns the first of them in the
   direction of the data, or -1 if the legs never meet. */
static int path_graph_meeting(const struct path_graph *g, size_t part, struct part_set *common)
{
    const struct path_view *path = g->path;
    memset(common, 0xff, sizeof *common);
    for (size_t i = 0; i < path->edge_count; i++) {
        if (path->edges[i].from != part || !path_graph_has(path, &path->edges[i]))
            continue;
        for (size_t w = 0; w < PART_SET_WORDS; w++)
            common->bits[w] &= g->reach[path->edges[i].to].bits[w];
    }
    for (size_t i = 0; i < count_parts(path); i++)
        if (part_set_has(common, i) && is_within(common, &g->reach[i]))
            return (int)i;
    return -1;
}

/* Returns true if at least one part follows `part`, and all parts that follow it are limited. */
static bool legs_are_limited(const struct path_view *path, size_t part,
                             const struct part_set *limited)
{
    size_t legs = 0;
    for (size_t i = 0; i < path->edge_count; i++) {
        if (path->edges[i].from != part || !path_graph_has(path, &path->edges[i]))
            continue;
        if (!part_set_has(limited, path->edges[i].to))
            return false;
        legs++;
    }
    return legs > 0;
}

int path_graph_unlimited(const struct path_graph *g)
{
    const struct path_view *path = g->path;
    struct part_set limited = {0};
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count_parts(path); i++) {
            if (part_set_has(&limited, i) ||
                !(path->parts[i].limit_read > 0 || legs_are_limited(path, i, &limited)))
                continue;
            part_set_put(&limited, i);
            changed = true;
        }
    }
    for (size_t i = 0; i < count_parts(path); i++) {
        enum node_kind kind = path->parts[i].kind;
        bool should = kind == NODE_DISK || kind == NODE_NETWORK || kind == NODE_REMOTE;
        if (path->parts[i].on_path && should && !part_set_has(&limited, i))
            return (int)i;
    }
    return -1;
}

/* ---- text ---- */

enum {
    PREFIX = 200,
    NAME_MIN = 20, /* minimum columns for a name with its prefix */
    RATE_WIDTH = 12,
    SHARE_WIDTH = 8,
    MARK_WIDTH = 16,
    BESIDE_MAX = 8,
    BESIDE_WIDTH = 24
};

struct drawing {
    const struct path_view *path;
    struct document *out;
    struct path_graph graph;
    struct part_set drawn; /* parts that are already printed */
};

/* ---- one part ---- */

/* Returns the number of columns left of the first number. */
static size_t name_width(const struct drawing *d)
{
    size_t numbers =
        d->path->measured ? 4 * (RATE_WIDTH - 2) + SHARE_WIDTH : 2 * RATE_WIDTH + MARK_WIDTH;
    size_t width = layout_width(&d->out->style) - 2;
    return width > numbers + NAME_MIN ? width - numbers : NAME_MIN;
}

static void add_rate_cell(struct document *out, double rate, size_t width)
{
    char cell[NUMBER_BUFFER];
    document_right(out, number_value(cell, sizeof cell, METRIC_KIND_BYTE_RATE, rate), width);
}

/* Adds the part's name and, if they fit, its kind and link. What does not fit is added to `below`,
   which is printed on the next line. */
static void add_part_name(const struct drawing *d, const char *prefix,
                          const struct result_part *part, const struct text *title,
                          const struct text *link, struct text *below)
{
    char cut[4 * sizeof part->name];
    size_t width = name_width(d), taken = layout_length(prefix);
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
    document_add(d->out, "  ");
    document_add(d->out, prefix);
    document_left(d->out, layout_string(&shown), room + 1);
    text_free(&shown);
}

static void print_bottleneck(const struct drawing *d, const char *prefix,
                             const struct result_part *part)
{
    char share[NUMBER_BUFFER];
    struct text lead = {0}, rest = {0};
    text_addf(&lead, "  %s^ ", prefix);
    text_addf(&rest, ": saturated %s of the time",
              number_percent(share, sizeof share, part->saturated));
    document_line_toned(d->out, layout_string(&lead), TONE_RED, "bottleneck", layout_string(&rest));
    d->out->failed |= lead.failed || rest.failed;
    text_free(&lead);
    text_free(&rest);
}

/* Prints a part. `next_prefix` begins the lines below it. */
static void print_part(const struct drawing *d, const char *prefix, const char *next_prefix,
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
    add_part_name(d, prefix, part, &title, &link, &below);
    if (d->path->measured) {
        add_rate_cell(d->out, part->used_read, RATE_WIDTH - 2);
        add_rate_cell(d->out, part->limit_read, RATE_WIDTH - 2);
        add_rate_cell(d->out, part->used_write, RATE_WIDTH - 2);
        add_rate_cell(d->out, part->limit_write, RATE_WIDTH - 2);
        document_right(d->out, number_percent(share, sizeof share, part->utilisation), SHARE_WIDTH);
    } else {
        add_rate_cell(d->out, part->limit_read, RATE_WIDTH);
        add_rate_cell(d->out, part->limit_write, RATE_WIDTH);
        bool read = d->path->limiting_read == (int)number;
        bool write = d->path->limiting_write == (int)number;
        document_add(d->out, read && write ? " <- the limit"
                             : read        ? " <- read limit"
                             : write       ? " <- write limit"
                                           : "");
    }
    document_end_row(d->out);
    if (below.length > 0) {
        struct text lead = {0};
        text_addf(&lead, "  %s  ", next_prefix);
        document_hanging(d->out, layout_string(&lead), layout_string(&lead), layout_string(&below));
        text_free(&lead);
    }
    if (part->bottleneck)
        print_bottleneck(d, next_prefix, part);
    d->out->failed = d->out->failed || title.failed || link.failed || below.failed;
    text_free(&title);
    text_free(&link);
    text_free(&below);
}

/* Prints a reference to a part whose line is elsewhere: "-> md0, above". */
static void print_reference(const struct drawing *d, const char *prefix, size_t number,
                            const char *where)
{
    document_line(d->out, "  %s-> %s%s", prefix, d->path->parts[number].name, where);
}

static void print_path_titles(const struct drawing *d)
{
    static const struct layout_column measured[] = {{"read", RATE_WIDTH - 2},
                                                    {"of", RATE_WIDTH - 2},
                                                    {"write", RATE_WIDTH - 2},
                                                    {"of", RATE_WIDTH - 2},
                                                    {"in use", SHARE_WIDTH}};
    static const struct layout_column limits[] = {{"read limit", RATE_WIDTH},
                                                  {"write limit", RATE_WIDTH}};
    document_left(d->out, "", 2 + name_width(d));
    if (d->path->measured)
        document_titles(d->out, measured, sizeof measured / sizeof *measured);
    else
        document_titles(d->out, limits, sizeof limits / sizeof *limits);
}

/* ---- the tree ---- */

static int draw_legs(struct drawing *d, size_t part, size_t count, const char *prefix,
                     struct part_set stop);

/*
 * Draws the chain of parts from `part` on until it ends, or until the next part is in `stop` or was
 * drawn before. Returns the part in `stop`, which is not drawn, or -1.
 */
static int draw_chain(struct drawing *d, size_t part, const char *first_prefix, const char *prefix,
                      struct part_set stop)
{
    for (const char *lead = first_prefix;; lead = prefix) {
        if (part_set_has(&stop, part))
            return (int)part;
        if (part_set_has(&d->drawn, part)) {
            print_reference(d, lead, part, ", above");
            return -1;
        }
        part_set_put(&d->drawn, part);
        print_part(d, lead, prefix, part);
        size_t next = 0, count = path_graph_legs(&d->graph, part, &next);
        if (count == 0)
            return -1;
        if (count > 1) {
            int meeting = draw_legs(d, part, count, prefix, stop);
            if (meeting < 0)
                return -1;
            next = (size_t)meeting;
        }
        part = next;
    }
}

/* Draws each leg of `part` as a branch. Returns the part where the legs meet, or -1. */
static int draw_legs(struct drawing *d, size_t part, size_t count, const char *prefix,
                     struct part_set stop)
{
    const struct path_view *p = d->path;
    struct part_set common;
    int meeting = path_graph_meeting(&d->graph, part, &common);
    size_t left = count;
    part_set_join(&stop, &common);
    for (size_t i = 0; i < p->edge_count; i++) {
        if (p->edges[i].from != part || !path_graph_has(p, &p->edges[i]))
            continue;
        char branch[PREFIX], next[PREFIX];
        bool last = --left == 0, deep = layout_length(prefix) + NAME_MIN > name_width(d);
        snprintf(branch, sizeof branch, "%s%s", prefix,
                 deep ? "" : layout_branch(&d->out->style, last));
        snprintf(next, sizeof next, "%s%s", prefix, deep ? "" : layout_stem(&d->out->style, last));
        size_t to = p->edges[i].to;
        if (part_set_has(&stop, to)) {
            print_reference(d, branch, to, "");
            continue;
        }
        int end = draw_chain(d, to, branch, next, stop);
        if (end >= 0 && end != meeting)
            print_reference(d, next, (size_t)end, "");
    }
    return meeting;
}

/* ---- below the tree ---- */

static void add_limit_of_whole(struct text *words, const struct path_view *p, double limit,
                               int part, const char *direction)
{
    char rate[NUMBER_BUFFER];
    if (isnan(limit)) {
        text_addf(words, "no known limit of %s", direction);
        return;
    }
    text_addf(words, "%s of %s", number_value(rate, sizeof rate, METRIC_KIND_BYTE_RATE, limit),
              direction);
    if (part >= 0 && p->measured)
        text_addf(words, " (%s)", p->parts[part].name);
}

/* Prints the limits of the whole path, and what is not known about it. */
static void print_whole(const struct drawing *d)
{
    const struct path_view *p = d->path;
    bool none = isnan(p->limit_read) && isnan(p->limit_write);
    struct text words = {0};
    if (!none) {
        text_add(&words, "The path as a whole lets through ");
        add_limit_of_whole(&words, p, p->limit_read, p->limiting_read, "reads");
        text_add(&words, " and ");
        add_limit_of_whole(&words, p, p->limit_write, p->limiting_write, "writes");
        text_add(&words, ".");
    }
    if (p->complete) {
        text_add(&words, none ? "No limit of any part is known." : "");
    } else {
        /* a disk or interface without a known limit on its way; -1: a part of the path is not
           known at all */
        int part = path_graph_unlimited(&d->graph);
        text_add(&words, words.length > 0 ? " " : "");
        if (part >= 0) {
            const char *name = p->parts[part].name;
            int node = p->inventory ? inventory_find(p->inventory, name) : INVENTORY_NONE;
            const char *bus = inventory_value(p->inventory, node, "bus");
            text_addf(&words, "The limit of %s, %s%s%s, is not known%s.", name,
                      p->parts[part].kind == NODE_REMOTE ? "" : "a ",
                      bus && !strcmp(bus, "virtio") ? "virtio " : "",
                      node_kind_title(p->parts[part].kind), none ? ", nor that of the path" : "");
        } else {
            text_addf(&words, "%sSomething between the target and the processor is not known.",
                      none ? "No limit of any part is known. " : "");
        }
    }
    document_paragraph_from(d->out, "  ", TONE_PLAIN, &words);
}

/* Prints the parts that were watched beside the path, the one with the highest utilisation
   first. */
static void print_beside(struct drawing *d)
{
    const struct path_view *p = d->path;
    bool known = path_is_known(p);
    const char *indent = known ? "             " : "  ";
    size_t printed = 0, left = 0;
    for (size_t i = 0; i < p->part_count; i++)
        left += !p->parts[i].on_path && isfinite(p->parts[i].utilisation);
    for (; left > 0 && printed < BESIDE_MAX; left--, printed++) {
        size_t busiest = p->part_count;
        for (size_t i = 0; i < p->part_count && i < RESULT_PARTS_MAX; i++)
            if (!p->parts[i].on_path && isfinite(p->parts[i].utilisation) &&
                !part_set_has(&d->drawn, i) &&
                (busiest == p->part_count ||
                 p->parts[i].utilisation > p->parts[busiest].utilisation))
                busiest = i;
        if (busiest == p->part_count)
            break;
        const struct result_part *part = &p->parts[busiest];
        char mean[NUMBER_BUFFER], peak[NUMBER_BUFFER], saturated[NUMBER_BUFFER];
        struct text words = {0};
        part_set_put(&d->drawn, busiest);
        text_addf(&words, "%s of its %s, at most %s",
                  number_percent(mean, sizeof mean, part->utilisation), part->measure,
                  number_percent(peak, sizeof peak, part->peak));
        if (part->bottleneck)
            text_addf(&words, ": the bottleneck, saturated %s of the time",
                      number_percent(saturated, sizeof saturated, part->saturated));
        document_add(d->out, printed == 0 && known ? "  beside it: " : indent);
        document_left(d->out, part->name, BESIDE_WIDTH);
        document_add(d->out, " ");
        document_end_row_in_words_from(d->out, TONE_PLAIN, &words);
    }
    if (left > 0)
        document_line(d->out, "%sand %zu more that were less in use", indent, left);
}

void path_print(const struct path_view *p, struct document *out)
{
    struct drawing d = {.path = p, .out = out};
    if (p->part_count == 0)
        return;
    if (path_is_known(p)) {
        path_graph_make(&d.graph, p);
        print_path_titles(&d);
        draw_chain(&d, 0, "", "", (struct part_set){0});
        print_whole(&d);
    }
    if (p->measured)
        print_beside(&d);
}

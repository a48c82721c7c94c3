/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the parts that targets share as a figure. Targets are at the left; each step towards the
   memory is a column. A part that limits the targets says so and has a double frame. A part of
   which it is undecided whether it limits them has a dashed frame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/svg.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/path/shared_graph.h"

enum {
    WIDTH = FIGURE_WIDE,
    HEIGHT_MAX = 1060, /* an A4 sheet less the caption */
    COLUMNS_MAX = 9,
    BOX_MAX = 190,
    BETWEEN_MIN = 14, /* between columns */
    BETWEEN_MAX = 80,
    GAP = 8, /* between the boxes of a column */
    TOP = 4,
    LINE = 13,
    PAD = 6,
    ROW_MAX = 2 * LINE + PAD + GAP,
    ROW_MIN = LINE + 3,
    LETTER = 6 /* mean width of a letter */
};

struct place {
    double middle, height;
};

struct figure {
    const struct shared_graph *graph;
    size_t layers[SHARED_NODES_MAX];
    size_t columns;
    struct place places[SHARED_NODES_MAX];
    size_t order[SHARED_NODES_MAX]; /* [ordered], targets from the top to the bottom */
    size_t ordered;
    bool seen[SHARED_NODES_MAX];
    double row, width, step, bottom;
    struct text *out;
};

/* ---- places ---- */

static double height_of(const struct shared_node *node)
{
    double lines = 1 + (node->kind[0] != '\0') + (node->mark[0] != '\0');
    for (size_t i = 0; i < SHARED_RATES; i++)
        lines += shared_rate_is_known(&node->rates[i]) +
                 (shared_rate_is_known(&node->rates[i]) && isfinite(node->rates[i].limit));
    lines += isfinite(node->utilisation) + !shared_node_has_limit(node);
    return lines * LINE + PAD;
}

/* Appends the targets below a node to the order. So targets that share a part become neighbours. */
static void order_below(struct figure *f, size_t node)
{
    const struct shared_graph *g = f->graph;
    if (f->seen[node])
        return;
    f->seen[node] = true;
    if (node < g->target_count)
        f->order[f->ordered++] = node;
    for (size_t i = 0; i < g->edge_count; i++)
        if (g->edges[i].to == node)
            order_below(f, g->edges[i].from);
}

static void order_targets(struct figure *f)
{
    for (size_t layer = f->columns; layer-- > 0;)
        for (size_t i = 0; i < f->graph->node_count; i++)
            if (f->layers[i] == layer)
                order_below(f, i);
}

/* Returns the mean vertical position of the nodes that lead to this one, where its box should
   be. */
static double wanted_middle(const struct figure *f, size_t node)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < f->graph->edge_count; i++)
        if (f->graph->edges[i].to == node) {
            sum += f->places[f->graph->edges[i].from].middle;
            count++;
        }
    return count > 0 ? sum / count : 0;
}

/* Returns the topmost box of the column that is not placed yet, or the number of nodes. */
static size_t next_of_column(const struct figure *f, size_t layer, const bool placed[])
{
    size_t next = f->graph->node_count;
    for (size_t i = 0; i < f->graph->node_count; i++)
        if (f->layers[i] == layer && !placed[i] &&
            (next == f->graph->node_count || f->places[i].middle < f->places[next].middle))
            next = i;
    return next;
}

/* Places the boxes of a column so that none overlaps another or is above the figure. */
static void place_column(struct figure *f, size_t layer)
{
    bool placed[SHARED_NODES_MAX] = {false};
    double free_from = TOP;
    for (size_t i = 0; i < f->graph->node_count; i++)
        if (f->layers[i] == layer)
            f->places[i] = (struct place){wanted_middle(f, i), height_of(&f->graph->nodes[i])};
    for (size_t i; (i = next_of_column(f, layer, placed)) < f->graph->node_count;) {
        struct place *at = &f->places[i];
        at->middle = fmax(at->middle, free_from + at->height / 2);
        free_from = at->middle + at->height / 2 + GAP;
        placed[i] = true;
    }
    f->bottom = fmax(f->bottom, free_from - GAP);
}

static void place_targets(struct figure *f)
{
    const double count = (double)f->graph->target_count;
    f->row = fmin(ROW_MAX, fmax(ROW_MIN, floor(HEIGHT_MAX / count)));
    for (size_t i = 0; i < f->ordered; i++)
        f->places[f->order[i]] =
            (struct place){TOP + f->row * ((double)i + 0.5), fmin(f->row - 3, 2 * LINE + PAD)};
    f->bottom = TOP + f->row * count;
}

/* ---- drawing ---- */

struct box {
    double x, y, width, height;
};

static struct box box_of(const struct figure *f, size_t node)
{
    const struct place *at = &f->places[node];
    return (struct box){(double)f->layers[node] * f->step, at->middle - at->height / 2, f->width,
                        at->height};
}

static void add_line_of_words(const struct figure *f, const struct box *b, double *y,
                              const char *class, const char *words)
{
    char cut[256];
    const size_t letters = (size_t)(f->width - 2 * PAD) / LETTER;
    *y += LINE;
    svg_add_words(f->out, b->x + PAD, *y - 1, class,
                  layout_shorten(cut, sizeof cut, words, letters));
}

static void add_rate(const struct figure *f, const struct box *b, double *y,
                     const struct shared_rate *rate)
{
    char number[NUMBER_BUFFER], words[128];
    if (!shared_rate_is_known(rate))
        return;
    snprintf(words, sizeof words, "%s %s", rate->name,
             number_value(number, sizeof number, METRIC_KIND_BYTE_RATE, rate->used));
    add_line_of_words(f, b, y, "", words);
    if (!isfinite(rate->limit))
        return;
    snprintf(words, sizeof words, "of %s %s",
             number_value(number, sizeof number, METRIC_KIND_BYTE_RATE, rate->limit), rate->after);
    add_line_of_words(f, b, y, "", words);
}

static void add_bar(const struct figure *f, const struct box *b, double *y,
                    const struct shared_node *node)
{
    char share[NUMBER_BUFFER];
    const double bar = b->width - 2 * PAD - 36;
    const bool is_full = node->mark[0] && !node->is_open;
    *y += LINE;
    svg_add_box(f->out, b->x + PAD, *y - 8, bar, 7, "track");
    svg_add_box(f->out, b->x + PAD, *y - 8, bar * fmin(fmax(node->utilisation, 0), 1), 7,
                is_full ? "fbad" : "f0");
    svg_add_words(f->out, b->x + b->width - PAD, *y - 1, "end",
                  number_percent(share, sizeof share, node->utilisation));
}

/* Draws a target with its measured rate, or its mark, below its name; if the box is too low, after
   the name. */
static void draw_target(const struct figure *f, const struct shared_node *node, const struct box *b)
{
    const bool two_lines = b->height >= 2 * LINE + PAD;
    double y = b->y + (two_lines ? 1 : (b->height - LINE) / 2 - 1);
    char words[160], number[NUMBER_BUFFER];
    const struct shared_rate *rate = &node->rates[!shared_rate_is_known(&node->rates[0])];
    const char *after = node->mark;
    if (!after[0] && shared_rate_is_known(rate))
        after = number_value(number, sizeof number, METRIC_KIND_BYTE_RATE, rate->used);
    snprintf(words, sizeof words, "%s%s%s", node->name, after[0] && !two_lines ? ": " : "",
             two_lines ? "" : after);
    add_line_of_words(f, b, &y, "name", words);
    if (!two_lines)
        return;
    if (node->mark[0] || !shared_rate_is_known(rate)) {
        add_line_of_words(f, b, &y, "name bold", node->mark);
        return;
    }
    snprintf(words, sizeof words, "%s %s", rate->name, after);
    add_line_of_words(f, b, &y, "", words);
}

static void draw_part(const struct figure *f, const struct shared_node *node, const struct box *b)
{
    double y = b->y + 1;
    add_line_of_words(f, b, &y, "name", node->name);
    if (node->kind[0])
        add_line_of_words(f, b, &y, "", node->kind);
    for (size_t i = 0; i < SHARED_RATES; i++)
        add_rate(f, b, &y, &node->rates[i]);
    if (!shared_node_has_limit(node))
        add_line_of_words(f, b, &y, "", "limit not known");
    if (isfinite(node->utilisation))
        add_bar(f, b, &y, node);
    if (node->mark[0])
        add_line_of_words(f, b, &y, "name bold", node->mark);
}

static void draw_node(const struct figure *f, size_t number)
{
    const struct shared_node *node = &f->graph->nodes[number];
    const struct box b = box_of(f, number);
    const bool is_full = node->mark[0] && !node->is_open;
    svg_add_box(f->out, b.x, b.y, b.width, b.height,
                is_full             ? "part full"
                : node->mark[0]     ? "part open"
                : f->layers[number] ? "part"
                                    : "part tested");
    if (is_full)
        svg_add_box(f->out, b.x - 3, b.y - 3, b.width + 6, b.height + 6, "frame");
    (number < f->graph->target_count ? draw_target : draw_part)(f, node, &b);
}

static void draw_edge(const struct figure *f, const struct shared_edge *e)
{
    const struct box from = box_of(f, e->from), to = box_of(f, e->to);
    svg_add_line(f->out, from.x + from.width, f->places[e->from].middle, to.x,
                 f->places[e->to].middle, "axis");
}

/* Describes the parts and links in words: "sda to ata1; ata1, limits them, to memory". */
static void add_words(const struct shared_graph *g, struct text *out)
{
    for (size_t i = 0; i < g->node_count; i++) {
        const struct shared_node *node = &g->nodes[i];
        text_addf(out, "%s%s%s%s", i ? "; " : "", node->name, node->mark[0] ? ", " : "",
                  node->mark);
        for (size_t k = 0; k < g->edge_count; k++)
            if (g->edges[k].from == i)
                text_addf(out, " to %s", g->nodes[g->edges[k].to].name);
    }
}

static void draw(struct figure *f, const char *words)
{
    const double columns = (double)f->columns;
    f->width = floor(fmin(BOX_MAX, (WIDTH - BETWEEN_MIN * (columns - 1)) / columns));
    f->step = f->width + fmin(BETWEEN_MAX, (WIDTH - columns * f->width) / (columns - 1));
    order_targets(f);
    place_targets(f);
    for (size_t layer = 1; layer < f->columns; layer++)
        place_column(f, layer);
    struct text parts = {0};
    add_words(f->graph, &parts);
    figure_begin(f->out, "broad", "Data paths", words);
    text_add(f->out, "</figcaption>\n");
    svg_begin(f->out, WIDTH, f->bottom + TOP, "Data paths of the targets and what they share",
              layout_string(&parts));
    f->out->failed |= parts.failed;
    text_free(&parts);
    for (size_t i = 0; i < f->graph->edge_count; i++)
        draw_edge(f, &f->graph->edges[i]);
    for (size_t i = 0; i < f->graph->node_count; i++)
        draw_node(f, i);
    text_add(f->out, "</svg>\n");
    figure_end(f->out);
}

void shared_graph_draw(const struct shared_graph *g, const char *words, struct text *out)
{
    if (!g->edge_count)
        return;
    struct figure *f = calloc(1, sizeof *f);
    out->failed |= !f;
    if (!f)
        return;
    *f = (struct figure){.graph = g, .out = out};
    f->columns = 1 + shared_graph_layers(g, f->layers);
    if (f->columns <= COLUMNS_MAX)
        draw(f, words);
    free(f);
}

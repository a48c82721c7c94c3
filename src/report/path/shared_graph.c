/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the graph of parts that targets share, and prints it as a tree of characters. */
#include "report/path/shared_graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/layout/layout.h"
#include "report/layout/number.h"

enum { PREFIX = 200, PREFIX_MAX = 60 };

struct shared_node *shared_graph_add(struct shared_graph *g, const char *name)
{
    if (g->node_count == SHARED_NODES_MAX)
        return NULL;
    struct shared_node *node = &g->nodes[g->node_count++];
    *node = (struct shared_node){.kind = "", .mark = "", .utilisation = NAN};
    snprintf(node->name, sizeof node->name, "%s", name);
    return node;
}

void shared_graph_link(struct shared_graph *g, size_t from, size_t to)
{
    for (size_t i = 0; i < g->edge_count; i++)
        if (g->edges[i].from == from && g->edges[i].to == to)
            return;
    if (from != to && g->edge_count < SHARED_EDGES_MAX)
        g->edges[g->edge_count++] = (struct shared_edge){from, to};
}

size_t shared_graph_layers(const struct shared_graph *g, size_t layers[SHARED_NODES_MAX])
{
    size_t largest = 0;
    memset(layers, 0, SHARED_NODES_MAX * sizeof *layers);
    bool changed = true;
    for (size_t round = 0; round < g->node_count && changed; round++) {
        changed = false;
        for (size_t i = 0; i < g->edge_count; i++) {
            const struct shared_edge *e = &g->edges[i];
            if (layers[e->to] > layers[e->from])
                continue;
            layers[e->to] = layers[e->from] + 1;
            largest = layers[e->to] > largest ? layers[e->to] : largest;
            changed = true;
        }
    }
    return largest;
}

bool shared_rate_is_known(const struct shared_rate *rate)
{
    return rate->name && rate->used > 0;
}

bool shared_node_has_limit(const struct shared_node *node)
{
    for (size_t i = 0; i < SHARED_RATES; i++)
        if (node->rates[i].name && isfinite(node->rates[i].limit))
            return true;
    return false;
}

/* ---- the tree ---- */

struct tree {
    const struct shared_graph *graph;
    const struct report_style *style;
    struct text *out;
    bool printed[SHARED_NODES_MAX];
};

static void add_rates(const struct shared_node *node, struct text *words)
{
    char used[NUMBER_BUFFER], limit[NUMBER_BUFFER], share[NUMBER_BUFFER];
    for (size_t i = 0; i < SHARED_RATES; i++) {
        const struct shared_rate *rate = &node->rates[i];
        if (!shared_rate_is_known(rate))
            continue;
        text_addf(words, ", %s %s", rate->name,
                  number_value(used, sizeof used, METRIC_KIND_BYTE_RATE, rate->used));
        if (isfinite(rate->limit))
            text_addf(words, " of %s%s%s",
                      number_value(limit, sizeof limit, METRIC_KIND_BYTE_RATE, rate->limit),
                      rate->after[0] ? " " : "", rate->after);
    }
    if (isfinite(node->utilisation))
        text_addf(words, " (%s)", number_percent(share, sizeof share, node->utilisation));
}

static void print_node(struct tree *t, size_t at, const char *first, const char *next)
{
    const struct shared_node *node = &t->graph->nodes[at];
    struct text words = {0};
    text_add(&words, node->name);
    if (node->kind[0])
        text_addf(&words, " (%s)", node->kind);
    if (t->printed[at]) {
        text_add(&words, ", above");
    } else {
        add_rates(node, &words);
        if (at >= t->graph->target_count && !shared_node_has_limit(node))
            text_add(&words, ", limit not known");
        text_addf(&words, "%s%s", node->mark[0] ? ": " : "", node->mark);
    }
    layout_hanging(t->out, t->style, first, next, layout_string(&words));
    t->out->failed = t->out->failed || words.failed;
    text_free(&words);
}

/* Prints a node and, below it, the nodes that lead to it. `first` begins its own line, `next` the
   lines below. */
static void print_below(struct tree *t, size_t at, const char *first, const char *next)
{
    size_t left = 0;
    char blank[PREFIX];
    snprintf(blank, sizeof blank, "%*s", (int)layout_length(first), "");
    print_node(t, at, first, blank);
    if (t->printed[at])
        return;
    t->printed[at] = true;
    for (size_t i = 0; i < t->graph->edge_count; i++)
        left += t->graph->edges[i].to == at;
    for (size_t i = 0; i < t->graph->edge_count; i++) {
        char branch[PREFIX], stem[PREFIX];
        if (t->graph->edges[i].to != at)
            continue;
        const bool last = --left == 0, deep = layout_length(next) > PREFIX_MAX;
        snprintf(branch, sizeof branch, "%s%s", next, deep ? "" : layout_branch(t->style, last));
        snprintf(stem, sizeof stem, "%s%s", next, deep ? "" : layout_stem(t->style, last));
        print_below(t, t->graph->edges[i].from, branch, stem);
    }
}

static bool has_next(const struct shared_graph *g, size_t node)
{
    for (size_t i = 0; i < g->edge_count; i++)
        if (g->edges[i].from == node)
            return true;
    return false;
}

void shared_graph_print(const struct shared_graph *g, const struct report_style *style,
                        struct text *out)
{
    struct tree t = {.graph = g, .style = style, .out = out};
    for (size_t i = g->node_count; i-- > 0;)
        if (!has_next(g, i))
            print_below(&t, i, "  ", "  ");
}

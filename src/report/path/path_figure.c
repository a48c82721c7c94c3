/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a data path as boxes in layers, from the target down to the processor. Each box has the
   measured rates and limits of a part, and a bar for its utilisation. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html/svg.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/path/internal.h"

enum {
    BOX_MAX = 300,
    HEIGHT = 62,
    HEIGHT_WITHOUT_BAR = 42,
    GAP = 12,
    BETWEEN = 20, /* between layers */
    TOP = 4,
    IN_LAYER_MAX = 5,
    LAYERS_MAX = 24,
    PAD = 10,
    LETTER = 6 /* mean width of a letter */
};

struct place {
    double x, y, width, height;
};

/* Adds a rate with its limit: "155 MB/s of 3.94 GB/s". */
static void add_rate(struct text *words, const char *way, double used, double limit)
{
    char rate[NUMBER_BUFFER];
    if (!(used > 0))
        return;
    text_addf(words, "%s%s %s", words->length ? ", " : "", way,
              number_value(rate, sizeof rate, METRIC_KIND_BYTE_RATE, used));
    if (isfinite(limit))
        text_addf(words, " of %s", number_value(rate, sizeof rate, METRIC_KIND_BYTE_RATE, limit));
}

static void draw_part(const struct result_part *part, const struct place *at, struct text *out)
{
    struct text words = {0};
    char cut[256], share[NUMBER_BUFFER];
    const size_t letters = (size_t)(at->width - 2 * PAD) / LETTER;
    const char *kind = node_kind_title(part->kind);
    bool use = isfinite(part->utilisation);
    svg_add_box(out, at->x, at->y, at->width, at->height,
                part->bottleneck   ? "part full"
                : part->under_test ? "part tested"
                                   : "part");
    text_add(&words, part->name);
    if (strcmp(kind, part->name) != 0)
        text_addf(&words, "  %s%s", kind, part->under_test ? ", under test" : "");
    svg_add_words(out, at->x + PAD, at->y + 17, "name",
                  layout_shorten(cut, sizeof cut, layout_string(&words), letters));
    text_free(&words);
    add_rate(&words, "read", part->used_read, part->limit_read);
    add_rate(&words, "write", part->used_write, part->limit_write);
    svg_add_words(out, at->x + PAD, at->y + 33, "",
                  layout_shorten(cut, sizeof cut, layout_string(&words), letters));
    text_free(&words);
    if (!use)
        return;
    double bar = at->width - 2 * PAD - 44, used = fmin(fmax(part->utilisation, 0), 1);
    svg_add_box(out, at->x + PAD, at->y + 44, bar, 9, "track");
    svg_add_box(out, at->x + PAD, at->y + 44, bar * used, 9, part->bottleneck ? "fbad" : "f0");
    svg_add_words(out, at->x + at->width - PAD, at->y + 53, "end",
                  number_percent(share, sizeof share, part->utilisation));
}

/* Computes the places of the boxes, in layers by depth. Returns false if a layer has too many
   boxes. */
static bool place_parts(const struct path_view *p, double whole, struct place places[],
                        double *bottom)
{
    size_t counts[LAYERS_MAX] = {0}, placed[LAYERS_MAX] = {0};
    double heights[LAYERS_MAX] = {0}, tops[LAYERS_MAX] = {TOP};
    for (size_t i = 0; i < p->part_count; i++) {
        const struct result_part *part = &p->parts[i];
        if (!part->on_path)
            continue;
        if (part->depth >= LAYERS_MAX || ++counts[part->depth] > IN_LAYER_MAX)
            return false;
        heights[part->depth] =
            fmax(heights[part->depth], isfinite(part->utilisation) ? HEIGHT : HEIGHT_WITHOUT_BAR);
    }
    for (size_t i = 1; i < LAYERS_MAX; i++)
        tops[i] = tops[i - 1] + heights[i - 1] + (counts[i] ? BETWEEN : 0);
    *bottom = tops[LAYERS_MAX - 1] + heights[LAYERS_MAX - 1];
    for (size_t i = 0; i < p->part_count; i++) {
        const unsigned depth = p->parts[i].depth;
        if (!p->parts[i].on_path)
            continue;
        const double count = (double)counts[depth];
        const double width = fmin(BOX_MAX, (whole - GAP * (count - 1)) / count);
        const double begin = (whole - count * width - GAP * (count - 1)) / 2;
        places[i] = (struct place){.x = begin + (width + GAP) * (double)placed[depth]++,
                                   .y = tops[depth],
                                   .width = width,
                                   .height = heights[depth]};
    }
    return true;
}

/* Adds the path in words: "nvme0n1 disk, read 155 MB/s of 3.94 GB/s, 4 % in use; ...". */
static void add_words(const struct path_view *p, struct text *out)
{
    for (size_t i = 0; i < p->part_count; i++) {
        const struct result_part *part = &p->parts[i];
        char share[NUMBER_BUFFER];
        struct text rates = {0};
        if (!part->on_path)
            continue;
        add_rate(&rates, "read", part->used_read, part->limit_read);
        add_rate(&rates, "write", part->used_write, part->limit_write);
        text_addf(out, "%s%s%s%s", out->length ? "; " : "", part->name, rates.length ? " " : "",
                  layout_string(&rates));
        if (isfinite(part->utilisation))
            text_addf(out, ", %s in use", number_percent(share, sizeof share, part->utilisation));
        out->failed |= rates.failed;
        text_free(&rates);
    }
}

static void draw(const void *what, double width, struct text *out)
{
    const struct path_view *p = what;
    struct place places[RESULT_PARTS_MAX];
    struct text words = {0};
    double bottom;
    place_parts(p, width, places, &bottom);
    add_words(p, &words);
    svg_begin(out, width, bottom + TOP, "Data path", layout_string(&words));
    text_free(&words);
    for (size_t i = 0; i < p->edge_count; i++) {
        const struct result_edge *e = &p->edges[i];
        if (!path_graph_has(p, e) || !p->parts[e->from].on_path || !p->parts[e->to].on_path)
            continue;
        const struct place *from = &places[e->from], *to = &places[e->to];
        svg_add_line(out, from->x + from->width / 2, from->y + from->height, to->x + to->width / 2,
                     to->y, "axis");
    }
    for (size_t i = 0; i < p->part_count; i++)
        if (p->parts[i].on_path)
            draw_part(&p->parts[i], &places[i], out);
    text_add(out, "</svg>\n");
}

void path_draw(const struct path_view *p, struct text *out)
{
    struct place places[RESULT_PARTS_MAX];
    double bottom;
    if (!p->measured || !path_is_known(p) || p->part_count > RESULT_PARTS_MAX ||
        !place_parts(p, FIGURE_WIDE, places, &bottom))
        return;
    figure_begin(out, "path", "Data path",
                 "from the target to the processor, with how much of each part was in use");
    text_add(out, "</figcaption>\n");
    figure_draw(out, draw, p);
    figure_end(out);
}

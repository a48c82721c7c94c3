/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said below a data path: what it lets through as a whole, what is not known of it, and how
   busy the processors and the memory beside it were. */
#include <math.h>
#include <string.h>

#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/path/internal.h"

enum { BESIDE_MAX = 8, BESIDE_WIDTH = 24 };

static void add_whole(struct text *words, const struct path_view *p, double limit, int part,
                      const char *direction)
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

void path_print_whole(const struct drawing *d)
{
    const struct path_view *p = d->path;
    bool none = isnan(p->limit_read) && isnan(p->limit_write);
    struct text words = {0};
    if (!none) {
        text_add(&words, "The path as a whole lets through ");
        add_whole(&words, p, p->limit_read, p->limiting_read, "reads");
        text_add(&words, " and ");
        add_whole(&words, p, p->limit_write, p->limiting_write, "writes");
        text_add(&words, ".");
    }
    if (p->complete) {
        text_add(&words, none ? "No limit of any part is known." : "");
    } else {
        /* The part whose limit is missing; without one the path itself has a gap. */
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
    layout_paragraph(d->out, d->style, "  ", TONE_PLAIN, layout_string(&words));
    text_free(&words);
}

/* What was watched beside the path, the busiest first. */
void path_print_beside(struct drawing *d)
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
        char mean[NUMBER_BUFFER], peak[NUMBER_BUFFER];
        struct text words = {0}, lead = {0};
        part_set_put(&d->drawn, busiest);
        text_addf(&words, "%s of its %s, at most %s%s",
                  number_percent(mean, sizeof mean, part->utilisation), part->measure,
                  number_percent(peak, sizeof peak, part->peak),
                  part->bottleneck ? ": the bottleneck" : "");
        text_add(&lead, printed == 0 && known ? "  beside it: " : indent);
        layout_left(&lead, part->name, BESIDE_WIDTH);
        text_add(&lead, " ");
        layout_paragraph(d->out, d->style, layout_string(&lead), TONE_PLAIN, layout_string(&words));
        text_free(&lead);
        text_free(&words);
    }
    if (left > 0)
        text_addf(d->out, "%sand %zu more that were less in use\n", indent, left);
}

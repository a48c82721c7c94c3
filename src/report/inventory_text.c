/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inventory as text: what it is, what is wrong, data paths, the machine, its devices, sensors,
   and what could not be told. */
#include <string.h>

#include "report/inventory_sections.h"
#include "report/layout.h"

const struct inventory_sink inventory_sinks[] = {
    {"text", inventory_print_text},
    {"csv", inventory_print_csv},
    {"json", inventory_print_json},
    {NULL, NULL},
};

const struct inventory_sink *inventory_sink_find(const char *name)
{
    for (const struct inventory_sink *sink = inventory_sinks; sink->name; sink++)
        if (!strcmp(sink->name, name))
            return sink;
    return NULL;
}

static void print_summary(const struct inventory *v, const struct report_style *style,
                          struct text *out)
{
    struct text words = {0};
    inventory_add_summary(v, &words);
    layout_paragraph(out, style, "", TONE_PLAIN, layout_string(&words));
    out->failed = out->failed || words.failed;
    text_free(&words);
}

static void print_paths(const struct inventory_view *view, const struct report_style *style,
                        struct text *out)
{
    for (size_t i = 0; i < view->path_count; i++) {
        struct text heading = {0};
        char target[200];
        text_add(&heading, "Data path of ");
        layout_left(
            &heading,
            layout_shorten(target, sizeof target, view->paths[i].target, layout_width(style) - 14),
            0);
        layout_heading(out, style, layout_string(&heading));
        path_print(&view->paths[i], style, out);
        out->failed = out->failed || heading.failed;
        text_free(&heading);
    }
}

static void print_missing(const struct inventory_view *view, const struct report_style *style,
                          struct text *out)
{
    struct text words = {0};
    inventory_print_missing(view->inventory, NULL, NULL,
                            view->captured ? "" : ": run as root to see", style, &words);
    if (words.length > 0) {
        layout_heading(out, style, "Not known");
        text_add(out, words.data);
    }
    out->failed = out->failed || words.failed;
    text_free(&words);
}

void inventory_print_text(const struct inventory_view *view, const struct report_style *style,
                          struct text *out)
{
    const struct inventory *v = view->inventory;
    print_summary(v, style, out);
    if (findings_print(v, NULL, NULL, style, out) == 0)
        text_add(out, "nothing degraded\n");
    print_paths(view, style, out);
    if (!view->all) {
        layout_heading(out, style, "Machine");
        inventory_print_machine(v, style, out);
    }
    layout_heading(out, style, view->all ? "All" : "Devices");
    inventory_print_tree(v, view->all, style, out);
    if (!view->all)
        inventory_print_sensors(v, style, out);
    print_missing(view, style, out);
}

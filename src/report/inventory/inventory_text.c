/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inventory as text: what it is, what is wrong, data paths, the machine, its devices, sensors,
   and what is not known. */
#include "report/inventory/inventory_sections.h"
#include "report/layout/layout.h"

/* A heading and what is below it, or nothing. */
static void print_section(const char *title, struct text *section, const struct report_style *style,
                          struct text *out)
{
    if (section->length > 0) {
        layout_heading(out, style, title);
        text_add(out, section->data);
    }
    out->failed = out->failed || section->failed;
    text_free(section);
}

void inventory_print_text(const struct inventory_view *view, const struct report_style *style,
                          struct text *out)
{
    const struct inventory *v = view->inventory;
    const struct findings_view findings = {
        .inventory = v, .all = view->all, .rest = " (see --all)"};
    struct text section = {0}, words = {0};
    inventory_add_summary(v, &words);
    layout_paragraph(out, style, "", TONE_PLAIN, layout_string(&words));
    out->failed = out->failed || words.failed;
    text_free(&words);
    if (findings_print(&findings, style, out) == 0)
        text_add(out, findings_judge_links(v)
                          ? "nothing degraded\n"
                          : "nothing degraded, but no link can be judged here\n");
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
    if (!view->all) {
        inventory_print_machine(v, style, &section);
        print_section("Machine", &section, style, out);
    }
    inventory_print_tree(v, view->all, style, &section);
    print_section(view->all ? "All" : "Devices", &section, style, out);
    if (!view->all) {
        inventory_print_sensors(v, style, &section);
        print_section("Sensors", &section, style, out);
    }
    inventory_print_missing(v, NULL, NULL, view->captured ? "" : ": run as root to see", style,
                            &section);
    print_section("Not known", &section, style, out);
}

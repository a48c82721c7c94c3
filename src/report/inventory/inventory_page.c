/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of an inventory: the sections of the text, with each table as an HTML table. */
#include "report/html/html.h"
#include "report/inventory/inventory.h"

void inventory_print_html(const struct inventory_view *view, const struct report_style *style,
                          struct text *out)
{
    struct text marked = html_marked();
    (void)style;
    html_begin_plain(out, "This machine", "");
    inventory_print_text(view, &html_style, &marked);
    html_add_report(out, &marked, NULL, NULL);
    html_end(out);
}

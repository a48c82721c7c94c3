/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the results of a qualification to a folder. */
#include "cmd/qualify/qualify_folder.h"

#include "cmd/output/output.h"
#include "report/inventory/inventory.h"
#include "report/qualify/qualification.h"

int qualify_write_files(const struct qualification *q, const char *folder, bool anew, struct err *e)
{
    output_put *const put = anew ? output_file_anew : output_file;
    static const char *const names[] = {"qualification.txt", "qualification.csv",
                                        "qualification.json", "report.html", NULL};
    const struct report_style style = {.width = 80, .full = true};
    if (output_report(&qualification_report, q, &style, names, folder, put, e))
        return -1;
    const struct inventory_view view = {.inventory = q->hardware};
    struct text machine = {0};
    inventory_json(&view, &machine);
    return put(folder, "machine.json", &machine, e);
}

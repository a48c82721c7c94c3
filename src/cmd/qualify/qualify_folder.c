/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a qualification and keeps its results in a folder. */
#include "cmd/qualify/qualify_folder.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"
#include "cmd/output/output.h"
#include "report/inventory/inventory.h"
#include "report/qualify/qualification.h"

#define EXIT_LINE_MAX ((size_t)QUALIFICATION_CHECKS * (QUALIFICATION_WORDS + 80))

static int keep_result(void *context, const char *folder, const struct result *result,
                       struct err *e)
{
    (void)context;
    return folder ? output_folder(result, folder, e) : 0;
}

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

int qualify_into_folder(struct qualifier **q, const struct qualify_request *request,
                        const char *folder, struct err *e)
{
    struct qualify_request own = *request;
    *q = NULL;
    own.folder = folder;
    own.keep = keep_result;
    own.so_far = NULL;
    if (folder && dir_make_new(folder, e))
        return -1;
    if (qualify(q, &own, e)) {
        if (folder)
            rmdir(folder); /* removes only an empty folder */
        return -1;
    }
    if (folder && qualify_write_files(qualifier_result(*q), folder, false, e))
        return -1;
    return qualifier_kept(*q, e);
}

char *qualify_exit_line(const struct qualification *q)
{
    char *line = malloc(EXIT_LINE_MAX);
    return line ? qualification_line(q, line, EXIT_LINE_MAX) : NULL;
}

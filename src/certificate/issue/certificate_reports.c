/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the reports and tables beside a record with those that the record makes now. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "certificate/issue/certificate_issue.h"
#include "report/report.h"

#define REPORT_BYTES_MAX ((size_t)1 << 30)

static int check_report(const struct report_file *file, const char *path, const struct result *r,
                        struct err *e)
{
    struct text again = {0};
    char *kept;
    size_t length;
    if (certificate_check_regular(path, e) ||
        file_read_all(path, REPORT_BYTES_MAX, &kept, &length, e))
        return -1;
    if (!file->of_one_session || !(r->repeat || r->rates))
        file->render(r, &again);
    bool failed = again.failed, made = again.length > 0;
    bool same = made && again.length == length && !memcmp(again.data, kept, length);
    text_free(&again);
    free(kept);
    if (failed)
        return err_no_memory(e, "checking %.200s", path);
    if (same)
        return 0;
    return made ? err_set(e, ERR_FAILED, "%.200s: it is not what the record makes: it was changed",
                          path)
                : err_set(e, ERR_FAILED, "%.200s: the record makes no such file: it was added",
                          path);
}

int certificate_check_reports(const char *folder, const struct result *r, size_t *count,
                              struct err *e)
{
    for (const struct report_file *file = report_files; file->name; file++) {
        char path[PATH_MAX];
        if (!file_path(path, "%s%s", folder, file->name))
            return err_set(e, ERR_USAGE, "%.100s...: the name is too long", folder);
        if (access(path, F_OK))
            continue;
        if (check_report(file, path, r, e))
            return -1;
        ++*count;
    }
    return 0;
}

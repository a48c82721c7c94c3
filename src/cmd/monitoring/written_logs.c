/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/monitoring/written_logs.h"

#include <math.h>
#include <string.h>

#include "base/span.h"

enum { FORMAT_MAX = 32 };

/* Splits "hdr=all.hlog" into a format and a path. */
static int part(const char *text, char format[FORMAT_MAX], const char **path, struct err *e)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1] || equals - text >= FORMAT_MAX)
        return err_set(e, ERR_USAGE, "--write %s: FORMAT=FILE is needed, such as hdr=all.hlog",
                       text);
    span_copy(format, (struct span){text, (size_t)(equals - text)});
    *path = equals + 1;
    return 0;
}

int written_logs_read(struct written_logs *to, const struct option_set *set, struct err *e)
{
    char format[FORMAT_MAX];
    const char *path = "";
    int cursor = 0;
    to->count = 0;
    for (const char *text; (text = options_next(set, "write", &cursor)) != NULL;) {
        if (part(text, format, &path, e) || merge_write_check(format, path, e))
            return -1;
        if (to->count == WRITTEN_LOGS_MAX)
            return err_set(e, ERR_USAGE, "--write: at most %d files", WRITTEN_LOGS_MAX);
        to->text[to->count++] = text;
    }
    return 0;
}

int written_logs_of_merge(const struct written_logs *logs, const struct merge *m, struct err *e)
{
    char format[FORMAT_MAX];
    const char *path = "";
    for (size_t i = 0; i < logs->count; i++)
        if (part(logs->text[i], format, &path, e) || merge_write(m, format, path, e))
            return -1;
    return 0;
}

int written_logs_of_folder(const struct written_logs *logs, const char *folder, double seconds,
                           struct err *e)
{
    struct merge_plan plan = {
        .inputs = &folder, .input_count = 1, .interval_ns = (uint64_t)llround(seconds * 1e9)};
    struct merge *m = NULL;
    if (!logs->count)
        return 0;
    plan_init(&plan.statistics);
    int status = merge_run(&m, &plan, e) ? -1 : written_logs_of_merge(logs, m, e);
    merge_free(m);
    return status;
}

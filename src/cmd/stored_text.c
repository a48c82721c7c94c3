/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cupel report is given in place of a record: a folder whose result was kept as text, and a
   trace. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/internal.h"
#include "trace/trace.h"

int stored_text_print(const char *folder, const char *format, struct err *e)
{
    static const char *const names[] = {"comparison", "qualification", "sweep"};
    const char *ending = !strcmp(format, "text") ? "txt" : format;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[PATH_MAX], buffer[1 << 14];
        int length = snprintf(path, sizeof path, "%s/%s.%s", folder, names[i], ending);
        int fd = length < (int)sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        ssize_t got;
        if (fd < 0)
            continue;
        while ((got = read(fd, buffer, sizeof buffer)) > 0)
            fwrite(buffer, 1, (size_t)got, stdout);
        if (got < 0)
            err_set(e, ERR_USAGE, "%s: %s", path, strerror(errno));
        close(fd);
        return got < 0;
    }
    return -1;
}

void stored_explain_trace(const char *path, struct err *e)
{
    struct trace *trace;
    struct err none = {0};
    if (e->code != ERR_USAGE || trace_open(&trace, &path, 1, &(struct trace_options){0}, &none))
        return;
    const struct trace_use *replay = &replay_use, *merge = &merge_use;
    err_set(e, ERR_USAGE, "%s is a trace (%s), not a record: %s %s%s %s, %s %s%s %s", path,
            trace_format_name(trace), replay->command, path, replay->rest, replay->words,
            merge->command, path, merge->rest, merge->words);
    trace_close(trace);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts errors to those of the public library. */
#include <stdio.h>

#include "base/span.h"
#include "library/internal.h"

int library_fail(struct cupel_error *error, const struct err *e)
{
    if (error) {
        error->code = (enum cupel_code)e->code;
        span_printable(error->message, sizeof error->message, span_of(e->msg));
    }
    return -1;
}

int library_is_there(const struct cupel_session *s, struct err *e)
{
    return s ? 0 : err_set(e, ERR_USAGE, "the session is NULL: cupel_session_new makes one");
}

struct library_metric *library_metric_of(struct cupel_session *s, int index, struct err *e)
{
    if (library_is_there(s, e))
        return NULL;
    if (index >= 0 && (size_t)index < s->metric_count)
        return &s->metrics[index];
    err_set(e, ERR_USAGE, "metric %d: the session has %zu, numbered from 0", index,
            s->metric_count);
    return NULL;
}

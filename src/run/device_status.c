/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the device itself said of I/Os that failed, where passthrough lets it be heard. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/nvme_io.h"
#include "io/statuses.h"
#include "run/session_state.h"

char *session_failure_status(const struct worker *w, char *to, size_t size)
{
    /* Kinds stand in the order in which they were met: the first one is that of the first failure,
       unless that was none of the device's. */
    const struct io_statuses *statuses = &w->backend.statuses;
    char words[120];
    *to = '\0';
    if (statuses->count && nvme_errno(statuses->rows[0].status) == w->failure.error)
        snprintf(to, size, " (NVMe: %s)",
                 nvme_status_words(statuses->rows[0].status, words, sizeof words));
    return to;
}

static uint64_t worth_a_retry(const struct io_statuses *s)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < s->count; i++)
        if (!(s->rows[i].status & NVME_STATUS_DO_NOT_RETRY))
            sum += s->rows[i].count;
    return sum;
}

/* "3 media errors, 1 aborted commands" */
static void word_classes(const struct io_statuses *s, char *to, size_t size)
{
    size_t used = 0;
    *to = '\0';
    for (int which = 0; which < NVME_STATUS_CLASSES && used + 40 < size; which++) {
        uint64_t count = io_statuses_of(s, (enum nvme_status_class)which);
        if (count)
            used += (size_t)snprintf(to + used, size - used, "%s%" PRIu64 " %s", used ? ", " : "",
                                     count, nvme_status_class_name((enum nvme_status_class)which));
    }
}

void session_tell_statuses(struct session *s)
{
    struct io_statuses all = group_statuses(&s->group);
    uint64_t total = io_statuses_total(&all), again = worth_a_retry(&all);
    char classes[200], words[200];
    if (!total)
        return;
    word_classes(&all, classes, sizeof classes);
    contents_note(&s->contents, true,
                  "the device failed %" PRIu64 " NVMe commands: %s; of them %" PRIu64
                  " may succeed when tried again, which passthrough leaves to the program",
                  total, classes, again);
    contents_note(&s->contents, true, "NVMe status: %s",
                  io_statuses_words(&all, words, sizeof words));
}

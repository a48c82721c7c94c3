/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports the NVMe statuses of failed I/Os and of the final flush, if passthrough delivers them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/nvme/device_failures.h"
#include "io/nvme/nvme_io.h"
#include "run/session/running.h"

char *session_failure_status(const struct worker *w, char *to, size_t size)
{
    /* Kinds are in the order of their first occurrence: the first one belongs to the first failure,
       unless the device did not report that failure. */
    const struct io_statuses *statuses = &w->backend.statuses;
    char words[120];
    *to = '\0';
    const char *refused = nvme_refusal_words(w->failure.error);
    if (statuses->count && nvme_errno(statuses->rows[0].status) == w->failure.error)
        snprintf(to, size, " (NVMe: %s)",
                 nvme_status_words(statuses->rows[0].status, words, sizeof words));
    else if (refused && w->ops->bypasses_block_layer)
        snprintf(to, size, " (%s)", refused);
    return to;
}

static void note_failures(struct session *s)
{
    struct io_statuses all = group_statuses(&s->group);
    uint64_t total = io_statuses_total(&all), again = 0;
    char words[200], classes[200] = ""; /* text such as "3 media errors, 1 aborted commands" */
    size_t used = 0;
    if (!total)
        return;
    for (unsigned i = 0; i < all.count; i++)
        if (!(all.rows[i].status & NVME_STATUS_DO_NOT_RETRY))
            again += all.rows[i].count;
    for (int i = 0; i < NVME_STATUS_CLASSES && used + 40 < sizeof classes; i++) {
        uint64_t count = io_statuses_of(&all, (enum nvme_status_class)i);
        if (count)
            used += (size_t)snprintf(classes + used, sizeof classes - used, "%s%" PRIu64 " %s",
                                     used ? ", " : "", count,
                                     nvme_status_class_name((enum nvme_status_class)i));
    }
    contents_note(&s->contents, true,
                  "the device failed %" PRIu64
                  " NVMe commands: %s; retries: none are made; %" PRIu64 " of %" PRIu64
                  " may succeed when tried again",
                  total, classes, again, total);
    contents_note(&s->contents, true, "NVMe status: %s",
                  io_statuses_words(&all, words, sizeof words));
    for (unsigned i = 0; i < all.count; i++) {
        uint16_t status = all.rows[i].status;
        char count[24], source[112];
        snprintf(count, sizeof count, "%" PRIu64, all.rows[i].count);
        snprintf(source, sizeof source, "NVMe status %xh/%02xh, %s%s", status >> 8 & 7,
                 status & 0xff, nvme_status_type(status),
                 status & NVME_STATUS_DO_NOT_RETRY ? ", do not retry" : "");
        facts_add(&s->contents.settings, "errors", nvme_status_name(status), count, "commands",
                  source, FACT_OK);
    }
}

void session_note_statuses(struct session *s)
{
    struct io_flush all = {0};
    char value[160] = "flushed after the last write";
    note_failures(s);
    /* The flush is needed if one worker needs it, and has failed if it failed for one. */
    for (unsigned i = 0; i < s->group.count; i++) {
        const struct io_flush *one = &s->group.workers[i].backend.flush;
        all.needed |= one->needed;
        if (!all.error)
            all.error = one->error;
    }
    if (s->stuck && s->contents.plan.write_share > 0 && s->ops->bypasses_block_layer)
        all = (struct io_flush){.needed = true, .error = ETIMEDOUT};
    if (!all.needed)
        return;
    if (all.error) {
        snprintf(value, sizeof value, "the flush after the last write failed: %s",
                 strerror(all.error));
        contents_note(&s->contents, true, "what was written may not be on the medium: %s", value);
    }
    facts_add(&s->contents.settings, "namespace", "written data", value, "", "", FACT_OK);
}

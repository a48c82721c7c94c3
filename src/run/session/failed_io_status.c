/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports the statuses (NVMe, SCSI) of failed I/Os and of the final flush, if passthrough delivers
 * them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/nvme/device_failures.h"
#include "io/nvme/nvme_io.h"
#include "run/session/running.h"

/* Returns the name of the standard that defines the status. */
static const char *standard_of(uint32_t status)
{
    return is_scsi_failure(status) ? "SCSI" : "NVMe";
}

char *session_failure_status(const struct worker *w, char *to, size_t size)
{
    /* Kinds are in the order of their first occurrence: the first one belongs to the first failure,
       unless the device did not report that failure. */
    const struct io_statuses *statuses = &w->backend.statuses;
    char words[120];
    *to = '\0';
    const char *refused = nvme_refusal_words(w->failure.error);
    if (statuses->count && io_status_errno(statuses->rows[0].status) == w->failure.error)
        snprintf(to, size, " (%s: %s)", standard_of(statuses->rows[0].status),
                 io_status_words(statuses->rows[0].status, words, sizeof words));
    else if (refused && w->ops->needs_namespace)
        snprintf(to, size, " (%s)", refused);
    return to;
}

static bool may_succeed_again(uint32_t status)
{
    return is_scsi_failure(status) ? scsi_failure_may_succeed_again(status)
                                   : !(status & NVME_STATUS_DO_NOT_RETRY);
}

/* Adds the fact of one kind of failure: its name, and how often it came. */
static void add_failure(struct session *s, const struct io_status_count *row)
{
    const uint32_t status = row->status;
    char count[24], source[112];
    const char *name;
    snprintf(count, sizeof count, "%" PRIu64, row->count);
    if (is_scsi_failure(status)) {
        name = scsi_failure_name(status);
        snprintf(source, sizeof source, "SCSI, %s", scsi_failure_type(status));
    } else {
        name = nvme_status_name((uint16_t)status);
        snprintf(source, sizeof source, "NVMe status %xh/%02xh, %s%s", status >> 8 & 7,
                 status & 0xff, nvme_status_type((uint16_t)status),
                 status & NVME_STATUS_DO_NOT_RETRY ? ", do not retry" : "");
    }
    facts_add(&s->contents.settings, "errors", name, count, "commands", source, FACT_OK);
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
        if (may_succeed_again(all.rows[i].status))
            again += all.rows[i].count;
    /* number of failures whose status is known */
    const uint64_t listed = total - io_statuses_further(&all);
    for (int i = 0; i < NVME_STATUS_CLASSES && used + 40 < sizeof classes; i++) {
        uint64_t count = io_statuses_of(&all, (enum nvme_status_class)i);
        if (count)
            used += (size_t)snprintf(classes + used, sizeof classes - used, "%s%" PRIu64 " %s",
                                     used ? ", " : "", count,
                                     nvme_status_class_name((enum nvme_status_class)i));
    }
    contents_note(&s->contents, true,
                  "the device failed %" PRIu64 " %s commands: %s; retries: none are made; %" PRIu64
                  " of %" PRIu64 " may succeed when tried again",
                  total, standard_of(all.rows[0].status), classes, again, listed);
    contents_note(&s->contents, true, "%s status: %s", standard_of(all.rows[0].status),
                  io_statuses_words(&all, words, sizeof words));
    for (unsigned i = 0; i < all.count; i++)
        add_failure(s, &all.rows[i]);
    if (io_statuses_further(&all)) {
        char count[24];
        snprintf(count, sizeof count, "%" PRIu64, io_statuses_further(&all));
        facts_add(&s->contents.settings, "errors", "further statuses", count, "commands",
                  standard_of(all.rows[0].status), FACT_OK);
    }
}

void session_note_statuses(struct session *s)
{
    struct io_flush all = {0};
    char value[160] = "flushed after the last write";
    note_failures(s);
    /* The flush is needed if one worker needs a flush, and has failed if it failed for one worker.
     */
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

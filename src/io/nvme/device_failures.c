/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts failures by the status that the device reported, and describes the counts in words. */
#include "io/nvme/device_failures.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

_Static_assert(IO_STATUS_CLASSES == NVME_STATUS_CLASSES, "io.h counts each class");

static void add_count(struct io_statuses *s, uint32_t kind, uint64_t count)
{
    unsigned i = 0;
    while (i < s->count && s->rows[i].status != kind)
        i++;
    if (i == IO_STATUSES) {
        s->further[io_status_class(kind)] += count;
        return;
    }
    if (i == s->count)
        s->rows[s->count++] = (struct io_status_count){.status = kind};
    s->rows[i].count += count;
}

void io_statuses_add(struct io_statuses *s, uint32_t status)
{
    if (is_scsi_failure(status))
        add_count(s, status, 1);
    else if (status & NVME_STATUS_KIND & ~NVME_STATUS_DO_NOT_RETRY)
        add_count(s, status & NVME_STATUS_KIND, 1);
}

void io_statuses_merge(struct io_statuses *s, const struct io_statuses *from)
{
    for (unsigned i = 0; i < from->count; i++)
        add_count(s, from->rows[i].status, from->rows[i].count);
    for (unsigned i = 0; i < NVME_STATUS_CLASSES; i++)
        s->further[i] += from->further[i];
}

uint64_t io_statuses_of(const struct io_statuses *s, enum nvme_status_class which)
{
    uint64_t sum = s->further[which];
    for (unsigned i = 0; i < s->count; i++)
        if (io_status_class(s->rows[i].status) == which)
            sum += s->rows[i].count;
    return sum;
}

uint64_t io_statuses_total(const struct io_statuses *s)
{
    uint64_t sum = io_statuses_further(s);
    for (unsigned i = 0; i < s->count; i++)
        sum += s->rows[i].count;
    return sum;
}

uint64_t io_statuses_further(const struct io_statuses *s)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < NVME_STATUS_CLASSES; i++)
        sum += s->further[i];
    return sum;
}

char *io_statuses_words(const struct io_statuses *s, char *to, size_t size)
{
    static const char more[] = "; and 99 more kinds";
    const uint64_t further = io_statuses_further(s);
    bool listed[IO_STATUSES] = {false};
    size_t used = 0;
    if (size)
        *to = '\0';
    for (unsigned n = 0; n < s->count; n++) {
        /* Finds the most frequent status that is not listed yet; of equal counts, the one that came
           first. */
        unsigned i = s->count;
        for (unsigned k = 0; k < s->count; k++)
            if (!listed[k] && (i == s->count || s->rows[k].count > s->rows[i].count))
                i = k;
        char name[120], kind[160];
        int length = snprintf(kind, sizeof kind, "%s%llu x %s", n ? "; " : "",
                              (unsigned long long)s->rows[i].count,
                              io_status_words(s->rows[i].status, name, sizeof name));
        size_t rest = n + 1 < s->count || further ? sizeof more : 1;
        if (used + (size_t)length + rest > size) {
            snprintf(to + used, size - used, further ? "%sand more kinds" : "%sand %u more kinds",
                     n ? "; " : "", s->count - n);
            return to;
        }
        memcpy(to + used, kind, (size_t)length + 1);
        used += (size_t)length;
        listed[i] = true;
    }
    if (further)
        snprintf(to + used, size - used, "; %llu x more kinds", (unsigned long long)further);
    return to;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the kernel's log while drives are worked on: messages about a drive become a finding of its
   stage. */
#include <stdlib.h>

#include "base/clock.h"
#include "hw/log/log_reader.h"
#include "machine/accept/internal.h"

/* Maximum number of reads of the log at the end of a stage. If messages arrive faster, the others
   belong to the next stage. */
#define REST_READINGS 100

struct accept_log {
    struct log_reader reader;
    struct kernel_log log; /* messages since the last stage ended */
    uint64_t began;        /* time at which reading began, in ns */
};

void accept_log_begin(struct accept_disk *d)
{
    d->log = calloc(1, sizeof *d->log);
    if (!d->log)
        return;
    d->log->began = clock_raw_ns();
    log_reader_open(&d->log->reader, d->root, 0, &d->log->log);
    log_names_of_device(&d->log->reader.names, d->root, d->device);
}

void accept_log_take(const struct accept_disk *d)
{
    struct accept_log *l = d->log;
    if (l)
        log_reader_take(&l->reader, (double)(clock_raw_ns() - l->began) * 1e-9, &l->log, NULL,
                        NULL);
}

static void take_rest(const struct accept_disk *d)
{
    uint64_t seen = UINT64_MAX;
    for (int i = 0; i < REST_READINGS && seen != d->log->log.seen; i++) {
        seen = d->log->log.seen;
        accept_log_take(d);
    }
}

int accept_log_keep(struct accept_disk *d, const char *stage, struct err *e)
{
    struct accept_log *l = d->log;
    char words[240];
    if (!l)
        return 0;
    take_rest(d);
    kernel_log_warning(&l->log, words, sizeof words);
    uint64_t lost = l->log.lost;
    l->log = (struct kernel_log){0};
    if (words[0] && accept_finding(d, GRADE_WARN, stage, e, "%s", words))
        return -1;
    return lost ? accept_finding(d, GRADE_NONE, stage, e,
                                 "%llu or more lines of the kernel's log were overwritten before "
                                 "they were read",
                                 (unsigned long long)lost)
                : 0;
}

void accept_log_end(struct accept_disk *d)
{
    if (d->log)
        log_reader_close(&d->log->reader);
    free(d->log);
    d->log = NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --write FORMAT=FILE of run, replay and merge: intervals in the formats of others. Whoever
 * measured has them in its record, which is merged for it: there is one writer for all.
 */
#ifndef CUPEL_CMD_MONITORING_WRITTEN_LOGS_H
#define CUPEL_CMD_MONITORING_WRITTEN_LOGS_H

#include "cmd/options/options.h"
#include "merge/merge.h"

enum { WRITTEN_LOGS_MAX = 8 };

/* FORMAT=FILE each, as typed: words of the command line, which outlive it. */
struct written_logs {
    const char *text[WRITTEN_LOGS_MAX];
    size_t count;
};

/* clang-format off */
#define WRITE_OPTION(ends) \
    {.name = "write", \
     .argument = "FORMAT=FILE", \
     .words = WORDS_INTERVAL_FILES, \
     .kind = OPTION_LIST, \
     .value_words = "nothing", \
     .help = "Write the intervals into FILE, which is made and must not exist, for other programs: " \
             "hdr (HdrHistogram log), fio-hist (clat_hist log) or, as sums of the whole time, " \
             "fio-json (JSON+). May be given again." ends}
/* clang-format on */

/* What was asked for, and whether it is possible. ERR_USAGE. */
int written_logs_read(struct written_logs *to, const struct option_set *set, struct err *e);

/* Write all of them. ERR_USAGE, ERR_TARGET, ERR_MACHINE. */
int written_logs_of_merge(const struct written_logs *logs, const struct merge *m, struct err *e);

/* The same of the records below a folder of -o, with intervals of so many seconds; 0: found. */
int written_logs_of_folder(const struct written_logs *logs, const char *folder, double seconds,
                           struct err *e);

#endif

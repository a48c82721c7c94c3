/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --write FORMAT=FILE of run, replay and merge: writes intervals in other programs' formats. A
 * session is written like a merge: its intervals are read from its record. So the same code writes
 * the files of all these commands.
 */
#ifndef CUPEL_CMD_MONITORING_WRITTEN_LOGS_H
#define CUPEL_CMD_MONITORING_WRITTEN_LOGS_H

#include "cmd/options/options.h"
#include "many/merge/merge.h"

enum { WRITTEN_LOGS_MAX = 8 };

/* The texts FORMAT=FILE of the command line, which must outlive this struct. */
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

/* Reads the options and checks them. Fails with ERR_USAGE. */
int written_logs_read(struct written_logs *to, const struct option_set *set, struct err *e);

/* Writes all logs of a merge. Fails with ERR_USAGE, ERR_TARGET or ERR_MACHINE. */
int written_logs_of_merge(const struct written_logs *logs, const struct merge *m, struct err *e);

/* Writes all logs from the records in a folder of -o, with intervals of `seconds`; 0: chosen
   automatically. */
int written_logs_of_folder(const struct written_logs *logs, const char *folder, double seconds,
                           struct err *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/run/launch share: the ranks of a gathering, and their files in the folder.
 */
#ifndef CUPEL_RUN_LAUNCH_INTERNAL_H
#define CUPEL_RUN_LAUNCH_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/launch/launcher.h"

#define FILE_NAME  160
#define FILE_BYTES 400

/* First words of every file. A file without them belongs to somebody else, and is not touched. */
#define CUPEL_MARK "cupel rank"

/* Another rank, as its file shows it. */
struct other {
    uint64_t nonce, waited_ns; /* values when the file was last read */
    uint64_t seen_ns;          /* monotonic time when its file was first seen; 0: never */
    uint64_t changed_ns;       /* monotonic time when its file last changed; 0: never */
    bool listed;               /* the published start names this rank */
    uint64_t listed_nonce;     /* random number that the start gives for it, if listed */
};

struct gathering {
    char folder[1024];
    struct launcher launcher;
    double timeout_seconds;
    int64_t process_began_ns;
    uint64_t nonce;     /* random number of this process */
    uint64_t opened_ns; /* monotonic time */
    uint64_t alive_ns;
    bool written;              /* this rank's file was written at least once */
    bool has_published;        /* this rank published the current start */
    int64_t published_instant; /* instant of that start */
    struct other *others;      /* index: rank; this rank is included */
};

/* Makes a name such as "ready-JOB-3", "start-JOB", "start". */
void gathering_name_file(const struct gathering *g, const char *kind, int64_t rank,
                         char to[FILE_NAME]);

/* Writes a file without flushing it to the disk: it is for ranks that look now, and the disk may be
   the one that is measured. ERR_USAGE: a file of that name was not written by a rank. ERR_TARGET:
   the folder cannot be used. */
int gathering_put_file(const struct gathering *g, const char *name, const char *data, size_t length,
                       struct err *e);

void gathering_remove_file(const struct gathering *g, const char *kind, int64_t rank);

/* Reads a file. Returns NULL if it does not exist or is incomplete. The caller frees the text. */
char *gathering_read_text(const struct gathering *g, const char *kind, int64_t rank, size_t max);

/* Reads the mark at the begin of `text` and `count` whole numbers after it in the same line. */
bool gathering_numbers_after(const char *text, const char *mark, uint64_t numbers[], size_t count);

#endif

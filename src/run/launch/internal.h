/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/run/launch share: the gathering of ranks, which agree on a
   start in a folder, and the files of the ranks there. */
#ifndef CUPEL_RUN_LAUNCH_INTERNAL_H
#define CUPEL_RUN_LAUNCH_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/launch/launcher.h"

#define FILE_NAME  160
#define FILE_BYTES 400

/* First words of every file. A file without these words was not written by a rank, and is not
   touched. */
#define CUPEL_MARK "cupel rank"

/* Another rank, as its file shows it. */
struct other {
    uint64_t nonce, waited_ns; /* values when the file was last read */
    uint64_t seen_ns;          /* monotonic time when its file was first seen; 0: never */
    uint64_t changed_ns;       /* monotonic time when its file last changed; 0: never */
    bool listed;               /* the published start lists this rank */
    /* random number of this rank in the published start, if it is listed */
    uint64_t listed_nonce;
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
    bool has_published;        /* this rank has published the current start */
    int64_t published_instant; /* instant of the start that this rank published */
    struct other *others;      /* [number of ranks], indexed by rank, including this rank */
};

/* Makes a name such as "ready-JOB-3", "start-JOB", "start". */
void gathering_name_file(const struct gathering *g, const char *kind, int64_t rank,
                         char to[FILE_NAME]);

/* Writes a file without flushing it to the disk, because only ranks that run now read it, and
   because the disk may be the one that is measured. ERR_USAGE: a file of that name was not written
   by a rank. ERR_TARGET: the folder cannot be used. */
int gathering_put_file(const struct gathering *g, const char *name, const char *data, size_t length,
                       struct err *e);

void gathering_remove_file(const struct gathering *g, const char *kind, int64_t rank);

/* Reads a file. Returns NULL if it does not exist or is incomplete. The caller frees the text. */
char *gathering_read_text(const struct gathering *g, const char *kind, int64_t rank, size_t max);

/* Reads the mark at the begin of `text` and `count` whole numbers after it in the same line. */
bool gathering_numbers_after(const char *text, const char *mark, uint64_t numbers[], size_t count);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes through the page cache complete once they are in memory, and may be lost later: the kernel
 * writes them out afterwards, and reports an error once to each open file description (errseq_t),
 * at its next fsync. So the session opens a separate description before the first write. No request
 * flushes it; the session flushes it after the last write, before anything is judged.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run/parts/internal.h"

struct witnesses {
    int fds[PLAN_JOBS_MAX]; /* a description of each file that is written through the page cache */
    unsigned count;
};

static struct witnesses *witnesses_of(const struct session *s)
{
    return s->own[SESSION_PART_WRITEBACK];
}

static bool writes_to_memory(const struct session *s)
{
    return s->contents.plan.write_share > 0 && s->target.fd >= 0 && !s->target.direct &&
           s->target.kind != TARGET_FOLDER && !s->ops->bypasses_block_layer;
}

/* Opens the separate description. If that is impossible, the session's own descriptor is used: it
   knows the errors that no request has reported. */
static int open_witness(int file)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 ? fd : fcntl(file, F_DUPFD_CLOEXEC, 0);
}

static bool knows_nothing(int error)
{
    return error == EINVAL || error == EOPNOTSUPP;
}

/*
 * A flush of everything in memory cannot be interrupted. So the data are written out piece by piece
 * before it, and a signal ends the writing after any piece. Pieces grow if nothing is to be
 * written. Errors of the pieces are reported to this description, and not again by a later flush.
 */
enum { PIECE_MIN = 4 << 20, PIECE_MAX = 64 << 20 };
static const double quick_seconds = 0.01, slow_seconds = 0.2;

/* Writes out the file. Returns 0 or an errno; EINTR: a signal came. */
static int write_out(struct session *s, int fd, const char *stage)
{
    const uint64_t size = s->target.size;
    uint64_t piece = PIECE_MIN;
    int error = 0;
    for (uint64_t at = 0; at < size && !session_stopped(s);) {
        const double begin = session_seconds(s);
        const int status = sync_file_range(fd, (off_t)at, (off_t)piece,
                                           SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                                               SYNC_FILE_RANGE_WAIT_AFTER);
        if (status && errno != EIO && errno != ENOSPC && errno != EDQUOT)
            break; /* this file cannot be written out in pieces */
        error = status && !error ? errno : error;
        session_show_share(s, stage, (double)at / (double)size);
        const double took = session_seconds(s) - begin;
        at += piece;
        if (took < quick_seconds && piece < PIECE_MAX)
            piece *= 2;
        else if (took > slow_seconds && piece > PIECE_MIN)
            piece /= 2;
    }
    s->progress.done_share = NAN;
    if (session_stopped(s))
        return EINTR;
    return fdatasync(fd) && !error ? errno : error;
}

static int begin(struct session *s, struct err *e)
{
    struct witnesses *own = witnesses_of(s);
    int files[PLAN_JOBS_MAX], error = 0;
    (void)e;
    if (!writes_to_memory(s))
        return 0;
    const unsigned count = session_files(s, files);
    for (unsigned i = 0; i < count; i++) {
        const int fd = own->fds[own->count++] = open_witness(files[i]);
        /* An error that is reported now belongs to writes before those of this session. */
        const int one = fd >= 0 ? write_out(s, fd, "writing out what others wrote") : 0;
        if (one && one != EINTR && !knows_nothing(one))
            error = one;
    }
    if (error)
        contents_note(&s->contents, true,
                      "%.100s: writes were lost there before this session began: %s",
                      s->target.path, strerror(error));
    return 0;
}

static void after(struct session *s)
{
    struct witnesses *own = witnesses_of(s);
    struct contents *c = &s->contents;
    int error = s->stuck || c->verdict == VERDICT_INTERRUPTED ? EINTR : 0;
    if (!own->count)
        return;
    for (unsigned i = 0; i < own->count && error != EINTR; i++) {
        const int fd = own->fds[i];
        const int one = fd >= 0 ? write_out(s, fd, "writing out what is in memory") : 0;
        error = !error || one == EINTR ? one : error;
    }
    if (error == EINTR) {
        if (session_stopped(s) && c->verdict != VERDICT_FAILED)
            c->verdict = VERDICT_INTERRUPTED;
        contents_note(c, true,
                      "what was written is in memory, and was not waited for: whether it arrives "
                      "is not known");
        return;
    }
    if (!error)
        return;
    if (knows_nothing(error)) {
        contents_note(c, true,
                      "%.100s cannot be flushed: whether what was written arrives is not "
                      "known",
                      s->target.path);
        return;
    }
    if (c->verdict == VERDICT_FAILED)
        return;
    c->verdict = VERDICT_FAILED;
    snprintf(c->failure, sizeof c->failure,
             "%.100s: WRITES LOST: they were complete in memory, and writing them out failed: %s",
             s->target.path, strerror(error));
}

static void end(struct session *s)
{
    struct witnesses *own = witnesses_of(s);
    for (unsigned i = 0; i < own->count; i++)
        if (own->fds[i] >= 0)
            close(own->fds[i]);
    own->count = 0;
}

const struct session_part part_writeback = {.bytes = sizeof(struct witnesses),
                                            .prepare[AT_BEGIN] = begin,
                                            .of_workers = true,
                                            .after = after,
                                            .stuck = after,
                                            .end = end};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes through the page cache are complete when memory has them, and may be lost afterwards: the
 * kernel writes them out later, and reports an error once to each open description of the file
 * (errseq_t), by its next fsync. So a description of the session's own is opened before the first
 * write, which no request flushes, and is flushed after the last one, before anything is judged.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run/session/internal.h"

static bool writes_to_memory(const struct session *s)
{
    return s->contents.plan.write_share > 0 && s->target.fd >= 0 && !s->target.direct &&
           s->target.kind != TARGET_FOLDER && !s->ops->bypasses_block_layer;
}

static int file_of(const struct session *s, unsigned i)
{
    return s->job_file_count ? s->job_files[i] : s->target.fd;
}

/* Where it cannot be opened anew, what the session itself has open knows of the errors that no
   request has met. */
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

void session_writeback_begin(struct session *s)
{
    const unsigned files = s->job_file_count ? s->job_file_count : 1;
    int error = 0;
    if (!writes_to_memory(s))
        return;
    session_show(s, "writing out what others wrote");
    for (unsigned i = 0; i < files; i++) {
        const int fd = s->writeback[s->writeback_count++] = open_witness(file_of(s, i));
        /* An error that nobody has asked for yet is of writes before these. */
        if (fd >= 0 && fdatasync(fd) && !knows_nothing(errno))
            error = errno;
    }
    if (error)
        contents_note(&s->contents, true,
                      "%.100s: writes were lost there before this session began: %s",
                      s->target.path, strerror(error));
}

void session_writeback_end(struct session *s)
{
    struct contents *c = &s->contents;
    int error = 0;
    if (!s->writeback_count)
        return;
    if (s->stuck || c->verdict == VERDICT_INTERRUPTED) {
        contents_note(c, true,
                      "what was written is in memory, and was not waited for: whether it arrives "
                      "is not known");
        return;
    }
    session_show(s, "writing out what is in memory");
    for (unsigned i = 0; i < s->writeback_count; i++)
        if (s->writeback[i] >= 0 && fdatasync(s->writeback[i]))
            error = error ? error : errno;
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

void session_writeback_close(struct session *s)
{
    for (unsigned i = 0; i < s->writeback_count; i++)
        if (s->writeback[i] >= 0)
            close(s->writeback[i]);
    s->writeback_count = 0;
}

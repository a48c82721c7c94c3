/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets that are regular files which are there: those of others, and those that cupel made. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_identity.h"
#include "io/target/guard.h"
#include "io/target/internal.h"
#include "io/target/never_written_blocks.h"

/* Holes in more than this share of a file that is not ours are refused. */
#define FILE_HOLES_LIMIT 0.01

/* Make a file of our own as large as asked and free of holes. `size`: what it holds now. */
static int complete(struct target *t, const struct opening *o, struct err *e)
{
    uint64_t asked = o->request->size, before = t->size;
    bool grow = asked > before;
    if (grow && target_check_size(asked, t->path, e))
        return -1;
    int fd = file_reopen(o->look, t->path, O_RDWR);
    if (fd < 0)
        return target_refusal(t->path, errno, e);
    target_use_direct(fd); /* past the page cache where the filesystem can */
    int status = 0;
    if (grow) {
        status = target_check_room(fd, t->path, asked - before, e);
        if (!status)
            status = scratch_extend(fd, t->path, asked, e);
        /* The old mark is data now; replace it, so that the file holds nothing but noise. */
        if (!status)
            status = scratch_fill(fd, t->path, before, before + SCRATCH_MARK_BYTES, true,
                                  o->request->seed, &o->watch, e);
    }
    if (!status) {
        t->size = grow ? asked : before;
        status = scratch_fill(fd, t->path, 0, t->size, false, o->request->seed, &o->watch, e);
    }
    close(fd);
    return status;
}

/* Look at the file without changing it: its size, whether it is ours, what of it was never written.
 * `*marked`: cupel made it. It is ours only as long as it holds nothing else. */
static int examine(struct target *t, int fd, uint64_t seed, bool *marked, struct err *e)
{
    struct stat st;
    if (fstat(fd, &st))
        return target_refusal(t->path, errno, e);
    t->device = st.st_dev;
    *marked = scratch_marked(fd, (uint64_t)st.st_size, &t->size);
    t->made_by_us = *marked && scratch_holds_noise(fd, t->size, seed);
    if (!t->made_by_us)
        t->size = (uint64_t)st.st_size;
    t->unwritten_share = unwritten_share_of_file(fd, t->size);
    return 0;
}

static int refuse_to_overwrite(const struct target *t, bool marked, struct err *e)
{
    return err_set(e, ERR_UNSAFE, "%s: %s; --overwrite lets it be overwritten", t->path,
                   marked ? "cupel made this file, but it holds something else now"
                          : "cupel did not make this file");
}

/* What may be done to the file that `fd` has open to read: it is judged, and completed. */
static int prepare_file(struct target *t, const struct opening *o, int fd, struct err *e)
{
    const struct target_request *request = o->request;
    bool marked = false;
    if (examine(t, fd, request->seed, &marked, e))
        return -1;
    if (request->write && !t->made_by_us && !request->overwrite)
        return refuse_to_overwrite(t, marked, e);
    if (!t->size)
        return err_set(
            e, ERR_USAGE,
            "%s: the file is empty; name one that does not exist and give --size to have "
            "it made",
            t->path);
    bool incomplete = t->made_by_us && (t->unwritten_share > 0 || request->size > t->size);
    if ((request->write || incomplete) && guard_file_unused("", fd, t->path, e))
        return -1;
    if (incomplete) {
        if (complete(t, o, e))
            return -1;
        t->unwritten_share = 0;
    }
    return target_judge_unwritten(t, request, FILE_HOLES_LIMIT,
                                  "give another file, or one that does not exist with --size", e);
}

int target_open_file(struct target *t, const struct opening *o, struct err *e)
{
    t->kind = TARGET_FILE;
    int fd = file_reopen(o->look, t->path, O_RDONLY);
    if (fd < 0)
        return target_refusal(t->path, errno, e);
    int status = prepare_file(t, o, fd, e);
    close(fd);
    return status ? -1 : target_open_fd(t, o, 0, e);
}

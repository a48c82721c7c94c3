/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prepares the files as a mode requires before the first request. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "run/parts/internal.h"
#include "run/plan/plan_iozone_mode.h"

#define READ_AT_ONCE ((size_t)256 << 10)

struct job_files {
    int fds[PLAN_JOBS_MAX]; /* files or folders; the first of several new files is the target's */
    unsigned count;         /* number of descriptors in fds; 0: all jobs use the target */
};

static struct job_files *files_of(const struct session *s)
{
    return s->own[SESSION_PART_FILES];
}

unsigned session_files(const struct session *s, int fds[PLAN_JOBS_MAX])
{
    const struct job_files *own = files_of(s);
    fds[0] = s->target.fd;
    if (own->count)
        memcpy(fds, own->fds, own->count * sizeof *fds);
    return own->count ? own->count : 1;
}

/* Opens a new file for each job: the target's, and others beside it. */
static int open_job_files(struct session *s, struct err *e)
{
    struct job_files *own = files_of(s);
    const struct plan *plan = &s->contents.plan;
    const struct target_request request = {.path = plan->target,
                                           .write = true,
                                           .direct = plan->direct,
                                           .synchronous = session_open_flag(plan),
                                           .fresh = true,
                                           .size = s->region,
                                           .seed = plan->seed};
    own->fds[0] = s->target.fd;
    own->count = 1;
    while (own->count < plan->jobs) {
        struct target another;
        if (target_open(&another, &request, NULL, NULL, NULL, e))
            return -1;
        own->fds[own->count++] = another.fd;
    }
    return 0;
}

/* Opens a folder for each job. */
static int open_job_folders(struct session *s, struct err *e)
{
    struct job_files *own = files_of(s);
    while (own->count < s->contents.plan.jobs) {
        int fd = target_open_job_folder(&s->target, own->count, e);
        if (fd < 0)
            return -1;
        own->fds[own->count++] = fd;
    }
    return 0;
}

static void remove_job_folders(struct session *s)
{
    struct job_files *own = files_of(s);
    bool gone = true;
    for (unsigned i = 0; i < own->count; i++) {
        session_show_share(s, "removing the scratch folder", (double)i / own->count);
        gone &= target_remove_job_folder(&s->target, i, own->fds[i]);
        close(own->fds[i]);
    }
    if (!gone)
        contents_note(&s->contents, true,
                      "%.60s in %.100s holds something that cupel did not make, and was left there",
                      s->target.folder_name, s->target.path);
    own->count = 0;
}

/* Reads the region once, so that the page cache holds as much of it as it can. */
static int read_before(struct session *s, struct err *e)
{
    const uint64_t begin = s->contents.plan.offset, end = begin + s->region;
    size_t mark = arena_mark(&s->arena);
    unsigned char *memory = arena_alloc(&s->arena, READ_AT_ONCE, 1);
    int status = memory ? 0 : err_no_memory(e, "reading the file before");
    for (uint64_t at = begin; at < end && !status && !session_stopped(s);) {
        size_t length = end - at < READ_AT_ONCE ? (size_t)(end - at) : READ_AT_ONCE;
        ssize_t got = pread(s->target.fd, memory, length, (off_t)at);
        if (got <= 0)
            status = err_set(e, ERR_TARGET, "%s: reading it before the run failed: %s",
                             s->target.path, got ? strerror(errno) : "it has become shorter");
        else
            at += (uint64_t)got;
        session_show_share(s, "reading the file before", (double)(at - begin) / (double)s->region);
    }
    arena_reset(&s->arena, mark);
    return status;
}

static int prepare(struct session *s, struct err *e)
{
    const struct plan_mode *mode = plan_mode_of(&s->contents.plan);
    if (s->target.fd < 0)
        return 0;
    if (s->target.kind == TARGET_FOLDER) {
        if (!s->target.in_memory)
            contents_note(&s->contents, false,
                          "nothing is synchronised: a %s is complete when memory has it",
                          s->ops->action->name);
        return open_job_folders(s, e);
    }
    if (!s->target.direct && !s->ops->bypasses_block_layer && !s->target.in_memory)
        contents_note(&s->contents, true,
                      "through the page cache (--direct 0): this measures memory as well as the "
                      "target%s",
                      s->contents.plan.sync == SYNC_NONE
                          ? ", and writes are complete when they are in memory"
                          : "");
    if (!mode)
        return 0;
    if (mode->requests == MODE_BY_JOB && s->contents.plan.jobs == 1)
        contents_note(&s->contents, true,
                      "--mode %s with one job: it only reads; the second job is the first that "
                      "writes (--numjobs 2)",
                      mode->name);
    if (mode->file == MODE_NEW_FILE)
        return open_job_files(s, e);
    /* Pages that are not written out would stay in the page cache when it is dropped, so they are
       written out first. */
    if (plan_pass(&s->contents.plan) == IO_PASS_UNCACHED && fdatasync(s->target.fd))
        return err_set(e, ERR_TARGET, "%s: %s", s->target.path, strerror(errno));
    return mode->file == MODE_CACHED && !s->target.direct ? read_before(s, e) : 0;
}

static void ask(const struct session *s, struct target_request *request)
{
    request->fresh = plan_pass(&s->contents.plan) == IO_PASS_NEW_FILE;
}

static void set_up(struct session *s, struct group_setup *setup)
{
    setup->fds = files_of(s)->count ? files_of(s)->fds : NULL;
}

static void end(struct session *s)
{
    struct job_files *own = files_of(s);
    if (s->target.kind == TARGET_FOLDER) {
        remove_job_folders(s);
        return;
    }
    for (unsigned i = 1; i < own->count; i++)
        close(own->fds[i]);
    own->count = 0;
}

const struct session_part part_files = {.bytes = sizeof(struct job_files),
                                        .prepare[AT_TARGET] = prepare,
                                        .ask = ask,
                                        .set_up = set_up,
                                        .of_workers = true,
                                        .end = end};

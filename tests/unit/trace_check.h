/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading a trace to its end, for the tests: all events, what was skipped, the devices' names.
 * Files are made in a folder of the test's own.
 *
 * Owner: read_trace, then read_end. trace_folder makes the folder, trace_folder_end removes it.
 */
#ifndef TESTS_UNIT_TRACE_CHECK_H
#define TESTS_UNIT_TRACE_CHECK_H

#include <dirent.h>
#include <unistd.h>

#include "source/trace/trace.h"
#include "tests/unit/check.h"

struct read {
    bool opened;
    struct trace *trace;
    struct err error; /* code ERR_NONE when all went well */
    struct trace_event *events;
    size_t count;
};

#define READ_MAX 400000

static inline void read_several(struct read *r, const char *const paths[], size_t count,
                                const struct trace_options *options)
{
    *r = (struct read){0};
    r->events = malloc(READ_MAX * sizeof *r->events);
    r->opened = r->events && trace_open(&r->trace, paths, count, options, &r->error) == 0;
    for (int n = 1; r->opened && n > 0 && r->count + 100 <= READ_MAX;) {
        /* Of different lengths, so that batches begin anywhere. */
        n = trace_read(r->trace, r->events + r->count, 1 + r->count % 97, &r->error);
        r->count += n > 0 ? (size_t)n : 0;
    }
}

static inline void read_trace(struct read *r, const char *path, const struct trace_options *options)
{
    read_several(r, &path, 1, options);
}

static inline bool read_equal(const struct read *a, const struct read *b)
{
    bool equal = a->count == b->count;
    for (size_t i = 0; equal && i < a->count; i++) {
        const struct trace_event *x = &a->events[i], *y = &b->events[i];
        equal = x->time_ns == y->time_ns && x->offset == y->offset && x->length == y->length &&
                x->response_ns == y->response_ns && x->process == y->process &&
                x->device == y->device && x->op == y->op && x->durable == y->durable &&
                x->number == y->number && x->failed == y->failed && x->level == y->level;
    }
    return equal;
}

static inline void read_end(struct read *r)
{
    trace_close(r->trace);
    free(r->events);
    *r = (struct read){0};
}

static inline uint64_t read_skipped(const struct read *r, enum trace_skip reason)
{
    return r->opened ? trace_skipped(r->trace, reason)->count : UINT64_MAX;
}

/* Of all reasons but late ones, which are given out. */
static inline uint64_t read_left_out(const struct read *r)
{
    uint64_t sum = 0;
    for (int i = 0; i < TRACE_SKIPS; i++)
        sum += i == TRACE_SKIP_REORDERED ? 0 : read_skipped(r, (enum trace_skip)i);
    return sum;
}

/* ---------------------------------------------------------------- files */

static char trace_folder_path[256];

static inline void trace_folder(void)
{
    const char *below = getenv("TMPDIR");
    snprintf(trace_folder_path, sizeof trace_folder_path, "%s/cupel-trace.XXXXXX",
             below && *below ? below : "/tmp");
    if (!mkdtemp(trace_folder_path)) {
        perror(trace_folder_path);
        exit(EXIT_FAILURE);
    }
}

/* The path of a file there; valid until the fourth call after this. */
static inline const char *trace_path(const char *name)
{
    static char paths[4][600];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", trace_folder_path, name);
    return path;
}

static inline const char *trace_file(const char *name, const void *bytes, size_t length)
{
    const char *path = trace_path(name);
    FILE *f = fopen(path, "we");
    if (!f || fwrite(bytes, 1, length, f) != length || fclose(f)) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    return path;
}

static inline const char *trace_text(const char *name, const char *text)
{
    return trace_file(name, text, strlen(text));
}

static inline void trace_folder_end(void)
{
    DIR *folder = opendir(trace_folder_path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        unlink(trace_path(entry->d_name));
    if (folder)
        closedir(folder);
    rmdir(trace_folder_path);
}

/* The whole of a file; the caller frees it. */
static inline unsigned char *trace_load(const char *path, size_t *length)
{
    FILE *f = fopen(path, "re");
    unsigned char *bytes = malloc(1 << 24);
    if (!f || !bytes) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    *length = fread(bytes, 1, 1 << 24, f);
    fclose(f);
    return bytes;
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files in fio's formats, in a folder that is removed when the program ends, and merges of them.
 */
#ifndef TESTS_UNIT_FIO_FIXTURE_H
#define TESTS_UNIT_FIO_FIXTURE_H

#include <unistd.h>

#include "base/text.h"
#include "many/merge/internal.h"
#include "tests/unit/check.h"

static char fio_folder[256];

static inline void fio_folder_remove(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", fio_folder);
    if (system(command) != 0)
        perror(fio_folder);
}

/* Writes a file with this text and returns its path, in the same memory each time. */
static inline const char *fio_file(const char *name, const char *bytes, size_t length)
{
    static char path[400];
    if (!fio_folder[0]) {
        const char *temporary = getenv("TMPDIR");
        snprintf(fio_folder, sizeof fio_folder, "%s/cupel-fio.XXXXXX",
                 temporary ? temporary : "/tmp");
        if (!mkdtemp(fio_folder))
            abort();
        atexit(fio_folder_remove);
    }
    snprintf(path, sizeof path, "%s/%s", fio_folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file))
        abort();
    return path;
}

static inline const char *fio_text(const char *name, const char *text)
{
    return fio_file(name, text, strlen(text));
}

/* Returns the merge of one file, or NULL after a failed check. interval_ns 0: the default. */
static inline struct merge *fio_merged(const char *path, uint64_t interval_ns)
{
    static struct merge_plan plan;
    static const char *inputs[1];
    struct merge *m = NULL;
    struct err e = {0};
    inputs[0] = path;
    plan = (struct merge_plan){.inputs = inputs, .input_count = 1, .interval_ns = interval_ns};
    if (merge_run(&m, &plan, &e)) {
        check_that(false, path, 0, e.msg);
        return NULL;
    }
    return m;
}

/* Checks that the merge is refused with these words. */
static inline void fio_refused(const char *path, const char *words)
{
    const char *const inputs[] = {path};
    const struct merge_plan plan = {.inputs = inputs, .input_count = 1};
    struct merge *m = NULL;
    struct err e = {0};
    if (!merge_run(&m, &plan, &e)) {
        check_that(false, words, 0, "a file that is refused");
        merge_free(m);
        return;
    }
    CHECK_INT(e.code, ERR_USAGE);
    if (!check_that(strstr(e.msg, words) != NULL, path, 0, words))
        fprintf(stderr, "    got \"%s\"\n", e.msg);
}

static inline bool fio_noted(const struct merge *m, const char *words)
{
    for (size_t i = 0; i < m->note_count; i++)
        if (strstr(m->notes[i].text, words))
            return true;
    return false;
}

/* Returns the number of I/Os in those buckets of a source that lie in [low, high) as a whole. */
static inline uint64_t fio_count_within(const struct latency_buckets *l, double low, double high)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < l->used; i++)
        if (histogram_edge(l->bucket[i]) >= low && histogram_edge(l->bucket[i] + 1u) <= high)
            sum += l->count[i];
    return sum;
}

/* Returns the bucket with the nearest rank of a share. */
static inline size_t fio_bucket_of_share(const struct latency_buckets *l, double share)
{
    uint64_t rank = histogram_nearest_rank(l->n, share), sum = 0;
    for (size_t i = 0; i < l->used; i++) {
        sum += l->count[i];
        if (sum >= rank)
            return l->bucket[i];
    }
    return HISTOGRAM_BUCKETS;
}

#endif

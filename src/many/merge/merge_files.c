/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the files to merge: those in a folder, the format of each, and those that were given
   twice. */
#include "many/merge/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file/file.h"
#include "many/merge/fio_log.h"
#include "source/trace/input.h"

#define FOLDER_DEPTH_MAX 12
#define HEAD_BYTES       4096
#define IDENTITY_BYTES   (1 << 20)

#define FORMAT(row) &merge_format_##row,
static const struct merge_format *const merge_formats[] = {MERGE_FORMAT_ROWS(FORMAT) NULL};
#undef FORMAT

/* ---- the files ---- */

struct found_file {
    char *path;
    const struct merge_format *format;
    off_t bytes;
};

struct file_list {
    struct found_file *files;
    size_t count, capacity;
    size_t left_out, links; /* number of files of no known format; number of links to folders, which
                               are not followed */
    char first_left_out[200], first_link[200];
};

static int list_add(struct file_list *list, const char *path, const struct merge_format *format,
                    struct err *e)
{
    if (!array_grow(&list->files, sizeof *list->files, list->count, &list->capacity))
        return err_no_memory(e, "the list of files");
    struct found_file *file = &list->files[list->count];
    struct stat st;
    *file = (struct found_file){strdup(path), format, stat(path, &st) ? 0 : st.st_size};
    if (!file->path)
        return err_no_memory(e, "the list of files");
    list->count++;
    return 0;
}

static void list_free(struct file_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->files[i].path);
    free(list->files);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct found_file *)a)->path, ((const struct found_file *)b)->path);
}

/* Counts a file that is left out, and keeps the path of the first one. */
static void leave_out(size_t *count, char first[200], const char *path)
{
    if (!(*count)++)
        snprintf(first, 200, "%.199s", path);
}

static int list_folder(struct file_list *list, const char *folder, int depth, struct err *e);

/* Lists a path that is not a folder. It may be unreadable: that matters later, and only if its name
   marks it as something to merge. */
static int list_entry(struct file_list *list, const char *path, int depth, struct err *e)
{
    struct stat own, target;
    if (lstat(path, &own))
        return errno == ENOENT ? 0 /* the file no longer exists */
                               : err_set(e, ERR_USAGE, "%s: %s", path, strerror(errno));
    if (S_ISDIR(own.st_mode))
        return list_folder(list, path, depth + 1, e);
    if (!stat(path, &target) && S_ISDIR(target.st_mode)) {
        leave_out(&list->links, list->first_link, path);
        return 0;
    }
    return list_add(list, path, NULL, e);
}

/* Lists all files below a folder; links to folders are not followed, since they may form a
   circle. */
static int list_folder(struct file_list *list, const char *folder, int depth, struct err *e)
{
    if (depth >= FOLDER_DEPTH_MAX)
        return err_set(e, ERR_USAGE,
                       "%s: folders are looked into %d deep: name those further down as well, or "
                       "one that is nearer to the records",
                       folder, FOLDER_DEPTH_MAX);
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    int status = 0;
    if (!dir)
        return err_set(e, ERR_USAGE, "%s: it cannot be read: %s", folder, strerror(errno));
    while (!status && (errno = 0, entry = readdir(dir)) != NULL) {
        char path[PATH_MAX];
        if (entry->d_name[0] == '.')
            continue;
        status = file_path(path, "%s/%s", folder, entry->d_name)
                     ? list_entry(list, path, depth, e)
                     : err_set(e, ERR_USAGE, "%s/%s: its path is too long", folder, entry->d_name);
    }
    if (!status && errno)
        status = err_set(e, ERR_USAGE, "%s: it cannot be read: %s", folder, strerror(errno));
    closedir(dir);
    return status;
}

static const struct merge_format *format_of_head(const char *path, const struct input *in,
                                                 struct err *e)
{
    const char *head = (const char *)input_bytes(in);
    const size_t length = input_left(in);
    for (const struct merge_format *const *format = merge_formats; *format; format++)
        if ((*format)->recognise(path, head, length))
            return *format;
    err_set(e, ERR_USAGE,
            "%s: %s: cupel merge reads records of cupel run, traces of cupel record, merged.cupel, "
            "fio's clat_hist, lat and clat logs and JSON+, HdrHistogram logs, histograms of "
            "biolatency and Prometheus, btt's latencies, requests that a program says of "
            "itself",
            path, length == 0 ? "it is empty" : "its format is not known");
    return NULL;
}

/* Finds the format of a file by its first bytes, which are decompressed if it is gzipped. */
static const struct merge_format *format_of(const char *path, struct err *e)
{
    const struct merge_format *format = NULL;
    struct input in;
    struct stat st;
    if (stat(path, &st)) {
        err_set(e, ERR_USAGE, "%s: it cannot be read: %s", path, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(st.st_mode)) {
        err_set(e, ERR_USAGE, "%s: it is no file; it is read more than once", path);
        return NULL;
    }
    if (!input_open(&in, path, HEAD_BYTES, e) && !input_fill(&in, HEAD_BYTES, e))
        format = format_of_head(path, &in, e);
    input_close(&in);
    return format;
}

enum kept { KEPT_LOG, KEPT_MERGED, KEPT_RECORD };

static enum kept kept_as(const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    return !strcmp(name, "record.cupel")   ? KEPT_RECORD
           : !strcmp(name, "merged.cupel") ? KEPT_MERGED
                                           : KEPT_LOG;
}

/* Returns true if the name marks a file as something to merge. In a folder such a file must be
   readable; any other, such as a script beside logs, is left out. */
static bool is_named_to_be_merged(const char *path)
{
    const enum fio_kind kind = fio_log_kind(path);
    return kept_as(path) != KEPT_LOG || kind == FIO_LAT || kind == FIO_CLAT ||
           kind == FIO_CLAT_HIST;
}

/* Chooses among the files of a folder: the records of sessions; if there are none, the records of
   merges; if there are none either, the logs of one format, since fio may have written the same
   I/Os in several. */
static int choose_files(struct file_list *to, const struct file_list *all, const char *folder,
                        struct err *e)
{
    enum kept kept = KEPT_LOG;
    const struct found_file *first = NULL;
    const size_t before = to->count;
    for (size_t i = 0; i < all->count; i++)
        kept = kept_as(all->files[i].path) > kept ? kept_as(all->files[i].path) : kept;
    for (size_t i = 0; i < all->count; i++) {
        struct err unknown;
        const char *path = all->files[i].path;
        if (kept_as(path) != kept)
            continue;
        const bool must_be_known = is_named_to_be_merged(path);
        const struct merge_format *format = format_of(path, must_be_known ? e : &unknown);
        if (!format && must_be_known)
            return -1;
        if (!format)
            leave_out(&to->left_out, to->first_left_out, path);
        if (!format || format->is_beside)
            continue;
        if (first && first->format != format)
            return err_set(e, ERR_USAGE,
                           "%s holds files of several formats, %s (%s) and %s (%s), which may be "
                           "of the same I/Os: name those to be merged",
                           folder, first->path, first->format->name, path, format->name);
        if (list_add(to, path, format, e))
            return -1;
        first = &to->files[before];
    }
    return to->count > before
               ? 0
               : err_set(e, ERR_USAGE, "%s: nothing in this folder can be merged", folder);
}

static int list_input(struct file_list *to, const char *path, struct err *e)
{
    struct stat st;
    struct file_list all = {.files = NULL};
    if (stat(path, &st))
        return err_set(e, ERR_USAGE, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode)) {
        const struct merge_format *format = format_of(path, e);
        return format ? list_add(to, path, format, e) : -1;
    }
    int status = list_folder(&all, path, 0, e);
    if (all.count > 1)
        qsort(all.files, all.count, sizeof *all.files, by_path);
    if (!status)
        status = choose_files(to, &all, path, e);
    if (all.links) {
        leave_out(&to->links, to->first_link, all.first_link);
        to->links += all.links - 1;
    }
    list_free(&all);
    return status;
}

int sources_find_records(const char *input, void (*found)(void *context, const char *path),
                         void *context, struct err *e)
{
    struct stat st;
    struct file_list all = {.files = NULL};
    if (stat(input, &st))
        return err_set(e, ERR_USAGE, "%s: %s", input, strerror(errno));
    if (!S_ISDIR(st.st_mode)) {
        found(context, input);
        return 0;
    }
    int status = list_folder(&all, input, 0, e);
    for (size_t i = 0; i < all.count; i++)
        if (kept_as(all.files[i].path) == KEPT_RECORD && !stat(all.files[i].path, &st) &&
            S_ISREG(st.st_mode))
            found(context, all.files[i].path);
    list_free(&all);
    return status;
}

/* ---- the same run twice ---- */

static bool identity_of_head(const char *path, const char *head, size_t length,
                             uint64_t identity[2])
{
    for (const struct merge_format *const *format = merge_formats; *format; format++)
        if ((*format)->identify && (*format)->recognise(path, head, length))
            return (*format)->identify(head, length, identity);
    return false;
}

/* Returns a hash in the manner of FNV-1a (draft-eastlake-fnv), over eight bytes at a time, each
   mixed down to the lowest ones. */
static uint64_t hash_of(const unsigned char *bytes, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, length - i < sizeof word ? length - i : sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 32;
    }
    return hash;
}

/* Returns the size that the last 4 bytes of a gzipped file state, the size before compression
   modulo 2^32 (RFC 1952); for other files their own size modulo 2^32. */
static uint32_t size_of(const struct input *in)
{
    unsigned char size[4];
    struct stat st;
    if (fstat(in->fd, &st))
        return 0;
    return in->gzip && pread(in->fd, size, sizeof size, st.st_size - 4) == sizeof size
               ? (uint32_t)size[0] | (uint32_t)size[1] << 8 | (uint32_t)size[2] << 16 |
                     (uint32_t)size[3] << 24
               : (uint32_t)st.st_size;
}

/* Finds the identity of a file. A record contains its identity; any other file is identified by its
   size and first MiB, gzipped or not. */
int source_find_identity(struct merge_source *s, struct err *e)
{
    struct input in;
    int status = input_open(&in, s->path, IDENTITY_BYTES, e);
    if (!status)
        status = input_fill(&in, HEAD_BYTES, e);
    if (!status &&
        !identity_of_head(s->path, (const char *)input_bytes(&in), input_left(&in), s->identity)) {
        status = input_fill(&in, IDENTITY_BYTES, e);
        s->identity[0] = hash_of(input_bytes(&in), input_left(&in));
        s->identity[1] = size_of(&in);
    }
    input_close(&in);
    return status;
}

struct merge_source source_of_file(struct merge *m, const char *path, const char *format)
{
    return (struct merge_source){.path = merge_string(m, path, strlen(path)),
                                 .format = format,
                                 .host = "",
                                 .job = "",
                                 .device = "",
                                 .label = "",
                                 .labels = "",
                                 .rw = "",
                                 .launch = "",
                                 .failure = "",
                                 .clock_error_ns = CLOCK_ERROR_UNKNOWN};
}

static int read_source(struct merge *m, const char *path, const struct merge_format *format,
                       struct err *e)
{
    struct merge_source is = source_of_file(m, path, format->name);
    if (source_find_identity(&is, e))
        return -1;
    const struct merge_source *again = source_of_identity(m, is.identity);
    if (again) {
        m->repeated++;
        if (!m->repeated_path[0])
            snprintf(m->repeated_path, sizeof m->repeated_path, "%s is %s again", path,
                     again->path);
        return 0;
    }
    if (format->holds_sources)
        return format->read(m, path, e);
    if (source_begin(m, &is, e) || format->read(m, path, e)) {
        if (m->current)
            source_free(m->current);
        m->current = NULL;
        return -1;
    }
    return source_end(m, e);
}

/* Sorts the longest file first: if a run is given twice, once incomplete, the complete one counts.
 */
static int longest_first(const void *a, const void *b)
{
    const struct found_file *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes) : by_path(a, b);
}

static int show_progress(const struct merge *m, const struct merge_progress *now, struct err *e)
{
    if (!m->plan->progress || m->plan->progress(m->plan->progress_context, now))
        return 0;
    return err_set(e, ERR_UNDECIDED,
                   "stopped by a signal after %zu of %zu files: there is no result",
                   now->files_done, now->file_count);
}

static void note_left_out(struct merge *m, const struct file_list *list)
{
    if (list->left_out)
        merge_note(m, false, "%.150s%s: left out, because %s format is not known",
                   list->first_left_out, list->left_out > 1 ? " and others" : "",
                   list->left_out > 1 ? "their" : "its");
    if (list->links)
        merge_note(m, true, "%.150s%s: a link to a folder, which is not followed: name it as well",
                   list->first_link, list->links > 1 ? " and others" : "");
}

/* Reads the files, merges before the others: a record that is part of a merge counts once, whatever
   the order of inputs. */
static int read_list(struct merge *m, const struct file_list *list, struct err *e)
{
    struct merge_progress now = {.file_count = list->count};
    for (size_t i = 0; i < list->count; i++)
        now.bytes += (double)list->files[i].bytes;
    for (int sums = 1; sums >= 0; sums--)
        for (size_t i = 0; i < list->count; i++) {
            const struct found_file *file = &list->files[i];
            if (file->format->holds_sources != (sums == 1))
                continue;
            if (show_progress(m, &now, e) || read_source(m, file->path, file->format, e))
                return -1;
            now.files_done++;
            now.bytes_done += (double)file->bytes;
        }
    return show_progress(m, &now, e);
}

/* ---- the same I/Os in two logs ---- */

/* A latency log of fio, and the name of its job. */
struct job_log {
    struct fio_log_name name;
    const char *path;
    size_t folder; /* length of the path up to the file's name */
};

static int by_job(const void *a, const void *b)
{
    const struct job_log *x = *(const struct job_log *const *)a;
    const struct job_log *y = *(const struct job_log *const *)b;
    const int folder = x->folder != y->folder ? (x->folder > y->folder) - (x->folder < y->folder)
                                              : memcmp(x->path, y->path, x->folder);
    return folder ? folder : fio_log_order(&x->name, &y->name);
}

/* Refuses several logs of one job in which fio recorded the same I/Os: lat, clat and clat_hist
   logs. */
static int check_jobs(const struct job_log *order[], size_t n, struct err *e)
{
    if (n > 1)
        qsort(order, n, sizeof(void *), by_job);
    for (size_t i = 1; i < n; i++)
        if (!by_job(&order[i - 1], &order[i]) && order[i - 1]->name.kind != order[i]->name.kind)
            return err_set(
                e, ERR_USAGE,
                "%s and %s: fio wrote both of the same I/Os of one job, which would count "
                "twice: name one of them",
                order[i - 1]->path, order[i]->path);
    return 0;
}

static int check_same_ios(const struct file_list *list, struct err *e)
{
    struct job_log *logs = calloc(list->count + 1, sizeof *logs);
    const struct job_log **order = calloc(list->count + 1, sizeof(void *));
    size_t n = 0;
    for (size_t i = 0; logs && order && i < list->count; i++) {
        const char *path = list->files[i].path, *slash = strrchr(path, '/');
        struct job_log *log = &logs[n];
        fio_log_name_of(path, &log->name);
        log->path = path;
        log->folder = slash ? (size_t)(slash + 1 - path) : 0;
        if (log->name.kind == FIO_LAT || log->name.kind == FIO_CLAT ||
            log->name.kind == FIO_CLAT_HIST)
            order[n++] = log;
    }
    const int status = logs && order ? check_jobs(order, n, e) : err_no_memory(e, "names of logs");
    free(logs);
    free(order);
    return status;
}

int sources_read(struct merge *m, const char *const inputs[], size_t count, struct err *e)
{
    struct file_list list = {.files = NULL};
    int status = 0;
    for (size_t i = 0; i < count && !status; i++)
        status = list_input(&list, inputs[i], e);
    if (list.count > 1)
        qsort(list.files, list.count, sizeof *list.files, longest_first);
    if (!status)
        status = check_same_ios(&list, e);
    if (!status)
        status = read_list(m, &list, e);
    if (!status)
        note_left_out(m, &list);
    list_free(&list);
    return status;
}

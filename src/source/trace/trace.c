/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opens and reads a trace. Opening finds its files and its format and allocates all memory; then
 * events go from the format through the window and the matching to the caller.
 *
 * The caller names the files. A folder, or the beginning of names, means the per-processor files
 * of blktrace: NAME.blktrace.0, NAME.blktrace.1 and so on.
 */
#include "source/trace/internal.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Sorts events by time within a window: events in order are in a queue, the others in a heap. */

struct window {
    uint32_t next_order;
    /* number of slots that were ever used; the memory of all other slots stays untouched */
    uint32_t slot_count;
    uint32_t free_count, queue_begin, queue_count;
    uint32_t free_slots[WINDOW_EVENTS];
    /* in `late` and `queue`, `what` is the index of the event's slot */
    struct heap late;
    struct heap_item late_items[WINDOW_EVENTS];
    struct heap_item queue[WINDOW_EVENTS]; /* used as a ring */
    struct trace_event events[WINDOW_EVENTS];
};

/* Clears only the counts: unused pages of the arrays stay untouched. */
struct window *window_create(void)
{
    struct window *w = malloc(sizeof *w);
    if (!w)
        return NULL;
    w->next_order = w->slot_count = w->free_count = w->queue_begin = w->queue_count = 0;
    w->late = (struct heap){.items = w->late_items, .capacity = WINDOW_EVENTS};
    return w;
}

void window_free(struct window *w)
{
    free(w);
}

static bool window_is_full(const struct window *w)
{
    return w->free_count == 0 && w->slot_count == WINDOW_EVENTS;
}

void window_push(struct window *w, const struct trace_event *event)
{
    const uint32_t slot = w->free_count ? w->free_slots[--w->free_count] : w->slot_count++;
    const struct heap_item new = {event->time_ns, w->next_order++, slot};
    const uint32_t tail = (w->queue_begin + w->queue_count - 1) % WINDOW_EVENTS;
    w->events[slot] = *event;
    if (w->queue_count == 0 || new.at_ns >= w->queue[tail].at_ns)
        w->queue[(w->queue_begin + w->queue_count++) % WINDOW_EVENTS] = new;
    else
        heap_push_item(&w->late, new);
}

bool window_pop(struct window *w, struct trace_event *event)
{
    const struct heap_item *late = heap_first(&w->late);
    uint32_t slot;
    if (late && (w->queue_count == 0 || heap_item_before(late, &w->queue[w->queue_begin]))) {
        slot = heap_pop(&w->late);
    } else if (w->queue_count) {
        slot = w->queue[w->queue_begin].what;
        w->queue_begin = (w->queue_begin + 1) % WINDOW_EVENTS;
        w->queue_count--;
    } else {
        return false;
    }
    *event = w->events[slot];
    w->free_slots[w->free_count++] = slot;
    return true;
}

struct trace_paths {
    size_t count;
    const char **path;
    struct pool names;
};

#define ENDING ".blktrace."

#define BUFFER_BYTES (256 * 1024)
/* Size of each buffer of a trace with several files, of which there may be hundreds; the longest
   record fits. */
#define BUFFER_BYTES_SEVERAL (128 * 1024)

static bool is_file_of(const char *name, const char *beginning)
{
    size_t length = strlen(beginning);
    if (strncmp(name, beginning, length) != 0)
        return false;
    const char *ending = *beginning ? name + length : strstr(name, ENDING);
    if (!ending || strncmp(ending, ENDING, strlen(ENDING)) != 0)
        return false;
    const char *digits = ending + strlen(ENDING);
    return *digits && strspn(digits, "0123456789") == strlen(digits);
}

static int add_path(struct trace_paths *found, const char *path, struct err *e)
{
    const char *copy = pool_copy(&found->names, path, strlen(path));
    if (found->count == TRACE_FILES_MAX)
        return err_set(e, ERR_USAGE, "%s: more files than %d, which a trace can have", path,
                       TRACE_FILES_MAX);
    if (!copy)
        return err_no_memory(e, "the names of a trace");
    found->path[found->count++] = copy;
    return 0;
}

/* Lists the files of a folder whose names begin with `beginning`; "" lists all files. */
static int list_folder(struct trace_paths *found, const char *name, const char *beginning,
                       struct err *e)
{
    DIR *folder = opendir(name);
    if (!folder)
        return err_set(e, ERR_USAGE, "%s: it cannot be read: %s", name, strerror(errno));
    int status = 0;
    for (const struct dirent *entry; !status && (entry = readdir(folder));) {
        char path[PATH_MAX];
        if (!is_file_of(entry->d_name, beginning))
            continue;
        int length = snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
        status = length < (int)sizeof path
                     ? add_path(found, path, e)
                     : err_set(e, ERR_USAGE, "%s: the path is too long", name);
    }
    closedir(folder);
    return status;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Finds the files that a path means: one file, or the files of a blktrace. */
static int find_files(struct trace_paths *found, const char *path, struct err *e)
{
    struct stat status;
    if (strcmp(path, "-") == 0)
        return add_path(found, path, e);
    bool is_there = stat(path, &status) == 0;
    if (is_there && S_ISDIR(status.st_mode)) {
        if (list_folder(found, path, "", e))
            return -1;
        if (found->count == 0)
            return err_set(e, ERR_USAGE, "%s: a folder without files of blktrace (NAME" ENDING "0)",
                           path);
    } else if (!is_there) {
        /* The path is the beginning of files' names, or there are no such files. */
        char folder[PATH_MAX];
        const char *slash = strrchr(path, '/');
        int length = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1,
                              slash ? path : ".");
        if (length >= (int)sizeof folder)
            return err_set(e, ERR_USAGE, "the path of the trace is too long");
        const char *beginning = slash ? slash + 1 : path;
        struct err ignored;
        if (*beginning && list_folder(found, length ? folder : "/", beginning, &ignored))
            found->count = 0;
    }
    if (found->count > 0)
        qsort(found->path, found->count, sizeof *found->path, compare_paths);
    return found->count ? 0 : add_path(found, path, e);
}

static void trace_paths_free(struct trace_paths *found)
{
    free(found->path);
    pool_free(&found->names);
    *found = (struct trace_paths){0};
}

/* Finds the files to which the paths lead: each path is a file, a folder, or the beginning of
   names. ERR_USAGE: there are no files, or too many. */
static int trace_paths_find(struct trace_paths *found, const char *const paths[], size_t count,
                            struct err *e)
{
    *found = (struct trace_paths){0};
    if (count == 0) {
        err_set(e, ERR_USAGE, "no trace is named");
        return -1;
    }
    found->path = calloc(TRACE_FILES_MAX, sizeof *found->path);
    int status = found->path ? 0 : err_no_memory(e, "the names of a trace");
    if (!status && count == 1)
        status = find_files(found, paths[0], e);
    for (size_t i = 0; !status && count > 1 && i < count; i++)
        status = strcmp(paths[i], "-") == 0
                     ? err_set(e, ERR_USAGE, "-: standard input cannot be one of several files")
                     : add_path(found, paths[i], e);
    if (status)
        trace_paths_free(found);
    return status;
}

int trace_files(const char *path, int (*each)(void *context, const char *file, struct err *e),
                void *context, struct err *e)
{
    struct trace_paths found;
    int status = trace_paths_find(&found, &path, 1, e);
    for (size_t i = 0; !status && i < found.count; i++)
        status = each(context, found.path[i], e);
    trace_paths_free(&found);
    return status;
}

/* ---- opening ---- */

/* Does the parts of opening that can fail. The error is in t->fault. */
static int prepare(struct trace *t, const struct trace_paths *paths,
                   const struct trace_options *options)
{
    t->strict = options && options->strict;
    t->inputs = calloc(paths->count, sizeof *t->inputs);
    if (!t->inputs)
        return err_no_memory(&t->fault, "reading a trace");
    const size_t capacity = paths->count > 1 ? BUFFER_BYTES_SEVERAL : BUFFER_BYTES;
    for (size_t i = 0; i < paths->count; i++) {
        t->input_count = i + 1;
        if (input_open(&t->inputs[i], paths->path[i], capacity, &t->fault) ||
            input_fill(&t->inputs[i], TRACE_HEAD_BYTES, &t->fault))
            return -1;
    }
    /* The format is recognised by the first file that is not empty; files of idle processors are
       empty. */
    const struct input *filled = t->inputs;
    for (size_t i = 0; i < t->input_count && !input_left(filled); i++)
        filled = &t->inputs[i];
    if (!input_left(filled))
        return err_set(&t->fault, ERR_USAGE, "%s: %s", filled->name,
                       filled->broken ? filled->broken : "it is empty");
    t->columns = options ? options->columns : NULL;
    const struct trace_format *format = t->format =
        t->columns ? &trace_format_named_columns
                   : trace_format_of(filled, options ? options->format : NULL, &t->fault);
    if (!format)
        return -1;
    t->title = format->title;
    t->attempts = options && options->attempts;
    if (t->input_count > 1 && !format->several)
        return err_set(&t->fault, ERR_USAGE,
                       "%s: a trace in several files must be one of blktrace; this is %s",
                       filled->name, t->title);
    t->window = window_create();
    t->match = format->matched ? match_create() : NULL;
    t->state = calloc(1, format->state_bytes + 1);
    if (!t->window || !t->state || (format->matched && !t->match))
        return err_no_memory(&t->fault, "reading a trace");
    return format->begin ? format->begin(t) : 0;
}

int trace_open(struct trace **t, const char *const paths[], size_t count,
               const struct trace_options *options, struct err *e)
{
    struct trace_paths found;
    struct trace *new = calloc(1, sizeof *new);
    *t = NULL;
    if (!new)
        return err_no_memory(e, "reading a trace");
    if (trace_paths_find(&found, paths, count, e) == 0 && prepare(new, &found, options) == 0)
        *t = new;
    else if (e && new->fault.code != ERR_NONE)
        *e = new->fault;
    trace_paths_free(&found);
    if (!*t)
        trace_close(new);
    return *t ? 0 : -1;
}

void trace_close(struct trace *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->input_count; i++)
        input_close(&t->inputs[i]);
    free(t->inputs);
    window_free(t->window);
    match_free(t->match);
    free(t->state);
    free(t);
}

/* ---- reading ---- */

/* Stores the next event in order of time in *event. Returns 1; 0 at the end; -1 after an error. An
   event that is too late for the window gets the time of the event before it. */
static int next_in_order(struct trace *t, struct trace_event *event)
{
    while (!t->ended && !window_is_full(t->window)) {
        struct trace_event read;
        int status = t->format->next ? t->format->next(t, &read) : text_next(t, &read);
        if (status < 0)
            return -1;
        t->ended = status == 0;
        if (status)
            window_push(t->window, &read);
    }
    if (!window_pop(t->window, event))
        return 0;
    const uint64_t time_ns = event->time_ns;
    if (time_ns >= t->now_ns) {
        t->now_ns = time_ns;
        return 1;
    }
    event->time_ns = t->now_ns;
    return trace_skip(t, TRACE_SKIP_REORDERED, 1, t->inputs->name, event->number,
                      "by %llu ns, and the window has %u events",
                      (unsigned long long)(t->now_ns - time_ns), WINDOW_EVENTS)
               ? -1
               : 1;
}

/* Like next_in_order, but combines stages of requests into events. */
static int next_matched(struct trace *t, struct trace_event *event)
{
    struct trace_event record;
    while (!match_give(t->match, event, false)) {
        int status = next_in_order(t, &record);
        if (status < 0)
            return -1;
        if (status == 0)
            return match_give(t->match, event, true);
        if (!match_take(t->match, &record) &&
            trace_skip(t, TRACE_SKIP_UNMATCHED, 1, t->inputs->name, record.number,
                       "it ends at byte %llu of %s",
                       (unsigned long long)(record.offset + record.length),
                       t->devices.device[record.device].name))
            return -1;
    }
    return 1;
}

int trace_read(struct trace *t, struct trace_event events[], size_t max, struct err *e)
{
    size_t n = 0;
    for (; n < max && t->fault.code == ERR_NONE; n++) {
        struct trace_event *event = &events[n];
        if ((t->match ? next_matched(t, event) : next_in_order(t, event)) <= 0)
            break;
        struct trace_device *device = &t->devices.device[event->device];
        uint64_t end = event->offset + event->length;
        if (end > device->end && !event->attempt)
            device->end = end;
        if (t->given++ == 0)
            t->first_ns = event->time_ns;
        event->time_ns -= t->first_ns;
    }
    if (n > 0 || t->fault.code == ERR_NONE)
        return (int)n; /* events that precede an error are returned first */
    if (e)
        *e = t->fault;
    return -1;
}

/* ---- properties of the trace ---- */

const char *trace_format_name(const struct trace *t)
{
    return t->title;
}

size_t trace_device_count(const struct trace *t)
{
    return t->devices.count;
}

const struct trace_device *trace_device(const struct trace *t, size_t i)
{
    return &t->devices.device[i];
}

uint64_t trace_bytes_read(const struct trace *t)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < t->input_count; i++)
        bytes += t->inputs[i].bytes_read;
    return bytes;
}

uint64_t trace_bytes_total(const struct trace *t)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < t->input_count; i++) {
        if (!t->inputs[i].is_sized)
            return 0;
        bytes += t->inputs[i].bytes_total;
    }
    return bytes;
}

const struct trace_host *trace_host(const struct trace *t)
{
    return &t->host;
}

uint64_t trace_begin_ns(const struct trace *t)
{
    return t->given ? t->first_ns : 0;
}

bool trace_wall_ns(const struct trace_host *host, uint64_t time_ns, uint64_t *wall_ns)
{
    const struct trace_clock *a = &host->first, *b = &host->last;
    if (host->clock_count == 0)
        return false;
    /* a larger difference means that the clock was set during the recording */
    const double drift_max = 0.01;
    double drift = 0; /* drift of the wall clock, in ns per ns */
    if (b->time_ns > a->time_ns)
        drift = ((double)(int64_t)(b->wall_ns - a->wall_ns) - (double)(b->time_ns - a->time_ns)) /
                (double)(b->time_ns - a->time_ns);
    if (drift > drift_max || drift < -drift_max)
        drift = 0;
    const int64_t since = (int64_t)(time_ns - a->time_ns);
    *wall_ns = a->wall_ns + (uint64_t)since + (uint64_t)(int64_t)(drift * (double)since);
    return true;
}

size_t trace_note_count(const struct trace *t)
{
    return t->note_count;
}

const char *trace_note(const struct trace *t, size_t i)
{
    return t->notes[i];
}

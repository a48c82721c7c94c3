/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the unit readings of one round from a pipe or a file: a line for each unit of work, with a
 * number for each index.
 *
 * They are kept in fixed memory. When it is full, each two neighbours are replaced by their mean,
 * and from then on each new mean is of twice as many readings. Changes that are slower than such a
 * group remain visible, and a million lines take no more room than UNIT_KEPT_MAX.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number_parse.h"
#include "program/exec/internal.h"

enum { CHUNK = 64 << 10, NO_END_BYTES = 16 << 20 };

int unit_reader_make(struct unit_reader **reader, const struct exec_program *program, struct err *e)
{
    struct unit_reader *r = calloc(1, sizeof *r);
    *reader = r;
    if (!r)
        return err_no_memory(e, "unit readings");
    r->indices = program->unit_indices;
    r->count = program->unit_index_count;
    r->chunk = malloc(CHUNK);
    bool complete = r->chunk != NULL;
    for (size_t i = 0; i < r->count; i++) {
        r->kept[i] = malloc(UNIT_KEPT_MAX * sizeof *r->kept[i]);
        complete = complete && r->kept[i];
    }
    return complete ? 0 : err_no_memory(e, "unit readings");
}

void unit_reader_free(struct unit_reader *r)
{
    for (size_t i = 0; r && i < r->count; i++)
        free(r->kept[i]);
    free(r ? r->chunk : NULL);
    free(r);
}

void unit_reader_begin(struct unit_reader *r)
{
    r->kept_count = r->pending = r->line_length = 0;
    r->merged = 1;
    r->lines = 0;
    r->why[0] = '\0';
    memset(r->sums, 0, sizeof r->sums);
}

/* ---- merging ---- */

static void merge_pairs(struct unit_reader *r)
{
    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < r->kept_count / 2; k++)
            r->kept[i][k] = index_mean_of(r->indices[i].type, r->kept[i] + 2 * k, 2);
    r->kept_count /= 2;
    r->merged *= 2;
}

static void keep(struct unit_reader *r, const double values[])
{
    for (size_t i = 0; i < r->count; i++)
        r->sums[i] += index_mean_domain(r->indices[i].type, values[i]);
    if (++r->pending < r->merged)
        return;
    for (size_t i = 0; i < r->count; i++) {
        double mean = r->sums[i] / (double)r->pending;
        r->kept[i][r->kept_count] = index_mean_domain(r->indices[i].type, mean);
        r->sums[i] = 0;
    }
    r->pending = 0;
    if (++r->kept_count == UNIT_KEPT_MAX)
        merge_pairs(r);
}

/* ---- lines ---- */

static void refuse_line(struct unit_reader *r, struct span line, const char *what)
{
    char shown[QUOTED];
    snprintf(r->why, sizeof r->why, "line %llu of its unit readings %s: \"%s\"",
             (unsigned long long)r->lines, what, span_printable(shown, sizeof shown, line));
}

static void take_line(struct unit_reader *r, struct span line)
{
    double values[UNIT_INDICES_MAX] = {0};
    char what[120];
    r->lines++;
    line = span_trimmed(line);
    if (!line.length || line.text[0] == '#')
        return;
    for (size_t i = 0; i < r->count && !r->why[0]; i++) {
        const struct exec_index *index = &r->indices[i];
        struct span column;
        enum number_status status;
        size_t place = (size_t)strtoul(index->source, NULL, 10);
        if (!column_at(line, place, &column)) {
            snprintf(what, sizeof what, "has no column %zu (from 0)", place);
            refuse_line(r, line, what);
        } else if ((status = reading_parse(column.text, column.length, &values[i])) != NUMBER_OK) {
            snprintf(what, sizeof what, "has %s in column %zu",
                     status == NUMBER_TOO_LARGE ? "a number above 1e60, which is too large,"
                                                : "no finite number",
                     place);
            refuse_line(r, line, what);
        } else if (!index_can_have(index, values[i], what, sizeof what)) {
            snprintf(r->why, sizeof r->why, "line %llu of its unit readings: %.120s",
                     (unsigned long long)r->lines, what);
        }
    }
    if (!r->why[0])
        keep(r, values);
}

/* Processes each line once it is complete. After a line that is wrong the remaining bytes are
   discarded. */
static void take_bytes(struct unit_reader *r, const char *data, size_t length)
{
    while (length && !r->why[0]) {
        const char *end = memchr(data, '\n', length);
        size_t part = end ? (size_t)(end - data) : length;
        bool fits = r->line_length + part < sizeof r->line;
        if (!fits) {
            r->lines++;
            refuse_line(r,
                        r->line_length ? (struct span){r->line, r->line_length}
                                       : (struct span){data, part},
                        "has no end within 4,000 bytes");
            return;
        }
        if (end && !r->line_length) {
            take_line(r, (struct span){data, part});
        } else {
            memcpy(r->line + r->line_length, data, part);
            r->line_length += part;
            if (end) {
                take_line(r, (struct span){r->line, r->line_length});
                r->line_length = 0;
            }
        }
        part += end != NULL;
        data += part;
        length -= part;
    }
}

bool unit_reader_read(struct unit_reader *r, int fd)
{
    ssize_t got = read(fd, r->chunk, CHUNK);
    if (got > 0)
        take_bytes(r, r->chunk, (size_t)got);
    return got > 0 || (got < 0 && errno == EINTR);
}

void unit_reader_drain(struct unit_reader *r, int fd)
{
    for (size_t bytes = 0; bytes < NO_END_BYTES && unit_reader_read(r, fd); bytes += CHUNK)
        ;
}

const char *unit_reader_end(struct unit_reader *r)
{
    if (r->why[0])
        return r->why;
    if (r->line_length) {
        r->lines++;
        refuse_line(r, (struct span){r->line, r->line_length}, "is cut, it has no line end");
        return r->why;
    }
    /* a last group with fewer readings is dropped, unless it is the only one */
    return r->kept_count ? NULL : "it wrote no unit readings";
}

/* ---- where unit readings come from ---- */

/* Unit readings come from a pipe or a FIFO, which is read while the round runs, so that the program
   hardly ever waits; or from a file that the program writes, which is read after the round. */

static bool is_piped(const struct exec_program *p)
{
    return !strcmp(p->unit_readings, EXEC_UNITS_PIPE);
}

char *unit_source_name(const struct exec_program *p, const struct substitution *s)
{
    return is_piped(p) ? strdup(UNIT_CHILD_PATH) : substitution_apply(s, p->unit_readings);
}

/* Opens a FIFO for reading and writing. If it were open only for reading, a writer that closes it
   would look like the end of all readings. */
static bool open_fifo(struct unit_source *u, char *why, size_t size)
{
    struct stat st;
    if (stat(u->path, &st))
        return true; /* the round will make a file of that name */
    if (!S_ISFIFO(st.st_mode)) {
        snprintf(why, size,
                 "%.80s is there before the round: let %%ROUND%% or %%RESULT_DIR%% be in the name "
                 "of --unit-readings, or --prepare remove it",
                 u->path);
        return false;
    }
    u->descriptor = open(u->path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (u->descriptor < 0)
        snprintf(why, size, "its unit readings: %.120s: %s", u->path, strerror(errno));
    return u->descriptor >= 0;
}

bool unit_source_begin(struct unit_source *u, const struct exec_program *p, const char *name,
                       char *why, size_t size)
{
    /* the program's working directory may differ from cupel's */
    const bool below = p->directory && name[0] != '/';
    snprintf(u->path, sizeof u->path, "%s%s%s", below ? p->directory : "", below ? "/" : "", name);
    unit_reader_begin(u->reader);
    u->descriptor = -1;
    if (!is_piped(p) && !open_fifo(u, why, size))
        return false;
    u->streams = is_piped(p) || u->descriptor >= 0;
    return true;
}

static void read_file(struct unit_source *u, const volatile sig_atomic_t *stop)
{
    struct unit_reader *r = u->reader;
    struct stat st;
    int fd = open(u->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        snprintf(r->why, sizeof r->why, "it wrote no unit readings: %.120s: %s", u->path,
                 strerror(errno));
        return;
    }
    if (fstat(fd, &st) || !S_ISREG(st.st_mode))
        snprintf(r->why, sizeof r->why, "its unit readings: %.120s is no file", u->path);
    while (!r->why[0] && !(stop && *stop) && unit_reader_read(r, fd))
        ;
    close(fd);
}

const char *unit_source_end(struct unit_source *u, bool is_good, const volatile sig_atomic_t *stop)
{
    if (is_good && !u->streams)
        read_file(u, stop);
    if (u->descriptor >= 0)
        close(u->descriptor);
    u->descriptor = -1;
    u->streams = false;
    return is_good ? unit_reader_end(u->reader) : NULL;
}

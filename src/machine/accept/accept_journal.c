/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes and reads the journal: lines with checksums are appended one by one, and read again as a
   whole. */
#include "machine/accept/accept_journal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/durable/line_journal.h"
#include "base/file/file.h"
#include "base/invariant.h"
#include "machine/accept/accept.h"

#define JOURNAL_MAX ((size_t)256 << 20)

static const struct line_form form = {.separator = " ", .in_front = true, .flushed = true};

/* The file, shared by all views of the journal. */
struct journal_file {
    struct line_journal lines; /* fd -1: read only */
    pthread_mutex_t lock;      /* protects everything except the path */
};

struct accept_journal {
    struct journal_file *file;
    bool is_view; /* the view of one disk; another journal owns the file */
    unsigned disk;
    char *text; /* the file, or the lines of one disk, split into strings to which `lines` points */
    struct accept_line *lines;
    size_t count;
};

/* ---- reading ---- */

/* Splits "disk event fields", which a '\0' must follow. False: the line is not valid. */
static bool take_line(char *text, struct accept_line *line)
{
    char *end;
    line->disk = (unsigned)strtoul(text, &end, 10);
    if (*end != ' ')
        return false;
    line->event = end + 1;
    char *blank = strchr(end + 1, ' ');
    line->fields = blank ? blank + 1 : "";
    if (blank)
        *blank = '\0';
    return true;
}

/* Parses all lines of the text. An incomplete last line is dropped, and the next line is written in
   its place. */
static int parse(struct accept_journal *j, size_t length, struct err *e)
{
    struct line_reader reader = {.form = &form, .rest = {j->text, length}};
    struct span text;
    const char *path = j->file->lines.path;
    bool good = true;
    j->count = 0;
    while (good && line_next(&reader, &text)) {
        char *line = j->text + (text.text - j->text);
        line[text.length] = '\0';
        good = take_line(line, &j->lines[j->count++]);
    }
    j->file->lines.end = (off_t)(length - reader.rest.length);
    if (!good || !line_rest_is_torn(&reader))
        return err_set(e, ERR_USAGE,
                       "%.300s: line %zu is damaged and others follow it: nothing is written by a "
                       "state that cannot be trusted",
                       path, reader.number);
    if (!j->count)
        return err_set(e, ERR_USAGE, "%.300s: it has no whole line", path);
    return 0;
}

/* Keeps only the lines of the view's own disk in memory. */
static int keep_own_lines(struct accept_journal *j, struct err *e)
{
    size_t bytes = 1, count = 0;
    for (size_t i = 0; i < j->count; i++)
        if (j->lines[i].disk == j->disk) {
            INVARIANT(j->lines[i].event, "a line that was read has an event");
            bytes += strlen(j->lines[i].event) + strlen(j->lines[i].fields) + 2;
            j->lines[count++] = j->lines[i];
        }
    char *text = malloc(bytes), *at = text;
    if (!text)
        return err_no_memory(e, "the lines of %.200s", j->file->lines.path);
    for (size_t i = 0; i < count; i++) {
        struct accept_line *line = &j->lines[i];
        char *event = at, *fields = stpcpy(at, line->event) + 1;
        at = stpcpy(fields, line->fields) + 1;
        line->event = event;
        line->fields = fields;
    }
    free(j->text);
    j->text = text;
    j->count = count;
    struct accept_line *fewer = realloc(j->lines, (count + 1) * sizeof *fewer);
    j->lines = fewer ? fewer : j->lines;
    return 0;
}

static int read_lines(struct accept_journal *j, struct err *e)
{
    size_t length, lines = 1;
    if (file_read_all(j->file->lines.path, JOURNAL_MAX, &j->text, &length, e))
        return -1;
    INVARIANT(j->text, "a file that was read has a text");
    for (size_t i = 0; i < length; i++)
        lines += j->text[i] == '\n';
    j->lines = calloc(lines, sizeof *j->lines);
    if (!j->lines)
        return err_no_memory(e, "the lines of %.200s", j->file->lines.path);
    if (parse(j, length, e))
        return -1;
    return j->is_view ? keep_own_lines(j, e) : 0;
}

int accept_journal_reload(struct accept_journal *j, struct err *e)
{
    free(j->text);
    free(j->lines);
    j->text = NULL;
    j->lines = NULL;
    j->count = 0;
    pthread_mutex_lock(&j->file->lock); /* so that no line of another thread is half written */
    int status = read_lines(j, e);
    pthread_mutex_unlock(&j->file->lock);
    return status;
}

const struct accept_line *accept_journal_line(const struct accept_journal *j, size_t index)
{
    return index < j->count ? &j->lines[index] : NULL;
}

const struct accept_line *accept_journal_last(const struct accept_journal *j, unsigned disk,
                                              const char *event)
{
    for (size_t i = j->count; i > 0; i--)
        if (j->lines[i - 1].disk == disk && !strcmp(j->lines[i - 1].event, event))
            return &j->lines[i - 1];
    return NULL;
}

/* ---- fields ---- */

bool accept_line_text(const struct accept_line *line, const char *key, char *to, size_t size)
{
    size_t length = strlen(key), used = 0;
    const char *at = line ? line->fields : "";
    *to = '\0';
    while (*at && (strncmp(at, key, length) != 0 || at[length] != '=')) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    if (!*at)
        return false;
    for (at += length + 1; *at && *at != ' ' && used + 1 < size; at++) {
        char byte = *at;
        if (byte == '%' && isxdigit((unsigned char)at[1]) && isxdigit((unsigned char)at[2])) {
            byte = (char)strtoul((const char[]){at[1], at[2], '\0'}, NULL, 16);
            at += 2;
        }
        to[used++] = byte;
    }
    to[used] = '\0';
    return true;
}

double accept_line_number(const struct accept_line *line, const char *key)
{
    char text[64], *end;
    if (!accept_line_text(line, key, text, sizeof text) || !*text)
        return NAN;
    double value = strtod(text, &end);
    return *end ? (double)NAN : value;
}

uint64_t accept_line_count(const struct accept_line *line, const char *key)
{
    char text[64];
    return accept_line_text(line, key, text, sizeof text) ? strtoull(text, NULL, 10) : 0;
}

char *accept_journal_quote(char to[ACCEPT_QUOTED], const char *text)
{
    size_t used = 0;
    for (; *text && used + 4 < ACCEPT_QUOTED; text++) {
        unsigned char byte = (unsigned char)*text;
        if (isgraph(byte) && byte < 0x7f && byte != '%')
            to[used++] = *text;
        else
            used += (size_t)snprintf(to + used, 4, "%%%02X", byte);
    }
    to[used] = '\0';
    return to;
}

/* ---- writing ---- */

static int unwritten(const struct journal_file *file, int error, struct err *e)
{
    return err_set(e, ERR_TARGET,
                   "%.300s: %s: the state of the work could not be kept, and nothing goes on "
                   "without it; make room and call the same command again",
                   file->lines.path, strerror(error));
}

int accept_journal_add(struct accept_journal *j, unsigned disk, struct err *e, const char *event,
                       const char *fields, ...)
{
    char line[ACCEPT_LINE_MAX];
    struct journal_file *file = j->file;
    va_list arguments;
    size_t used = (size_t)snprintf(line, 64, "%u %.40s ", disk, event);
    va_start(arguments, fields);
    int more = vsnprintf(line + used, sizeof line - used, fields, arguments);
    va_end(arguments);
    if (more < 0 || (size_t)more >= sizeof line - used)
        return err_set(e, ERR_MACHINE, "%.300s: a line of the event %.40s is too long",
                       file->lines.path, event);
    pthread_mutex_lock(&file->lock);
    int status = line_journal_add(&file->lines, (struct span){line, used + (size_t)more}, e);
    if (status)
        unwritten(file, file->lines.error, e);
    pthread_mutex_unlock(&file->lock);
    return status;
}

/* ---- opening ---- */

bool accept_is_in(const char *folder)
{
    char path[PATH_MAX];
    return file_path(path, "%s/" ACCEPT_JOURNAL_FILE, folder) && !access(path, F_OK);
}

static int open_path(struct accept_journal *j, const char *folder, bool resume, struct err *e)
{
    if (!resume && dir_make_or_empty(folder, e))
        return -1;
    int error = line_journal_open(&j->file->lines, !resume) ? errno : 0;
    if (error && j->file->lines.fd >= 0)
        return unwritten(j->file, error, e);
    if (error)
        return err_set(e, error == EACCES || error == EPERM ? ERR_MACHINE : ERR_USAGE, "%.300s: %s",
                       j->file->lines.path, strerror(error));
    if (flock(j->file->lines.fd, LOCK_EX | LOCK_NB))
        return err_set(e, ERR_UNSAFE, "%.300s: another process works by it; nothing was written",
                       j->file->lines.path);
    return 0;
}

static int begin(struct accept_journal *j, const char *folder, bool resume, struct err *e)
{
    if (open_path(j, folder, resume, e))
        return -1;
    if (!resume)
        return accept_journal_add(j, 0, e, "journal", "version=1") || accept_journal_reload(j, e)
                   ? -1
                   : 0;
    if (accept_journal_reload(j, e))
        return -1;
    struct stat st;
    if (!j->count && (fstat(j->file->lines.fd, &st) || !S_ISREG(st.st_mode) || st.st_size))
        return err_set(e, ERR_USAGE, "%.300s is no journal of cupel accept", j->file->lines.path);
    if (line_journal_cut(&j->file->lines))
        return unwritten(j->file, errno, e);
    return 0;
}

static int make(struct accept_journal **journal, const char *folder, struct err *e)
{
    *journal = calloc(1, sizeof **journal);
    struct journal_file *file = calloc(1, sizeof *file);
    if (!*journal || !file) {
        free(file);
        err_no_memory(e, "a journal");
        return -1;
    }
    pthread_mutex_init(&file->lock, NULL);
    (*journal)->file = file;
    file->lines = (struct line_journal){.form = &form, .fd = -1};
    if (!file_path(file->lines.path, "%s/" ACCEPT_JOURNAL_FILE, folder))
        return err_set(e, ERR_USAGE, "%.200s...: the name of the folder is too long", folder);
    return 0;
}

int accept_journal_open(struct accept_journal **journal, const char *folder, bool resume,
                        struct err *e)
{
    if (!make(journal, folder, e) && !begin(*journal, folder, resume, e))
        return 0;
    accept_journal_close(*journal);
    *journal = NULL;
    return -1;
}

int accept_journal_load(struct accept_journal **journal, const char *folder, struct err *e)
{
    if (!make(journal, folder, e) && !accept_journal_reload(*journal, e))
        return 0;
    accept_journal_close(*journal);
    *journal = NULL;
    return -1;
}

int accept_journal_view(struct accept_journal **view, struct accept_journal *journal, unsigned disk,
                        struct err *e)
{
    struct accept_journal *own = calloc(1, sizeof *own);
    *view = own;
    if (!own) {
        err_no_memory(e, "a journal");
        return -1;
    }
    *own = (struct accept_journal){.file = journal->file, .is_view = true, .disk = disk};
    if (!accept_journal_reload(own, e))
        return 0;
    accept_journal_close(own);
    *view = NULL;
    return -1;
}

void accept_journal_close(struct accept_journal *j)
{
    if (!j)
        return;
    if (j->file && !j->is_view) {
        line_journal_close(&j->file->lines);
        free(j->file);
    }
    free(j->text);
    free(j->lines);
    free(j);
}

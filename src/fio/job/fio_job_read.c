/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the lines of a job file: sections, settings, included files, variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/text_reader.h"
#include "fio/job/fio_job.h"

#define JOB_BYTES_MAX (1u << 20)
#define VALUE_MAX     8192 /* characters of a value after variables are replaced */

struct job_reader {
    struct fio_job_file *job;
    bool may_include;
    bool in_section; /* false: no section has begun, so a setting is an error */
    bool in_global;
};

static const char blanks[] = " \t\v\f\r";

bool fio_job_is(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && !strcmp(path + length - 4, ".fio");
}

/* Removes the comment and blanks at both ends. As in fio, any ; or # begins a comment. */
static struct span meaning_of(struct span line)
{
    size_t length = 0;
    while (length < line.length && line.text[length] != ';' && line.text[length] != '#')
        length++;
    return span_trimmed((struct span){line.text, length});
}

/* ---- variables ---- */

static bool variable_value(struct span name, char *to, size_t size)
{
    char text[64];
    if (span_is(name, "ncpus"))
        snprintf(to, size, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    else if (span_is(name, "pagesize"))
        snprintf(to, size, "%ld", sysconf(_SC_PAGESIZE));
    else if (span_is(name, "mb_memory"))
        snprintf(to, size, "%lld",
                 (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / (1 << 20));
    else if (name.length < 3 || name.text[0] != '{' || name.length - 2 >= sizeof text)
        return false;
    else {
        span_copy(text, (struct span){name.text + 1, name.length - 2});
        const char *found = getenv(text);
        if (!found || strlen(found) >= size)
            return false;
        snprintf(to, size, "%s", found);
    }
    return true;
}

/* Returns the name of the variable: the letters after '$', or everything up to '}'. */
static struct span variable_at(struct span s)
{
    size_t length = 0;
    if (s.length && s.text[0] == '{') {
        while (length < s.length && s.text[length] != '}')
            length++;
        return (struct span){s.text, length < s.length ? length + 1 : length};
    }
    while (length < s.length &&
           ((s.text[length] >= 'a' && s.text[length] <= 'z') || s.text[length] == '_'))
        length++;
    return (struct span){s.text, length};
}

/* Returns true for $jobname, $jobnum and $filenum, which occur in formats of file names and are not
   replaced here. */
static bool stays(struct span name)
{
    return name.length == 0 || span_is(name, "jobname") || span_is(name, "jobnum") ||
           span_is(name, "filenum") || span_is(name, "clientuid");
}

static int expand(struct text_reader *r, struct span from, char to[VALUE_MAX])
{
    size_t used = 0;
    for (size_t i = 0; i < from.length; i++) {
        if (used + 2 >= VALUE_MAX)
            return reader_fail(r, from.text, "it is longer than %d characters", VALUE_MAX - 2);
        struct span name = variable_at((struct span){from.text + i + 1, from.length - i - 1});
        if (from.text[i] != '$' || stays(name)) {
            to[used++] = from.text[i];
            continue;
        }
        char shown[64];
        if (!variable_value(name, to + used, VALUE_MAX - used - 1))
            return reader_fail(r, from.text + i, "$%s has no value here",
                               span_printable(shown, sizeof shown, name));
        used += strlen(to + used);
        i += name.length;
    }
    to[used] = '\0';
    return 0;
}

/* ---- lines ---- */

static char *copy_of(struct span s)
{
    char *copy = malloc(s.length + 1);
    if (copy)
        span_copy(copy, s);
    return copy;
}

static int begin_section(struct job_reader *reader, struct text_reader *r, struct span line)
{
    struct fio_job_file *job = reader->job;
    struct span name = {line.text + 1, line.length - 1};
    if (line.text[line.length - 1] != ']')
        return reader_fail(r, line.text, "[NAME] is expected: the ] is missing");
    name.length--;
    if (!name.length)
        return reader_fail(r, line.text, "[NAME] is expected: the name is missing");
    reader->in_section = true;
    reader->in_global = name.length >= 6 && !memcmp(name.text, "global", 6);
    if (reader->in_global)
        return 0;
    if (job->section_count == FIO_SECTIONS_MAX)
        return reader_fail(r, line.text, "more than %d sections", FIO_SECTIONS_MAX);
    struct fio_section *s = &job->sections[job->section_count++];
    span_printable(s->name, sizeof s->name, name);
    s->line = r->number;
    s->column = reader_column(r, line.text);
    s->file = (int)job->file_count - 1;
    return 0;
}

static int add_setting(struct job_reader *reader, struct text_reader *r, int file, struct span line)
{
    static char expanded[VALUE_MAX];
    struct fio_job_file *job = reader->job;
    const char *equals = memchr(line.text, '=', line.length);
    struct span name = {line.text, equals ? (size_t)(equals - line.text) : line.length};
    struct span value = {equals ? equals + 1 : line.text + line.length, 0};
    value.length = (size_t)(line.text + line.length - value.text);
    name = span_trimmed(name);
    value = span_trimmed(value);
    if (!name.length)
        return reader_fail(r, line.text, "a name is expected before the =");
    if (!reader->in_section)
        return reader_fail(r, line.text, "a setting stands in a section: [NAME] is expected first");
    if (job->setting_count == FIO_SETTINGS_MAX)
        return reader_fail(r, line.text, "more than %d settings", FIO_SETTINGS_MAX);
    if (expand(r, value, expanded))
        return -1;
    struct fio_setting *s = &job->settings[job->setting_count++];
    *s = (struct fio_setting){.name = copy_of(name),
                              .section = reader->in_global ? -1 : (int)job->section_count - 1,
                              .before = (int)job->section_count,
                              .file = file,
                              .line = r->number,
                              .column = reader_column(r, name.text),
                              .value_column = reader_column(r, value.text)};
    /* the quotes in a data pattern stay: they mark a string */
    bool is_pattern = s->name && !strcmp(s->name, "buffer_pattern");
    if (equals)
        s->value = copy_of(is_pattern ? span_of(expanded) : span_unquoted(span_of(expanded)));
    if (!s->name || (equals && !s->value))
        return reader_fail(r, line.text, "there is no memory left for an option");
    return 0;
}

static int read_lines(struct job_reader *reader, const char *path, struct span text, struct err *e);

/* Includes a file, which is looked for beside the including file, then in the current folder. */
static int include(struct job_reader *reader, struct text_reader *r, const char *path,
                   struct span name, struct err *e)
{
    char beside[1024], shown[200];
    const char *slash = strrchr(path, '/');
    int folder = slash && name.length && name.text[0] != '/' ? (int)(slash - path + 1) : 0;
    if (!reader->may_include || !name.length)
        return reader_fail(r, name.text, "include FILE is expected, out of a file");
    if (reader->job->file_count == FIO_FILES_MAX)
        return reader_fail(r, name.text, "more than %d files, or a file that includes itself",
                           FIO_FILES_MAX);
    int length =
        snprintf(beside, sizeof beside, "%.*s%.*s", folder, path, (int)name.length, name.text);
    if (length < 0 || (size_t)length >= sizeof beside)
        return reader_fail(r, name.text, "the name is too long");
    char *data = NULL;
    size_t size = 0;
    struct err why = {0};
    if (file_read_all(beside, JOB_BYTES_MAX, &data, &size, &why) &&
        file_read_all(beside + folder, JOB_BYTES_MAX, &data, &size, &why))
        return reader_fail(r, name.text, "%s cannot be read",
                           span_printable(shown, sizeof shown, name));
    int status = read_lines(reader, beside, (struct span){data, size}, e);
    free(data);
    return status;
}

static int read_line(struct job_reader *reader, struct text_reader *r, const char *path, int file,
                     struct err *e)
{
    struct span line = meaning_of(r->line);
    if (!line.length)
        return 0;
    if (!span_is_text(line))
        return reader_fail(r, line.text, "it is no text");
    if (line.text[0] == '[')
        return begin_section(reader, r, line);
    if (line.length > 8 && !memcmp(line.text, "include", 7) && strchr(blanks, line.text[7]))
        return include(reader, r, path, span_trimmed((struct span){line.text + 8, line.length - 8}),
                       e);
    return add_setting(reader, r, file, line);
}

static int read_lines(struct job_reader *reader, const char *path, struct span text, struct err *e)
{
    struct fault fault = {0};
    struct text_reader r = reader_of_lines(text, &fault);
    int file = (int)reader->job->file_count;
    reader->job->files[file] = copy_of(span_of(path));
    if (!reader->job->files[file])
        return err_no_memory(e, "a job file");
    reader->job->file_count++;
    *e = (struct err){0};
    while (reader_next_line(&r)) {
        if (!read_line(reader, &r, path, file, e))
            continue;
        if (e->code) /* the error already names a place, which is in an included file */
            return -1;
        return err_set(e, ERR_USAGE, "%.200s:%zu:%zu: %s", path, fault.line, fault.column,
                       fault.message);
    }
    return 0;
}

int fio_job_read(struct fio_job_file *file, const char *path, const struct span *text,
                 bool may_include, struct err *e)
{
    struct job_reader reader = {.job = file, .may_include = may_include};
    char *data = NULL;
    size_t size = 0;
    struct err why = {0};
    *file = (struct fio_job_file){0};
    if (!text && file_read_all(path, JOB_BYTES_MAX, &data, &size, e))
        return -1;
    int status = read_lines(&reader, path, text ? *text : (struct span){data, size}, &why);
    free(data);
    if (!status && !file->section_count)
        status =
            err_set(&why, ERR_USAGE, "%.200s:1:1: there is no section: [NAME] is expected", path);
    if (status) {
        fio_job_free(file);
        return err_set(e, why.code, "%s", why.msg);
    }
    return 0;
}

void fio_job_free(struct fio_job_file *file)
{
    for (size_t i = 0; i < file->setting_count; i++) {
        free(file->settings[i].name);
        free(file->settings[i].value);
    }
    for (size_t i = 0; i < file->file_count; i++)
        free(file->files[i]);
    *file = (struct fio_job_file){0};
}

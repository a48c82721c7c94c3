/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads profiles: lines of text in sections, from files or from built-in texts. */
#include "source/generator/profile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "source/generator/internal.h"

#define PROFILE_BYTES_MAX (1u << 20)

/* ---- whole sections ---- */

static bool is_name(struct span name)
{
    for (size_t i = 0; i < name.length; i++) {
        char c = name.text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '-' && c != '_')
            return false;
    }
    return name.length;
}

static int stream_of_name(const struct workload_spec *spec, struct span name)
{
    for (unsigned i = 0; i < spec->stream_count; i++)
        if (span_is(name, spec->streams[i].name))
            return (int)i;
    return -1;
}

/* Initializes an open stream with Poisson arrivals over the whole region and a rate_share of 1. The
   name and the sizes are left empty. */
static void stream_spec_init(struct stream_spec *stream)
{
    *stream = (struct stream_spec){.kind = STREAM_OPEN,
                                   .arrival = {.kind = ARRIVAL_POISSON},
                                   .rate_share = 1,
                                   .concurrency = 1,
                                   .region_to = 1};
}

static int profile_begin_stream(struct profile_reader *reader, struct text_reader *w,
                                struct span name)
{
    struct workload_spec *spec = reader->spec;
    if (!is_name(name) || name.length >= sizeof spec->streams->name)
        return reader_fail(w, name.text,
                           "[stream NAME] is expected: a name has 1 to %zu letters, digits, - or _",
                           sizeof spec->streams->name - 1);
    if (stream_of_name(spec, name) >= 0)
        return reader_fail(w, name.text, "there is a stream of that name already");
    if (spec->stream_count == STREAMS_MAX)
        return reader_fail(w, name.text, "more than %d streams", STREAMS_MAX);
    unsigned number = spec->stream_count++;
    reader->lines[number] = w->number;
    reader->weights[number] = 1;
    reader->seen = 0;
    reader->stream = &spec->streams[number];
    stream_spec_init(reader->stream);
    span_copy(reader->stream->name, name);
    return 0;
}

/* Moves the place of an error to a line that was read before. Always returns -1. */
static int fail_at(const struct text_reader *w, size_t line, size_t column)
{
    w->fault->line = line;
    w->fault->column = column;
    return -1;
}

static int resolve_tells(struct profile_reader *reader, struct text_reader *w)
{
    struct workload_spec *spec = reader->spec;
    for (unsigned i = 0; i < reader->tell_count; i++) {
        const struct profile_tell *tell = &reader->tells[i];
        struct span at = {.text = w->line.text};
        char name[sizeof spec->streams->name];
        int to = stream_of_name(spec, tell->name);
        span_printable(name, sizeof name, tell->name);
        if (to < 0)
            reader_fail(w, at.text, "no stream is called \"%s\"", name);
        else if (spec->streams[to].kind != STREAM_LOG)
            reader_fail(w, at.text, "stream %s is no log: only a log can be told", name);
        else
            spec->streams[tell->stream].steps[tell->step].message_to = to;
        if (to < 0 || spec->streams[to].kind != STREAM_LOG)
            return fail_at(w, tell->line, tell->column);
    }
    return 0;
}

static int finish_log(struct profile_reader *reader, struct text_reader *w, unsigned number)
{
    struct stream_spec *stream = &reader->spec->streams[number];
    struct span at = {.text = w->line.text};
    uint32_t align = stream_spec_log_align(stream);
    bool has_sender = false;
    for (unsigned i = 0; i < reader->tell_count; i++) {
        const struct profile_tell *tell = &reader->tells[i];
        has_sender =
            has_sender ||
            reader->spec->streams[tell->stream].steps[tell->step].message_to == (int)number;
    }
    if (!stream->size_count) {
        stream->sizes[0] = (struct size_spec){.bytes = 65536, .weight = 1};
        stream->size_count = 1;
    }
    if (!stream->log_bytes_per_message)
        reader_fail(w, at.text, "log %s needs a record SIZE", stream->name);
    else if (stream->sizes[0].bytes % align)
        reader_fail(w, at.text, "log %s: its size is no multiple of its align (%u bytes)",
                    stream->name, align);
    else if (stream->log_bytes_per_message > stream->sizes[0].bytes)
        reader_fail(w, at.text, "log %s: a record is larger than the largest write", stream->name);
    else if (!has_sender)
        reader_fail(w, at.text, "nobody tells log %s anything: a step of a transaction should",
                    stream->name);
    else
        return 0;
    return fail_at(w, reader->lines[number], 1);
}

static int finish_stream(struct profile_reader *reader, struct text_reader *w, unsigned number)
{
    struct stream_spec *stream = &reader->spec->streams[number];
    struct span at = {.text = w->line.text};
    if (stream->kind == STREAM_LOG)
        return finish_log(reader, w, number);
    if (!stream->size_count) {
        stream->sizes[0] = (struct size_spec){.bytes = 4096, .weight = 1};
        stream->size_count = 1;
    }
    for (unsigned i = 0; i < stream->step_count; i++) {
        struct step_spec *step = &stream->steps[i];
        if (step->region_from < 0) {
            step->region_from = stream->region_from;
            step->region_to = stream->region_to;
        }
    }
    if (!stream_spec_requests(stream)) {
        reader_fail(w, at.text, "transaction %s has no step that reads or writes", stream->name);
        return fail_at(w, reader->lines[number], 1);
    }
    return 0;
}

static int share_the_rate(struct profile_reader *reader, struct text_reader *w)
{
    struct workload_spec *spec = reader->spec;
    struct span at = {.text = w->line.text};
    double total = 0;
    bool any = false;
    for (unsigned i = 0; i < spec->stream_count; i++) {
        any = any || stream_spec_arrives(&spec->streams[i]);
        total += stream_spec_arrives(&spec->streams[i]) ? reader->weights[i] : 0;
    }
    if (any && total <= 0)
        return reader_fail(w, at.text, "no stream has a weight above 0");
    if (!any && spec->phases.count)
        return reader_fail(w, at.text,
                           "rate is of open streams and transactions, and there are none");
    for (unsigned i = 0; i < spec->stream_count; i++) {
        if (!stream_spec_arrives(&spec->streams[i]))
            continue;
        spec->streams[i].rate_share = reader->weights[i] / total;
        if (spec->streams[i].rate_share > 0)
            continue;
        reader_fail(w, at.text, "stream %s has a weight of 0: it would never do anything",
                    spec->streams[i].name);
        return fail_at(w, reader->lines[i], 1);
    }
    return 0;
}

/* Completes the profile after its last line: defaults, references to names, and checks across
   lines. */
static int profile_finish(struct profile_reader *reader, struct text_reader *last)
{
    struct span at = {.text = last->line.text};
    if (!reader->spec->stream_count)
        return reader_fail(last, at.text, "a profile needs at least one [stream NAME]");
    if (resolve_tells(reader, last))
        return -1;
    for (unsigned i = 0; i < reader->spec->stream_count; i++)
        if (finish_stream(reader, last, i))
            return -1;
    return share_the_rate(reader, last);
}

/* ---- lines ---- */

static int profile_read_section(struct profile_reader *reader, struct text_reader *w)
{
    char by;
    struct span head = w->rest;
    if (head.text[head.length - 1] != ']')
        return reader_fail(w, head.text, "[stream NAME] is expected: the ] is missing");
    w->rest = span_trimmed((struct span){head.text + 1, head.length - 2});
    struct span word = reader_piece(w, " \t", &by);
    if (!span_is(word, "stream"))
        return reader_fail(w, word.text, "[stream NAME] is expected: there are no other sections");
    return profile_begin_stream(reader, w, span_trimmed(w->rest));
}

static int profile_read_key(struct profile_reader *reader, struct text_reader *w)
{
    char by;
    struct span word = reader_piece(w, " \t", &by);
    int row = words_find(w, word, "a key of a profile", profile_keys, sizeof *profile_keys,
                         profile_key_count);
    if (row < 0)
        return -1;
    const struct profile_key *key = &profile_keys[row];
    if (!(key->where & (reader->stream ? OF(reader->stream->kind) : IN_HEAD))) {
        if (!reader->stream)
            return reader_fail(w, word.text,
                               "%s belongs into a stream: begin one with [stream NAME]", key->name);
        if (key->where & IN_HEAD)
            return reader_fail(w, word.text, "%s belongs before the first [stream NAME]",
                               key->name);
        return reader_fail(w, word.text,
                           "%s is not possible in a stream of kind %s (kind comes first)",
                           key->name, stream_kinds[reader->stream->kind]->name);
    }
    if (reader->seen & 1u << row && !key->repeated)
        return reader_fail(w, word.text, "%s is given twice", key->name);
    reader->seen |= 1u << row;
    w->rest = span_trimmed(w->rest);
    if (!w->rest.length)
        return reader_fail(w, w->rest.text, "the value of %s is missing: %s", key->name, key->form);
    return key->read(reader, w);
}

static int profile_read_line(struct profile_reader *reader, struct text_reader *w)
{
    if (!span_is_text(w->line))
        return reader_fail(w, w->line.text,
                           "this line is no text (UTF-8 without control characters)");
    w->rest = span_trimmed(without_comment(w->line, false));
    if (!w->rest.length)
        return 0;
    return w->rest.text[0] == '[' ? profile_read_section(reader, w) : profile_read_key(reader, w);
}

int profile_parse(struct workload_spec *spec, const char *source, const char *text, size_t length,
                  struct err *e)
{
    struct profile_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return err_no_memory(e, "reading %s", source);
    *spec = (struct workload_spec){0};
    reader->spec = spec;
    struct fault fault;
    struct text_reader lines = reader_of_lines((struct span){text, length}, &fault);
    int result = 0;
    while (!result && reader_next_line(&lines))
        result = profile_read_line(reader, &lines);
    if (!result)
        result = profile_finish(reader, &lines);
    if (result)
        err_set(e, ERR_USAGE, "%s:%zu:%zu: %s", source, fault.line ? fault.line : 1, fault.column,
                fault.message);
    free(reader);
    return result;
}

/* ---- sources of profiles: tables/profiles, built into the program, or a file ---- */

/* A zero byte ends each text, so that it is a string. */
#define EMBED(symbol, file)                                                                        \
    __asm__(".pushsection .rodata." #symbol ",\"a\"\n" #symbol                                     \
            ":\n.incbin \"tables/profiles/" file "\"\n.byte 0\n.popsection\n")

EMBED(profile_boot_storm, "boot-storm.profile");
EMBED(profile_backup, "backup.profile");
EMBED(profile_file_server, "file-server.profile");
EMBED(profile_jesd219, "jesd219.profile");
EMBED(profile_spc_1, "spc-1.profile");
EMBED(profile_tpc_b, "tpc-b.profile");

extern const char profile_boot_storm[], profile_backup[], profile_file_server[], profile_jesd219[],
    profile_spc_1[], profile_tpc_b[];

const struct profile_builtin profile_builtins[] = {
    {"backup", profile_backup},
    {"boot-storm", profile_boot_storm},
    {"file-server", profile_file_server},
    {"jesd219", profile_jesd219},
    {"spc-1", profile_spc_1},
    {"tpc-b", profile_tpc_b},
    {NULL, NULL},
};

const char *profile_text(const char *name)
{
    for (const struct profile_builtin *p = profile_builtins; p->name; p++)
        if (!strcmp(p->name, name))
            return p->text;
    return NULL;
}

bool profile_is_text(const char *name_or_text)
{
    return name_or_text[0] == '[';
}

/* Reads a profile from a command line, where semicolons end the lines. */
static int load_text(struct workload_spec *spec, const char *text, struct err *e)
{
    char *lines = strdup(text);
    if (!lines)
        return err_no_memory(e, "a profile");
    for (char *p = lines; *p; p++)
        if (*p == ';')
            *p = '\n';
    int result = profile_parse(spec, "--profile", lines, strlen(lines), e);
    free(lines);
    return result;
}

int profile_load(struct workload_spec *spec, const char *name_or_path, struct err *e)
{
    if (profile_is_text(name_or_path))
        return load_text(spec, name_or_path, e);
    for (const struct profile_builtin *p = profile_builtins; p->name; p++)
        if (!strcmp(p->name, name_or_path))
            return profile_parse(spec, p->name, p->text, strlen(p->text), e);
    if (!strpbrk(name_or_path, "/.") && access(name_or_path, F_OK)) {
        struct fault fault;
        struct text_reader w = reader_of_line(span_of(name_or_path), &fault);
        size_t count = sizeof profile_builtins / sizeof *profile_builtins - 1;
        words_find(&w, w.rest, "a built-in profile", profile_builtins, sizeof *profile_builtins,
                   count);
        return err_set(e, ERR_USAGE, "%s; a file is given with its path", fault.message);
    }
    /* Pipes are refused: nothing could interrupt reading one that delivers no data. */
    struct stat about;
    if (!stat(name_or_path, &about) && !S_ISREG(about.st_mode))
        return err_set(e, ERR_USAGE, "%s: a profile is a regular file", name_or_path);
    char *text;
    size_t length;
    if (file_read_all(name_or_path, PROFILE_BYTES_MAX, &text, &length, e))
        return -1;
    int result = profile_parse(spec, name_or_path, text, length, e);
    free(text);
    return result;
}

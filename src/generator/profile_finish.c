/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of a profile as wholes: their heads, defaults, and references to each other. */
#include <string.h>

#include "generator/internal.h"
#include "generator/profile.h"

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

int profile_begin_stream(struct profile_reader *reader, struct words *w, struct span name)
{
    struct workload_spec *spec = reader->spec;
    if (!is_name(name) || name.length >= sizeof spec->streams->name)
        return words_fail(w, name,
                          "[stream NAME] is expected: a name has 1 to %zu letters, digits, - or _",
                          sizeof spec->streams->name - 1);
    if (stream_of_name(spec, name) >= 0)
        return words_fail(w, name, "there is a stream of that name already");
    if (spec->stream_count == STREAMS_MAX)
        return words_fail(w, name, "more than %d streams", STREAMS_MAX);
    unsigned number = spec->stream_count++;
    reader->lines[number] = reader->line;
    reader->weights[number] = 1;
    reader->seen = 0;
    reader->stream = &spec->streams[number];
    stream_spec_init(reader->stream);
    span_copy(reader->stream->name, name);
    return 0;
}

/* The message is about a line that was read before. */
static int fail_at(struct profile_reader *reader, struct words *w, unsigned line, size_t column)
{
    reader->line = line;
    w->fault->column = column;
    return -1;
}

static int resolve_tells(struct profile_reader *reader, struct words *w)
{
    struct workload_spec *spec = reader->spec;
    for (unsigned i = 0; i < reader->tell_count; i++) {
        const struct profile_tell *tell = &reader->tells[i];
        struct span at = {.text = w->begin};
        char name[sizeof spec->streams->name];
        int to = stream_of_name(spec, tell->name);
        span_printable(name, sizeof name, tell->name);
        if (to < 0)
            words_fail(w, at, "no stream is called \"%s\"", name);
        else if (spec->streams[to].kind != STREAM_LOG)
            words_fail(w, at, "stream %s is no log: only a log can be told", name);
        else
            spec->streams[tell->stream].steps[tell->step].message_to = to;
        if (to < 0 || spec->streams[to].kind != STREAM_LOG)
            return fail_at(reader, w, tell->line, tell->column);
    }
    return 0;
}

static int finish_log(struct profile_reader *reader, struct words *w, unsigned number)
{
    struct stream_spec *stream = &reader->spec->streams[number];
    struct span at = {.text = w->begin};
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
        words_fail(w, at, "log %s needs a record SIZE", stream->name);
    else if (stream->sizes[0].bytes % align)
        words_fail(w, at, "log %s: its size is no multiple of its align (%u bytes)", stream->name,
                   align);
    else if (stream->log_bytes_per_message > stream->sizes[0].bytes)
        words_fail(w, at, "log %s: a record is larger than the largest write", stream->name);
    else if (!has_sender)
        words_fail(w, at, "nobody tells log %s anything: a step of a transaction should",
                   stream->name);
    else
        return 0;
    return fail_at(reader, w, reader->lines[number], 1);
}

static int finish_stream(struct profile_reader *reader, struct words *w, unsigned number)
{
    struct stream_spec *stream = &reader->spec->streams[number];
    struct span at = {.text = w->begin};
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
        words_fail(w, at, "transaction %s has no step that reads or writes", stream->name);
        return fail_at(reader, w, reader->lines[number], 1);
    }
    return 0;
}

static int share_the_rate(struct profile_reader *reader, struct words *w)
{
    struct workload_spec *spec = reader->spec;
    struct span at = {.text = w->begin};
    double total = 0;
    bool any = false;
    for (unsigned i = 0; i < spec->stream_count; i++) {
        any = any || stream_spec_arrives(&spec->streams[i]);
        total += stream_spec_arrives(&spec->streams[i]) ? reader->weights[i] : 0;
    }
    if (any && total <= 0)
        return words_fail(w, at, "no stream has a weight above 0");
    if (!any && spec->phases.count)
        return words_fail(w, at, "rate is of open streams and transactions, and there are none");
    for (unsigned i = 0; i < spec->stream_count; i++) {
        if (!stream_spec_arrives(&spec->streams[i]))
            continue;
        spec->streams[i].rate_share = reader->weights[i] / total;
        if (spec->streams[i].rate_share > 0)
            continue;
        words_fail(w, at, "stream %s has a weight of 0: it would never do anything",
                   spec->streams[i].name);
        return fail_at(reader, w, reader->lines[i], 1);
    }
    return 0;
}

int profile_finish(struct profile_reader *reader, struct words *last)
{
    struct span at = {.text = last->begin};
    if (!reader->spec->stream_count)
        return words_fail(last, at, "a profile needs at least one [stream NAME]");
    if (resolve_tells(reader, last))
        return -1;
    for (unsigned i = 0; i < reader->spec->stream_count; i++)
        if (finish_stream(reader, last, i))
            return -1;
    return share_the_rate(reader, last);
}

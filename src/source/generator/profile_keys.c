/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the keys of a profile, one row each, and contains the functions that read their values. */
#include "source/generator/internal.h"
#include <string.h>

static int read_name(struct profile_reader *reader, struct text_reader *w)
{
    if (w->rest.length >= sizeof reader->spec->name)
        return reader_fail(w, w->rest.text, "a name has at most %zu bytes",
                           sizeof reader->spec->name - 1);
    span_printable(reader->spec->name, sizeof reader->spec->name, w->rest);
    return 0;
}

static int read_about(struct profile_reader *reader, struct text_reader *w)
{
    if (w->rest.length >= sizeof reader->spec->about)
        return reader_fail(w, w->rest.text, "it is one line of at most %zu bytes",
                           sizeof reader->spec->about - 1);
    span_printable(reader->spec->about, sizeof reader->spec->about, w->rest);
    return 0;
}

static int read_rate(struct profile_reader *reader, struct text_reader *w)
{
    return words_phases(w, &reader->spec->phases);
}

static int read_kind(struct profile_reader *reader, struct text_reader *w)
{
    const char *names[STREAM_KINDS];
    for (unsigned i = 0; i < STREAM_KINDS; i++)
        names[i] = stream_kinds[i]->name;
    if (reader->seen & (reader->seen - 1))
        return reader_fail(w, w->rest.text,
                           "kind comes first in its stream: what else is possible "
                           "follows from it");
    int kind = words_find(w, w->rest, "a kind of stream", names, sizeof *names, STREAM_KINDS);
    if (kind < 0)
        return -1;
    reader->stream->kind = (enum stream_kind_id)kind;
    return 0;
}

static int read_arrival(struct profile_reader *reader, struct text_reader *w)
{
    return words_arrival(w, &reader->stream->arrival);
}

static int read_weight(struct profile_reader *reader, struct text_reader *w)
{
    return words_number(w, w->rest, "a weight", 0, 1e6,
                        &reader->weights[reader->spec->stream_count - 1]);
}

static int read_concurrency(struct profile_reader *reader, struct text_reader *w)
{
    uint64_t concurrency;
    if (words_whole(w, w->rest, "a number of requests at once", 1, 65536, &concurrency))
        return -1;
    reader->stream->concurrency = (unsigned)concurrency;
    return 0;
}

static int read_jobs(struct profile_reader *reader, struct text_reader *w)
{
    uint64_t jobs;
    if (words_whole(w, w->rest, "a number of jobs", 1, 65536, &jobs))
        return -1;
    reader->stream->jobs = (unsigned)jobs;
    return 0;
}

static int read_flow(struct profile_reader *reader, struct text_reader *w)
{
    return words_number(w, w->rest, "a weight", 0, 1e6, &reader->stream->flow);
}

static int read_think(struct profile_reader *reader, struct text_reader *w)
{
    return words_duration(w, &reader->stream->think);
}

static int read_write(struct profile_reader *reader, struct text_reader *w)
{
    return words_share(w, w->rest, &reader->stream->write_share);
}

/* Returns a reader of a part of the line. Errors in it have the columns of the whole line. */
static struct text_reader part_of(const struct text_reader *w, struct span text)
{
    struct text_reader part = *w;
    part.rest = text;
    return part;
}

static int region_of(struct text_reader *w, struct span text, double *from, double *to)
{
    char by;
    struct text_reader part = part_of(w, text);
    struct span first = reader_piece(&part, "-", &by), second = part.rest;
    if (!by)
        return reader_fail(w, text.text, "FROM-TO is expected, as in 0%%-45%%");
    if (words_share(w, first, from) || words_share(w, second, to))
        return -1;
    return *from < *to ? 0 : reader_fail(w, text.text, "the region ends before it begins");
}

static int read_region(struct profile_reader *reader, struct text_reader *w)
{
    return region_of(w, w->rest, &reader->stream->region_from, &reader->stream->region_to);
}

static int read_address(struct profile_reader *reader, struct text_reader *w)
{
    struct span all = w->rest;
    if (words_address(w, &reader->stream->address))
        return -1;
    if (reader->stream->address.kind == ADDRESS_SAME)
        return reader_fail(w, all.text, "same is possible in steps of transactions only");
    return 0;
}

static int read_sequential(struct profile_reader *reader, struct text_reader *w)
{
    return words_share(w, w->rest, &reader->stream->sequential_share);
}

static int read_size(struct profile_reader *reader, struct text_reader *w)
{
    struct span all = w->rest;
    if (words_sizes(w, reader->stream))
        return -1;
    if (reader->stream->kind == STREAM_LOG &&
        (reader->stream->size_count > 1 || reader->stream->write_size_count))
        return reader_fail(w, all.text,
                           "the size of a log is its largest write: one size is expected");
    if (reader->stream->kind == STREAM_TRANSACTION && reader->stream->write_size_count)
        return reader_fail(w, all.text,
                           "the steps of a transaction have sizes of their own: no comma is "
                           "expected");
    return 0;
}

static int read_priority(struct profile_reader *reader, struct text_reader *w)
{
    return words_priority(w, &reader->stream->priority);
}

static int read_priorities(struct profile_reader *reader, struct text_reader *w)
{
    return words_priorities(w, priority_value(PRIORITY_RT, 0, 0), reader->stream);
}

static int read_bytes(struct text_reader *w, struct span at, uint64_t min, uint32_t *bytes)
{
    uint64_t size;
    if (words_size(w, at, min, REQUEST_MAX_BYTES, &size))
        return -1;
    *bytes = (uint32_t)size;
    return 0;
}

static int read_align(struct profile_reader *reader, struct text_reader *w)
{
    return read_bytes(w, w->rest, 512, &reader->stream->align);
}

static int read_record(struct profile_reader *reader, struct text_reader *w)
{
    return read_bytes(w, w->rest, 1, &reader->stream->log_bytes_per_message);
}

/* --- steps --- */

static struct span next_word(struct text_reader *w)
{
    char by;
    w->rest = span_trimmed(w->rest);
    return reader_piece(w, " \t", &by);
}

static const char *const step_options[] = {"region", "size", "think"};

static int read_step_option(struct step_spec *step, struct text_reader *w, struct span word)
{
    int option = words_find(w, word, "an option of a step", step_options, sizeof *step_options,
                            sizeof step_options / sizeof *step_options);
    if (option < 0)
        return -1;
    struct span at = next_word(w);
    if (!at.length)
        return reader_fail(w, at.text, "the value of %s is missing", step_options[option]);
    if (option == 2) {
        struct text_reader part = part_of(w, at);
        return words_duration(&part, &step->think);
    }
    if (step->message_to >= 0 || step->address.kind == ADDRESS_SAME)
        return reader_fail(w, word.text, "%s is not possible here: only think is",
                           step_options[option]);
    return option ? read_bytes(w, at, 512, &step->bytes)
                  : region_of(w, at, &step->region_from, &step->region_to);
}

static int read_log_name(struct profile_reader *reader, struct step_spec *step,
                         struct text_reader *w)
{
    struct span name = next_word(w);
    if (!name.length)
        return reader_fail(w, name.text, "tell LOG is expected: the name of a stream of kind log");
    step->message_to = 0;
    reader->tells[reader->tell_count++] =
        (struct profile_tell){.stream = reader->spec->stream_count - 1,
                              .step = reader->stream->step_count,
                              .line = w->number,
                              .column = reader_column(w, name.text),
                              .name = name};
    return 0;
}

/* Checks that the addresses same and same:N refer to an earlier request. */
static int check_same(const struct profile_reader *reader, const struct step_spec *step,
                      struct text_reader *w, struct span at)
{
    unsigned same = (unsigned)step->address.parameter;
    bool any = false;
    for (unsigned i = 0; i < reader->stream->step_count; i++)
        any = any || (reader->stream->steps[i].message_to < 0 && (!same || same == i + 1));
    if (any)
        return 0;
    return reader_fail(w, at.text,
                       "no step before this one is such a request (steps count from 1)");
}

static const char *const step_words[] = {"read", "write", "tell"};

static int read_step(struct profile_reader *reader, struct text_reader *w)
{
    if (reader->stream->step_count == STEPS_MAX)
        return reader_fail(w, w->rest.text, "more than %d steps", STEPS_MAX);
    struct step_spec step = {.message_to = -1, .region_from = -1};
    struct span word = next_word(w);
    int action = words_find(w, word, "an action", step_words, sizeof *step_words,
                            sizeof step_words / sizeof *step_words);
    if (action < 0 || (action == 2 && read_log_name(reader, &step, w)))
        return -1;
    if (action < 2) {
        step.op = (uint8_t)action;
        struct span address = next_word(w);
        struct text_reader part = part_of(w, address);
        if (words_address(&part, &step.address))
            return -1;
        if (step.address.kind == ADDRESS_SAME && check_same(reader, &step, w, address))
            return -1;
    }
    for (word = next_word(w); word.length; word = next_word(w))
        if (read_step_option(&step, w, word))
            return -1;
    reader->stream->steps[reader->stream->step_count++] = step;
    return 0;
}

const struct profile_key profile_keys[] = {
    {"name", "NAME", "of the workload", IN_HEAD, false, read_name},
    {"about", "TEXT", "one line about it", IN_HEAD, false, read_about},
    {"rate", "RATE or RATE:TIME,...", "requests per second, where --rate_iops gives none", IN_HEAD,
     false, read_rate},
    {"kind", "open, closed, transaction or log", "what the stream does (open); comes first",
     OF_ALL_KINDS, false, read_kind},
    {"arrival", "uniform, poisson, normal[:SD], pareto[:SHAPE], burst[:N]",
     "the gaps between arrivals (poisson)", OF_ARRIVING, false, read_arrival},
    {"weight", "NUMBER", "its part of the rate is its weight over that of all (1)", OF_ARRIVING,
     false, read_weight},
    {"concurrency", "NUMBER", "requests at once (1)", OF(STREAM_CLOSED), false, read_concurrency},
    {"jobs", "NUMBER", "of --numjobs that do it, which streams take in turn (all)", OF_SHAPED,
     false, read_jobs},
    {"flow", "NUMBER", "streams with it are drawn from in these proportions (none)",
     OF(STREAM_CLOSED), false, read_flow},
    {"think", "TIME, exponential:TIME, uniform:TIME", "pause after each completion (none)",
     OF(STREAM_CLOSED), false, read_think},
    {"write", "SHARE", "of the requests that write (0%)", OF_SHAPED, false, read_write},
    {"region", "FROM-TO", "its part of the target (0%-100%)", OF_ALL_KINDS, false, read_region},
    {"address",
     "random, sequential, zipf:THETA, pareto:H, hotspot:REGION/REQUESTS, streams:N, stride:SIZE, "
     "walk[:CLIMB], zoned:REQUESTS/REGION..., strips:SIZE/GAP",
     "where requests go (random)", OF_SHAPED, false, read_address},
    {"sequential", "SHARE", "of the requests that follow on the one before instead (0%)", OF_SHAPED,
     false, read_sequential},
    {"size", "SIZE or SIZE/WEIGHT:SIZE/WEIGHT...[,those of writes]",
     "of requests (4k); of a log: its largest (64k)", OF_ALL_KINDS, false, read_size},
    {"priority", "CLASS[/LEVEL[/HINT]]", "of its requests: rt, be, idle (as --prioclass says)",
     OF_SHAPED, false, read_priority},
    {"priorities", "SIZE|any/PERCENT[/CLASS/LEVEL[/HINT]]:...[,those of writes]",
     "shares of its requests with another one (rt/0)", OF_SHAPED, false, read_priorities},
    {"align", "SIZE", "requests begin at multiples of it (their size; of a log: 4k)", OF_ALL_KINDS,
     false, read_align},
    {"step", "read|write ADDRESS [region FROM-TO] [size SIZE] [think TIME], or tell LOG",
     "what a transaction does next; ADDRESS may be same[:STEP]", OF(STREAM_TRANSACTION), true,
     read_step},
    {"record", "SIZE", "bytes that each message adds to a log's write", OF(STREAM_LOG), false,
     read_record},
};

const unsigned profile_key_count = sizeof profile_keys / sizeof *profile_keys;

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile being read. Private to src/generator. */
#ifndef CUPEL_GENERATOR_PROFILE_READER_H
#define CUPEL_GENERATOR_PROFILE_READER_H

#include "generator/words.h"

/* A step that tells a log, which may stand further down. */
struct profile_tell {
    unsigned stream, step;
    unsigned line;
    size_t column;
    struct span name;
};

#define PROFILE_TELLS_MAX (STREAMS_MAX * STEPS_MAX)

struct profile_reader {
    struct workload_spec *spec;
    struct stream_spec *stream;  /* of the section; NULL before the first */
    unsigned line;               /* from 1 */
    uint32_t seen;               /* keys of the section, by their row */
    unsigned lines[STREAMS_MAX]; /* of the sections' heads */
    double weights[STREAMS_MAX];
    struct profile_tell tells[PROFILE_TELLS_MAX];
    unsigned tell_count;
    struct fault fault;
};

/* Read the value of a key: the rest of `w`. */
typedef int profile_read_function(struct profile_reader *reader, struct words *w);

/* Where a key is possible: before the first section, or in streams of these kinds. */
#define IN_HEAD      (1u << STREAM_KINDS)
#define OF(kind)     (1u << (kind))
#define OF_ARRIVING  (OF(STREAM_OPEN) | OF(STREAM_TRANSACTION))
#define OF_SHAPED    (OF(STREAM_OPEN) | OF(STREAM_CLOSED))
#define OF_ALL_KINDS (OF(STREAM_KINDS) - 1u)

struct profile_key {
    const char *name;
    const char *form; /* of the value */
    const char *help;
    unsigned where;
    bool repeated;
    profile_read_function *read;
};

extern const struct profile_key profile_keys[];
extern const unsigned profile_key_count;

/* A new section: [stream NAME]. */
int profile_begin_stream(struct profile_reader *reader, struct words *w, struct span name);

/* After the last line: what no single line can tell, defaults, and names that are referred to. */
int profile_finish(struct profile_reader *reader, struct words *last);

#endif

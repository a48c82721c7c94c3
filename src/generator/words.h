/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading the words of a workload: pieces of a text with their place in it, so that every message
 * can say where. Private to src/generator.
 *
 * Functions that read something return 0, or -1 after saying in the text's fault where and why.
 */
#ifndef CUPEL_GENERATOR_WORDS_H
#define CUPEL_GENERATOR_WORDS_H

#include "base/span.h"
#include "generator/workload_spec.h"

struct fault {
    size_t column; /* from 1, in the text that `begin` is the first character of */
    char message[400];
};

struct words {
    const char *begin; /* of the text that columns are of */
    struct span rest;  /* still to be read */
    struct fault *fault;
};

struct words words_of(struct span text, struct fault *fault);

/* Says what is wrong at `at`, a piece of the text. Always -1. */
int words_fail(struct words *w, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The piece up to the first of `separators`, or the rest; the separator, 0 at the end, in *by.
   Both are taken out. */
struct span words_next(struct words *w, const char *separators, char *by);

bool span_is(struct span s, const char *word);

/* A table of words, as rows that begin with a const char *name: the row that is `word`, -1 with a
   message that has the nearest word or all of them. `what` is what the word should be. */
int words_find(struct words *w, struct span word, const char *what, const void *rows,
               size_t row_bytes, size_t count);

/* Numbers of one piece. `what` names it: "a rate". */
int words_number(struct words *w, struct span at, const char *what, double low, double high,
                 double *value);
int words_whole(struct words *w, struct span at, const char *what, uint64_t low, uint64_t high,
                uint64_t *value);
int words_size(struct words *w, struct span at, uint64_t low, uint64_t high, uint64_t *bytes);
int words_time(struct words *w, struct span at, uint64_t *ns);
int words_share(struct words *w, struct span at, double *share);
int words_rate(struct words *w, struct span at, double *rate); /* 500, 5k, 1.5m: per second */

/* The rest of the text as one of workload_spec.h's parts (forms: workload_spec_text.h). */
int words_arrival(struct words *w, struct arrival_spec *arrival);
int words_phases(struct words *w, struct phases *phases);
int words_duration(struct words *w, struct duration_spec *duration);
int words_address(struct words *w, struct address_spec *address);
int words_sizes(struct words *w, struct size_spec sizes[SIZES_MAX], unsigned *count);

#endif

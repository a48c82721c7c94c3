/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzing of profiles: those that are built in are damaged and read. Reading ends, a message has
 * the line and the column of something that is there, and what is read without one runs: its
 * requests stay in the region and in order.
 */
#ifndef TESTS_FUZZ_FUZZ_PROFILE_H
#define TESTS_FUZZ_FUZZ_PROFILE_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "generator/generators.h"
#include "generator/profile.h"
#include "generator/workload_spec_text.h"
#include "tests/fuzz/fuzz_text.h"

#define FUZZ_PROFILE_BYTES 8192
#define FUZZ_REGION        ((uint64_t)1 << 28)

struct fuzz_profile {
    char text[FUZZ_PROFILE_BYTES];
    size_t length;
    struct workload_spec spec;
    uint64_t accepted, refused, run;
};

/* "profile:LINE:COLUMN: ", with a column that the line has, or the one behind it. */
static inline bool fuzz_place_is_there(const struct fuzz_profile *f, const char *message)
{
    char *end;
    if (strncmp(message, "profile:", 8) != 0) {
        return false;
    }
    unsigned long line = strtoul(message + 8, &end, 10), column = 0;
    column = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
    if (line == 0 || column == 0 || strncmp(end, ": ", 2) != 0) {
        return false;
    }
    const char *at = f->text, *stop = f->text + f->length;
    for (; line > 1 && at < stop; line--) {
        const char *next = memchr(at, '\n', (size_t)(stop - at));
        at = next != NULL ? next + 1 : stop;
    }
    const char *line_end = at < stop ? memchr(at, '\n', (size_t)(stop - at)) : NULL;
    size_t length = (size_t)((line_end != NULL ? line_end : stop) - at);
    return line == 1 && column <= length + 1;
}

/* Some requests of what was read, on a target that answers at once. */
static inline bool fuzz_run(struct fuzz_profile *f, uint64_t seed)
{
    struct generators *g;
    struct generated_request r;
    struct arena arena;
    struct err e = {0};
    const struct generators_setup setup = {
        .spec = &f->spec, .region = FUZZ_REGION, .seed = seed, .copies = 3, .first = 1, .step = 3};
    if (arena_init(&arena, generators_bytes(&setup), &e) != 0) {
        return false;
    }
    bool right = true;
    if (generators_init(&g, &setup, &arena, &e) == 0) {
        uint32_t largest = workload_spec_largest(&f->spec);
        uint32_t unit = workload_spec_granularity(&f->spec);
        uint64_t now = 0;
        generators_begin(g);
        for (int i = 0; i < 500 && right; i++) {
            enum generators_state state = generators_peek(g, now, &r);
            if (state == GENERATORS_ENDED || r.due_ns == UINT64_MAX) {
                break;
            }
            now = r.due_ns > now ? r.due_ns : now;
            if (state == GENERATORS_REQUEST) {
                right = r.length > 0 && r.length <= largest && r.offset + r.length <= FUZZ_REGION &&
                        r.offset % unit == 0 && r.length % unit == 0;
                generators_take(g);
                generators_completed(g, &r, now, 0);
            }
        }
        f->run++;
    } else {
        right = e.code == ERR_USAGE && e.msg[0] != '\0';
    }
    arena_free(&arena);
    return right;
}

/* False: wrong, and said so. */
static inline bool fuzz_profile_round(struct fuzz_profile *f, uint64_t seed, uint64_t round)
{
    struct random random;
    struct err e = {0};
    size_t count = 0;
    random_seed(&random, seed, round);
    while (profile_builtins[count].name != NULL) {
        count++;
    }
    const char *text = profile_builtins[random_below(&random, count)].text;
    size_t length = strlen(text);
    length = length < sizeof f->text / 2 ? length : sizeof f->text / 2;
    memcpy(f->text, text, length);
    f->length = fuzz_text(&random, f->text, length, sizeof f->text);
    /* A copy of exactly that size, for the sanitizer to see a byte too far. */
    char *exact = malloc(f->length ? f->length : 1);
    memcpy(exact, f->text, f->length);
    int result = profile_parse(&f->spec, "profile", exact, f->length, &e);
    free(exact);
    bool right =
        result == 0 ? fuzz_run(f, seed) : e.code == ERR_USAGE && fuzz_place_is_there(f, e.msg);
    *(result == 0 ? &f->accepted : &f->refused) += 1;
    if (!right) {
        fprintf(stderr, "fuzz: wrong with seed %llu, round %llu: %s\n%.*s\n",
                (unsigned long long)seed, (unsigned long long)round,
                result == 0 ? "what it runs" : e.msg, (int)f->length, f->text);
    }
    return right;
}

/* For so long, or that round only when it is not 0. Returns 0, or 1 when something was wrong. */
static inline int fuzz_profiles(double seconds, uint64_t seed, uint64_t round)
{
    static struct fuzz_profile f;
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (round != 0) {
        return fuzz_profile_round(&f, seed, round) ? 0 : 1;
    }
    do {
        if (!fuzz_profile_round(&f, seed, ++round)) {
            return 1;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) <
             seconds);
    printf("%llu profiles with seed %llu: %llu refused, %llu read, %llu run\n",
           (unsigned long long)round, (unsigned long long)seed, (unsigned long long)f.refused,
           (unsigned long long)f.accepted, (unsigned long long)f.run);
    return f.accepted == 0 || f.refused == 0 || f.run == 0;
}

#endif

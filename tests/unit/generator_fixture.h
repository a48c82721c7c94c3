/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Generators made from a profile's text, and a simulated target: it takes a request when the
 * request is due and there is a slot, and completes it after a service time. Time is a counter.
 */
#ifndef TESTS_UNIT_GENERATOR_FIXTURE_H
#define TESTS_UNIT_GENERATOR_FIXTURE_H

#include "base/random.h"
#include "check.h"
#include "source/generator/generators.h"
#include "source/generator/profile.h"

#define SECOND ((uint64_t)1000000000)

struct generator_fixture {
    struct workload_spec spec;
    struct arena arena;
    struct generators *g;
};

/* Makes the generators in an arena of exactly the computed size. Returns generators_init's result.
 */
static inline int fixture_init(struct generator_fixture *f, const char *profile,
                               const struct generators_setup *setup, struct err *e)
{
    struct generators_setup s = *setup;
    s.spec = &f->spec;
    CHECK_INT(profile_parse(&f->spec, "profile", profile, strlen(profile), e), 0);
    CHECK_STR(e->msg, "");
    CHECK_INT(arena_init(&f->arena, generators_bytes(&s), e), 0);
    int result = generators_init(&f->g, &s, &f->arena, e);
    if (result == 0) {
        CHECK(f->arena.used <= f->arena.capacity);
        generators_begin(f->g);
    }
    return result;
}

static inline struct generator_fixture *fixture_open(const char *profile, uint64_t region,
                                                     uint64_t seed)
{
    struct generator_fixture *f = calloc(1, sizeof *f);
    struct err e = {0};
    const struct generators_setup setup = {
        .region = region, .seed = seed, .copies = 1, .first = 0, .step = 1};
    CHECK_INT(fixture_init(f, profile, &setup, &e), 0);
    CHECK_STR(e.msg, "");
    return f;
}

static inline void fixture_close(struct generator_fixture *f)
{
    arena_free(&f->arena);
    free(f);
}

#define TARGET_SLOTS_MAX 4096

struct flight {
    struct generated_request request;
    uint64_t completes_ns;
};

struct target_simulated {
    struct generators *g;
    struct random random;
    unsigned slots;
    uint64_t min_ns, spread_ns; /* service times are uniform in [min_ns, min_ns + spread_ns] */
    uint64_t now_ns;
    struct flight flights[TARGET_SLOTS_MAX];
    unsigned in_flight;
    int error_every; /* every n-th completion fails; 0: none does */
    unsigned completions;
    /* Called at each event; either may be NULL. */
    void (*issued)(void *context, const struct generated_request *request, uint64_t now_ns);
    void (*completed)(void *context, const struct generated_request *request, uint64_t now_ns,
                      int error);
    void *context;
};

static inline unsigned target_next(const struct target_simulated *t)
{
    unsigned next = 0;
    for (unsigned i = 1; i < t->in_flight; i++) {
        if (t->flights[i].completes_ns < t->flights[next].completes_ns) {
            next = i;
        }
    }
    return next;
}

static inline void target_complete(struct target_simulated *t, unsigned i)
{
    struct flight flight = t->flights[i];
    int error = t->error_every && ++t->completions % (unsigned)t->error_every == 0 ? 5 : 0;
    t->flights[i] = t->flights[--t->in_flight];
    t->now_ns = flight.completes_ns > t->now_ns ? flight.completes_ns : t->now_ns;
    if (t->completed) {
        t->completed(t->context, &flight.request, t->now_ns, error);
    }
    generators_completed(t->g, &flight.request, t->now_ns, error);
}

static inline void target_issue(struct target_simulated *t, const struct generated_request *request)
{
    generators_take(t->g);
    if (t->issued) {
        t->issued(t->context, request, t->now_ns);
    }
    uint64_t service = t->min_ns + random_below(&t->random, t->spread_ns + 1);
    t->flights[t->in_flight++] =
        (struct flight){.request = *request, .completes_ns = t->now_ns + service};
}

/* Runs until `end_ns`, or until the generators have ended. Returns false if they have. */
static inline bool target_run(struct target_simulated *t, uint64_t end_ns)
{
    while (t->now_ns < end_ns) {
        struct generated_request request;
        enum generators_state state = generators_peek(t->g, t->now_ns, &request);
        if (state == GENERATORS_ENDED) {
            CHECK_INT(t->in_flight, 0);
            return false;
        }
        bool free_slot = t->in_flight < t->slots;
        if (state == GENERATORS_REQUEST && request.due_ns <= t->now_ns && free_slot) {
            target_issue(t, &request);
            continue;
        }
        uint64_t until = state == GENERATORS_WAITING || free_slot ? request.due_ns : UINT64_MAX;
        unsigned next = target_next(t);
        if (t->in_flight && t->flights[next].completes_ns <= until) {
            target_complete(t, next);
        } else if (until == UINT64_MAX) {
            CHECK(!"nothing can happen any more");
            return false;
        } else {
            t->now_ns = until < end_ns ? until : end_ns;
        }
    }
    return true;
}

#endif

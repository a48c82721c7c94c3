/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A workload profile. A message has the line and the column of something that is there; what is
 * read without one runs: its requests stay in the region and in order.
 */
#include <string.h>

#include "source/generator/generators.h"
#include "source/generator/profile.h"
#include "source/generator/workload_spec_text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_place.h"

#define REGION   ((uint64_t)1 << 28)
#define REQUESTS 60
#define MEMORY   ((size_t)4 << 20) /* profiles that need more are not run here */

/* Runs some requests on a target that answers at once. */
static void take_requests(struct generators *g, const struct workload_spec *spec)
{
    uint32_t largest = workload_spec_largest(spec), unit = workload_spec_granularity(spec);
    uint64_t now = 0;
    generators_begin(g);
    for (int i = 0; i < REQUESTS; i++) {
        struct generated_request r;
        enum generators_state state = generators_peek(g, now, &r);
        if (state == GENERATORS_ENDED || r.due_ns == UINT64_MAX)
            return;
        now = r.due_ns > now ? r.due_ns : now;
        if (state != GENERATORS_REQUEST)
            continue;
        FUZZ_CHECK(r.length > 0 && r.length <= largest && r.offset + r.length <= REGION &&
                       r.offset % unit == 0 && r.length % unit == 0,
                   "a request outside of the region, or across its blocks");
        generators_take(g);
        generators_completed(g, &r, now, 0);
    }
}

static void run(const struct workload_spec *spec)
{
    static struct arena arena;
    struct generators *g;
    struct err e = {0};
    const struct generators_setup setup = {
        .spec = spec, .region = REGION, .seed = 1, .copies = 3, .first = 1, .step = 3};
    if (!arena.base && arena_init(&arena, MEMORY, &e))
        return;
    if (generators_bytes(&setup) > MEMORY)
        return;
    arena_reset(&arena, 0);
    if (generators_init(&g, &setup, &arena, &e) == 0)
        take_requests(g, spec);
    else
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "a workload refused without a reason");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct workload_spec spec;
    const char *text = (const char *)data;
    struct err e = {0};
    if (profile_parse(&spec, "profile", text, size, &e) == 0)
        run(&spec);
    else
        FUZZ_CHECK(e.code == ERR_USAGE && place_is_there("profile", text, size, e.msg),
                   "a profile refused without a place that is there");
    return 0;
}

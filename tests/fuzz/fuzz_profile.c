/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A workload profile. A message has the line and the column of something that is there; what is
 * read without one runs: its requests stay in the region and in order.
 */
#include <string.h>

#include "generator/generators.h"
#include "generator/profile.h"
#include "generator/workload_spec_text.h"
#include "tests/fuzz/fuzz.h"

#define REGION   ((uint64_t)1 << 28)
#define REQUESTS 60
#define MEMORY   ((size_t)4 << 20) /* more than that is not run here */

/* "profile:LINE:COLUMN: ", with a column that the line has, or the one after it. */
static bool place_is_there(const char *text, size_t size, const char *message)
{
    char *end;
    if (strncmp(message, "profile:", 8) != 0)
        return false;
    unsigned long line = strtoul(message + 8, &end, 10), column = 0;
    column = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
    if (line == 0 || column == 0 || strncmp(end, ": ", 2) != 0)
        return false;
    const char *at = text, *stop = text + size;
    for (; line > 1 && at < stop; line--) {
        const char *next = memchr(at, '\n', (size_t)(stop - at));
        at = next != NULL ? next + 1 : stop;
    }
    const char *line_end = at < stop ? memchr(at, '\n', (size_t)(stop - at)) : NULL;
    size_t length = (size_t)((line_end != NULL ? line_end : stop) - at);
    return line == 1 && column <= length + 1;
}

/* Some requests, on a target that answers at once. */
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
        FUZZ_CHECK(e.code == ERR_USAGE && place_is_there(text, size, e.msg),
                   "a profile refused without a place that is there");
    return 0;
}

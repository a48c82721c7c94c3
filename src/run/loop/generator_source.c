/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes generators a worker's source of requests (request_source.h). */
#include "run/loop/request_source.h"

static void generator_source_begin(void *state)
{
    generators_begin(state);
}

static enum source_state generator_source_peek(void *state, uint64_t now_ns,
                                               struct generated_request *next)
{
    switch (generators_peek(state, now_ns, next)) {
    case GENERATORS_REQUEST:
        return SOURCE_REQUEST;
    case GENERATORS_WAITING:
        return SOURCE_WAITING;
    default:
        return SOURCE_ENDED;
    }
}

static void generator_source_take(void *state)
{
    generators_take(state);
}

static void generator_source_completed(void *state, const struct generated_request *request,
                                       uint64_t completed_ns, int error)
{
    generators_completed(state, request, completed_ns, error);
}

static uint64_t generator_source_backlog(void *state, uint64_t now_ns, bool *at_least)
{
    return generators_backlog(state, now_ns, at_least);
}

struct request_source generator_source(struct generators *g)
{
    static const struct request_source_ops ops = {.begin = generator_source_begin,
                                                  .peek = generator_source_peek,
                                                  .take = generator_source_take,
                                                  .completed = generator_source_completed,
                                                  .backlog = generator_source_backlog};
    return (struct request_source){.ops = &ops, .state = g};
}

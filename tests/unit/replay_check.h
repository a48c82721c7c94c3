/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the tests of replay: traces made by the test, and workers that take requests from them as
   fast as they can. */
#ifndef TESTS_UNIT_REPLAY_CHECK_H
#define TESTS_UNIT_REPLAY_CHECK_H

#include "check.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

#include "io/io.h"
#include "run/replay/replay_source.h"
#include "source/trace/cupel_trace_write.h"

static char folder[] = "/tmp/cupel-replay.XXXXXX";
static char trace_path[64];

static inline void replay_folder(void)
{
    if (!mkdtemp(folder))
        exit(CHECK_SKIPPED);
    snprintf(trace_path, sizeof trace_path, "%s/trace", folder);
}

static inline void replay_folder_end(void)
{
    unlink(trace_path);
    rmdir(folder);
}

static inline struct plan replay_plan(void)
{
    struct plan plan;
    plan_init(&plan);
    snprintf(plan.replay.trace, sizeof plan.replay.trace, "%s", trace_path);
    return plan;
}

/* Writes a trace of the events in cupel's own format, with the devices that they mention. */
static inline void write_trace(const struct trace_event events[], size_t count)
{
    struct trace_writer *w = NULL;
    struct err e = {0};
    unsigned devices = 0;
    unlink(trace_path);
    if (!check_that(trace_writer_create(&w, trace_path, &e) == 0, __FILE__, __LINE__, e.msg))
        exit(1);
    for (size_t i = 0; i < count; i++) {
        for (; devices <= events[i].device; devices++) {
            char name[16];
            snprintf(name, sizeof name, "disk%u", devices);
            trace_writer_device(w, (uint16_t)devices, name, 0);
        }
        trace_writer_event(w, &events[i]);
    }
    CHECK_INT(trace_writer_close(w, &e), 0);
}

static inline void write_text(const char *text)
{
    FILE *f = fopen(trace_path, "w");
    if (!f)
        exit(1);
    fputs(text, f);
    fclose(f);
}

static inline struct replay *open_good(const struct plan *plan)
{
    struct replay *r = NULL;
    struct err e = {0};
    if (!check_that(replay_open(&r, plan, NULL, &e) == 0, __FILE__, __LINE__, e.msg))
        exit(1);
    return r;
}

static inline void open_refused(const struct plan *plan, const char *words)
{
    struct replay *r = NULL;
    struct err e = {0};
    CHECK_INT(replay_open(&r, plan, NULL, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(r == NULL);
    if (!check_that(strstr(e.msg, words) != NULL, __FILE__, __LINE__, words))
        fprintf(stderr, "    message: %s\n", e.msg);
}

static inline void start_one(struct replay *r, uint64_t target_size, unsigned workers,
                             const struct replay_observer *observer)
{
    struct replay_targets targets = {.sizes = &target_size, .count = 1, .block = 512};
    struct err e = {0};
    if (!check_that(replay_start(r, &targets, workers, observer, &e) == 0, __FILE__, __LINE__,
                    e.msg))
        exit(1);
}

static inline void pause_ns(long ns)
{
    struct timespec t = {.tv_nsec = ns};
    nanosleep(&t, NULL);
}

/* Takes a worker's next request, waiting for the reader as a worker does. Returns false at the end.
 */
static inline bool next_request(struct request_source source, struct generated_request *next)
{
    for (;;) {
        switch (source.ops->peek(source.state, 0, next)) {
        case SOURCE_REQUEST:
            source.ops->take(source.state);
            return true;
        case SOURCE_ENDED:
            return false;
        case SOURCE_WAITING:
            pause_ns(100000);
            break;
        }
    }
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A part of a session is a feature with everything that it does in the course of a session: a
 * constant struct beside its code. The list of parts is SESSION_PART_ROWS; parts begin in its order
 * and end in the reverse order.
 */
#ifndef CUPEL_RUN_SESSION_PART_H
#define CUPEL_RUN_SESSION_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct session;
struct batch;
struct group_setup;
struct io_setup;
struct round_outcome;
struct target_request;

/* The preparation goes through these instants. At each of them all parts are called before the next
   one is reached. */
enum session_instant {
    AT_PLAN,    /* only the plan is known; the target has not been touched */
    AT_TARGET,  /* target, region and backend are known; nothing has been written */
    AT_MACHINE, /* the data path and the number of workers are known; nothing has been written */
    AT_BEGIN,   /* all targets are accepted, so the machine's settings may be changed */
    AT_WORKERS, /* the workers wait for their first round */
    SESSION_INSTANTS
};

enum session_event {
    ON_START,   /* everything is ready; how it is measured is recorded as facts */
    ON_LOOK,    /* often, also while something is prepared or waited for; takes microseconds */
    ON_MEASURE, /* trial rounds are over, and the first measured round is the next */
    ON_PAUSE,   /* in measured rounds, by the thread that collects */
    ON_BETWEEN, /* between two measured rounds */
    /* after the last round: further rounds measure what something costs; not called if other
       sessions run at the same time */
    ON_COMPARE,
    ON_REPORT, /* everything has been measured; how it was measured is recorded as facts */
    SESSION_EVENTS
};

/* A part of a session. Functions that the part does not need are NULL. */
struct session_part {
    size_t bytes; /* size of the part's state, which is zero at first (session_own) */
    /* Returns -1 if nothing can be measured. */
    int (*prepare[SESSION_INSTANTS])(struct session *s, struct err *e);
    /* Adds what this part needs of the target, before it is opened. */
    void (*ask)(const struct session *s, struct target_request *request);
    /* Adds what this part needs of a backend that is chosen by a trial. */
    void (*ask_backend)(const struct session *s, struct io_setup *setup);
    /* Adds what the workers need of this part, before they are made. */
    void (*set_up)(struct session *s, struct group_setup *setup);
    void (*on[SESSION_EVENTS])(struct session *s);
    /* Three functions: called at the begin of a measured round, for each of its batches, and at its
       end. */
    void (*begin_round)(struct session *s);
    void (*batch)(struct session *s, const struct batch *batch);
    void (*end_round)(struct session *s, const struct round_outcome *outcome);
    /* Returns the seconds that the part's ON_COMPARE takes after a precise result. */
    double (*compare_seconds)(const struct session *s);

    /* Returns the reason why other workers cannot issue the same requests again; NULL: they can. */
    const char *(*why_once)(const struct session *s);

    /*
     * The end. `after` is called when everything has been measured, and adds what there is to
     * report; `end` releases everything, also if nothing was measured. If the part has functions of
     * `prepare`, both are called only if one of them was called, successful or not.
     *
     * With `of_workers`, the workers use what the part has: `after` is called only once they have
     * ended, and not if they were never started. If they wait for I/O that does not come back,
     * `stuck` is called in its place, and `end` is not called.
     */
    bool of_workers;
    void (*after)(struct session *s);
    void (*stuck)(struct session *s);
    void (*end)(struct session *s);
};

/* The list of parts (session.c): SESSION_PART_x is the index of part_x. */
#define SESSION_PART_ROWS(ROW)                                                                     \
    ROW(PROGRESS, progress)                                                                        \
    ROW(RECORD, record)                                                                            \
    ROW(CLOCK, clock)                                                                              \
    ROW(METHOD, method)                                                                            \
    ROW(MEMORY, memory)                                                                            \
    ROW(TARGET, target)                                                                            \
    ROW(HISTORY, history)                                                                          \
    ROW(LOAD, load)                                                                                \
    ROW(KERNEL_LOG, kernel_log)                                                                    \
    ROW(VERIFY, verify)                                                                            \
    ROW(WATCH, watch)                                                                              \
    ROW(KNOBS, knobs)                                                                              \
    ROW(SOURCE, source)                                                                            \
    ROW(OWN_COST, own_cost)                                                                        \
    ROW(BLOCK_LAYER, block_layer)                                                                  \
    ROW(TRACE, trace)                                                                              \
    ROW(WRITE_MODES, write_modes)                                                                  \
    ROW(TRIMS, trims)                                                                              \
    ROW(FILE_SIZE, file_size)                                                                      \
    ROW(ZONES, zones)                                                                              \
    ROW(ATOMIC, atomic)                                                                            \
    ROW(FILES, files)                                                                              \
    ROW(NETWORK, network)                                                                          \
    ROW(DATA, data)                                                                                \
    ROW(BACKEND, backend)                                                                          \
    ROW(WRITEBACK, writeback)                                                                      \
    ROW(MEETING, meeting)                                                                          \
    ROW(COMMON_END, common_end)                                                                    \
    ROW(WORKERS, workers)

enum session_part_index {
#define ROW(upper, lower) SESSION_PART_##upper,
    SESSION_PART_ROWS(ROW)
#undef ROW
        SESSION_PARTS
};

#define ROW(upper, lower) extern const struct session_part part_##lower;
SESSION_PART_ROWS(ROW)
#undef ROW

/*
 * session_parts.c: loops over the list of parts. They get the list from the session and name no
 * part, so that the code of a part may call them.
 */
size_t session_parts_bytes(const struct session_part *const list[SESSION_PARTS]); /* all states */
/* Gives the session its parts, and each part its state in `memory`, which is zeroed and as large as
   session_parts_bytes returns. */
void session_parts_attach(struct session *s, const struct session_part *const list[SESSION_PARTS],
                          void *memory);
int session_parts_prepare(struct session *s, enum session_instant at, struct err *e);
/* Calls a function of each part that has it, in the order of the list. */
#define SESSION_PARTS_CALL(s, function, ...)                                                       \
    for (size_t i_ = 0; i_ < SESSION_PARTS; i_++)                                                  \
        if ((s)->parts[i_]->function)                                                              \
    (s)->parts[i_]->function(__VA_ARGS__)
void session_parts_call(struct session *s, enum session_event on);
double session_parts_compare_seconds(const struct session *s);
/* returns the reason of the first part that has one, or NULL */
const char *session_parts_why_once(const struct session *s);
/* Ends the parts, the last one first: calls `after` of all parts if something was measured, then
   `end` of all. */
void session_parts_end(struct session *s, bool measured);

#endif

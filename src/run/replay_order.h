/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replay that keeps dependencies (--closed): when the next request of each process is due.
 *
 * The rule, for each process of the trace (a device, where the trace tells no processes): a request
 * depends on those before it that had completed when it was issued. It is due its original think
 * time after the last of these completes in the replay, the think time being the gap between the
 * last of these completions and its issue in the trace, divided by the speed. Requests that were in
 * flight together depend on nothing of each other and keep their overlap: where nothing has
 * completed since the request before it, a request is due the original gap after that one was due.
 * No request is due before one that stood before it in the trace. So a process keeps its order, its
 * queue depth and its think times, and the target's speed decides the rest.
 *
 * Where the trace does not tell how long a request took, it counts as completed at its issue: such
 * requests follow each other one by one, each the original gap after the completion of the one
 * before. The first request of a process is due at its own time in the trace.
 *
 * Tables are of fixed size. When all entries are in use, or more processes active than there are
 * slots, nothing can be added until requests complete. A process whose slot was taken by another
 * while it was idle counts as a new one when it comes again.
 *
 * Pure, no clock; times are ns, of the trace or since the replay's begin. One thread; the worker's.
 */
#ifndef CUPEL_RUN_REPLAY_ORDER_H
#define CUPEL_RUN_REPLAY_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "generator/generators.h"

/* A request as the reader of the trace hands it on: an event, or a part of a long one. */
struct replay_entry {
    uint64_t time_ns; /* when it was issued: in the trace; where times are kept, in the replay */
    uint64_t end_ns;  /* when it had completed, in the trace; time_ns where that is not told */
    uint64_t offset;  /* bytes */
    uint32_t length;
    uint32_t process; /* who waits for it: any number that tells processes apart */
    uint32_t event;   /* of which event it is a part: parts do not wait for each other */
    uint8_t op;       /* enum io_op */
};

struct replay_order;

size_t replay_order_bytes(unsigned entries, unsigned processes);

/* `speed` 0: nobody thinks. NULL: the arena is used up. */
struct replay_order *replay_order_new(unsigned entries, unsigned processes, double speed,
                                      struct arena *arena);

/* Entries come in the order of the trace. False: there is no room; the same one is to come again,
   before any other, after a completion. */
bool replay_order_add(struct replay_order *o, const struct replay_entry *entry);

/* The earliest request whose instant is known; false: there is none now. Its tag is for completed.
 */
bool replay_order_peek(const struct replay_order *o, struct generated_request *next);
void replay_order_take(struct replay_order *o);
void replay_order_completed(struct replay_order *o, uint64_t tag, uint64_t completed_ns);

/* Entries added and not taken. */
unsigned replay_order_waiting(const struct replay_order *o);

/* Requests due by now_ns and not taken, as far as their instants are known. */
uint64_t replay_order_backlog(const struct replay_order *o, uint64_t now_ns);

#endif

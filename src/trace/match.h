/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the stages of a request, as the kernel's block layer tells them, to one event: it is asked
 * for (queue), given to the driver (issue), done (complete). Bios that were merged into one request
 * are done when it is; what was split is done when its last part is. The response time runs from
 * the last issue of the first part to the completion.
 *
 * Events come out in the order they were asked for. One whose completion never comes waits until
 * MATCH_REQUESTS further ones were asked for, and then has no response time; so memory is bounded.
 * Owner: match_create, then match_free. One thread at a time.
 */
#ifndef CUPEL_TRACE_MATCH_H
#define CUPEL_TRACE_MATCH_H

#include <stdbool.h>

#include "trace/trace.h"

#define MATCH_REQUESTS 65536

/* A record before it is matched is a trace_event with its stage in response_ns. */
enum match_stage { MATCH_QUEUE, MATCH_ISSUE, MATCH_COMPLETE };
#define MATCH_STAGE       3u /* the bits of the stage */
#define MATCH_FLUSH_FIRST 4u /* the device's cache is flushed before it: a flush of its own */

struct match;

struct match *match_create(void); /* NULL: no memory */
void match_free(struct match *m);

/* False: a completion whose request nobody saw. There is room after match_give returned false. */
bool match_take(struct match *m, const struct trace_event *record);

/* The next event when it is done, or when it must make room, or in any case when `all`. */
bool match_give(struct match *m, struct trace_event *event, bool all);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The window in which events are put in order of time: those of equal times stay in the order they
 * came in. Nearly all traces are sorted nearly everywhere, so events that are not earlier than the
 * one before wait in a queue, and only the others in a heap.
 *
 * Owner: window_create, then window_free. One thread at a time.
 */
#ifndef CUPEL_TRACE_WINDOW_H
#define CUPEL_TRACE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/trace.h"

#define WINDOW_EVENTS 65536

struct window;

struct window *window_create(void); /* NULL: no memory */
void window_free(struct window *w);

bool window_is_full(const struct window *w);
void window_push(struct window *w, const struct trace_event *event); /* it is not full */
bool window_pop(struct window *w, struct trace_event *event);        /* false: it is empty */

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The I/O system calls of a recording: begin and end put together, and told apart by what the
   descriptor stands for. */
#ifndef CUPEL_RUN_APPLICATION_CALLS_H
#define CUPEL_RUN_APPLICATION_CALLS_H

#include "run/application_state.h"

void calls_event(struct recording *r, const struct tracepoint_event *event);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The block layer's events of a recording, put together to requests with their response times. */
#ifndef CUPEL_RUN_APPLICATION_BLOCKS_H
#define CUPEL_RUN_APPLICATION_BLOCKS_H

#include "run/application_state.h"

/* What is asked of the kernel: requests[0..*count) for a program (device NULL) or one device. The
   filter's text is the caller's and must live as long as they. */
void blocks_requests(const struct device_named *device, char filter[], size_t filter_size,
                     struct tracepoint_request requests[], size_t *count);

/* Find the events' fields, once they are open. */
void blocks_fields(struct recording *r);

void blocks_event(struct recording *r, const struct tracepoint_event *event);

#endif

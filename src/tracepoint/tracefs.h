/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's list of tracepoints, tracefs: where it is mounted, or an instance of our own that no
 * other process sees and that goes when its descriptor is closed.
 */
#ifndef CUPEL_TRACEPOINT_TRACEFS_H
#define CUPEL_TRACEPOINT_TRACEFS_H

#include <stddef.h>

#include "base/err.h"

/* Who may record, for messages. */
#define TRACEPOINT_PERMISSION "root may, or who has CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH"

/* The folder's descriptor, which the caller closes, or -1. `folder` NULL: it is looked for.
   ERR_MACHINE: there is none, or it may not be read. */
int tracefs_open(const char *folder, struct err *e);

/* The text of events/SYSTEM/NAME/format, ended by '\0'. ERR_MACHINE: there is no such tracepoint,
   or it may not be read. */
int tracefs_read_format(int tracefs, const char *system, const char *name, char *text, size_t size,
                        struct err *e);

#endif

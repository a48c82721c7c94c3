/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats of traces, one row each, and which of them a file has. */
#ifndef CUPEL_TRACE_FORMATS_H
#define CUPEL_TRACE_FORMATS_H

#include "trace/reader.h"

extern const struct trace_format *const trace_formats[];
extern const size_t trace_format_count;

/* By its first bytes, or `name` where that is given. ERR_USAGE with the known ones. */
const struct trace_format *trace_format_of(const struct input *in, const char *name, struct err *e);

#endif

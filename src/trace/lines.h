/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces that are texts: line by line, with what is wrong counted. */
#ifndef CUPEL_TRACE_LINES_H
#define CUPEL_TRACE_LINES_H

#include "trace/reader.h"

#define LINE_MOST 4096 /* bytes; what is longer is no line of a trace */

/* The next event of the text: struct trace_format.next. */
int lines_next(struct trace *t, struct trace_event *event);

/* The next line without its end: 1, 0 at the end, -1 with the error in t->fault. */
int lines_read(struct trace *t, struct span *line);

/* How many whole lines of the text's beginning are events of the format; 0 when most are none. */
unsigned lines_recognise(const struct trace_format *format, const unsigned char *head,
                         size_t length);

#endif

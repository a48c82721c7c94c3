/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes cupel's own trace format: compact, with a checksum for each piece, readable up to the last
 * whole piece and around damage (layout: tables/cupel_trace.h).
 *
 * Owner: the caller of trace_writer_create closes the writer; one thread at a time. Events may be
 * out of order as far as a reader's window of 65,536 events can sort them. The error of a failed
 * write (disk full) is kept, and later events are dropped and counted.
 */
#ifndef CUPEL_SOURCE_TRACE_TRACE_WRITE_H
#define CUPEL_SOURCE_TRACE_TRACE_WRITE_H

#include "source/trace/trace.h"

struct trace_writer;

/* "-" is standard output. ERR_USAGE: the file exists or cannot be created. */
int trace_writer_create(struct trace_writer **w, const char *path, struct err *e);

/* Names a device or file before its first event. `device` counts from 0. */
void trace_writer_device(struct trace_writer *w, uint16_t device, const char *name, uint64_t size);

/* Adds a line of text about the recording (the command, the kernel, losses), which readers show. */
void trace_writer_note(struct trace_writer *w, const char *text);

/*
 * Records the host, and its wall clock at an instant of the trace with the bound of its error, or
 * CLOCK_ERROR_UNKNOWN. Call it once at the begin and once at the end, so that the drift of the
 * clocks is known.
 */
void trace_writer_host(struct trace_writer *w, const struct host_identity *host);
void trace_writer_clock(struct trace_writer *w, const struct trace_clock *clock);

/* Records an attempt that moved no bytes, or the part that it did not move: it is not an event, but
   counts in BPS. Time, response, length and operation of `attempt` are kept. */
void trace_writer_attempt(struct trace_writer *w, const struct trace_event *attempt);

void trace_writer_event(struct trace_writer *w, const struct trace_event *event);
void trace_writer_lost(struct trace_writer *w, uint64_t events); /* events that were not captured */

/* Returns the number of events in the pieces that were written so far, which a reader finds. Any
   thread may call it, even while a write hangs. */
uint64_t trace_writer_kept(const struct trace_writer *w);

/* Writes the events that came so far. */
void trace_writer_flush(struct trace_writer *w);

/* Removes the file before it is closed, if its name still refers to it. Does nothing for standard
   output. */
void trace_writer_remove(const struct trace_writer *w);

/* Flushes and closes the file. Returns -1 with the first error of any write: the file then holds
   what was written before. */
int trace_writer_close(struct trace_writer *w, struct err *e);

#endif

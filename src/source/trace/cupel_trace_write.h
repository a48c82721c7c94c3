/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes cupel's own trace format: compact, with a checksum for each chunk. A file that was cut
 * off can be read up to its last whole chunk; damaged chunks are skipped (layout:
 * tables/cupel_trace.h).
 *
 * The caller of trace_writer_create closes the writer with trace_writer_close. One thread at a
 * time. Events may be out of order as far as a reader's window of 65,536 events can sort them.
 * After a failed write (disk full) the error is kept, and later events are dropped and counted.
 */
#ifndef CUPEL_SOURCE_TRACE_CUPEL_TRACE_WRITE_H
#define CUPEL_SOURCE_TRACE_CUPEL_TRACE_WRITE_H

#include "source/trace/trace.h"

struct trace_writer;

/* Creates the file of a trace; "-" is standard output. ERR_USAGE: the file exists or cannot be
   created. */
int trace_writer_create(struct trace_writer **w, const char *path, struct err *e);

/* Sets the name of a device or file, before its first event. `device` counts from 0. */
void trace_writer_device(struct trace_writer *w, uint16_t device, const char *name, uint64_t size);

/* Adds a line of text about the recording (the command, the kernel, losses), which readers show. */
void trace_writer_note(struct trace_writer *w, const char *text);

/*
 * trace_writer_host records the host. trace_writer_clock records the host's wall clock at an
 * instant of the trace, with the bound of the clock's error or CLOCK_ERROR_UNKNOWN. Call
 * trace_writer_clock once at the beginning and once at the end, so that the drift of the clocks is
 * known.
 */
void trace_writer_host(struct trace_writer *w, const struct host_identity *host);
void trace_writer_clock(struct trace_writer *w, const struct trace_clock *clock);

/* Records an attempt: a call that moved no bytes, or the bytes of a short call that were not moved.
   It is not an event, but counts in BPS. Time, response, length and operation of `attempt` are
   stored.
   */
void trace_writer_attempt(struct trace_writer *w, const struct trace_event *attempt);

void trace_writer_event(struct trace_writer *w, const struct trace_event *event);
/* number of events that were not captured */
void trace_writer_lost(struct trace_writer *w, uint64_t events);

/* Returns the number of events in the chunks that were written so far, which a reader can find. Any
   thread may call it, even while a write hangs. */
uint64_t trace_writer_kept(const struct trace_writer *w);

/* Writes the events that were added so far to the file. */
void trace_writer_flush(struct trace_writer *w);

/* Removes the file before it is closed, if its name still leads to this file. Does nothing for
   standard output. */
void trace_writer_remove(const struct trace_writer *w);

/* Flushes and closes the file. Returns -1 with the first error of any write. In this case the file
   contains the events that were written before the error. */
int trace_writer_close(struct trace_writer *w, struct err *e);

#endif

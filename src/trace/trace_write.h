/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cupel's own trace format, written: compact, checksummed piece by piece, readable up to the last
 * whole piece and around damage (layout: tables/cupel_trace.h).
 *
 * Owner: who made the writer closes it; one thread at a time. Events come in any order of time that
 * a reader's window of 65,536 events can put right. A write that fails (disk full) is kept in
 * `error`, and later events are dropped and counted.
 */
#ifndef CUPEL_TRACE_TRACE_WRITE_H
#define CUPEL_TRACE_TRACE_WRITE_H

#include "trace/trace.h"

struct trace_writer;

/* "-" is standard output. ERR_USAGE when the file exists or cannot be made. */
int trace_writer_create(struct trace_writer **w, const char *path, struct err *e);

/* Say what a device or file is called before its first event. `device` counts from 0. */
void trace_writer_device(struct trace_writer *w, uint16_t device, const char *name, uint64_t size);

/* A line of text about the recording (the command, the kernel, losses), shown by readers. */
void trace_writer_note(struct trace_writer *w, const char *text);

/* Where it was recorded, and what its wall clock showed at an instant of the trace; the error's
   bound, or CLOCK_ERROR_UNKNOWN. Once at the begin and once at the end, so that what the clocks
   drifted apart in between is known. */
void trace_writer_host(struct trace_writer *w, const struct host_identity *host);
void trace_writer_clock(struct trace_writer *w, const struct trace_clock *clock);

/* An attempt that moved nothing, or the part of one that it did not move: no event, but it counts
   in BPS. Of `attempt` time, response, length and operation are kept. */
void trace_writer_attempt(struct trace_writer *w, const struct trace_event *attempt);

void trace_writer_event(struct trace_writer *w, const struct trace_event *event);
void trace_writer_lost(struct trace_writer *w, uint64_t events); /* that nobody saw */

/* Events in the pieces that were written so far: what a reader finds. Any thread may ask, also
   while a write hangs. */
uint64_t trace_writer_kept(const struct trace_writer *w);

/* Write what came so far. */
void trace_writer_flush(struct trace_writer *w);

/* Remove the file, if its name still leads to it, before it is closed. Not standard output. */
void trace_writer_remove(const struct trace_writer *w);

/* Flush and close. -1 with the first error of any write: the file then holds what came before. */
int trace_writer_close(struct trace_writer *w, struct err *e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recording is made of, for the files that work on it. Everything is allocated before it
   begins. */
#ifndef CUPEL_RUN_APPLICATION_STATE_H
#define CUPEL_RUN_APPLICATION_STATE_H

#include "run/application.h"
#include "run/application_child.h"
#include "run/application_devices.h"
#include "run/application_files.h"
#include "run/application_flight.h"
#include "trace/trace_write.h"

#define CALLS_IN_FLIGHT    65536 /* of threads and of io_uring */
#define REQUESTS_IN_FLIGHT 65536
#define SUBMITTERS         16384 /* a power of two */
#define PROCESSES_MOST     16384 /* a power of two */

/* Which process handed in a request that is not issued yet: another thread may issue it. The last
   one of its place in the table is kept. */
struct submitter {
    uint64_t sector;
    int row;
    uint32_t process; /* 0: none */
};

/* Where the fields of the block events lie. */
struct block_fields {
    struct tracepoint_field device, sector, sectors, error, kind;
};

/* I/O that is not counted, and why. */
struct uncounted {
    uint64_t calls[FILE_CLASSES], bytes[FILE_CLASSES];
    uint64_t end_of_file;   /* reads that found nothing more: they count in BPS only */
    uint64_t asked_unknown; /* I/Os that count in BPS with what they moved */
    uint64_t ring_requests; /* handed to io_uring ... */
    uint64_t ring_seen;     /* ... and counted: reads, writes and flushes */
    uint64_t aio_requests;  /* handed to io_submit */
    uint64_t writing_maps;  /* of files into memory, shared and writable ... */
    uint64_t reading_maps;  /* ... and shared for reading */
    uint64_t foreign;       /* calls of 32-bit programs */
    uint64_t unmatched;     /* an end without its begin, or the other way */
    uint64_t crowded;       /* too many in flight at a time */
};

struct recording {
    const struct application_plan *plan;
    struct device_named device; /* of plan->device */
    struct arena arena;
    size_t buffer_bytes;
    struct tracepoints *tracepoints;
    struct io_calls *io_calls;
    struct tracepoint_request requests[TRACEPOINT_REQUESTS_MAX];
    size_t request_count;
    char filter[128];
    struct block_fields fields[TRACEPOINT_REQUESTS_MAX];
    struct child child;
    int signals; /* a descriptor that signals are read from */
    sigset_t mask_before;

    struct level calls;
    struct level device_levels[APPLICATION_DEVICES_MAX];
    struct devices devices;
    struct files files;
    struct series series;
    struct flight_table calls_in_flight, requests_in_flight;
    struct submitter *submitters;
    uint32_t *processes; /* a hash set; 0 is an empty place */
    uint64_t process_count;
    struct uncounted uncounted;

    struct trace_writer *trace;
    uint16_t trace_devices; /* how many it knows */
    uint64_t trace_events;
    struct err trace_fault;

    uint64_t begin_ns, end_ns, events, lost;
    bool interrupted;
    uint64_t signalled_ns; /* when the first signal came */
    bool sees_rings;       /* requests of io_uring one by one */
    bool left_running;     /* a second signal: the program was not waited for */

    struct histogram all; /* scratch of the result */
    double iops[SERIES_SLICES], bandwidth[SERIES_SLICES];
    double edges[HISTOGRAM_BUCKETS + 1];
    uint64_t counts[2][HISTOGRAM_BUCKETS];
    struct application application;
};

/* application.c: all memory that a recording works in. ERR_MACHINE. */
int recording_reserve(struct recording *r, struct err *e);

/* application_trace.c: the trace that is written, if one was asked for. */
enum { TRACE_IO_DURABLE = 1, TRACE_IO_FOREIGN = 2 }; /* marks */
uint16_t trace_number_of(struct recording *r, uint16_t *known, const char *name, uint64_t size);
void trace_io(struct recording *r, uint16_t number, const struct level_io *io, uint64_t offset,
              uint32_t process, enum trace_level level, unsigned marks);
void trace_finish(struct recording *r); /* a fault is kept in trace_fault */

/* application_result.c: everything that was added up, as it is reported. */
void recording_report(struct recording *r);

/* application_notes.c: warnings and notes; and how it was recorded, once the trace is written. */
void recording_note(struct recording *r);
void recording_describe(struct recording *r);

#endif

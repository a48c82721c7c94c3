/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combines events of the block layer to requests: submitted, merged, issued to the device,
   completed. */
#include "program/observe/internal.h"

#include <stdio.h>
#include <string.h>

enum { SECTOR = 512 };

enum role { ROLE_ISSUE, ROLE_COMPLETE, ROLE_SUBMIT, ROLE_MERGE };

/* The events of devices with a request queue, and the events of devices that bios pass through
   unchanged (md, zram). */
static const struct {
    const char *name;
    enum role role;
    bool optional;
} request_rows[] =
    {
        {"block_rq_issue", ROLE_ISSUE, false},     {"block_rq_complete", ROLE_COMPLETE, false},
        {"block_bio_backmerge", ROLE_MERGE, true}, {"block_bio_frontmerge", ROLE_MERGE, true},
        {"block_rq_merge", ROLE_MERGE, true},      {"block_getrq", ROLE_SUBMIT, true},
},
  bio_rows[] = {
      {"block_bio_queue", ROLE_ISSUE, false},
      {"block_bio_complete", ROLE_COMPLETE, false},
};

static bool by_bio(const struct recorder *r)
{
    return r->plan->device && !r->device.has_requests;
}

void blocks_requests(const struct device_named *device, char filter[], size_t filter_size,
                     struct tracepoint_request requests[], size_t *count)
{
    *count = 0;
    /* events of devices without a queue have partition numbers, too */
    if (device && !device->has_requests) {
        for (size_t i = 0; i < sizeof bio_rows / sizeof *bio_rows; i++)
            requests[(*count)++] =
                (struct tracepoint_request){.system = "block", .name = bio_rows[i].name};
        return;
    }
    if (device)
        snprintf(filter, filter_size, "dev == %u", device->disk);
    size_t rows = sizeof request_rows / sizeof *request_rows;
    for (size_t i = 0; i < rows; i++) {
        bool whole = request_rows[i].role == ROLE_ISSUE || request_rows[i].role == ROLE_COMPLETE;
        if (device && request_rows[i].role == ROLE_SUBMIT)
            continue; /* the submitting process matters only for a program */
        requests[(*count)++] =
            (struct tracepoint_request){.system = "block",
                                        .name = request_rows[i].name,
                                        .optional = request_rows[i].optional,
                                        .filter = device && whole ? filter : NULL};
    }
}

void blocks_fields(struct recorder *r)
{
    for (unsigned i = 0; i < r->request_count; i++)
        r->fields[i] = (struct block_fields){
            .device = tracepoint_field(r->tracepoints, i, "dev"),
            .sector = tracepoint_field(r->tracepoints, i, "sector"),
            .sectors = tracepoint_field(r->tracepoints, i, "nr_sector"),
            .error = tracepoint_field(r->tracepoints, i, "error"),
            .kind = tracepoint_field(r->tracepoints, i, "rwbs"),
        };
}

/* The fields of an event of the block layer. */
struct block_event {
    int row; /* row of the device */
    uint64_t sector, sectors, error;
    char kind[12]; /* the kernel's letters for the request, such as "WS" (blk_fill_rwbs) */
};

/* Finds the operation of a request. Returns false if the command is not an I/O. A leading F asks
   for a flush before the operation; an F alone is a flush. */
static bool op_of(const char *kind, enum recording_op *op)
{
    const char *letter = kind[0] == 'F' && strchr("WDR", kind[1]) && kind[1] ? kind + 1 : kind;
    switch (*letter) {
    case 'R':
        *op = RECORDING_READ;
        return true;
    case 'W':
        *op = RECORDING_WRITE;
        return true;
    case 'D':
        *op = RECORDING_DISCARD;
        return true;
    case 'F':
        *op = RECORDING_FLUSH;
        return true;
    default:
        return false;
    }
}

/* Returns true if the event is to be recorded. If the user named a partition, only events within it
   are. */
static bool is_wanted(const struct recorder *r, const struct block_event *b)
{
    return !r->plan->device || b->sectors == 0 ||
           (b->sector >= r->device.begin && b->sector < r->device.end);
}

/* Returns the key of the flight to which an event belongs. When a bio completes, its sector has
   advanced to its end; the sector of a request has not. */
static uint64_t key_of(const struct recorder *r, const struct block_event *b)
{
    uint64_t sector = by_bio(r) ? b->sector + b->sectors : b->sector;
    return (uint64_t)(b->row + 1) << 56 | (sector & ((1ull << 56) - 1));
}

static struct submitter *submitter_of(struct recorder *r, uint64_t sector)
{
    return &r->submitters[(size_t)((sector * 0x9e3779b97f4a7c15u) >> 40) & (SUBMITTERS - 1)];
}

static void issued(struct recorder *r, const struct block_event *b,
                   const struct tracepoint_event *event)
{
    enum recording_op op;
    if (!op_of(b->kind, &op) || !is_wanted(r, b))
        return;
    if (b->sectors == 0)
        op = RECORDING_FLUSH; /* a write without data is only the flush that comes before it */
    bool again = flight_find(&r->requests_in_flight, key_of(r, b)) != NULL;
    struct flight *f = flight_begin(&r->requests_in_flight, key_of(r, b));
    if (!f) {
        r->uncounted.crowded++;
        return;
    }
    struct device *device = &r->devices.rows[b->row];
    f->begin_ns = event->time_ns;
    f->offset = op == RECORDING_FLUSH ? 0 : b->sector * SECTOR - device->begin;
    f->asked = b->sectors * SECTOR;
    f->process = event->process;
    f->op = (uint8_t)op;
    /* The thread that issues a request may not be the one that submitted it. */
    const struct submitter *s = submitter_of(r, b->sector);
    bool known = s->process && s->row == b->row && s->sector == b->sector;
    f->own = !r->plan->device && processes_have(r, known ? s->process : event->process);
    /* an F after the operation stands for force unit access */
    const char *letters = strpbrk(b->kind, "WD");
    f->durable = letters && strchr(letters, 'F');
    if (!again)
        level_begin(device->level);
}

static void completed(struct recorder *r, const struct block_event *b, uint64_t end_ns)
{
    enum recording_op op;
    struct flight *f = flight_find(&r->requests_in_flight, key_of(r, b));
    if (!f) {
        if (op_of(b->kind, &op) && is_wanted(r, b))
            r->uncounted.unmatched++;
        /* the request was usually issued before the recording began; lost events are reported */
        return;
    }
    bool in_part = b->sectors > 0 && b->sectors * SECTOR < f->asked;
    if (in_part && b->error == 0 && !by_bio(r)) {
        /* The incomplete part of the request continues under the sector at which it begins. */
        struct flight rest = *f;
        struct block_event after = *b;
        flight_remove(&r->requests_in_flight, f);
        after.sector += b->sectors;
        rest.key = key_of(r, &after);
        rest.asked -= b->sectors * SECTOR;
        rest.done += b->sectors * SECTOR;
        f = flight_begin(&r->requests_in_flight, rest.key);
        if (f)
            *f = rest;
        return;
    }

    struct device *device = &r->devices.rows[b->row];
    bool failed = (int64_t)b->error < 0;
    struct level_io io = {.op = (enum recording_op)f->op,
                          .begin_ns = f->begin_ns,
                          .end_ns = end_ns,
                          .asked = f->op == RECORDING_DISCARD ? 0 : f->done + f->asked,
                          .moved = f->done + (failed ? 0 : f->asked),
                          .failed = failed};
    level_leave(device->level);
    level_add(device->level, &io);
    if (f->own) {
        device->level->own_count++;
        device->level->own_bytes += io.moved;
    }
    if (r->plan->device) {
        series_add(&r->series, f->begin_ns, io.moved);
        stretches_add(&r->stretches, &io);
    }
    if (r->trace) {
        unsigned marks = f->durable ? TRACE_IO_DURABLE : 0;
        if (!r->plan->device && !f->own)
            marks |= TRACE_IO_FOREIGN;
        /* the whole requested length, also for a discard and a failed request */
        io.asked = io.moved = f->done + f->asked;
        trace_io(r, trace_number_of(r, &device->trace, device->name, device->size), &io, f->offset,
                 f->process, TRACE_BLOCK, marks);
    }
    flight_remove(&r->requests_in_flight, f);
}

void blocks_event(struct recorder *r, const struct tracepoint_event *event)
{
    const struct block_fields *f = &r->fields[event->tracepoint];
    struct block_event b = {
        .row = recorded_device(&r->devices, (uint32_t)tracepoint_value(event, f->device)),
        .sector = tracepoint_value(event, f->sector),
        .sectors = tracepoint_value(event, f->sectors),
        .error = tracepoint_value(event, f->error),
    };
    size_t size = f->kind.size < sizeof b.kind ? f->kind.size : sizeof b.kind - 1;
    if (f->kind.offset + size <= event->raw_size)
        memcpy(b.kind, event->raw + f->kind.offset, size);
    if (b.row < 0 && !r->devices.closed)
        r->devices.others++;
    if (b.row < 0)
        return;
    const char *name = r->requests[event->tracepoint].name;
    enum role role = by_bio(r) ? bio_rows[event->tracepoint].role : ROLE_MERGE;
    for (size_t i = 0; !by_bio(r) && i < sizeof request_rows / sizeof *request_rows; i++)
        if (request_rows[i].name == name)
            role = request_rows[i].role;
    switch (role) {
    case ROLE_ISSUE:
        issued(r, &b, event);
        break;
    case ROLE_COMPLETE:
        completed(r, &b, event->time_ns);
        break;
    case ROLE_SUBMIT:
        *submitter_of(r, b.sector) = (struct submitter){b.sector, b.row, event->process};
        break;
    case ROLE_MERGE:
        if (is_wanted(r, &b))
            r->devices.rows[b.row].level->merged++;
        break;
    }
}

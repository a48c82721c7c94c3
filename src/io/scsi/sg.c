/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sg backend: SCSI commands without the kernel's block layer. Only commands that scsi_build
 * permits are sent.
 *
 * At iodepth 1 on a block device each I/O is an SG_IO call. Everything else goes through the
 * generic device (/dev/sgN): write(2) submits a command, read(2) takes a completed one. A
 * descriptor of this device accepts 16 commands, and any reader of the descriptor gets its
 * completions, so each worker opens as many descriptors as it needs. Linux requires that these
 * descriptors are open for writing, even for commands that read.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file/device_number.h"
#include "base/file/file_identity.h"
#include "io/ring/serial_queue.h"
#include "io/scsi/scsi_io.h"

#define COMMANDS_MAX  16 /* commands that the driver accepts on a descriptor (SG_MAX_QUEUE) */
#define CLOSE_SECONDS 2

struct sg_slot {
    struct scsi_command command;
    struct io_req request;
    uint64_t t_sub;
    bool in_flight;
    int error; /* errno if the command could not be submitted */
};

struct sg_state {
    /* first, because serial_submit uses b->state as a struct serial_queue */
    struct serial_queue queue;
    struct io_setup setup;
    bool serial; /* requests are SG_IO calls on the block device */
    bool wrote;
    struct sg_slot *slots;
    /* requests of all slots without a completion, including those that failed */
    unsigned in_flight;
    uint16_t *failed; /* slots whose command could not be submitted */
    unsigned failures;
    struct pollfd *files; /* descriptors: slot i uses files[i / COMMANDS_MAX] */
    unsigned file_count;
};

static unsigned char *buffer_of(const struct sg_state *s, unsigned slot)
{
    return s->setup.buffers + slot * s->setup.buffer_stride;
}

/* ---- one at a time ---- */

static void sg_perform(struct io_backend *b, const struct io_req *request, struct io_done *done)
{
    struct sg_state *s = b->state;
    uint32_t bytes;
    uint64_t t_sub = clock_ticks(s->setup.clock);
    int error = scsi_perform(s->setup.scsi, s->setup.fd, request, buffer_of(s, request->slot),
                             s->setup.buffer_stride, &bytes, &b->statuses);
    uint64_t t_cpl = clock_ticks(s->setup.clock);
    s->wrote |= request_changes_data(request->command);
    io_done_set(done, request, t_sub, t_cpl, bytes, error);
}

/* ---- many in flight ---- */

static void hand_over(struct io_backend *b, unsigned number)
{
    struct sg_state *s = b->state;
    struct sg_slot *slot = &s->slots[number];
    struct sg_io_hdr *header = &slot->command.header;
    slot->error = EINVAL;
    if (!scsi_build(s->setup.scsi, &slot->request, buffer_of(s, number), s->setup.buffer_stride,
                    &slot->command)) {
        header->pack_id = (int)number;
        s->wrote |= request_changes_data(slot->request.command);
        ssize_t written;
        do {
            slot->t_sub = b->handed_over = clock_ticks(s->setup.clock);
            written = write(s->files[number / COMMANDS_MAX].fd, header, sizeof *header);
        } while (written < 0 && errno == EINTR);
        slot->error = written < 0 ? errno : 0;
    } else {
        slot->t_sub = clock_ticks(s->setup.clock);
    }
    slot->in_flight = !slot->error;
    if (slot->error)
        s->failed[s->failures++] = (uint16_t)number;
    s->in_flight++;
}

static int sg_submit(struct io_backend *b, const struct io_req requests[], unsigned n,
                     struct err *e)
{
    struct sg_state *s = b->state;
    if (s->serial)
        return serial_submit(b, requests, n, e);
    for (unsigned i = 0; i < n; i++) {
        s->slots[requests[i].slot].request = requests[i];
        hand_over(b, requests[i].slot);
    }
    return (int)n;
}

static void complete(struct sg_state *s, struct sg_slot *slot, uint32_t bytes, int error,
                     struct io_done *done)
{
    slot->in_flight = false;
    s->in_flight--;
    io_done_set(done, &slot->request, slot->t_sub, clock_ticks(s->setup.clock), bytes, error);
}

/* Completes with an error all commands in flight on a descriptor, after the device is gone or its
   driver has refused: none of these commands will complete otherwise. */
static unsigned give_up(struct sg_state *s, unsigned file, int error, struct io_done done[],
                        unsigned max)
{
    unsigned n = 0;
    for (unsigned i = file * COMMANDS_MAX;
         i < (file + 1) * COMMANDS_MAX && i < s->setup.iodepth && n < max; i++)
        if (s->slots[i].in_flight)
            complete(s, &s->slots[i], 0, error, &done[n++]);
    return n;
}

/* Takes the commands that have completed on one descriptor. */
static unsigned take_completed(struct io_backend *b, unsigned file, struct io_done done[],
                               unsigned max)
{
    struct sg_state *s = b->state;
    for (unsigned n = 0;;) {
        struct sg_io_hdr header = {.interface_id = 'S'};
        if (n == max || !s->in_flight)
            return n;
        if (read(s->files[file].fd, &header, sizeof header) < 0)
            return errno == EAGAIN || errno == EINTR
                       ? n
                       : n + give_up(s, file, errno, done + n, max - n);
        if (header.pack_id < 0 || (unsigned)header.pack_id >= s->setup.iodepth ||
            !s->slots[header.pack_id].in_flight)
            continue; /* none of ours */
        struct sg_slot *slot = &s->slots[header.pack_id];
        uint32_t bytes;
        int error = scsi_result(&header, &slot->request, &bytes, &b->statuses);
        complete(s, slot, bytes, error, &done[n++]);
    }
}

/* Waits until a command has completed, a signal comes or the instant `until` (ticks; 0: none) is
   reached. Returns false for a signal and for the instant. */
static bool wait_for_completion(const struct sg_state *s, uint64_t until)
{
    struct timespec left = {0};
    const uint64_t now = clock_ticks(s->setup.clock);
    if (until > now) {
        const uint64_t ns = clock_ns(s->setup.clock, until - now);
        left = (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
                                 .tv_nsec = (long)(ns % 1000000000)};
    }
    return ppoll(s->files, s->file_count, until ? &left : NULL, NULL) > 0;
}

static unsigned collect(struct io_backend *b, struct io_done done[], unsigned max)
{
    struct sg_state *s = b->state;
    unsigned n = 0;
    while (n < max && s->failures) {
        struct sg_slot *slot = &s->slots[s->failed[--s->failures]];
        complete(s, slot, 0, slot->error, &done[n++]);
    }
    for (unsigned i = 0; i < s->file_count && n < max; i++)
        if (s->files[i].revents)
            n += take_completed(b, i, done + n, max - n);
    return n;
}

/* Reaps at least `min` requests, but waits only until the instant `until` (ticks; 0: no limit). */
static unsigned sg_take(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
                        uint64_t until)
{
    struct sg_state *s = b->state;
    unsigned n = collect(b, done, s->failures < max ? s->failures : max);
    if (min > n + s->in_flight)
        min = n + s->in_flight;
    while (n < max && s->in_flight) {
        /* Once there are enough completions, the wait ends at an instant that has passed: it only
           takes those that have come. */
        if (!wait_for_completion(s, n < min ? until : 1))
            break;
        n += collect(b, done + n, max - n);
        if (n >= min)
            break;
    }
    return n;
}

static int sg_reap(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
                   struct err *e)
{
    const struct sg_state *s = b->state;
    return s->serial ? serial_reap(b, done, min, max, e) : (int)sg_take(b, done, min, max, 0);
}

static int sg_reap_until(struct io_backend *b, struct io_done done[], unsigned max, uint64_t until,
                         struct err *e)
{
    const struct sg_state *s = b->state;
    if (s->serial)
        return serial_reap_until(b, done, max, until, e);
    if (s->in_flight)
        return (int)sg_take(b, done, 1, max, until ? until : 1);
    clock_sleep_until(s->setup.clock, until);
    return 0;
}

/* ---- begin and end ---- */

static void sg_release(struct sg_state *s)
{
    for (unsigned i = 0; i < s->file_count; i++)
        close(s->files[i].fd);
    serial_queue_release(&s->queue);
    free(s->files);
    free(s->slots);
    free(s->failed);
    free(s);
}

static int open_generic(const struct io_setup *setup, struct err *e)
{
    const struct scsi_unit *u = setup->scsi;
    const int flags = O_RDWR | O_NONBLOCK;
    if (!u->generic && !*u->generic_name)
        return err_set(e, ERR_MACHINE,
                       "%s has no generic device (/dev/sgN), without which there is one I/O at a "
                       "time: load the kernel's module sg",
                       u->block_name);
    int fd = u->generic ? file_reopen(setup->fd, "", flags)
                        : device_number_open(u->generic_name, true, u->generic_device, flags);
    if (fd < 0)
        return err_set(e, ERR_MACHINE,
                       "the generic device of %s cannot be opened for reading and writing, which "
                       "its driver demands for reads, too: %s",
                       u->block_name, strerror(errno));
    if (scsi_is_same_unit(fd, setup->fd))
        return fd;
    close(fd);
    return err_set(e, ERR_MACHINE, "%s belongs to another disk than %s", u->generic_name,
                   u->block_name);
}

static int sg_reserve(struct sg_state *s, const struct io_setup *setup, struct err *e)
{
    const unsigned files = (setup->iodepth + COMMANDS_MAX - 1) / COMMANDS_MAX;
    s->setup = *setup;
    s->serial = !setup->scsi->generic && setup->iodepth == 1;
    s->queue.perform = sg_perform;
    if (s->serial)
        return serial_queue_reserve(&s->queue, setup, e);
    s->slots = calloc(setup->iodepth, sizeof *s->slots);
    s->failed = calloc(setup->iodepth, sizeof *s->failed);
    s->files = calloc(files, sizeof *s->files);
    if (!s->slots || !s->failed || !s->files)
        return err_no_memory(e, "%u requests", setup->iodepth);
    for (; s->file_count < files; s->file_count++) {
        int fd = open_generic(setup, e);
        if (fd < 0)
            return -1;
        s->files[s->file_count] = (struct pollfd){.fd = fd, .events = POLLIN};
    }
    return 0;
}

static int sg_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    if (scsi_unit_check(setup->scsi, e))
        return -1;
    struct sg_state *s = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(e, "a backend");
    if (sg_reserve(s, setup, e)) {
        sg_release(s);
        return -1;
    }
    b->ops = &io_sg;
    b->state = s;
    b->completion_fd = s->file_count == 1 ? s->files[0].fd : 0;
    b->statuses = (struct io_statuses){0};
    b->flush = (struct io_flush){0};
    snprintf(b->description, sizeof b->description, "SCSI commands by %s: %.140s",
             s->serial ? "SG_IO, one at a time" : "write and read of the generic device",
             setup->scsi->description);
    return 0;
}

/* Flushes the disk's cache, because written data must survive the end of the run: closing a block
   device writes back the page cache, but does not flush what bypassed it. */
static void sg_flush(struct io_backend *b)
{
    struct sg_state *s = b->state;
    struct io_done done = {.error = ETIMEDOUT};
    const struct io_req request = {.command = REQUEST_FLUSH};
    struct err ignored;
    if (!s->wrote || !s->setup.scsi->write_cache)
        return;
    if (!s->in_flight) {
        const uint64_t end =
            clock_ticks(s->setup.clock) +
            clock_ticks_of_ns(s->setup.clock, (s->setup.scsi->timeout_ms + 1000) * 1000000ull);
        sg_submit(b, &request, 1, &ignored);
        while (sg_reap_until(b, &done, 1, end, &ignored) == 0 && clock_ticks(s->setup.clock) < end)
            continue;
    }
    b->flush = (struct io_flush){.needed = true, .error = done.error};
}

static void sg_close(struct io_backend *b)
{
    struct sg_state *s = b->state;
    struct io_done done[COMMANDS_MAX];
    const uint64_t end = clock_ticks(s->setup.clock) +
                         clock_ticks_of_ns(s->setup.clock, CLOSE_SECONDS * 1000000000ull);
    while (!s->serial && s->in_flight && clock_ticks(s->setup.clock) < end)
        sg_take(b, done, 1, COMMANDS_MAX, end);
    sg_flush(b);
    sg_release(s);
    b->state = NULL;
}

const struct io_ops io_sg = {
    .name = "sg",
    .help = "SCSI commands past the block layer, by SG_IO and /dev/sgN",
    .needs_target = true,
    .needs_scsi = true,
    .bypasses_block_layer = true,
    .trims = true,
    .open = sg_open,
    .submit = sg_submit,
    .reap = sg_reap,
    .reap_until = sg_reap_until,
    .exchange = io_submit_and_reap,
    .close = sg_close,
};
